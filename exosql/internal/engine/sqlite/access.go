package sqlite

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Access implements engine.Session. SQLite plans by its statistics or, for a table that was never
// analyzed, without knowing the table's size.
func (s *Session) Access(ctx context.Context, p *plan.Plan, _ []value.Value, column string) (fence.Access, error) {
	if err := ctx.Err(); err != nil {
		return fence.Access{}, err
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
		return fence.Access{}, s.judge(ctx, err)
	}
	a, rowid := fence.AccessOfSQLite(lines, p.Tables[0].Alias, column)
	if rowid && !a.Searched {
		t := p.Tables[0]
		t.Scope = []fence.Equality{{Column: column}}
		a.Searched = s.rowid(t)
	}
	a.Refused = fence.JudgeSQLite(lines, p.Tables, p.Derived, s.rowid)
	return a, nil
}
