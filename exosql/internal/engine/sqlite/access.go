package sqlite

import (
	"context"
	"errors"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Access implements engine.Session. SQLite plans without looking at the size of a table that
// was never analyzed, and by its statistics where it was.
func (s *Session) Access(ctx context.Context, p *plan.Plan, _ []exo.Value, column string) (engine.Access, error) {
	if err := ctx.Err(); err != nil {
		return engine.Access{}, err
	}
	s.Guard.Admit(&p.Reads)
	defer s.Guard.Admit(nil)
	lines, err := s.C.explain(p.Text)
	for s.Guard.denied {
		if grew, unread := s.Learn(p); !grew {
			err = errors.Join(err, unread)
			break
		}
		lines, err = s.C.explain(p.Text)
	}
	if err != nil {
		return engine.Access{}, s.judge(ctx, err)
	}
	a, rowid := access(lines, p.Tables[0].Alias, column)
	if rowid && !a.Searched {
		t := p.Tables[0]
		t.Scope = []plan.Equality{{Column: column}}
		a.Searched = s.rowid(t)
	}
	a.Refused = judgePlan(lines, p.Tables, p.Derived, s.rowid)
	return a, nil
}

// access reads the lines of EXPLAIN QUERY PLAN about one table. rowid says that it is searched by that, which a
// column may be.
func access(lines []string, alias, column string) (a engine.Access, rowid bool) {
	for _, line := range lines {
		if what, ok := strings.CutPrefix(line, "USE TEMP B-TREE FOR "); ok { // all of it, or LAST TERM OF, LAST 2 TERMS OF, RIGHT PART OF
			a.Sorts = a.Sorts || what == "ORDER BY"
			a.Ties = a.Ties || strings.HasSuffix(what, " OF ORDER BY")
		}
		verb, rest, _ := strings.Cut(line, " ")
		how, ours := strings.CutPrefix(rest, alias+" ")
		if verb != "SEARCH" && verb != "SCAN" || !ours {
			continue
		}
		if _, name, ok := strings.Cut(how, "INDEX "); ok {
			a.Index, _, _ = strings.Cut(name, " (")
		} else if strings.HasPrefix(how, "USING INTEGER PRIMARY KEY") || strings.HasPrefix(how, "USING PRIMARY KEY") {
			a.Index = "PRIMARY KEY"
		}
		rowid = rowid || how == rowidSearch
		m := searchLine().FindStringSubmatch(how)
		if verb != "SEARCH" || m == nil {
			continue
		}
		for _, term := range strings.Split(m[2], " AND ") {
			if c := searchTerm().FindStringSubmatch(term); c != nil {
				a.Searched = a.Searched || strings.EqualFold(c[1], column)
				rowid = rowid || c[1] == "rowid"
			}
		}
	}
	return a, rowid
}
