package unit

import (
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// TestAnsweredInAnyOrder: an update that is repeated may return its rows in another order, but no other rows. The twin is a query, whose order counts.
func TestAnsweredInAnyOrder(t *testing.T) {
	rows := func(of ...int64) *value.Rows {
		b := value.NewRowsBuilder(&value.Shape{Names: []string{"n"}})
		for _, n := range of {
			b.Add(value.Int(n))
		}
		return b.Rows()
	}
	query, update := step{}, step{rows: 3, changes: []engine.Change{{Plan: &plan.Plan{Write: &plan.Write{Update: []string{"n"}}}}}}
	digest := func(s *step, of *value.Rows) value.Digest {
		d, err := s.digest(of)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		rows          *value.Rows
		query, update bool
	}{{rows(1, 2, 2), true, true}, {rows(2, 1, 2), false, true}, {rows(1, 1, 2), false, false}, {rows(1, 2), false, false}, {rows(), false, false}} {
		q, u := digest(&query, c.rows) == digest(&query, rows(1, 2, 2)), digest(&update, c.rows) == digest(&update, rows(1, 2, 2))
		if q != c.query || u != c.update {
			t.Errorf("%v: %v as a query, %v as an update", c.rows, q, u)
		}
	}
	if some := rows(1, 2); digest(&update, some) != digest(&update, rows(2, 3)) {
		t.Error("an update returned some of its rows, and they are compared")
	}
}
