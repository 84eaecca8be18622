package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// byIndex has the planner take an index wherever one serves, for one transaction.
const byIndex = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`

// Access implements engine.Session.
func (s *Session) Access(ctx context.Context, p *plan.Plan, args []exo.Value, column string) (engine.Access, error) {
	defer s.deallocate()
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return engine.Access{}, err
	}
	// The server keeps the plan that it makes under these settings, so the statement goes.
	if _, kept := s.stmts.Get(p); kept {
		defer s.stmts.Remove(p)
	} else {
		defer s.dropped(st)
	}
	var text []byte
	err = s.guarded(ctx, 2, func(pl *pgconn.Pipeline) {
		pl.SendQueryParams(byIndex, nil, nil, nil, nil)
		pl.SendQueryParams(explainOf(st), nil, nil, nil, nil)
	}, func(i int, rr *pgconn.ResultReader) (err error) {
		if i == 1 {
			text, err = textIn(rr)
		}
		return err
	})
	if err != nil {
		return engine.Access{}, err
	}
	found, err := s.ask(ctx, func(pl *pgconn.Pipeline) {
		pl.SendQueryParams(readIndexes, [][]byte{encodeNames(indexNames(text))}, nil, nil, nil)
	})
	if err != nil {
		return engine.Access{}, err
	}
	known, err := definitions(found)
	if err != nil {
		return engine.Access{}, err
	}
	a, err := access(text, p.Tables[0], column, known)
	a.Refused = judgePlan(text, p.Tables, known)
	return a, err
}

// access reads what EXPLAIN says of one table.
func access(text []byte, t plan.Table, column string, known indexes) (a engine.Access, err error) {
	alias := t.Alias
	var top []struct{ Plan map[string]any }
	if err := json.Unmarshal(text, &top); err != nil || len(top) != 1 {
		return a, fmt.Errorf("exosql: the plan can't be read: %.200s", text)
	}
	searched := regexp.MustCompile(`(?:^|[^A-Za-z0-9_"$.])` + named(alias, column, false) + `(?:[^A-Za-z0-9_"$]|$)`)
	var walk func(node map[string]any, bitmap bool)
	walk = func(node map[string]any, bitmap bool) {
		kind := said(node, "Node Type")
		a.Sorts, a.Ties = a.Sorts || kind == "Sort", a.Ties || kind == "Incremental Sort"
		ours := bitmap && strings.HasPrefix(kind, "Bitmap") || said(node, "Alias") == alias && said(node, "Relation Name") != ""
		if name := said(node, "Index Name"); ours && name != "" {
			a.Index = name
			a.Searched = a.Searched || searched.MatchString(said(node, "Index Cond")) && follows(known(name), t, column)
		}
		for _, p := range plansOf(node) {
			walk(p, ours && strings.HasPrefix(kind, "Bitmap"))
		}
	}
	walk(top[0].Plan, false)
	return a, nil
}

// follows reports whether in an index nothing but the scope stands before a column. Else the condition on
// it stands in Index Cond, too, and every entry of the scope is read. Columns are those before the first expression.
func follows(columns []string, t plan.Table, column string) bool {
	for _, c := range columns {
		if c == column {
			return true
		}
		if !slices.ContainsFunc(t.Scope, func(e plan.Equality) bool { return e.Column == c }) {
			return false
		}
	}
	return true
}
