package load_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestLoad: 64 principals run programs of all kinds, while workers are killed, connections are cut, and for a while the disk is full. Each run ends as
// it may, and nothing grows from the first half of the runs to the second. In the end the database has what the runs were told, and the record is whole.
func TestLoad(t *testing.T) {
	tu.NotQuick(t)
	runs := tu.Amount(2*principals, 20_000)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newWorld(t, e)
		t.Setenv("TMPDIR", t.TempDir())
		l := &load{world: w, told: make([]told, runs+3*principals), kinds: map[string]int{}, causes: map[string]int{}}
		l.warm(t)
		l.run(t, runs/2)
		first := l.usage(t)
		l.run(t, runs/2)
		second := l.usage(t)
		t.Logf("%d runs in %v: %v\n%v", runs, l.took.Round(time.Millisecond), l.kinds, l.causes)
		t.Logf("%d workers killed, %d connections cut\nafter one half  %+v\nafter the other %+v", l.killed, l.cut, first, second)
		second.compare(t, first, runs/2)
		l.ended(t)
		l.settled(t)
	})
}

// told is what a run was told.
type told struct {
	*program
	ok      bool // it ended well
	unknown bool // it was told that nobody knows whether it was kept
}

type load struct {
	*world
	n      atomic.Int64 // how many runs have begun
	done   atomic.Int64 // how many have ended
	shocks atomic.Int64 // grows when something is disturbed, and when that is over
	full   atomic.Bool  // the disk is full

	mu          sync.Mutex
	told        []told // by the number of the run
	kinds       map[string]int
	causes      map[string]int // of internal errors
	odd         []string       // runs that ended as they may not
	late        int            // runs that failed by what was killed or cut before they began, at most one each
	took        time.Duration
	killed, cut int
}

// warm lets each principal run one program, one after the other, so that plans, connections and caches are there.
func (l *load) warm(t *testing.T) {
	for i := range principals {
		mine := l.programs(i)
		l.one(t.Context(), i, &mine[i%len(mine)])
	}
}

// run lets each principal run as many programs, runs in all, and disturbs them.
func (l *load) run(t *testing.T, runs int) {
	t.Helper()
	begin, from := time.Now(), int(l.n.Load())
	var all, disturber sync.WaitGroup
	over := make(chan struct{})
	for i := range principals {
		all.Go(func() {
			mine := l.programs(i)
			for k := range (runs + principals - 1) / principals {
				l.one(t.Context(), i, &mine[(from/principals+i+k)%len(mine)])
			}
		})
	}
	var admin *sql.DB
	if l.e.Name == tu.Postgres.Name {
		admin = tu.Admin(t, tu.Server(t))
	}
	disturber.Go(func() { l.disturb(t, admin, int64(from), runs, over) })
	all.Wait()
	close(over)
	disturber.Wait()
	l.took += time.Since(begin)
}

// one runs one program and judges its end.
func (l *load) one(ctx context.Context, i int, p *program) {
	n := l.n.Add(1)
	before, full := l.shocks.Load(), l.full.Load()
	tool := l.tools[i]
	if p.ends == fail.Limit {
		tool = l.short[i]
	}
	r := tool.Run(ctx, p.of(n))
	l.done.Add(1)
	disturbed := full || l.full.Load() || l.shocks.Load() != before
	kind := fail.Other
	if r.Err != nil {
		kind = fail.KindOf(r.Err)
	}
	x := told{program: p, ok: r.Err == nil}
	x.unknown = slices.ContainsFunc(r.Effects, func(e exo.Effect) bool {
		return e.State == exo.StateUnknown || e.State == exo.StateApplied && r.Err != nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told[n] = x
	l.kinds[kind.String()]++
	if kind == fail.Internal {
		l.causes[fail.Reason(r.Err)]++
	}
	switch {
	case kind == p.ends:
	case kind == fail.Limit, kind == fail.Conflict: // a busy machine, a full queue or a budget that is used up; two that changed the same
	case disturbed && (kind == fail.Internal || kind == fail.Crashed || kind == fail.Cancelled):
	case kind == fail.Internal, kind == fail.Crashed:
		l.late++
	default:
		l.odd = append(l.odd, fmt.Sprintf("%s: %v", p.name, r.Err))
	}
}

// each is the number of runs from one disturbance to the next.
const each = 20

// disturb kills a worker and cuts a connection after each few runs, and fills the disk for a while in the middle. admin is nil on SQLite.
func (l *load) disturb(t *testing.T, admin *sql.DB, from int64, runs int, over chan struct{}) {
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit fails, too
	filled, next := false, from+each
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
		switch done := l.done.Load(); {
		case !filled && done > from+int64(runs)/2:
			filled = true
			l.fill(t, over, done+int64(runs)/8)
		case done > next:
			next = done + each
			l.shocks.Add(1)
			n, err := killOne()
			l.killed += n
			if err == nil && admin != nil {
				var n int
				err = admin.QueryRow("SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY state = 'idle' LIMIT 1) AS a", l.app).Scan(&n)
				l.cut += n
			}
			if err != nil {
				t.Error(err)
			}
			l.shocks.Add(1)
		}
	}
}

// fill lets no file grow beyond the record's until so many runs have ended.
func (l *load) fill(t *testing.T, over chan struct{}, last int64) {
	var limit syscall.Rlimit
	segments, err := filepath.Glob(filepath.Join(l.dir, "*.jsonl"))
	if err == nil {
		err = syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit)
	}
	if err != nil || len(segments) == 0 {
		t.Errorf("the record has no segment: %v", err)
		return
	}
	less := limit
	if i, err := os.Stat(segments[len(segments)-1]); err == nil {
		less.Cur = uint64(i.Size()) + 500
	}
	l.shocks.Add(1)
	l.full.Store(true)
	defer func() { // also if t ends this goroutine: else the process stays limited
		if err := errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)); err != nil {
			t.Error(err)
		}
		l.shocks.Add(1)
		l.full.Store(false)
	}()
	err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less)
	for l.done.Load() < last {
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// ended says whether each run ended as it may, and each kind of program at least once as it would alone.
func (l *load) ended(t *testing.T) {
	if len(l.odd) > 0 || l.late > l.killed+l.cut {
		slices.Sort(l.odd)
		t.Errorf("%d runs ended as they may not, and %d by what nothing disturbed: %q", len(l.odd), l.late, slices.Compact(l.odd))
	}
	met := map[string]int{}
	for _, x := range l.told[1 : l.n.Load()+1] {
		if x.ok == (x.ends == fail.Other) {
			met[x.name]++
		}
	}
	for _, p := range programs {
		if met[p.name] == 0 {
			t.Errorf("no program that %s ended as it would alone", p.name)
		}
	}
	if l.kinds[fail.Internal.String()] == 0 || l.killed == 0 || l.e.Name == tu.Postgres.Name && l.cut == 0 {
		t.Errorf("nothing was disturbed: %v, %d workers killed, %d connections cut", l.kinds, l.killed, l.cut)
	}
}

// settled compares the database, the chat and the record with what the runs were told, after the questions of the next start.
func (l *load) settled(t *testing.T) {
	t.Helper()
	l.stop()
	if workers, dead, err := children(); err != nil || len(workers)+dead > 0 {
		t.Errorf("%d workers and %d zombies are left: %v", len(workers), dead, err)
	}
	if err := l.record.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := record.OpenFolder(l.dir, l.keys.Private)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := again.Unsettled()
	if err == nil {
		err = record.Reconcile(t.Context(), again, runs, l.db)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := l.box.Pass(t.Context()); err != nil {
		t.Error(err)
	}
	l.box.Wait()
	kept := l.numbers(t)
	for i, x := range l.told[:l.n.Load()+1] {
		if x.program == nil {
			continue // there is no run 0
		}
		switch n := int64(i); {
		case kept[n] && !x.changes && !x.unknown, kept[n] && !x.ok && !x.unknown:
			t.Errorf("run %d, which %s, failed and is in the database", n, x.name)
		case !kept[n] && x.ok && x.changes:
			t.Errorf("run %d, which %s, ended well and is not in the database", n, x.name)
		case x.ok && x.posts && !l.chat.heard[n]:
			t.Errorf("run %d ended well, and the chat has not heard of it", n)
		case l.chat.heard[n] && !kept[n]:
			t.Errorf("run %d failed, and the chat has heard of it", n)
		}
	}
	grown := tu.Rows(t, l.raw, l.e.SQL(fmt.Sprintf("SELECT owner, CAST(sum(balance) - %d AS {int}) FROM accounts GROUP BY owner HAVING sum(balance) > %[1]d ORDER BY owner", 4*initial)))
	if added := tu.Rows(t, l.raw, "SELECT owner, count(*) FROM entries GROUP BY owner ORDER BY owner"); grown != added {
		t.Errorf("a change is there in part: by owner, balances grew by\n%s\nand there are these entries:\n%s", grown, added)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	v, err := tree.Verify(tree.Dir(l.dir), l.keys.About.Key, "")
	if err != nil || !v.Complete() || len(v.Unended) > 0 || v.Runs < int(l.n.Load())/2 {
		t.Errorf("the record: %+v, %v", v, err)
	}
	t.Logf("%d runs were asked about at the next start; the record has %d runs, %d entries", len(runs), v.Runs, v.Entries)
}

// numbers returns the numbers of the runs that are in the database.
func (l *load) numbers(t *testing.T) map[int64]bool {
	kept := map[int64]bool{}
	rows, err := l.raw.Query("SELECT n FROM entries")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		if kept[n] {
			t.Errorf("run %d is in the database twice", n)
		}
		kept[n] = true
	}
	return kept
}
