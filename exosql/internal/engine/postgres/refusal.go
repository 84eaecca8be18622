package postgres

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Refusals are the open plans (see open.go) that were refused lately, on any connection. If
// another connection would admit such a plan, its query still runs with fences: slower, but no
// less safe. An admission is not shared, since another connection may have another search path.
type Refusals struct {
	Now func() time.Time // Now is set by tests, or nil

	mu  sync.Mutex
	all engine.Statements[*refusal]
}

func (r *Refusals) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// refusal is why an open plan was refused, with the server's answer. As long as the server gives
// the same answer, the plan stays refused, and the server is asked after longer and longer times.
type refusal struct {
	why     *fence.Refused
	plan    []byte   // plan is the server's plan
	names   [][]byte // names are the indexes that the plan uses
	indexes []byte   // indexes are the numbers of these indexes

	wait  time.Duration
	until time.Time
}

// maxRefused bounds the time in which a new index or new statistics may stay unnoticed.
const maxRefused = time.Minute

// again returns the refusal with twice its wait, but at most maxRefused.
func (r *refusal) again() *refusal {
	twice := *r
	twice.wait = min(2*r.wait, maxRefused)
	return &twice
}

// lately returns why a plan is refused without asking the server, or nil.
func (r *Refusals) lately(p *plan.Plan) *fence.Refused {
	if x := r.get(p); x != nil && r.now().Before(x.until) {
		return x.why
	}
	return nil
}

func (r *Refusals) get(p *plan.Plan) *refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, _ := r.all.Get(p)
	return x
}

// add remembers a refusal from now on, and returns it.
func (r *Refusals) add(p *plan.Plan, x *refusal) *refusal {
	x.wait = max(x.wait, engine.RefusedFor)
	x.until = r.now().Add(x.wait)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Remove(p)
	if size := len(x.plan) + len(x.names[0]) + p.Bytes; r.all.Fits(size) {
		r.all.Add(p, x, size)
	}
	return x
}

func (r *Refusals) remove(p *plan.Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Remove(p)
}
