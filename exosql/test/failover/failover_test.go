// Package failover_test has the tests of a database whose primary fails, and whose standby becomes the primary.
package failover_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	records "github.com/exoagent/exoagent/exo/record/tree/postgres"
	stores "github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestFailover: programs change rows and post messages while the primary of their database is killed. Each of them ends as kept, as not kept or as
// unknown and then settled; the rows and messages are exactly those of the runs that were kept. With EXO_LONG the servers are managed by Patroni.
func TestFailover(t *testing.T) {
	tu.NotQuick(t)
	t.Run("pair", pair)
	if tu.Long() {
		t.Run("patroni", patroni)
	}
}

func pair(t *testing.T) {
	c := start(t, "pair")
	p := newProxy(t, c.ports["a"])
	w := newWorld(t, url(p.at))
	w.begin()
	w.since(time.Now(), 5)
	w.misled(c, p)
	close(w.stop)
	w.load.Wait()
	w.idle(p)
	pooled := func() *codemode.Result { return nil }
	if tu.Long() {
		pooled = w.pooled()
	}
	alone := w.alone(c)
	raw, err := sql.Open("pgx", url(c.ports["a"]))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	lost := w.lost(raw)
	w.begin()
	for n, end := 0, time.Now().Add(3*time.Second); n < workers-posting && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := raw.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	killed := time.Now()
	c.do("kill a")
	p.lead(0)
	if r := pooled(); r != nil && fail.KindOf(r.Err) != fail.Conflict {
		t.Errorf("through a pooler: %v", r.Err)
	}
	c.do("promote b")
	p.lead(c.ports["b"])
	t.Logf("no program was kept for %v", w.since(killed, 20).Round(10*time.Millisecond))
	for what, id := range map[string]exo.RunID{"unknown": alone, "acknowledged": lost} {
		if kept, err := w.db.Committed(t.Context(), id); kept || err != nil {
			t.Errorf("a run, %s, that the standby never got: %v, %v", what, kept, err)
		}
	}
	for r, end := pooled(), time.Now().Add(20*time.Second); r != nil && r.Err != nil; r = pooled() {
		if time.Now().After(end) {
			t.Fatalf("through a pooler: %v", r.Err)
		}
	}
	w.end()
	t.Log(w.figures())

	hosts := strings.Replace(url(c.ports["b"]), "127.0.0.1:", fmt.Sprintf("127.0.0.1:%d,127.0.0.1:", c.ports["a"]), 1) // without a proxy
	db, err := exosql.Open(t.Context(), hosts+"&target_session_attrs=primary", &exosql.OpenOptions{Witness: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if kept, err := db.Committed(t.Context(), alone); kept || err != nil {
		t.Errorf("by a URL with both hosts: %v, %v", kept, err)
	}
}

// misled has the proxy lead to the standby for a moment: nothing is written there, and nothing read.
func (w *world) misled(c *cluster, p *proxy) {
	w.t.Helper()
	twin, err := exosql.Open(w.t.Context(), url(c.ports["b"]), nil) // a host that only reads may choose a standby
	if err != nil {
		w.t.Fatal(err)
	}
	defer twin.Close()
	ctx := w.t.Context()
	insert := func(db *exosql.DB) error {
		counters, id := declare()
		_, err := exosql.Grant(db, counters, exosql.AllRows[counter]()).Insert(ctx, id.Set(-1))
		return err
	}
	if err := count(ctx, twin); err != nil {
		w.t.Error("the twin:", err)
	}
	p.lead(c.ports["b"])
	_ = count(ctx, w.db) // it may find the session that it had before
	for what, err := range map[string]error{"a read": count(ctx, w.db), "an insert": insert(w.db), "an insert by the twin": insert(twin)} {
		if fail.KindOf(err) != fail.Conflict || !strings.Contains(fail.GuestText(err), "run the program again") || !strings.Contains(err.Error(), "the server that answers is a standby") && what != "an insert" {
			w.t.Errorf("%s on the standby: %v", what, err)
		}
	}
	if _, err := exosql.Open(ctx, w.url, &exosql.OpenOptions{Witness: true}); err == nil || fail.KindOf(err) == fail.Conflict || !strings.Contains(err.Error(), "the server that answers is a standby") {
		w.t.Error("a host opens the standby to write:", err)
	}
	p.lead(c.ports["a"])
	if _, err := stores.Open(ctx, url(c.ports["b"]), nil); !errors.Is(err, pgconn.ErrStandbyConnection) {
		w.t.Error("a store on the standby:", err)
	}
	if _, err := records.Open(ctx, url(c.ports["b"]), w.keys.Private, nil); !errors.Is(err, pgconn.ErrStandbyConnection) {
		w.t.Error("a record on the standby:", err)
	}
	w.since(time.Now(), 5)
}

func declare() (*exosql.Table[counter], *exosql.Column[counter, int64]) {
	counters := exosql.NewTable[counter]("counters")
	return counters, exosql.NewKey(counters, "id", func(x *counter) *int64 { return &x.ID })
}

// count reads as Go code.
func count(ctx context.Context, db *exosql.DB) error {
	counters, id := declare()
	_, err := exosql.Grant(db, counters, id.Eq(1)).Count(ctx)
	return err
}

// idle ends all sessions while none is in use: no program fails for that. A read that is cut amid its rows is not begun anew.
func (w *world) idle(p *proxy) {
	w.t.Helper()
	p.left.Store(100_000)
	counters, _ := declare()
	if rows, err := exosql.Grant(w.db, counters, exosql.AllRows[counter]()).All(w.t.Context()); fail.KindOf(err) != fail.Conflict || p.left.Load() != 0 {
		w.t.Errorf("a read whose connection is lost amid its rows: %d rows, %v", len(rows), err)
	}
	time.Sleep(1100 * time.Millisecond) // longer than the engine's idleCheck
	p.lead(p.to)
	for range 2 {
		if r := w.once("await counters.count(); return counters.all().update({ n: 0 })", 0); r.Err != nil {
			w.t.Error("after all connections were lost:", r.Err)
		}
	}
}

// alone has a run whose commit reaches the primary and not the standby. The host is not told that it was kept, neither when its wait ends nor when it
// asks, since the standby may be the next primary.
func (w *world) alone(c *cluster) exo.RunID {
	w.t.Helper()
	c.do("deafen a")
	var r *codemode.Result
	for tries := 0; tries < 3 && (r == nil || r.Err != nil && (len(r.Effects) == 0 || r.Effects[0].State != exo.StateUnknown)); tries++ { // on a busy machine the time is over before the commit
		r = w.once("counters.all().update({ n: 1000 })", time.Second)
	}
	if r.Err == nil || len(r.Effects) != 1 || r.Effects[0].State != exo.StateUnknown {
		w.t.Errorf("a commit that no standby has: %v, %+v", r.Err, r.Effects)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), 300*time.Millisecond)
	defer cancel()
	for range 2 {
		if kept, err := w.db.Committed(ctx, r.ID); kept || err == nil {
			w.t.Errorf("the host is told %v, %v", kept, err)
		}
	}
	if ctx.Err() == nil || errors.Is(r.Err, exo.ErrNothingDone) {
		w.t.Errorf("it did not wait: %v", r.Err)
	}
	return r.ID
}

// lost has a run that is acknowledged while replication is asynchronous, and that the standby never gets: of such a run a host is told that it was kept.
func (w *world) lost(raw *sql.DB) exo.RunID {
	w.t.Helper()
	standbys := func(names string) {
		w.t.Helper()
		for _, text := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
			if _, err := raw.ExecContext(w.t.Context(), text); err != nil {
				w.t.Fatal(err)
			}
		}
		for now, end := "?", time.Now().Add(time.Minute); now != names; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				w.t.Fatalf("the synchronous standby is %q, want %q", now, names)
			}
			if err := raw.QueryRowContext(w.t.Context(), "SELECT coalesce(string_agg(application_name, ''), '') FROM pg_stat_replication WHERE sync_state = 'sync'").Scan(&now); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	standbys("")
	r := w.once("counters.all().update({ n: 2000 })", 0)
	if kept, err := w.db.Committed(w.t.Context(), r.ID); r.Err != nil || !kept || err != nil {
		w.t.Errorf("without a synchronous standby: %v; %v, %v", r.Err, kept, err)
	}
	standbys("b")
	return r.ID
}

// pooled returns a function that runs a program through a pooler between the host and the proxy.
func (w *world) pooled() func() *codemode.Result {
	w.t.Helper()
	db, err := exosql.Open(w.t.Context(), tu.PgBouncer(w.t, w.url, "transaction", 3, "query_wait_timeout = 1", "server_login_retry = 1"), &exosql.OpenOptions{Witness: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { db.Close() })
	by := &world{t: w.t, db: db}
	run := func() *codemode.Result {
		return by.once("await counters.count(); return counters.all().update({ n: 0 })", 0)
	}
	if r := run(); r.Err != nil {
		w.t.Fatal(r.Err)
	}
	return run
}

// once runs a program with a counter that no worker has. commit bounds how long its commit takes; 0: the default.
func (w *world) once(program string, commit time.Duration) *codemode.Result {
	w.t.Helper()
	tool, err := codemode.New(codemode.Grants{"counters": w.grants(9999)["counters"]}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Limits: exo.Limits{Commit: commit}})
	if err != nil {
		w.t.Fatal(err)
	}
	return tool.Run(w.t.Context(), program)
}

func patroni(t *testing.T) {
	for _, name := range []string{"patroni", "etcd", "/usr/sbin/haproxy"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s: run ./test.sh --long, which installs it", name)
		}
	}
	c := start(t, "patroni", "resta", "restb", "haproxy", "etcd", "peer")
	c.whole()
	through := url(c.ports["haproxy"])
	for times, end := 0, time.Now().Add(20*time.Second); times < 4; times++ { // HAProxy may lead to each node in turn until it has asked
		conn, err := pgconn.Connect(t.Context(), through+"&target_session_attrs=primary")
		if err == nil {
			conn.Close(t.Context())
			continue
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		times = -1
		time.Sleep(100 * time.Millisecond)
	}
	w := newWorld(t, through)
	s := serve(c, w)
	for _, round := range []struct {
		what    string
		fail    func(primary, standby string)
		recover func(primary string)
	}{
		{"the primary and its Patroni are killed", func(p, _ string) { c.do("kill " + p) }, func(p string) { c.do("start " + p) }},
		{"a switchover", c.switchover, func(string) {}},
		{"the primary and its Patroni are stopped", func(p, _ string) { c.do("stop " + p) }, func(p string) { c.do("go " + p) }},
	} {
		primary, standby := c.whole()
		w.begin()
		w.since(time.Now(), 20)
		at := time.Now()
		round.fail(primary, standby)
		for end := at.Add(2 * time.Minute); !c.is(standby, "primary"); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("in two minutes the standby did not become the primary")
			}
		}
		still := w.since(at, 20)
		s.goesOn()
		round.recover(primary)
		time.Sleep(2 * time.Second) // the old primary may do something when it is back
		w.end()
		t.Logf("%s: no program was kept for %.1f s; %s", round.what, still.Seconds(), w.figures())
	}
	s.end()
}
