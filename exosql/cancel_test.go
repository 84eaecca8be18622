package exosql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// endless takes hours: 1,000 tags six times.
const endless = `let q = tags; for (const n of ['a', 'b', 'c', 'd', 'e']) q = q.join(tags.as(n), (x) => x.tag.id.gt(0)); return await q.count()`

// one opens a database with one guarded connection and a thousand tags.
func one(t *testing.T, e tu.Engine) (*exosql.DB, map[string]exo.Object) {
	t.Helper()
	db := e.OpenWith(t, &exosql.OpenOptions{Conns: 1, Setup: e.Fill("WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1006) INSERT INTO tags SELECT i, 'x' FROM n")})
	f := exosql.NewFacet(tu.Tags, "tag", tu.TagID)
	return db, map[string]exo.Object{"tags": f.Of(exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()))}
}

func busy(db *exosql.DB) {
	for exosql.Busy(db) == 0 {
		runtime.Gosched()
	}
}

// A cancelled caller stops a statement that would run for hours, and the
// connection that ran it serves the next one.
func TestCancelStopsTheStatement(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, grants := one(t, e)
		r := tu.NewRunner(t, grants, exo.Limits{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan *exoeval.RunResult)
		go func() { done <- r.Eval.Run(ctx, exoeval.Job{Program: endless}) }()
		busy(db)
		cancel()
		if res := <-done; fail.KindOf(res.Err) != fail.Cancelled || !errors.Is(res.Err, context.Canceled) && !errors.Is(res.Err, fail.ErrCancelled) {
			t.Errorf("got %v, want kind cancelled", res.Err)
		}
		if n := exosql.Busy(db); n != 0 {
			t.Errorf("%d connections are still in use", n)
		}
		if o := r.Run(t, "return await tags.count()"); o.JSON != "1000" {
			t.Errorf("the next query: %s", o)
		}
	})
}

// Running out of the time of a run is Kind Limit, in a program and in Go.
func TestDeadlineIsALimit(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, grants := one(t, e)
		r := tu.NewRunner(t, grants, exoeval.Bounds{Total: 150 * time.Millisecond})
		o := r.Run(t, endless)
		if o.Kind != fail.Limit || !strings.Contains(o.Message, "150ms") {
			t.Errorf("got %s", o)
		}
		if o := r.Run(t, "try { "+strings.Replace(endless, "return await", "await", 1)+" } catch (e) { } return 'went on'"); o.Kind != fail.Limit {
			t.Errorf("a caught deadline: %s", o)
		}
		if o := r.Run(t, "return await tags.count()"); o.JSON != "1000" {
			t.Errorf("the next query: %s", o)
		}
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		if _, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).All(ctx); !errors.Is(err, fail.ErrLimit) {
			t.Errorf("typed: %v", err)
		}
		cancelled, stop := context.WithCancel(t.Context())
		stop()
		if _, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).All(cancelled); !errors.Is(err, fail.ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("typed, cancelled: %v", err)
		}
	})
}

// A caller that waits for a connection stops waiting when it is cancelled.
func TestCancelWhileWaitingForAConnection(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, grants := one(t, e)
		r := tu.NewRunner(t, grants, exo.Limits{})
		first, stopFirst := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.Eval.Run(first, exoeval.Job{Program: endless}); close(done) }()
		busy(db)
		second, stopSecond := context.WithCancel(t.Context())
		waiting := make(chan error)
		go func() {
			_, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(second)
			waiting <- err
		}()
		stopSecond()
		if err := <-waiting; !errors.Is(err, fail.ErrCancelled) {
			t.Error(err)
		}
		stopFirst()
		<-done
	})
}

// Revoking a reference stops what runs through it.
func TestRevokeStopsTheStatement(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, grants := one(t, e)
		o, revoke := policy.Revocable(grants["tags"])
		r := tu.NewRunner(t, map[string]exo.Object{"tags": o}, exo.Limits{})
		done := make(chan *exoeval.RunResult)
		go func() { done <- r.Eval.Run(t.Context(), exoeval.Job{Program: endless}) }()
		busy(db)
		revoke()
		if res := <-done; fail.KindOf(res.Err) != fail.Revoked {
			t.Errorf("got %v, want kind revoked", res.Err)
		}
		if o := tu.NewRunner(t, grants, exo.Limits{}).Run(t, "return await tags.count()"); o.JSON != "1000" {
			t.Errorf("the next query: %s", o)
		}
	})
}

// Fifty principals at once, on four connections, each with its own rows.
func TestFiftyAtOnce(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		runners := map[int64][]*tu.Runner{}
		for i := range 50 {
			tenant := int64(tu.Acme + i%2)
			runners[tenant] = append(runners[tenant], tu.As(t, db, tenant, exo.Limits{}))
		}
		want := map[int64]string{
			tu.Acme: `[[1001,1002,1003,1004,1090],[1001,1002],2]`,
			tu.Bolt: `[[2001,2002,2090],[2001,2002],2]`,
		}
		const program = `
		const [a, b, c] = await Promise.all([tasks.orderBy((t) => t.id).execute(), tasks.where((t) => t.id.in([1001, 1002, 2001, 2002])).orderBy((t) => t.id).execute(), org.members().count()]);
		return [a.map((t) => t.id), b.map((t) => t.id), c];`
		var wg sync.WaitGroup
		start := make(chan struct{})
		errs := make(chan error, 200)
		for tenant, rs := range runners {
			for _, r := range rs {
				wg.Go(func() {
					<-start
					for range 4 {
						res := r.Eval.Run(t.Context(), exoeval.Job{Program: program})
						if res.Err != nil || !tu.SameJSON(res.Value.String(), want[tenant]) {
							errs <- fmt.Errorf("tenant %d: %v %v", tenant, res.Value, res.Err)
						}
					}
				})
			}
		}
		close(start)
		wg.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
		if n := exosql.Busy(db); n != 0 {
			t.Errorf("%d connections are still in use", n)
		}
	})
}
