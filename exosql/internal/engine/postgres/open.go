package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// An open plan has no fence between the rows in scope and the program's conditions. When a
// connection prepares the statement, PostgreSQL is asked how it would read the tables, and the
// answer is judged. PostgreSQL may plan the statement again at any time, so it is asked again in
// the transaction of each execution. Its answer, and the indexes with the names in it, must equal
// the judged ones byte for byte. The columns of an index never change. Between the question and the
// execution no table of the statement can lose an index, since the question locks the tables.

// opened has the server's answers about an open plan's statement, which was judged by them.
type opened struct {
	explain *pgconn.StatementDescription
	plan    []byte   // plan is the server's plan
	names   [][]byte // names has one item: the names of the indexes in the plan, as an array of PostgreSQL
	indexes []byte   // indexes has the numbers of these indexes, which indexNumbers returns
}

// indexNumbers returns the numbers of all indexes with the given names.
const indexNumbers = `SELECT coalesce(string_agg(c.oid::text, ',' ORDER BY c.oid), '') FROM pg_catalog.pg_class AS c WHERE c.relname = ANY ($1::name[]) AND c.relkind IN ('i', 'I')`

// readIndexes returns the columns of all indexes with the given names, on tables that a statement
// can name. It returns no columns for an index that is no valid b-tree of all rows, and null for an
// expression.
const readIndexes = `SELECT coalesce(json_agg(json_build_array(d.name, d.columns)), '[]')::text FROM (
	SELECT c.relname::text AS name, CASE WHEN i.indisvalid AND i.indpred IS NULL AND m.amname = 'btree' THEN
		(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, n)
			LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0 WHERE k.n <= i.indnkeyatts) END AS columns
	FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid JOIN pg_catalog.pg_am AS m ON m.oid = c.relam WHERE c.relname = ANY ($1::name[]) AND pg_catalog.pg_table_is_visible(i.indrelid) ORDER BY c.oid) AS d`

// errReplanned is the error of a statement that the server would run by another plan than the
// judged one.
var errReplanned = fail.Named("the server has changed its plan of the statement")

// runOpen runs an open plan.
func (s *Session) runOpen(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if s.Pooled != nil && s.Pooled.renames {
		return &fence.Refused{Why: errRenamed}
	}
	if why := s.Refusals.lately(p); why != nil {
		return why
	}
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return err
	}
	if _, kept := s.stmts.Get(p); !kept {
		defer s.dropped(st)
	}
	if s.Pooled != nil && p.Write != nil && st.open != nil {
		st.open.plan = nil // a shared session plans the statement each time, and a refusal after a write would repeat the whole unit
	}
	if err := s.judged(ctx, p, st); err != nil {
		return err
	}
	if err := s.affordable(ctx, p, st, args); err != nil {
		return err
	}
	defer s.naming(st)()
	params, formats := s.args.encode(args)
	var numbers, said []byte
	replanned := false
	err = s.guarded(ctx, 3, func(pl *pgconn.Pipeline) {
		s.send(pl, s.indexes, st.open.names, nil, nil)
		s.send(pl, st.open.explain, nil, nil, nil)
		s.execute(pl, st, params, formats)
	}, func(i int, rr *pgconn.ResultReader) (err error) {
		switch i {
		case 0:
			numbers, err = textIn(rr)
			replanned = !bytes.Equal(numbers, st.open.indexes)
		case 1:
			said, err = textIn(rr)
			replanned = replanned || !bytes.Equal(said, st.open.plan)
		default:
			return st.read(rr, out)
		}
		if err == nil && replanned && (p.Write == nil || s.Pooled == nil) {
			err = errReplanned
		}
		return err
	})
	if err == nil && replanned { // a write in a shared session, which plans it each time, has happened: its tables are still locked, so its plan can be judged now
		if refused, aerr := s.judge(ctx, p, st, said); aerr != nil {
			err = aerr
		} else if refused != nil {
			err = errReplanned
		}
	}
	if errors.Is(err, errReplanned) {
		st.open.plan = nil // without the plan it is judged again the next time
		if p.Write != nil {
			// PostgreSQL ran the statement by a plan that was not judged, so the whole unit is rolled back and begins again.
			return fmt.Errorf("%w: %w", engine.ErrSerial, errReplanned)
		}
		return &fence.Refused{Why: errReplanned}
	}
	return err
}

// textIn returns the only cell of a result, or nil if it has no row.
func textIn(rr *pgconn.ResultReader) (text []byte, err error) {
	for rr.NextRow() {
		if v := rr.Values(); len(v) != 1 || text != nil {
			return nil, errors.New("exosql: the server returned more than one row or cell where one text was expected: check that the URL leads to PostgreSQL itself")
		}
		text = append([]byte{}, rr.Values()[0]...)
	}
	return text, nil
}

// judged judges the statement, unless this connection has judged it already.
func (s *Session) judged(ctx context.Context, p *plan.Plan, st *stmt) error {
	if st.open != nil && st.open.plan != nil {
		return nil
	}
	if st.open == nil {
		sd, err := s.define(ctx, st.name+"_plan", explainOf(st))
		if err != nil {
			return err
		}
		st.open = &opened{explain: sd}
	}
	defer s.naming(st)()
	if before := s.Refusals.get(p); before != nil {
		if still, err := s.asBefore(ctx, st, before); err != nil {
			return err
		} else if still {
			return s.Refusals.add(p, before.again()).why
		}
	}
	said, err := s.ask(ctx, func(pl *pgconn.Pipeline) { s.send(pl, st.open.explain, nil, nil, nil) })
	if err != nil {
		return err
	}
	refused, err := s.judge(ctx, p, st, said)
	if err == nil && refused != nil {
		return s.Refusals.add(p, refused).why
	}
	return err
}

// judge judges the server's plan of a statement, and keeps the plan if it is admitted. Otherwise it returns the refusal.
func (s *Session) judge(ctx context.Context, p *plan.Plan, st *stmt, said []byte) (*refusal, error) {
	names := indexNames(said)
	encoded := [][]byte{encodeNames(names)}
	// The numbers are read first: if an index is replaced in between, they are the old ones.
	numbers, err := s.ask(ctx, func(pl *pgconn.Pipeline) { s.send(pl, s.indexes, encoded, nil, nil) })
	if err != nil {
		return nil, err
	}
	found, err := s.ask(ctx, func(pl *pgconn.Pipeline) { pl.SendQueryParams(readIndexes, encoded, nil, nil, nil) })
	if err != nil {
		return nil, err
	}
	known, err := definitions(found)
	if err == nil {
		err = fence.JudgePostgres(said, p.Tables, known)
	}
	if err != nil {
		return &refusal{why: &fence.Refused{Why: err}, plan: said, names: encoded, indexes: numbers}, nil
	}
	s.Refusals.remove(p)
	st.open.plan, st.open.names, st.open.indexes = said, encoded, numbers
	return nil, nil
}

// explainOf returns the statement that asks how the server would run st, whatever its values are.
func explainOf(st *stmt) string { return "EXPLAIN (FORMAT JSON, COSTS OFF) " + st.execution() }

// execution returns the call of a statement with all values NULL, since the planner ignores the values.
func (st *stmt) execution() string {
	text := "EXECUTE " + st.name
	if n := len(st.kinds); n > 0 {
		text += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
	}
	return text
}

// asBefore reports whether the server would still run the statement by the plan that was refused.
func (s *Session) asBefore(ctx context.Context, st *stmt, r *refusal) (bool, error) {
	var answers [2][]byte
	err := s.guarded(ctx, 2, func(pl *pgconn.Pipeline) {
		s.send(pl, s.indexes, r.names, nil, nil)
		s.send(pl, st.open.explain, nil, nil, nil)
	}, func(i int, rr *pgconn.ResultReader) (err error) { answers[i], err = textIn(rr); return err })
	return bytes.Equal(answers[0], r.indexes) && bytes.Equal(answers[1], r.plan), err
}

// ask runs one statement that returns a text.
func (s *Session) ask(ctx context.Context, send func(*pgconn.Pipeline)) (text []byte, err error) {
	err = s.guarded(ctx, 1, send,
		func(_ int, rr *pgconn.ResultReader) (err error) { text, err = textIn(rr); return err })
	return text, err
}

// indexNames returns the names of indexes in a plan.
func indexNames(said []byte) []string {
	var names []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if n, ok := v["Index Name"].(string); ok && !slices.Contains(names, n) {
				names = append(names, n)
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	var all any
	if json.Unmarshal(said, &all) == nil { // fence.JudgePostgres refuses a plan that can't be read
		walk(all)
	}
	slices.Sort(names)
	return names
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// encodeNames writes an array in PostgreSQL's syntax.
func encodeNames(names []string) []byte {
	b := []byte("{")
	for i, n := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(append(b, escapes.Replace(n)...), '"')
	}
	return append(b, '}')
}

// definitions reads the result of readIndexes. If two schemas have different indexes of one name,
// the index counts as unknown.
func definitions(text []byte) (fence.Indexes, error) {
	var rows [][2]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("the definitions of indexes can't be read: %w", err)
	}
	columns := map[string][]string{}
	for _, r := range rows {
		var name string
		var cols []*string
		if err := errors.Join(json.Unmarshal(r[0], &name), json.Unmarshal(r[1], &cols)); err != nil {
			return nil, fmt.Errorf("the definitions of indexes can't be read: %w", err)
		}
		var have []string
		for _, c := range cols {
			if c == nil {
				break
			}
			have = append(have, *c)
		}
		if before, ok := columns[name]; ok && !slices.Equal(before, have) {
			have = nil
		}
		columns[name] = have
	}
	return func(name string) []string { return columns[name] }, nil
}
