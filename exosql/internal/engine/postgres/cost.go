package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// affordable refuses a statement if the server estimates a cost above the ceiling. It asks before it sends the
// statement, since a server runs every statement that it has received. An estimate is used for as long as engine.RefusedFor.
func (s *Session) affordable(ctx context.Context, p *plan.Plan, st *stmt, args []value.Value) error {
	if s.maxCost == 0 || time.Since(st.costed) < engine.RefusedFor {
		return nil
	}
	defer s.naming(st)()
	said, err := s.ask(ctx, func(pl *pgconn.Pipeline) {
		if p.Own { // the estimate is valid for these values only
			params, formats := s.args.encode(args)
			pl.SendQueryParams("EXPLAIN (FORMAT JSON) "+p.Text, params, st.sd.ParamOIDs, formats, nil)
			return
		}
		pl.SendQueryParams("EXPLAIN (FORMAT JSON) "+st.execution(), nil, nil, nil, nil)
	})
	if err != nil {
		return err
	}
	cost, err := totalCost(said)
	if err != nil {
		return err
	}
	if cost > s.maxCost {
		return &fail.Error{Kind: fail.Limit, Msg: tooExpensive, Err: fmt.Errorf("exosql: the plan costs %.2f, and OpenOptions.PlanCost allows %.2f", cost, s.maxCost)}
	}
	if !p.Own {
		st.costed = time.Now()
	}
	return nil
}

// tooExpensive is all that a program reads, since the numbers come from statistics of all tenants' rows.
const tooExpensive = "the query is too expensive and was not run; narrow it: a condition on a key or on a column with an index, fewer joins, or smaller pages"

// totalCost reads the cost of the whole statement from EXPLAIN (FORMAT JSON).
func totalCost(said []byte) (float64, error) {
	var top []struct {
		Plan struct {
			Cost *float64 `json:"Total Cost"`
		}
	}
	if err := json.Unmarshal(said, &top); err != nil || len(top) != 1 || top[0].Plan.Cost == nil {
		return 0, errors.New("exosql: the server's answer to EXPLAIN has no Total Cost, so the query was not run: set OpenOptions.PlanCost to 0 for this server")
	}
	return *top[0].Plan.Cost, nil
}
