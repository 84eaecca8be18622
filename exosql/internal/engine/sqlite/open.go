package sqlite

import (
	"errors"
	"strings"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// An open plan has no fence between the rows in scope and the program's conditions. SQLite is asked
// how it would read the tables, once for each statement that a connection prepares. The answer is
// valid as long as the statement, which fails with SQLITE_SCHEMA once the schema or its statistics
// have changed, since sqlite3_prepare prepared it. After sqlite3_prepare_v2 SQLite would silently plan
// the statement again, perhaps by an index that another connection has made (TestSchemaChange).

// prepareOpen prepares the statement of an open plan, or refuses it.
func (s *Session) prepareOpen(p *plan.Plan) (*stmt, error) {
	st, err := s.C.prepareFixed(p.Text)
	if err != nil {
		return nil, err
	}
	// EXPLAIN comes after preparing: if the schema changes in between, the statement fails.
	lines, err := s.C.explain(p.Text)
	if err == nil {
		err = fence.JudgeSQLite(lines, p.Tables, s.alwaysRead(p), s.rowid)
	}
	if err == nil {
		st.alone = fence.Alone(lines, p.Tables)
		return st, nil
	}
	s.C.finalize(st)
	var e *SqlError
	if errors.As(err, &e) {
		return nil, err
	}
	refused := &stmt{refused: &fence.Refused{Why: err}, until: time.Now().Add(engine.RefusedFor)}
	if s.Stmts.Fits(p.Bytes) {
		s.Stmts.Add(p, refused, p.Bytes)
	}
	return nil, refused.refused
}

// alwaysRead lists the tables that a plan reads whatever a program asks: derived tables, and tables
// in which SQLite itself looks up foreign keys when rows are changed.
func (s *Session) alwaysRead(p *plan.Plan) []string {
	out := p.Derived
	if p.Write != nil {
		for table := range s.Guard.keys[sqlast.Fold(p.Write.Table)] {
			out = append(out[:len(out):len(out)], table)
		}
	}
	return out
}

// prepareFixed compiles a statement that SQLite never plans again.
func (c *conn) prepareFixed(text string) (*stmt, error) {
	return c.compile(text, func(sql uintptr, n int32, tail uintptr) int32 {
		return sqlite3.Xsqlite3_prepare(c.Tls, c.Db, sql, n, c.out, tail)
	}, true)
}

// changed reports whether err means that the schema has changed since a fixed statement was prepared.
func changed(err error) bool {
	var e *SqlError
	return errors.As(err, &e) && primary(e.Code) == sqlite3.SQLITE_SCHEMA
}

// explain returns the lines of a statement's plan. If args are given, the planner knows these values.
func (c *conn) explain(text string, args ...value.Value) (lines []string, err error) {
	st, err := c.prepare("EXPLAIN QUERY PLAN " + text)
	if err != nil {
		return nil, err
	}
	defer c.finalize(st)
	if len(args) > 0 {
		defer c.reset(st)
		if err := c.bind(st, args); err != nil {
			return nil, err
		}
	}
	for {
		more, err := c.step(st)
		if err != nil || !more {
			return lines, err
		}
		lines = append(lines, libc.GoString(sqlite3.Xsqlite3_column_text(c.Tls, st.P, 3)))
	}
}

// rowid reports whether the one column of a table's scope is its rowid, which SQLite then searches.
func (s *Session) rowid(t fence.Table) bool {
	text, _, err := sqlast.Render(&sqlast.Select{
		Columns: []sqlast.Output{{Expr: sqlast.One, As: "c0"}},
		From:    []sqlast.Source{{Table: t.Name, Alias: t.Alias}},
		Where:   []sqlast.Expr{sqlast.Call{Op: sqlast.Eq, Args: []sqlast.Expr{sqlast.Column{Alias: t.Alias, Name: t.Scope[0].Column}, sqlast.Arg{}}}},
	}, sqlast.SQLite)
	if err != nil {
		return false
	}
	lines, err := s.C.explain(text)
	return err == nil && strings.Join(lines, "\n") == "SEARCH "+t.Alias+" "+fence.RowidSearch
}
