package postgres

// This file runs plans in sessions that a pooler shares among clients, like PgBouncer in transaction mode. There each transaction is a session of
// its own: it begins with all settings, local to it, and prepares what it executes. Nothing is sent outside of a transaction.

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/pgsession"
)

// pooled has the settings with which each transaction begins.
type pooled struct {
	settings          // settings are ours, and those of the URL
	all      settings // all has a value for each setting that PostgreSQL lists: a transaction that may be kept resets the settings to these
	prefix   string   // prefix begins the names of prepared statements, so that no other client has them
	renames  bool     // renames: the pooler gives prepared statements other names at the server
	uses     int      // uses counts the transactions
}

// maxUses bounds the transactions of a connection. At the end of a transaction a server may report settings, and package pgbound counts these
// reports for the whole connection.
const maxUses = 1000

func (p *pooled) worn() bool { return p != nil && p.uses >= maxUses }

// These statements remove what other clients have set in the session. They look nothing up by the search path. What they change ends with the
// transaction; only resetAll would outlive a COMMIT. Servers with the minor releases of November 2024 reset the role with the user.
const (
	noLimit  = "SET LOCAL statement_timeout = 0" // otherwise another client's limit could end the statements that reset the rest
	ownUser  = "SET LOCAL SESSION AUTHORIZATION DEFAULT"
	ownRole  = "SET LOCAL role TO DEFAULT"
	resetAll = "RESET ALL"
)

// setOthers sets those of the given settings that have another value now. allSettings reads the settings that setOthers is given, with the values of
// this session.
const (
	setOthers   = setAll + ` WHERE pg_catalog.current_setting(s.name, true) OPERATOR(pg_catalog.<>) s.value`
	allSettings = `SELECT json_agg(json_build_array(name, current_setting(name)))::text FROM pg_settings
		WHERE context IN ('user', 'superuser') AND name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'temp_buffers')` // temp_buffers can't be set once a session has used a temporary table
)

// dotted are settings that triggers of undo read: see images. PostgreSQL does not list settings with a dot.
var dotted = []string{"exo.run", "exo.given"}

// opening sends BEGIN, and in a shared session the statements that replace other clients' settings by ours. opening returns the number of results.
// commits: the transaction may be kept.
func (s *Session) opening(pl *pgconn.Pipeline, begin *pgconn.StatementDescription, commits bool) int {
	s.send(pl, begin, nil, nil, nil)
	if s.Pooled == nil {
		return 1
	}
	s.Pooled.uses++
	for _, text := range []string{noLimit, ownUser, ownRole} {
		pl.SendQueryParams(text, nil, nil, nil, nil)
	}
	reset, params := resetAll, [][]byte(nil)
	if commits {
		reset, params = setOthers, s.Pooled.all.params()
	}
	pl.SendQueryParams(reset, params, nil, nil, nil)
	pl.SendQueryParams(setAll, s.Pooled.settings.params(), nil, nil, nil)
	return 6
}

// start begins a transaction, in one round trip.
func (s *Session) start(ctx context.Context, begin *pgconn.StatementDescription, commits bool) error {
	s.busy = true
	pl := s.Conn.StartPipeline(ctx)
	n := s.opening(pl, begin, commits)
	err := pl.Sync()
	for ; n > 0 && err == nil; n-- {
		var res any
		if res, err = pl.GetResults(); err == nil {
			_, err = res.(*pgconn.ResultReader).Close()
		}
	}
	if cerr := pl.Close(); err == nil {
		err = cerr
	}
	s.busy = false
	return boundError(err)
}

// pool changes the configuration of a connection whose session a pooler shares. It moves the settings from the start of the connection, where a
// pooler would refuse or drop them, to p.
func (e *database) pool(c *pgx.ConnConfig, p *pooled) error {
	if e.config.AfterConnect != nil {
		return pgsession.Errorf("AfterConnect sets up a session, which a pooler in transaction mode shares with other clients: write its settings for the role (ALTER ROLE … SET …) or in the URL, and leave AfterConnect nil; or connect to PostgreSQL's own port")
	}
	if c.RuntimeParams["options"] != "" {
		return pgsession.Errorf("the URL has options=…, which a pooler in transaction mode can't carry: write each setting as a parameter of its own, like search_path=tenant; or connect to PostgreSQL's own port")
	}
	*p = pooled{prefix: "exo_" + strings.ToLower(rand.Text()) + "_"}
	for _, name := range slices.Sorted(maps.Keys(c.RuntimeParams)) {
		p.Set(name, c.RuntimeParams[name])
	}
	c.RuntimeParams = map[string]string{"application_name": c.RuntimeParams["application_name"]}
	c.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // this mode, in which the catalogue is read, names no prepared statement
	return nil
}

// pinPooled completes the settings with those that a session of this role begins with. The search path then stays the same, like that of a session of our own.
func (s *Session) pinPooled(ctx context.Context) (ms string, err error) {
	err = s.start(ctx, &pgconn.StatementDescription{SQL: beginReads}, false)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == protocolViolation && strings.Contains(e.Message, "statement pooling mode") {
		return "", pgsession.Errorf("the URL leads to a pooler that refuses transactions (statement mode): set pool_mode = transaction, or connect to PostgreSQL's own port")
	}
	if err != nil {
		return "", err
	}
	path, err := s.One(ctx, pinPathHere)
	if err != nil {
		return "", err
	}
	if ms, err = s.One(ctx, ceiling); err != nil {
		return "", err
	}
	for _, p := range pins {
		s.Pooled.Set(p[0], p[1])
	}
	for _, name := range dotted {
		s.Pooled.Set(name, "")
	}
	s.Pooled.Set("search_path", path)
	if err = s.complete(ctx); err != nil {
		return "", err
	}
	_, err = s.Conn.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close()
	return ms, err
}

// protocolViolation is the code with which PgBouncer refuses a setting at the start of a connection, and a transaction in statement mode.
const protocolViolation = "08P01"

// refuses reports whether a pooler has refused a setting of the URL. The transactions of pooled set it instead.
func refuses(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == protocolViolation && strings.HasPrefix(e.Message, "unsupported startup parameter")
}

// probe finds out whether SQL can name a prepared statement. PgBouncer with max_prepared_statements gives statements other names, so the plan of a
// statement that runs can't be asked for.
func (s *Session) probe(ctx context.Context) error {
	st := &stmt{name: s.Pooled.prefix + "probe", sd: &pgconn.StatementDescription{SQL: "SELECT 1"}}
	defer s.naming(st)()
	err := s.guarded(ctx, 1, func(pl *pgconn.Pipeline) { pl.SendQueryParams(st.execution(), nil, nil, nil, nil) }, nil)
	if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != invalidStatement {
		return err
	}
	if s.Pooled.renames = true; s.maxCost > 0 {
		return pgsession.Errorf("OpenOptions.PlanCost asks what a prepared statement costs, but the pooler gives prepared statements other names: set max_prepared_statements = 0 in PgBouncer, leave PlanCost 0, or connect to PostgreSQL's own port")
	}
	return nil
}

// errRenamed is why no open plan (see open.go) runs by a pooler that renames prepared statements.
var errRenamed = fail.Named("the pooler gives prepared statements other names, so the server can't be asked for its plan")

// complete sets the settings in s.Pooled, and then reads the values of all settings into s.Pooled.all.
func (s *Session) complete(ctx context.Context) error {
	if _, err := s.Conn.ExecParams(ctx, setAll, s.Pooled.settings.params(), nil, nil, nil).Close(); err != nil {
		return err
	}
	text, err := s.One(ctx, allSettings)
	if err != nil {
		return err
	}
	var all [][2]string
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return fmt.Errorf("the server's settings can't be read: %w", err)
	}
	for _, p := range all {
		s.Pooled.all.Set(p[0], p[1])
	}
	return nil
}

// clean begins a transaction that reads the catalogue, and is rolled back.
func (p *pooled) clean(ctx context.Context, tx *sql.Tx) error {
	for _, text := range []string{noLimit, ownUser, ownRole, resetAll} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	params := p.params()
	_, err := tx.ExecContext(ctx, setAll, string(params[0]), string(params[1]))
	if err == nil { // package schema reads this, since pinPathHere changes the path
		_, err = tx.ExecContext(ctx, "SELECT pg_catalog.set_config('exo.search_path', pg_catalog.current_setting('search_path'), true)")
	}
	return err
}

// prefix begins the names of statements.
func (s *Session) prefix() string {
	if s.Pooled != nil {
		return s.Pooled.prefix
	}
	return "exo_"
}

// kept returns the name under which the session keeps a statement. It returns "" for a shared session, which keeps none.
func (s *Session) kept(name string) string {
	if s.Pooled != nil {
		return ""
	}
	return name
}

// define prepares a constant statement, which is valid in every database.
func (s *Session) define(ctx context.Context, name, text string) (*pgconn.StatementDescription, error) {
	if s.Pooled != nil {
		return &pgconn.StatementDescription{SQL: text}, nil
	}
	sd, err := s.Conn.Prepare(ctx, name, text, nil)
	return sd, boundError(err)
}

// describe prepares a statement. In a shared session it is prepared only to learn its types, in a transaction.
func (s *Session) describe(ctx context.Context, name, text string, types []uint32) (*pgconn.StatementDescription, error) {
	if s.Pooled == nil {
		sd, err := s.Conn.Prepare(ctx, name, text, types)
		return sd, boundError(err)
	}
	err := s.guarded(ctx, 1, func(pl *pgconn.Pipeline) { pl.SendPrepare("", text, types) }, nil)
	sd := s.described
	if s.described = nil; err != nil {
		return nil, err
	}
	sd.SQL = text
	return sd, nil
}

// send sends a statement that define or describe has returned.
func (s *Session) send(pl *pgconn.Pipeline, sd *pgconn.StatementDescription, params [][]byte, formats, results []int16) {
	s.last = nil
	if sd.Name == "" {
		pl.SendQueryParams(sd.SQL, params, nil, formats, results)
		return
	}
	pl.SendQueryStatement(sd, params, formats, results)
}

// execute sends a plan's statement. In a shared session it is parsed once for all executions that follow each other.
func (s *Session) execute(pl *pgconn.Pipeline, st *stmt, params [][]byte, formats []int16) {
	switch {
	case s.Pooled == nil:
		pl.SendQueryStatement(st.sd, params, formats, binaryFormat)
	case s.named == st:
		pl.SendQueryPrepared(st.name, params, formats, binaryFormat)
	case s.last == st.sd:
		pl.SendQueryPrepared("", params, formats, binaryFormat)
	default:
		pl.SendQueryParams(st.sd.SQL, params, st.types, formats, binaryFormat)
		s.last = st.sd
	}
}

// exec runs one statement in a transaction.
func (s *Session) exec(ctx context.Context, sd *pgconn.StatementDescription, params [][]byte) *pgconn.ResultReader {
	if sd.Name == "" {
		return s.Conn.ExecParams(ctx, sd.SQL, params, nil, nil, nil)
	}
	return s.Conn.ExecStatement(ctx, sd, params, nil, nil)
}

// naming makes guarded prepare st under its name, so that EXPLAIN can ask for its plan and the execution uses that plan. The name is dropped before the
// transaction ends. The caller calls the returned function after guarded.
func (s *Session) naming(st *stmt) func() {
	if s.Pooled != nil {
		s.named = st
	}
	return func() { s.named = nil }
}

// errRetyped is the error of a statement whose result now has other types than when the statement was described.
var errRetyped = fail.Named("the types of the statement's columns have changed")

// returns reports whether a result has the types with which the statement was described, for which its decoders were made.
func (st *stmt) returns(fields []pgconn.FieldDescription) bool {
	return slices.EqualFunc(fields, st.sd.Fields, func(a, b pgconn.FieldDescription) bool { return a.DataTypeOID == b.DataTypeOID })
}

// SetPath sets another search path. Only tests call it.
func (p *pooled) SetPath(path string) {
	p.settings.Set("search_path", path)
	p.all.Set("search_path", path)
}
