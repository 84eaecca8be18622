package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Session is one guarded connection (see engine.Engine) with its prepared statements. All parts of
// a query run in one batch, in a read-only transaction that is rolled back. So nothing that a
// statement sets outlives it.
type Session struct {
	Conn    *pgconn.PgConn
	cancel  *canceller
	stmts   engine.Statements[*stmt]
	gone    []string      // gone are names of statements to deallocate
	names   int           // names counts the statements that were prepared so far
	timeout time.Duration // timeout bounds the time that a statement may run
	maxCost float64       // maxCost is the highest cost of a statement; 0: no limit
	Used    time.Time     // Used is when the last query ended
	busy    bool          // busy: the session is in a batch, so that after a panic its state is unknown
	bad     bool
	alone   bool         // alone: the server did not wait for its standby (see hear)
	leads   *atomic.Bool // leads is the field leads of the database
	args    arguments
	own     bool // own: the statement is planned with its values (see plan.Plan.Own)

	Refusals *Refusals // Refusals are shared by all connections

	Begin, limit, Rollback, indexes *pgconn.StatementDescription

	Pooled    *pooled                      // Pooled is set if a pooler shares the session with other clients
	named     *stmt                        // named is prepared under its name for the transaction of guarded; only in a shared session
	last      *pgconn.StatementDescription // last is the statement that was last prepared without a name in the pipeline; only in a shared session
	described *pgconn.StatementDescription // described is the server's last answer to a Prepare in a pipeline

	settings *engine.Settings // settings has the values that policies read, from With; or nil
	set      *pgconn.StatementDescription
	was      []string // was has the names of settings that are set in the unit of work

	unit     *unitStatements // unit has the statements of a Writer's unit of work; nil outside of a unit
	affected int64           // affected counts the rows that statements have changed
	later    []found         // later has the values of keys that the unit has changed, to be looked up in its snapshot (see agree)

	concerned func(context.Context, *plan.Plan) ([]rule, error) // concerned returns the rules that a plan's write could break; nil except for a Writer

	reach    *following                   // reach is the state that a replica must have replayed; nil for a primary
	position *pgconn.StatementDescription // position is the prepared readPosition; nil before a primary is asked
}

// stmt is a prepared statement with the decoders of its cells.
type stmt struct {
	kinds  []string // kinds are the arguments' types with which the statement was prepared
	name   string   // name is the name of the prepared statement; in a shared session it is valid within one transaction
	types  []uint32 // types are the parameters' types that were given; 0: the server finds them
	pooled bool     // pooled: the statement is prepared anew in each transaction
	sd     *pgconn.StatementDescription
	decode []decoder
	texts  []bool // texts marks the cells that are texts, taken unchanged
	rows   []*rowsDecoder
	rules  []rule // rules are the rules with parts in the result after the cells; wrote gets these parts
	wrote  func([]rule, [][]byte)
	open   *opened
	costed time.Time // costed is when the cost was last found to be below the limit
}

func (s *Session) Prepared() (n, bytes int) { return s.stmts.Len(), s.stmts.Size() }

// Sound reports whether the connection is open, in no transaction except its unit's, and certain to
// get no late cancel request.
func (s *Session) Sound() bool {
	idle := byte('I')
	if s.unit != nil && !s.unit.pending {
		idle = 'T'
	}
	return !s.bad && !s.busy && (s.unit != nil || !s.Pooled.worn()) && !s.Conn.IsClosed() && s.Conn.TxStatus() == idle && !s.cancel.unsure
}

func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.Conn.Close(ctx)
}

// idleCheck is how long a connection may be idle before it is tested at its next use, since servers
// restart and firewalls drop connections.
const idleCheck = time.Second

func (s *Session) Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if s.reach == nil && s.leads.Load() && s.follows() {
		return s.refuseStandby()
	}
	if s.reach != nil {
		s.reach.read = false
	}
	if err := s.alive(ctx); err != nil {
		return s.elsewhere(ctx, err)
	}
	defer func() {
		s.deallocate()
		s.Used = time.Now()
	}()
	if err := s.onTimeline(ctx); err != nil {
		return s.elsewhere(ctx, err)
	}
	run := s.run
	if p.Tables != nil {
		run = s.runOpen
	}
	err := run(ctx, p, args, out)
	if said, _ := unread(p, args, err); said != nil && p.Write == nil {
		return said
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok && (p.Write != nil || !errors.Is(err, errRetyped)) || out.Count() > 0 || !s.Sound(): // a write whose types have changed has run
	case !ok || e.Code == notSupported:
		// The tables of the prepared statement have changed, so it is prepared again.
		s.stmts.Remove(p)
		err = run(ctx, p, args, out) // run judges an open plan again
	case e.Code == invalidStatement:
		// A pooler in front of the server has dropped the prepared statement.
		s.bad = true
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	if p.Write != nil {
		return err // the error of a write is converted by violation
	}
	return hostError(s.elsewhere(ctx, err))
}

// These are the server's codes of errors that are retried or translated.
const (
	notSupported     = "0A000" // also sent if the result of a prepared statement would have another type now
	invalidStatement = "26000" // the prepared statement does not exist
	queryCanceled    = "57014"
)

// alive tests a connection that was idle.
func (s *Session) alive(ctx context.Context) error {
	if time.Since(s.Used) > idleCheck {
		return s.ping(ctx)
	}
	return nil
}

func (s *Session) ping(ctx context.Context) error {
	defer s.hurry(s.reach != nil)()
	pl := s.Conn.StartPipeline(ctx)
	err := pl.Sync()
	if err == nil {
		_, err = pl.GetResults()
	}
	if err = errors.Join(err, pl.Close()); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.bad = true
	return engine.Lost(fmt.Errorf("%w: %w", engine.ErrLost, boundError(err)))
}

func (s *Session) run(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return err
	}
	if _, kept := s.stmts.Get(p); !kept {
		defer s.dropped(st) // a statement that is too large to keep is dropped after its query
	}
	if err := s.affordable(ctx, p, st, args); err != nil {
		return err
	}
	params, formats := s.args.encode(args)
	s.own = p.Own
	defer func() { s.own = false }()
	return s.guarded(ctx, 1, func(pl *pgconn.Pipeline) {
		s.execute(pl, st, params, formats)
	}, func(_ int, rr *pgconn.ResultReader) error { return st.read(rr, out) })
}

// read passes the cells of all rows to out.
func (st *stmt) read(rr *pgconn.ResultReader, out *plan.Collector) (err error) {
	if st.pooled && !st.returns(rr.FieldDescriptions()) {
		return errRetyped
	}
	for rr.NextRow() {
		all := rr.Values()
		if len(st.rules) > 0 {
			st.wrote(st.rules, all[len(st.decode):])
		}
		for i, b := range all[:len(st.decode)] {
			if err = out.Afford(len(b)); err != nil {
				return err
			}
			switch {
			case b == nil:
				err = out.Null()
			case st.texts[i]:
				err = out.AddText(b)
			case st.rows[i] != nil:
				var v value.Value
				var n int
				if v, n, err = st.rows[i].decode(b, out.Misfits()); err == nil {
					err = out.AddRows(v, n)
				}
			default:
				err = out.Add(st.decode[i](b))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

var binaryFormat = []int16{1}

// guarded runs n statements in a read-only transaction with a time limit, in one round trip. read
// gets the result of each, counted from 0. The rollback comes after its own synchronisation point,
// so it happens whatever came before. A query sets the limit, and after a query SET TRANSACTION
// READ WRITE is no longer possible.
func (s *Session) guarded(ctx context.Context, n int, send func(*pgconn.Pipeline), read func(int, *pgconn.ResultReader) error) error {
	limit, byContext := s.timeout, false
	if d, ok := ctx.Deadline(); ok && time.Until(d) < limit {
		limit, byContext = max(time.Until(d), 0).Truncate(time.Millisecond)+time.Millisecond, true
	}
	settings, err := s.policies(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	qctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.busy = true
	t := &trip{pl: s.Conn.StartPipeline(qctx), cancel: cancel}
	end := s.precede(t, limit, settings)
	defer t.stop()
	send(t.pl)
	t.pl.SendPipelineSync()
	if s.named != nil {
		t.pl.SendDeallocate(s.named.name) // the statement is dropped before the transaction ends, after which another client may have the session
	}
	s.send(t.pl, end, nil, nil, nil)
	if err = t.pl.Sync(); err == nil {
		err = s.results(t, n, read)
	}
	if t.behind {
		err = notFollowing(err)
	}
	if cerr := t.pl.Close(); err == nil {
		err = cerr // cerr is the error of the rollback
	}
	err = boundError(err)
	switch {
	case s.Conn.IsClosed():
	case s.unit != nil:
		s.undo()
	case s.Conn.TxStatus() != 'I':
		s.rollBack()
	}
	s.busy = false
	if late := time.Since(start) >= limit-time.Millisecond; late && byContext {
		if err != nil {
			<-ctx.Done() // the server was a moment faster; the caller reads the error of its context
		}
		return s.translate(ctx, err, context.DeadlineExceeded)
	} else if late {
		return s.translate(ctx, err, fail.Errorf(fail.Limit, "", "the query ran longer than %v, which is all that the database allows: ask for fewer rows, or use columns with an index", s.timeout))
	}
	return s.translate(ctx, err, &fail.Error{Kind: fail.Cancelled}) // the query was cancelled at the server
}

// trip is a round trip of guarded.
type trip struct {
	pl           *pgconn.Pipeline
	first        int    // first is the number of the first result, below 0: those of the statements in send count from 0
	checked      int    // checked is the number of the result by which a replica shows that it follows
	behind       bool   // behind: the replica has not shown yet that it follows
	stop, cancel func() // stop ends the replica's time for that; cancel ends the statements
}

// precede sends what comes before the statements of guarded. It returns the statement that ends their transaction, or their part of the unit's.
func (s *Session) precede(t *trip, limit time.Duration, settings [][]byte) (end *pgconn.StatementDescription) {
	t.first = -1 // the result of the limit comes first
	limits, end := s.limit, s.Rollback
	if s.unit == nil {
		t.first -= s.opening(t.pl, s.Begin, false)
	} else {
		var save *pgconn.StatementDescription
		save, limits, end = s.unit.around()
		if s.unit.pending {
			// If BEGIN fails, the server skips everything up to the synchronisation point, so no statement runs outside of a transaction.
			s.unit.pending = false
			t.first -= s.opening(t.pl, s.unit.begin, true)
		}
		t.first--
		s.send(t.pl, save, nil, nil, nil)
	}
	s.send(t.pl, limits, [][]byte{strconv.AppendInt(nil, limit.Milliseconds(), 10), s.mode()}, nil, nil)
	if settings != nil {
		t.first--
		s.send(t.pl, s.set, settings, nil, nil)
	}
	t.behind = s.reach != nil && s.reach.LSN != ""
	t.checked, t.stop = -1, s.hurry(t.behind)
	if t.behind {
		t.first--
		s.send(t.pl, s.reach.check, s.reach.position(), nil, nil)
		t.pl.SendFlushRequest() // otherwise the result comes with that of the statement, however long that runs
	}
	if s.named != nil {
		t.first--
		t.checked = -2
		t.pl.SendPrepare(s.named.name, s.named.sd.SQL, s.named.types)
	}
	return end
}

// results reads all results before the n-th. It gives those from 0 on to read.
func (s *Session) results(t *trip, n int, read func(int, *pgconn.ResultReader) error) error {
	for i := t.first; i < n; i++ {
		res, err := t.pl.GetResults()
		if err != nil {
			return err
		}
		if s.described, _ = res.(*pgconn.StatementDescription); s.described != nil {
			continue
		}
		rr, ok := res.(*pgconn.ResultReader)
		if !ok {
			return fmt.Errorf("exosql: the server sent an unexpected answer (%T): check that the URL leads to PostgreSQL itself", res)
		}
		if i >= 0 && read != nil {
			if err := read(i, rr); err != nil {
				t.cancel() // without the cancellation, the remaining rows would be read first
				return err
			}
		}
		tag, err := rr.Close()
		if tag.Insert() || tag.Update() || tag.Delete() {
			s.affected += tag.RowsAffected()
		}
		if err != nil {
			return err
		}
		if t.behind && i == t.checked {
			t.behind, s.reach.read = false, true
			t.stop()
		}
	}
	return nil
}

// mode returns the plan_cache_mode of the statement that runs.
func (s *Session) mode() []byte {
	if s.own {
		return []byte("force_custom_plan")
	}
	return []byte("force_generic_plan")
}

// rollBack repeats a rollback that a cancel request has hit. No other request is under way, since
// the pipeline has ended.
func (s *Session) rollBack() {
	ctx, cancel := context.WithTimeout(context.Background(), CancelGrace)
	defer cancel()
	_, _ = s.Conn.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close() // the connection's state shows the result
}

// translate converts an error of the server into one for a program. stopped is the error if
// the server itself ended the query. Only the host reads the server's text.
func (s *Session) translate(ctx context.Context, err error, stopped error) error {
	if _, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return engine.RowTooLarge(err)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == queryCanceled && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", stopped, err)
	}
	return err
}

func (s *Session) prepare(ctx context.Context, p *plan.Plan, args []value.Value) (*stmt, error) {
	var rules []rule
	if p.Write != nil && s.concerned != nil {
		var err error
		if rules, err = s.concerned(ctx, p); err != nil {
			return nil, err
		}
	}
	if st, ok := s.stmts.Get(p); ok {
		if st.serves(args) && slices.EqualFunc(st.rules, rules, func(a, b rule) bool { return a.st == b.st }) {
			return st, nil
		}
		s.stmts.Remove(p)
	}
	if err := s.reached(ctx); err != nil {
		return nil, err
	}
	st := &stmt{kinds: make([]string, len(args)), rules: rules, wrote: s.wrote}
	types := make([]uint32, len(args))
	for i, v := range args {
		st.kinds[i], types[i] = v.Type(), typeOf(v.Type())
	}
	s.names++
	var err error
	if p.Own { // a value alone in a subquery would be a text, and not the enum or citext that it is compared with
		typed, err := s.describe(ctx, "", p.Typed, types)
		if err != nil {
			return nil, err
		}
		types = typed.ParamOIDs
	}
	st.name, st.types, st.pooled = s.prefix()+strconv.Itoa(s.names), types, s.Pooled != nil
	if st.sd, err = s.describe(ctx, st.name, returning(p, rules), types); err != nil {
		return nil, err
	}
	if len(st.sd.Fields) != len(p.Cells)+partsOf(rules) || len(st.sd.ParamOIDs) != len(args) {
		err = fmt.Errorf("exosql: PostgreSQL prepared a statement with %d columns and %d parameters, but exosql wrote it with %d and %d: this is a fault of exosql, please report it", len(st.sd.Fields), len(st.sd.ParamOIDs), len(p.Cells)+partsOf(rules), len(args))
	}
	for i := range p.Cells {
		if err != nil {
			break
		}
		d := decoderOf(&p.Cells[i], st.sd.Fields[i].DataTypeOID)
		if d == nil {
			err = p.Cells[i].Contradicts(fmt.Sprintf("PostgreSQL's type %d", st.sd.Fields[i].DataTypeOID))
		}
		st.decode, st.texts = append(st.decode, d), append(st.texts, p.Cells[i].Kind == value.TypeText)
		st.rows = append(st.rows, rowsDecoderOf(&p.Cells[i]))
	}
	if err != nil {
		s.dropped(st)
		return nil, err
	}
	if size := prepareBytes(p) + p.Bytes; s.stmts.Fits(size) {
		s.stmts.Add(p, st, size)
	}
	return st, nil
}

// prepareBytes estimates the server's memory for a statement and its plan, which a read-only role
// may not query. A join repeats the columns of all tables before it, so many tables cost more than
// their text. TestStatementBytes checks this.
func prepareBytes(p *plan.Plan) int {
	n := 12<<10 + 100*len(p.Text) + 150*p.Joins
	if p.Tables != nil {
		n += 12 << 10 // the EXPLAIN of its plan is a statement too
	}
	return n
}

func (st *stmt) serves(args []value.Value) bool {
	for i, v := range args {
		if st.kinds[i] != v.Type() {
			return false
		}
	}
	return true
}

// dropped notes a statement that is no longer used.
func (s *Session) dropped(st *stmt) {
	if s.Pooled != nil {
		return // the server has dropped it at the end of its transaction
	}
	s.gone = append(s.gone, st.sd.Name)
	if st.open != nil {
		s.gone = append(s.gone, st.open.explain.Name)
	}
}

// deallocate makes the server drop the noted statements, whatever the query's outcome. If the
// server can't be asked, the connection is closed soon, which drops them too.
func (s *Session) deallocate() {
	if len(s.gone) == 0 || !s.Sound() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), CancelGrace)
	defer cancel()
	for _, name := range s.gone {
		if s.Conn.Deallocate(ctx, name) != nil {
			s.bad = true
			return
		}
	}
	s.gone = s.gone[:0]
}
