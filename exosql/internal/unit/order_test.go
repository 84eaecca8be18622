package unit

import (
	"testing"

	"github.com/exoagent/exoagent/exo/value"
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
	d, err := value.RowsValue(rows(1, 2, 2)).Digest()
	if err != nil {
		t.Fatal(err)
	}
	query, update := step{answer: d}, step{images: rows(1, 2, 2)}
	for _, c := range []struct {
		rows          *value.Rows
		query, update bool
	}{{rows(1, 2, 2), true, true}, {rows(2, 1, 2), false, true}, {rows(1, 1, 2), false, false}, {rows(1, 2), false, false}, {rows(), false, false}} {
		if q, u := query.answered(c.rows), update.answered(c.rows); q != c.query || u != c.update {
			t.Errorf("%v: %v as a query, %v as an update", c.rows, q, u)
		}
	}
}
