package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// A fixed statement was planned without any value, so a table without a better index is searched
// for its scope. That is right for one tenant of many, and ten times slower than reading the whole
// table for the tenant that has most of it. With statistics (ANALYZE) SQLite can choose once it
// knows the value. So before such a search runs, SQLite is asked for the plan again, with the
// values of the scopes. SQLite gets no value of the program: with an estimate from all tenants'
// statistics, the time would reveal how frequent that value is. If SQLite would scan, the
// statement with guards (see package fence) that scans runs instead. The answer only chooses
// between two statements that are each judged.

// maxShares bounds the answers that a statement remembers, and shareBytes the size of each.
const (
	maxShares  = 128
	shareBytes = 200
)

// searches refuses a statement that searches for scopes if SQLite, knowing the scopes' values,
// would scan the tables.
func (s *Session) searches(p *plan.Plan, st *stmt, args []value.Value) error {
	if len(st.alone) == 0 {
		return nil
	}
	known := make([]value.Value, len(args))
	var key []byte
	for i := range known {
		known[i] = value.Null()
	}
	for _, t := range p.Tables {
		for _, e := range t.Scope {
			for _, n := range e.Params {
				known[n-1] = args[n-1]
				var err error
				if key, err = args[n-1].AppendJSON(append(key, ' ')); err != nil {
					return err
				}
			}
		}
	}
	if st.scans == nil || st.epoch != s.epoch || len(st.scans) >= maxShares {
		st.scans, st.epoch = map[string][]string{}, s.epoch
	}
	scans, found := st.scans[string(key)]
	if !found {
		lines, err := s.C.explain(p.Text, known...)
		if err != nil {
			return err
		}
		for _, alias := range st.alone {
			if slices.Contains(lines, "SCAN "+alias) {
				scans = append(scans, alias)
			}
		}
		if len(key) <= shareBytes/2 {
			st.scans[string(key)] = scans
		}
	}
	if len(scans) == 0 {
		return nil
	}
	why := fmt.Sprintf("%s has most of its rows in scope, so reading it as a whole is faster than by an index", strings.Join(scans, ", "))
	return &fence.Refused{Why: &fence.OutOfScope{Aliases: scans, Err: errors.New(why), Scan: true}}
}
