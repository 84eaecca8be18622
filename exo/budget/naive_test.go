package budget_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// naive is the twin of a Set: it asks the store what is left of its rows, and writes what was used when the run ends. It reserves nothing.
type naive struct {
	kept store.Store
	rows int
}

func (n naive) Begin(exo.Run, exo.Limits) exo.Purse { return &naivePurse{naive: n} }

type naivePurse struct {
	naive
	used int
}

func (n *naivePurse) spent(add int) (total int) {
	_ = store.Update(context.Background(), n.kept, "rows", func(e *store.Entry) (bool, error) {
		total = 0
		_ = json.Unmarshal(e.Value, &total)
		e.Value, _ = json.Marshal(total + add)
		return add > 0, nil
	})
	return total
}

func (n *naivePurse) Take(_ time.Time, _ uint64, u exo.Use, _ bool) error {
	if n.spent(0)+n.used+u.Rows > n.rows {
		return fail.Errorf(fail.Limit, "", "used up")
	}
	n.used += u.Rows
	return nil
}

func (n *naivePurse) Settle(int) { n.spent(n.used) }

// counting counts the operations of a store.
type counting struct {
	store.Store
	ops atomic.Int64
}

func (c *counting) Get(ctx context.Context, key string) (store.Entry, error) {
	c.ops.Add(1)
	return c.Store.Get(ctx, key)
}

func (c *counting) Put(ctx context.Context, e store.Entry) (store.Version, error) {
	c.ops.Add(1)
	return c.Store.Put(ctx, e)
}
