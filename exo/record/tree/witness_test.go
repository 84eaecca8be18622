package tree

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// TestRequireWitness: an entry after which something can't be undone is acknowledged once the witness has its checkpoint, whatever the witness is, and is
// refused in bounded time if it answers something else, or nothing. Entries that can be undone, and those of what became of a run, don't wait. The twin
// requires nothing.
func TestRequireWitness(t *testing.T) {
	defer func(d time.Duration) { witnessWait = d }(witnessWait)
	witnessWait = 5 * time.Second
	for name, c := range map[string]struct {
		odd  func(out http.ResponseWriter, r *http.Request, _ []byte) bool
		want string
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request, _ []byte) bool { <-r.Context().Done(); return true }, "did not answer in time"},
		"500":   {func(out http.ResponseWriter, _ *http.Request, _ []byte) bool { out.WriteHeader(500); return true }, "the answer has the HTTP status 500"},
		"gone":  {nil, "no such file"},
	} {
		for _, required := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := newHTTPWitness(t)
				m := makeLog(t, c.odd == nil)
				if c.odd != nil {
					m = makeLogWith(t, w.place())
				}
				l := m.open(t)
				if required {
					if err := l.RequireWitness(400 * time.Millisecond); err != nil {
						t.Fatal(err)
					}
				}
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() { aRun(t, l, 5, "what it says") })
				}
				if all.Wait(); required && m.verify(t).Seen == 0 {
					t.Error("the witness has nothing")
				}
				size, root := w.set(0, tlog.Hash{}, c.odd)
				if w.set(size, root, c.odd); c.odd == nil {
					for os.RemoveAll(m.witness) != nil { // a checkpoint may be on its way
					}
				}
				r, begun := newRun(), time.Now()
				for _, x := range []struct {
					step           string
					asked, durable bool
				}{{Begun, false, false}, {"intent", false, false}, {"committing", false, true}, {"committed", true, true}, {Ended, false, true}} {
					leaf := leafOf(r, x.step)
					leaf.Asked = x.asked
					err := l.Append(leaf, []byte("x"), x.durable)
					if want := required && x.step == "committing"; (err != nil) != want {
						t.Errorf("%s: %v", x.step, err)
					} else if e, is := errors.AsType[*WitnessError](err); want && (!is || e.Has >= e.Want || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "#")) {
						t.Errorf("%s: %v, want %q", x.step, err, c.want)
					}
				}
				if took := time.Since(begun); took > 3*time.Second {
					t.Errorf("it took %s", took)
				}
				if w.set(size, root, nil); c.odd == nil {
					if err := os.MkdirAll(m.witness, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				if name != "hangs" {
					aRun(t, l, 5, "after that")
				}
				if err := l.Close(); err != nil && name != "hangs" {
					t.Error(err)
				}
			})
		}
	}
	l := makeLog(t, false).open(t)
	defer l.Close()
	if err := l.RequireWitness(time.Second); err == nil || !strings.Contains(err.Error(), "exo record init -witness") {
		t.Error(err)
	}
}
