package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// byIndex makes the planner use an index wherever one serves, within one transaction.
const byIndex = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`

// Access implements engine.Session.
func (s *Session) Access(ctx context.Context, p *plan.Plan, args []value.Value, column string) (fence.Access, error) {
	defer s.deallocate()
	if s.Pooled != nil && s.Pooled.renames {
		return fence.Access{}, errRenamed
	}
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return fence.Access{}, err
	}
	// The server keeps a plan that it made under these settings, so the statement must not be used again.
	if _, kept := s.stmts.Get(p); kept {
		defer s.stmts.Remove(p)
	} else {
		defer s.dropped(st)
	}
	defer s.naming(st)()
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
		return fence.Access{}, err
	}
	found, err := s.ask(ctx, func(pl *pgconn.Pipeline) {
		pl.SendQueryParams(readIndexes, [][]byte{encodeNames(indexNames(text))}, nil, nil, nil)
	})
	if err != nil {
		return fence.Access{}, err
	}
	known, err := definitions(found)
	if err != nil {
		return fence.Access{}, err
	}
	a, err := fence.AccessOfPostgres(text, p.Tables[0], column, known)
	a.Refused = fence.JudgePostgres(text, p.Tables, known)
	return a, err
}
