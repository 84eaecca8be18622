package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/cuttest"
)

// This file has what happens when several processes have a log: they append at once, are killed, lose their connection, and settle runs of others.

// TestMain is also the process that is killed. It prints each entry that it was told is durable.
func TestMain(m *testing.M) {
	url := os.Getenv("EXO_RECORD_CHILD")
	if url == "" {
		os.Exit(m.Run())
	}
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	l, err := postgres.Open(context.Background(), url, tree.SigningKey(os.Getenv("EXO_RECORD_KEY")), nil)
	for err == nil {
		r := treetest.NewRun()
		for i, step := range []string{tree.Begun, "intent", "committing", "committed", tree.Ended} {
			if err = l.Append(treetest.LeafOf(r, step), []byte(step), i%2 == 0); err != nil {
				break
			}
			if i%2 == 0 {
				fmt.Println(r, i)
			}
		}
	}
	fmt.Fprintln(os.Stderr, "the child was not killed:", err)
	os.Exit(1)
}

// TestSeveral: processes append at the same time, and some are killed. Nothing that was acknowledged as durable is lost, nothing is there twice, and the log verifies.
func TestSeveral(t *testing.T) {
	url := urlOf(t)
	s := in(t, url, true)
	promised := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	var logs []treetest.Log
	for range 2 {
		l, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
		for range 4 {
			all.Go(func() {
				for range 10 {
					r := treetest.Run(t, l, 6, "what it says")
					mu.Lock()
					promised[r.String()] = 4
					mu.Unlock()
				}
			})
		}
	}
	for range 3 {
		all.Go(func() {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "EXO_RECORD_CHILD="+url, "EXO_RECORD_KEY="+string(s.Private))
			c.Stderr = os.Stderr
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			after := 5 + rand.IntN(20)
			for in := bufio.NewScanner(out); in.Scan(); {
				run, index, _ := strings.Cut(in.Text(), " ")
				n, _ := strconv.Atoi(index)
				mu.Lock()
				promised[run] = n
				mu.Unlock()
				if after--; after == 0 {
					_ = c.Process.Kill()
				}
			}
			_ = c.Wait()
		})
	}
	all.Wait()
	l, err := s.Open() // what the killed processes left is looked at here
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(logs, l) { // the last entries of runs wait for no sync
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v := s.Verify(t)
	if !v.Complete() || v.Entries != v.Signed || len(v.Unended) > 3 || len(v.Resumed) > 0 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	is := map[string]int{}
	for e, err := range tree.Entries(s.From) {
		if err != nil {
			t.Fatal(err)
		}
		if n, there := is[e.Run.String()]; there && int(e.Index) != n+1 {
			t.Errorf("entry %d of run %s follows entry %d", e.Index, e.Run, n)
		}
		is[e.Run.String()] = int(e.Index)
	}
	for run, n := range promised {
		if last, there := is[run]; !there || last < n {
			t.Errorf("run %s has entries up to %d, and %d was durable", run, last, n)
		}
	}
	if len(promised) < 83 {
		t.Errorf("%d runs", len(promised))
	}
}

// TestLostConnection: whichever message the connection is lost at, each entry is in the log once, and its caller gets no error.
func TestLostConnection(t *testing.T) {
	url := urlOf(t)
	s := in(t, url, false)
	lost := 0
	for _, forward := range []bool{false, true} {
		for at := int64(1); at < 7; at++ {
			c := &cuttest.Cutter{}
			l, err := postgres.Open(t.Context(), c.Serve(t, url), s.Private, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Forward.Store(forward)
			c.At.Store(c.Seen.Load() + at)
			r := treetest.Run(t, l, 5, "what it says")
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if c.Seen.Load() >= c.At.Load() {
				lost++
			}
			n := 0
			for e := range tree.Entries(s.From) {
				if e.Run == r {
					n++
				}
			}
			if n != 5 {
				t.Errorf("message %d, forward %v: %d entries", at, forward, n)
			}
		}
	}
	if v := s.Verify(t); !v.Complete() || len(v.Unended) > 0 || lost < 8 {
		t.Errorf("%d lost, %s", lost, strings.Join(v.Lines(), "\n"))
	}
}

// flaky is a table whose database can be down.
type flaky struct {
	*postgres.Table
	down atomic.Bool
}

func (f *flaky) Group(ctx context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	if f.down.Load() {
		return fmt.Errorf("%w: it is down", tree.ErrLost)
	}
	return f.Table.Group(ctx, sizes, runs, next)
}

// TestDown: while the database does not answer, every caller gets the error, and what was accepted before is not lost.
func TestDown(t *testing.T) {
	url := urlOf(t)
	s := in(t, url, false)
	f := &flaky{Table: connect(t, url)}
	l, err := tree.OpenShared(t.Context(), f, s.Private, &tree.SharedOptions{Patience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r := treetest.NewRun()
	f.down.Store(true)
	if err := l.Append(treetest.LeafOf(r, tree.Begun), []byte("x"), false); err != nil {
		t.Error(err)
	}
	if err := l.Append(treetest.LeafOf(r, "committing"), []byte("x"), true); !errors.Is(err, tree.ErrLost) {
		t.Error(err)
	}
	if err := l.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, false); !errors.Is(err, tree.ErrLost) {
		t.Error("an entry was accepted while the database was down:", err)
	}
	f.down.Store(false)
	if err := l.Append(treetest.LeafOf(r, tree.Ended), []byte("x"), true); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Append(treetest.LeafOf(r, tree.Ended), nil, false); err == nil {
		t.Error("a log that was closed")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if v := s.Verify(t); !v.Complete() || v.Entries != 2 || len(v.Unended) > 0 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// TestForged: nobody signs a row that was added by somebody without the key, nor goes on from an old copy or a log that was cut.
func TestForged(t *testing.T) {
	url := urlOf(t)
	s, admin := in(t, url, false), tu.Admin(t, url)
	l, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	treetest.Run(t, l, 5, "paid 10")
	flushed(t, l)
	old := s.Read()
	try := func(want string) {
		t.Helper()
		err := l.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, true)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
		if o, err := s.Open(); (err == nil) != (want == "" || strings.Contains(want, "no longer begins")) {
			t.Errorf("opened: %v, want %q", err, want)
		} else if err == nil {
			o.Close()
		}
	}
	change(t, admin, `INSERT INTO exo_record_lines (number, kind, run, line) SELECT number + 1, kind, run, replace(line, '"n":4', '"n":5') FROM exo_record_lines WHERE number = 4 AND kind = 1`)
	try("without the signing key")
	change(t, admin, "DELETE FROM exo_record_lines WHERE number = 5 AND kind = 1")
	try("")
	now := s.Read()
	s.Write(old)
	try("no longer begins with the 6 entries")
	s.Write(now)
	try("")
	change(t, admin, "UPDATE exo_record_lines SET number = 99 WHERE number = (SELECT max(number) FROM exo_record_lines)")
	try("the last checkpoint was changed")
	change(t, admin, "UPDATE exo_record_lines SET number = 7 WHERE number = 99")
	try("")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if v := s.Verify(t); !v.Complete() {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// flushed waits until all entries of a log are committed.
func flushed(t *testing.T, l treetest.Log) {
	t.Helper()
	if _, _, err := l.Erase(time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// TestSettled: another process settles a run only when it was silent, and then the run can't do any more what can't be undone.
func TestSettled(t *testing.T) {
	url := urlOf(t)
	s := in(t, url, false)
	open := func(dead time.Duration) *tree.Shared {
		t.Helper()
		l, err := postgres.Open(t.Context(), url, s.Private, &tree.SharedOptions{Dead: dead})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	alive := open(0)
	r, over := treetest.NewRun(), treetest.Run(t, alive, 5, "has ended")
	for _, step := range []string{tree.Begun, "intent"} {
		if err := alive.Append(treetest.LeafOf(r, step), []byte("x"), true); err != nil {
			t.Fatal(err)
		}
	}
	settle := treetest.LeafOf(r, tree.Ended)
	settle.Asked = true
	if careful := open(0); len(careful.Tail) > 0 {
		t.Errorf("%v", careful.Tail)
	} else if err := careful.Append(settle, nil, false); err == nil || !strings.Contains(err.Error(), "its process may be alive") {
		t.Error(err)
	}
	if err := alive.Append(treetest.LeafOf(r, "committing"), []byte("x"), true); err != nil {
		t.Error(err)
	}
	other := open(dead)
	if len(other.Tail) != 3 || other.Tail[0].Run != r {
		t.Errorf("%v", other.Tail)
	}
	for range 2 {
		if err := other.Append(settle, []byte("it was silent"), false); err != nil {
			t.Error(err)
		}
	}
	if err := alive.Append(treetest.LeafOf(r, "acting"), []byte("x"), true); err == nil || !strings.Contains(err.Error(), "another process wrote to that run") {
		t.Error(err)
	}
	if err := other.Append(treetest.LeafOf(over, "acting"), []byte("x"), true); err == nil {
		t.Error("an act of another process's run")
	}
	for _, step := range []string{"committed", tree.Ended} { // what it did before is a fact
		if err := alive.Append(treetest.LeafOf(r, step), []byte("x"), step == tree.Ended); err != nil {
			t.Error(err)
		}
	}
	if err := alive.Append(treetest.LeafOf(r, tree.Begun), nil, true); err == nil || !strings.Contains(err.Error(), "has begun before") {
		t.Error(err)
	}
	if err := alive.Append(treetest.LeafOf(treetest.NewRun(), "intent"), nil, true); err == nil || !strings.Contains(err.Error(), "has not begun") {
		t.Error(err)
	}
	if leaves, err := open(dead).Silent(t.Context(), 0); err != nil || len(leaves) > 0 {
		t.Error(leaves, err)
	}
	if v := s.Verify(t); !v.Complete() || len(v.Unended) > 0 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// TestRole: a role with SELECT and INSERT appends and reads, also by way of a pooler that shares sessions, and can change nothing. Erasing needs one right more.
func TestRole(t *testing.T) {
	url := urlOf(t)
	s := in(t, url, false)
	admin, schema := tu.Admin(t, url), tu.Param(t, url, "search_path")
	role := schema + "_role"
	change(t, admin, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() { _, _ = admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
	for _, text := range []string{"ALTER ROLE " + role + " SET search_path = " + schema, "GRANT USAGE ON SCHEMA " + schema + " TO " + role} {
		change(t, admin, text)
	}
	change(t, admin, strings.ReplaceAll(postgres.Rights, "…", role))
	change(t, admin, "REVOKE DELETE ON exo_record_keys FROM "+role)
	_, err := postgres.Open(t.Context(), tu.AsUser(t, tu.Server(t), role), s.Private, nil)
	_, fix, _ := strings.Cut(fmt.Sprint(err), ": ALTER ROLE ") // the error names the statement that helps
	change(t, admin, "ALTER ROLE "+fix)
	for name, url := range map[string]func(t *testing.T) string{
		"direct": func(t *testing.T) string { return tu.AsUser(t, url, role) },
		"pooled": func(t *testing.T) string {
			return tu.PgBouncer(t, tu.AsUser(t, tu.Server(t), role), "transaction", 2, "ignore_startup_parameters = search_path,synchronous_commit,timezone", "server_reset_query =")
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := url(t)
			var all sync.WaitGroup
			for range 3 {
				l, err := postgres.Open(t.Context(), url, s.Private, nil)
				if err != nil {
					t.Fatal(err)
				}
				for range 4 {
					all.Go(func() {
						for range 5 {
							treetest.Run(t, l, 5, "what it says")
						}
					})
				}
				defer l.Close()
			}
			all.Wait()
			v, err := tree.Verify(tree.In(connect(t, url)), s.Keys.About.Key, "")
			if err != nil || !v.Complete() || v.Runs < 60 {
				t.Errorf("%v %s", err, strings.Join(v.Lines(), "\n"))
			}
			l, err := postgres.Open(t.Context(), url, s.Private, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			r := treetest.Run(t, l, 5, "secret")
			flushed(t, opened{Shared: l})
			if _, _, err := l.Erase(time.Time{}, r); err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Error(err)
			}
			change(t, admin, "GRANT DELETE ON exo_record_keys TO "+role)
			if n, _, err := l.Erase(time.Time{}, r); err != nil || n != 1 {
				t.Error(n, err)
			}
			change(t, admin, "REVOKE DELETE ON exo_record_keys FROM "+role)
		})
	}
	own := connect(t, tu.AsUser(t, url, role))
	for _, x := range []int64{5, 9, 7} { // of the last cosigned checkpoints of several processes the largest is kept
		if err := own.KeepCosigned(t.Context(), x, fmt.Sprint(x)); err != nil {
			t.Error(err)
		}
	}
	if text, err := own.Cosigned(t.Context()); text != "9" || err != nil {
		t.Error(text, err)
	}
	db := tu.Admin(t, tu.AsUser(t, url, role))
	for _, text := range []string{"UPDATE exo_record_lines SET line = ''", "DELETE FROM exo_record_lines", "UPDATE exo_record_about SET about = ''", "UPDATE exo_record_keys SET key = ''", "CREATE TABLE x ()"} {
		if _, err := db.Exec(text); err == nil {
			t.Errorf("%s: it may", text)
		}
	}
	if v := s.Verify(t); !v.Complete() {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// TestOpen: what a log can't keep its promise with is refused, with what to do; no error has a password.
func TestOpen(t *testing.T) {
	url, empty := urlOf(t), urlOf(t)
	s := in(t, url, false)
	for _, c := range []struct{ url, want string }{
		{tu.WithParam(t, url, "synchronous_commit", "off"), "ALTER ROLE"}, {empty, "exo record init makes one"},
		{"postgres://me:secret@127.0.0.1:1/x", "refused"}, {"postgres://me:secret@127.0.0.1:port/x", "can't be read"}, {"sqlite:x", "can't be read"},
	} {
		l, err := postgres.Open(t.Context(), c.url, s.Private, nil)
		if l != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := postgres.Open(t.Context(), url, treetest.NewKeys(t, false).Private, nil); err == nil || !strings.Contains(err.Error(), "the signing key and the public key in log.json don't both belong to the log") {
		t.Error(err)
	}
	if err := postgres.Create(t.Context(), url, s.Keys.About, s.Private); err == nil || !strings.Contains(err.Error(), "already has a record") {
		t.Error(err)
	}
	other := urlOf(t) // has no record, and refuses one
	change(t, tu.Admin(t, other), postgres.SQL+"; ALTER TABLE exo_record_about ADD CHECK (about = '')")
	if err := postgres.Create(t.Context(), other, s.Keys.About, s.Private); err == nil || strings.Contains(err.Error(), "already has a record") {
		t.Error(err)
	}
	bad := treetest.NewKeys(t, false)
	bad.About.Witness = "here"
	if err := postgres.Create(t.Context(), empty, bad.About, bad.Private); err == nil || !strings.Contains(err.Error(), "absolute path") {
		t.Error(err)
	}
}

// TestTimes: who can write the table moves the times of rows. No live run is settled by that, keep erases what it would have, and verify finds it; the twin
// in which nothing was moved is whole.
func TestTimes(t *testing.T) {
	url := urlOf(t)
	s, admin := in(t, url, false), tu.Admin(t, url)
	l, err := postgres.Open(t.Context(), url, s.Private, nil)
	if err != nil {
		t.Fatal(err)
	}
	live, old := treetest.NewRun(), treetest.NewRun()
	for i, e := range []tree.Leaf{treetest.LeafOf(old, tree.Begun), treetest.LeafOf(old, tree.Ended), treetest.LeafOf(live, tree.Begun), treetest.LeafOf(live, "intent")} {
		if i < 2 {
			e.At = e.At.Add(-91 * 24 * time.Hour)
		}
		if err := l.Append(e, []byte("x"), i%2 == 1); err != nil {
			t.Fatal(err)
		}
	}
	if v := s.Verify(t); !v.Complete() {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	for _, move := range []string{"- interval '2 hours' WHERE run = '" + live.String() + "'", "+ interval '2 hours' WHERE run = '" + old.String() + "'"} {
		change(t, admin, "UPDATE exo_record_lines SET at = at "+move)
		if leaves, err := l.Silent(t.Context(), 0); err != nil || len(leaves) > 0 {
			t.Error(leaves, err)
		}
		if v := s.Verify(t); v.Intact() || !strings.Contains(v.Changed[0], "the times of rows") {
			t.Errorf("%s", strings.Join(v.Lines(), "\n"))
		}
	}
	other, err := postgres.Open(t.Context(), url, s.Private, nil)
	if err != nil {
		t.Fatal(err)
	}
	settle := treetest.LeafOf(live, tree.Ended)
	settle.Asked = true
	if err := other.Append(settle, nil, false); !errors.Is(err, tree.ErrAlive) {
		t.Error(err)
	}
	for _, n := range []int{1, 0} {
		if got, _, err := l.Erase(time.Now().Add(-90 * 24 * time.Hour)); got != n || err != nil {
			t.Error(got, err)
		}
	}
	if err := errors.Join(l.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// BenchmarkKeep makes a log of so many runs, of which the oldest were erased, and looks for what is old: the time should not grow with the log.
func BenchmarkKeep(b *testing.B) {
	for _, runs := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(runs, " runs"), func(b *testing.B) {
			url := urlOf(b)
			l, err := in(b, url, false).Open()
			if err != nil {
				b.Fatal(err)
			}
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					for range runs / 50 {
						treetest.Run(b, l, 7, string(make([]byte, 300)))
					}
				})
			}
			all.Wait()
			for b.Loop() {
				if n, _, err := l.Erase(time.Now().Add(-time.Hour)); n > 0 || err != nil {
					b.Fatal(n, err)
				}
			}
			_ = l.Close()
		})
	}
}

// BenchmarkGroups: see treetest.Groups.
func BenchmarkGroups(b *testing.B) { treetest.Groups(b, database) }

// TestStuck: a process has the lock, sends a part of its rows and stops. The server waits for the rest for good; the next process ends its session.
func TestStuck(t *testing.T) {
	defer postgres.Impatient()()
	url := urlOf(t)
	s := in(t, url, false)
	stopped, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer stopped.Close(context.Background())
	if _, err := stopped.Exec(t.Context(), "BEGIN; SELECT pg_advisory_xact_lock("+postgres.LockKey+")").ReadAll(); err != nil {
		t.Fatal(err)
	}
	stopped.Frontend().SendParse(&pgproto3.Parse{Query: "SELECT 1"})
	if err := stopped.Frontend().Flush(); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Open(); err == nil || !strings.Contains(err.Error(), "another process has locked the record") {
		t.Fatal(l, err)
	}
	l, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	treetest.Run(t, l, 3, "what it says")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
