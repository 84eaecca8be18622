package writes_test

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// cutter stands between a client and a PostgreSQL server, and ends the connection on which a commit is asked for: before
// the server hears of it, or after it has answered and before the client hears that.
type cutter struct {
	armed, forward atomic.Bool
	cuts           atomic.Int64
	hold           chan bool // if there is one: the server does not notice before it says something, true: the commit arrives after all
}

// serve gives the URL of the server behind the cutter.
func (c *cutter) serve(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	to := u.Host
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			var cut atomic.Bool
			answered := make(chan struct{})
			all.Go(func() { // what the server says
				defer close(answered)
				defer client.Close()
				defer server.Close()
				b := make([]byte, 1<<16)
				for {
					n, err := server.Read(b)
					if err != nil || cut.Load() {
						return
					}
					if _, err := client.Write(b[:n]); err != nil {
						return
					}
				}
			})
			all.Go(func() { // what the client says
				defer client.Close()
				defer server.Close()
				b := make([]byte, 1<<16)
				for {
					n, err := client.Read(b)
					if err != nil {
						return
					}
					if bytes.Contains(b[:n], []byte("exo_commit\x00")) && !bytes.Contains(b[:n], []byte("COMMIT")) && c.armed.CompareAndSwap(true, false) {
						c.cuts.Add(1)
						cut.Store(true)
						if c.hold != nil {
							client.Close()
							if <-c.hold {
								_, _ = server.Write(b[:n])
								<-answered
							}
							return
						}
						if !c.forward.Load() {
							return
						}
						_, _ = server.Write(b[:n])
						_, _ = io.CopyN(io.Discard, client, 1) // until the client gives up: the other side reads the answer
						return
					}
					if _, err := server.Write(b[:n]); err != nil {
						return
					}
				}
			})
		}
	})
	u.Host = l.Addr().String()
	return u.String()
}

// TestLostCommit: where the connection is lost while a commit is under way nobody is told that it was kept, or that it
// was not, and nothing is done a second time. The next start asks the database, and the record has what is so. The mail
// that was to follow the commit is never sent.
func TestLostCommit(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test cuts the messages of a session of our own
	e := tu.Postgres
	for name, forward := range map[string]bool{"before the server hears of it": false, "after it has committed": true} {
		t.Run(name, func(t *testing.T) {
			plain := e.URL(t)
			after := e.OpenURL(t, plain, &exosql.OpenOptions{Witness: true, Setup: lostSetup(e)})
			c := &cutter{}
			c.forward.Store(forward)
			r, path, program := c.lose(t, plain)
			if r.Err == nil || len(r.Effects) != 2 || r.Effects[0].State != exo.StateUnknown || strings.Contains(fail.GuestText(r.Err), "nothing was") {
				t.Errorf("it is told %v, %+v", r.Err, r.Effects)
			}
			want := map[bool]string{false: "4", true: "5"}[forward]
			if got := kit.LookAtJobs(t, e, plain, "SELECT points FROM jobs WHERE id = 1"); got != want {
				t.Errorf("the points are %s, want %s", got, want)
			}
			f, err := record.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			runs, err := f.Unsettled()
			if err != nil || len(runs) != 1 || runs[0].ID != r.ID || !runs[0].Committing {
				t.Fatalf("the next start finds %+v, %v", runs, err)
			}
			if err := record.Reconcile(t.Context(), f, runs, after); err != nil {
				t.Fatal(err)
			}
			if runs, err := f.Unsettled(); err != nil || len(runs) != 0 {
				t.Errorf("it is asked again about %+v, %v", runs, err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			state := exo.NoState
			for en, err := range record.Read(bytes.NewReader(text)) {
				if err != nil {
					t.Fatal(err)
				}
				if en.RunID == r.ID && en.Step == exo.Committed {
					state = en.State
				}
			}
			if (state == exo.StateApplied) != forward || (state == exo.StateRolledBack) == forward {
				t.Errorf("the record says %v", state)
			}
			if sent, _ := os.ReadFile(path + ".mail"); string(sent) != "sent\n" { // of the run before
				t.Errorf("mails: %q", sent)
			}
			if r := wrTool(t, after, 1).Run(t.Context(), strings.ReplaceAll(program, "mail.send()", "1")); r.Err != nil {
				t.Errorf("the next program: %v", r.Err)
			}
		})
	}
}

func lostSetup(e tu.Engine) func(context.Context, *sql.DB) error {
	return e.Exec(strings.ReplaceAll(kit.JobsDDL, "{serial}", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"), kit.JobsRows, exosql.CreateWitness)
}

// lose runs a program whose commit is cut, with the record at path, after one that is not.
func (c *cutter) lose(t *testing.T, plain string) (r *codemode.Result, path, program string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "record")
	db := tu.Postgres.OpenURL(t, c.serve(t, plain), &exosql.OpenOptions{Witness: true})
	f, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	settled := 0
	kit.JobsSettled = func() error { settled++; return nil }
	defer func() { kit.JobsSettled = nil }()
	grants := kit.JobsGrants(db, 1)
	grants["mail"] = kit.JobsMail(t, path+".mail", func(string) {})
	tool, err := codemode.New(grants, &codemode.Options{Record: f, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	program = `await jobs.where({ id: 1 }).update(j => ({ points: j.points + 1 })); return mail.send()`
	if r := tool.Run(t.Context(), program); r.Err != nil {
		t.Fatal(r.Err)
	}
	c.armed.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	seen := &kit.Statements{}
	r = tool.Run(observe.With(ctx, seen), program)
	if !slices.Equal(seen.Ended, []string{"UPDATE ", "COMMIT unknown"}) {
		t.Errorf("the observer sees %q", seen.Ended)
	}
	if c.cuts.Load() != 1 {
		t.Fatal("no commit was cut")
	}
	if settled != 1 { // of the run before alone: of this one nobody knows
		t.Errorf("the hook after the commit was called %d times", settled)
	}
	return r, path, program
}

// TestCommittedWaits: while the server has not noticed that the connection is lost, the run's transaction is open there. Who
// asks is told nothing before that has ended, be it by the commit that was on its way.
func TestCommittedWaits(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test cuts the messages of a session of our own
	e := tu.Postgres
	for _, kept := range []bool{false, true} {
		plain := e.URL(t)
		db := e.OpenURL(t, plain, &exosql.OpenOptions{Witness: true, Setup: lostSetup(e)})
		c := &cutter{hold: make(chan bool)}
		r, _, _ := c.lose(t, plain)
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if yes, err := db.Committed(short, r.ID); err == nil {
			t.Errorf("it is told %v while the transaction is open", yes)
		}
		cancel()
		said := make(chan error, 1)
		var yes bool
		go func() {
			var err error
			yes, err = db.Committed(t.Context(), r.ID)
			said <- err
		}()
		for kit.LookAtJobs(t, e, plain, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO exo_runs%'") == "0" {
			select {
			case err := <-said:
				close(c.hold) // the connection that it holds would outlast the test
				t.Fatalf("it does not wait: %v, %v", yes, err)
			case <-time.After(10 * time.Millisecond):
			}
		}
		c.hold <- kept
		if err := <-said; err != nil || yes != kept {
			t.Errorf("it is told %v, %v, want %v", yes, err, kept)
		}
		want := map[bool]string{false: "4", true: "5"}[kept]
		if got := kit.LookAtJobs(t, e, plain, "SELECT points FROM jobs WHERE id = 1"); got != want {
			t.Errorf("the points are %s, want %s", got, want)
		}
	}
}
