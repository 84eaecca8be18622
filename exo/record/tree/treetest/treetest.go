// Package treetest has the tests that every store of a log must pass: a folder and a database.
package treetest

import (
	"bytes"
	crand "crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"
	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/record/tree"
)

// Log is a log that is open for appending.
type Log interface {
	Append(e tree.Leaf, payload []byte, durable bool) error
	Erase(before time.Time, runs ...tree.Run) (n int, skipped []tree.Run, err error)
	Close() error
}

// Keys has the keys of a log in a test.
type Keys struct {
	About    tree.About
	Private  tree.SigningKey
	identity *age.X25519Identity
}

// NewKeys makes keys and, if witness is set, a folder for a witness.
func NewKeys(t testing.TB, witness bool) (k Keys) {
	t.Helper()
	var err error
	k.identity, err = age.GenerateX25519Identity()
	if err == nil {
		k.About.Origin, k.Private, k.About.Key, err = tree.NewKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	if k.About.Recipients = []string{k.identity.Recipient().String()}; witness {
		k.About.Witness = t.TempDir()
	}
	return k
}

// Opener makes an Opener for what the log has encrypted.
func (k Keys) Opener(t testing.TB) *tree.Opener {
	t.Helper()
	o, err := tree.NewOpener(strings.NewReader(k.identity.String()))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Store is a log in a test, with the actions of an attacker on it.
type Store struct {
	Keys
	From  tree.Source
	Open  func() (Log, error)
	Crash func(l Log, torn int) // stops the log as a kill does, and leaves an incomplete line of at most torn letters
	Read  func() [][]byte       // returns the lines of the log, or of its first segment
	Write func(lines [][]byte)  // replaces all lines by these
	About func(text []byte) []byte
	// Shared is set if several processes share the log. Then a crash loses entries that are not durable, and a process that continues another's run
	// sets Asked.
	Shared bool
}

// Verify verifies the log with its witness.
func (s *Store) Verify(t rapid.TB) *tree.Verdict {
	t.Helper()
	v, err := tree.Verify(s.From, s.Keys.About.Key, s.Keys.About.Witness)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s *Store) open(t rapid.TB) Log {
	t.Helper()
	l, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// NewRun makes a random ID of a run.
func NewRun() (r tree.Run) { crand.Read(r[:]); return r }

// LeafOf makes a leaf with the present time.
func LeafOf(r tree.Run, step string) tree.Leaf { return tree.Leaf{Run: r, Step: step, At: time.Now()} }

// Run appends a run of n entries. Only the last but one is durable.
func Run(t testing.TB, l Log, n int, text string) tree.Run {
	t.Helper()
	r := NewRun()
	for i := range n {
		step := "intent"
		switch i {
		case 0:
			step = tree.Begun
		case n - 1:
			step = tree.Ended
		}
		if err := l.Append(LeafOf(r, step), fmt.Appendf(nil, "%s %d", text, i), i == n-2); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

type line struct {
	run     tree.Run
	step    string
	payload string
	durable bool
}

// entries returns the leaves that belong to runs.
func (s *Store) entries(t rapid.TB) (all []tree.Leaf) {
	t.Helper()
	for e, err := range tree.Entries(s.From) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Run != (tree.Run{}) {
			all = append(all, e.Leaf)
		}
	}
	return all
}

// Model makes random runs, crashes within a line, reopenings and erasures. The log must then have the acknowledged entries, in order, and no
// more. It must be intact, complete and provable, and erased payloads must be unreadable.
func Model(t *testing.T, fresh func(t testing.TB, witness bool) *Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := fresh(t, rapid.Bool().Draw(r, "witness"))
		l := s.open(r)
		var model []line
		var live, over []tree.Run
		own, erased := map[tree.Run]bool{}, map[tree.Run]bool{}
		add := func(run tree.Run, step string) {
			e := LeafOf(run, step)
			e.Asked = s.Shared && !own[run]
			text, durable := rapid.StringN(0, 20, -1).Draw(r, "payload"), rapid.Bool().Draw(r, "durable")
			if err := l.Append(e, []byte(text), durable); err != nil {
				r.Fatal(err)
			}
			model = append(model, line{run, step, text, durable || e.Asked})
		}
		pick := func(of []tree.Run) tree.Run { return of[rapid.IntRange(0, len(of)-1).Draw(r, "run")] }
		without := func(of []tree.Run, run tree.Run) []tree.Run {
			return slices.DeleteFunc(of, func(x tree.Run) bool { return x == run })
		}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			switch what := rapid.IntRange(0, 9).Draw(r, "what"); {
			case what < 3:
				run := NewRun()
				live, own[run] = append(live, run), true
				add(run, tree.Begun)
			case what < 6 && len(live) > 0:
				add(pick(live), "intent")
			case what == 6 && len(live) > 0:
				run := pick(live)
				add(run, tree.Ended)
				live, over = without(live, run), append(over, run)
			case what == 7 && len(over) > 0:
				add(pick(over), tree.Ended) // an entry that settles a run may follow its end
			case what == 8 && len(over) > 0:
				run := pick(over)
				if s.Shared { // Erase reads only committed entries, so commit all with a durable one
					if err := l.Append(tree.Leaf{Step: "marked", At: time.Now()}, nil, true); err != nil {
						r.Fatal(err)
					}
				}
				if _, _, err := l.Erase(time.Time{}, run); err != nil {
					r.Fatal(err)
				}
				erased[run] = true
				for i := range model {
					model[i].durable = true // Erase commits all entries
				}
				over = without(over, run)
			case what == 9:
				if rapid.Bool().Draw(r, "killed") {
					s.Crash(l, rapid.IntRange(0, 21).Draw(r, "torn"))
				} else if err := l.Close(); err != nil {
					r.Fatal(err)
				} else {
					for i := range model {
						model[i].durable = true
					}
				}
				l, own = s.open(r), map[tree.Run]bool{}
				is := s.entries(r)
				last := 0
				for i, x := range model {
					if x.durable {
						last = i + 1
					}
				}
				if len(is) < last || len(is) > len(model) || !s.Shared && len(is) < len(model) {
					r.Fatalf("%d entries of %d are there, of which the first %d are durable", len(is), len(model), last)
				}
				model = model[:len(is)]
				begun, ended := map[tree.Run]bool{}, map[tree.Run]bool{}
				for _, x := range model {
					begun[x.run], ended[x.run] = true, ended[x.run] || x.step == tree.Ended
				}
				for _, run := range append(slices.Clone(live), over...) {
					switch {
					case !begun[run]:
						live, over = without(live, run), without(over, run)
					case !ended[run] && slices.Contains(over, run):
						live, over = append(live, run), without(over, run)
					}
				}
			}
		}
		if err := l.Close(); err != nil {
			r.Fatal(err)
		}
		v := s.Verify(r)
		slices.SortFunc(live, func(a, b tree.Run) int { return bytes.Compare(a[:], b[:]) })
		slices.SortFunc(v.Unended, func(a, b tree.Run) int { return bytes.Compare(a[:], b[:]) })
		if !v.Complete() || v.Entries != v.Signed || !slices.Equal(v.Unended, live) || v.Erased != len(erased) || s.Keys.About.Witness != "" && v.Seen != v.Entries {
			r.Fatalf("%+v, %d erased, %v live", v, len(erased), live)
		}
		o, at, mine := s.Opener(t), 0, map[tree.Run]int{}
		for e, err := range tree.Entries(s.From) {
			if err != nil {
				r.Fatal(err)
			}
			if e.Run == (tree.Run{}) {
				continue
			}
			if at == len(model) || model[at].run != e.Run || model[at].step != e.Step {
				r.Fatalf("entry %d is %+v", e.Number, e.Leaf)
			}
			text, err := o.Open(e)
			if erased[e.Run] != errors.Is(err, tree.ErrErased) || err == nil && string(text) != model[at].payload || err != nil && !erased[e.Run] {
				r.Fatalf("entry %d: %q, %v", e.Number, text, err)
			}
			mine[e.Run]++
			at++
		}
		if at != len(model) {
			r.Fatalf("%d entries of %d", at, len(model))
		}
		for run, n := range mine {
			var proof bytes.Buffer
			if err := tree.Prove(&proof, s.From, run); err != nil {
				r.Fatal(err)
			}
			if p, err := tree.Check(&proof, s.Keys.About.Key); err != nil || len(p.Entries) != n || p.Ended == slices.Contains(live, run) {
				r.Fatalf("%v, %v", p, err)
			}
		}
	})
}

// Unseen is how a verdict without a witness lists the changes that it can't detect.
const Unseen = "can't be seen without a witness: entries cut off at the end, an old copy of the whole log put back, entries that were not signed yet when their process ended, and a history that the holder of the signing key has written anew"

var checkpoint = []byte(`{"checkpoint":`)

// Tampering checks that Verify finds each kind of change, or lists it among those that can't be detected without a witness.
func Tampering(t *testing.T, fresh func(t testing.TB, witness bool) *Store) {
	const place = "is in the place of|has the line of another"
	change := func(edit func(l [][]byte, e []int) [][]byte) func(*testing.T, *Store, [][]byte) {
		return func(t *testing.T, s *Store, _ [][]byte) {
			l := s.Read()
			var e []int // the indexes of the entries in l
			for i, x := range l {
				if !bytes.HasPrefix(x, checkpoint) {
					e = append(e, i)
				}
			}
			s.Write(edit(l, e))
		}
	}
	drop := func(l [][]byte, at ...int) [][]byte {
		for i := range l {
			if slices.Contains(at, i) {
				l[i] = nil
			}
		}
		return slices.DeleteFunc(l, func(x []byte) bool { return x == nil })
	}
	for _, c := range []struct {
		name          string
		change        func(t *testing.T, s *Store, old [][]byte)
		without, with string // the verdict without and with the witness; "": no change is found, and Lines lists that kind
	}{
		{"nothing", func(*testing.T, *Store, [][]byte) {}, "", ""},
		{"drop an entry", change(func(l [][]byte, e []int) [][]byte { return drop(l, e[2]) }), place, place},
		{"drop a checkpoint and the entry before it", change(func(l [][]byte, e []int) [][]byte {
			for i := e[3]; ; i++ {
				if bytes.HasPrefix(l[i+1], checkpoint) {
					return drop(l, i, i+1)
				}
			}
		}), place, place},
		{"swap two entries", change(func(l [][]byte, e []int) [][]byte { l[e[1]], l[e[2]] = l[e[2]], l[e[1]]; return l }), place, place},
		{"swap two entries with their numbers", change(func(l [][]byte, e []int) [][]byte {
			n := regexp.MustCompile(`"n":\d+`)
			a, b := n.Find(l[e[1]]), n.Find(l[e[2]])
			l[e[1]], l[e[2]] = bytes.Replace(l[e[2]], b, a, 1), bytes.Replace(l[e[1]], a, b, 1)
			return l
		}), "an entry before it was changed", "an entry before it was changed"},
		{"duplicate an entry", change(func(l [][]byte, e []int) [][]byte { return slices.Insert(l, e[2], l[e[1]]) }), place, place},
		{"duplicate the last entry", change(func(l [][]byte, e []int) [][]byte { return append(l, l[e[len(e)-1]]) }), place, place},
		{"change a state", change(func(l [][]byte, e []int) [][]byte {
			l[e[3]] = bytes.Replace(l[e[3]], []byte(`"step":"intent"`), []byte(`"step":"outcome"`), 1)
			return l
		}), "was changed", "was changed"},
		{"put a payload in another's place", change(func(l [][]byte, e []int) [][]byte {
			s := regexp.MustCompile(`"sealed":"[^"]*"}\n$`)
			l[e[3]] = s.ReplaceAllLiteral(l[e[3]], s.Find(l[e[2]]))
			return l
		}), "payload was changed", "payload was changed"},
		{"take a payload away", change(func(l [][]byte, e []int) [][]byte {
			l[e[3]] = regexp.MustCompile(`,"sealed":"[^"]*"}\n$`).ReplaceAll(l[e[3]], []byte("}\n"))
			return l
		}), "data key or the payload of the entry is missing", "data key or the payload of the entry is missing"},
		{"destroy a data key", change(func(l [][]byte, e []int) [][]byte {
			l[e[0]] = regexp.MustCompile(`"key":"([^"]*)"`).ReplaceAllFunc(l[e[0]], func(b []byte) []byte { return []byte(`"key":"` + strings.Repeat("-", len(b)-8) + `"`) })
			return l
		}), "no entry says so", "no entry says so"},
		{"put a data key in another's place", change(func(l [][]byte, e []int) [][]byte {
			k := regexp.MustCompile(`"key":"[^"]*"`)
			l[e[0]] = k.ReplaceAllLiteral(l[e[0]], k.Find(l[e[5]]))
			return l
		}), "its data key was changed", "its data key was changed"},
		{"cut entries off the end", change(func(l [][]byte, e []int) [][]byte {
			for at := len(l) - 4; ; at-- {
				if bytes.HasPrefix(l[at], checkpoint) {
					return l[:at+1]
				}
			}
		}), "", "missing at the end: the witness has seen them"},
		{"cut the last checkpoint off", change(func(l [][]byte, e []int) [][]byte { return l[:len(l)-1] }), "", ""},
		{"remove all lines", change(func([][]byte, []int) [][]byte { return nil }), "nothing is signed", "nothing is signed"},
		{"restore an old backup", func(t *testing.T, s *Store, old [][]byte) { s.Write(old) }, "", "missing at the end: the witness has seen them"},
		{"restore an old backup and go on", func(t *testing.T, s *Store, old [][]byte) {
			s.Write(old)
			path := filepath.Join(s.Keys.About.Witness, s.Keys.About.Origin+".checkpoint")
			seen, _ := os.ReadFile(path)
			for _, x := range old { // restore what the witness had seen then: otherwise the log would not open
				if bytes.HasPrefix(x, checkpoint) {
					os.WriteFile(path, []byte(signedIn(t, x)), 0o600)
				}
			}
			l := s.open(t)
			for range 20 {
				Run(t, l, 4, "another history")
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			os.WriteFile(path, seen, 0o600)
		}, "", "an old copy of the log was put back"},
		{"splice another log in", func(t *testing.T, s *Store, _ [][]byte) {
			l, o := s.Read(), fresh(t, false)
			in := o.open(t)
			Run(t, in, 4, "other")
			in.Close()
			s.Write(append(l, o.Read()[2:]...))
		}, place, place},
		{"put another log in its place", func(t *testing.T, s *Store, _ [][]byte) { s.Write(fresh(t, false).Read()) }, "has not signed the checkpoint", "has not signed the checkpoint"},
		{"sign with another key", change(func(l [][]byte, e []int) [][]byte {
			private, _, _ := note.GenerateKey(crand.Reader, strings.Split(signedIn(t, l[0]), "\n")[0])
			signer, _ := note.NewSigner(private)
			for i, x := range l {
				if bytes.HasPrefix(x, checkpoint) {
					was := signedIn(t, x)
					text, _, _ := strings.Cut(was, "\n\n")
					signed, _ := note.Sign(&note.Note{Text: text + "\n"}, signer)
					l[i] = bytes.Replace(x, quoted(was), quoted(string(signed)), 1)
				}
			}
			return l
		}), "has not signed the checkpoint", "has not signed the checkpoint"},
		{"another recipient", func(t *testing.T, s *Store, _ [][]byte) {
			s.About(append(s.About(nil), ' '))
		}, "log.json is missing or was changed", "log.json is missing or was changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fresh(t, true)
			var old [][]byte
			for range 2 {
				l := s.open(t)
				for range 3 {
					Run(t, l, 5, "what it says")
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if old == nil {
					old = s.Read()
				}
			}
			c.change(t, s, old)
			for _, witness := range []string{"", s.Keys.About.Witness} {
				want := c.without
				if witness != "" {
					want = c.with
				}
				v, err := tree.Verify(s.From, s.Keys.About.Key, witness)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(v.Lines(), "\n")
				if v.Intact() != (want == "") || !regexp.MustCompile(want).MatchString(strings.Join(v.Changed, "\n")) {
					t.Errorf("with witness %q: want %q\n%s", witness, want, text)
				}
				if want == "" && witness == "" && !strings.Contains(text, Unseen) {
					t.Errorf("the verdict does not name what it can't see:\n%s", text)
				}
			}
			l, err := s.Open()
			if err == nil {
				l.Close()
			}
			if c.with != "" && strings.Contains(c.with, "witness") && err == nil {
				t.Error("a log that its witness knows otherwise was opened")
			}
		})
	}
}

var inLine = regexp.MustCompile(`^\{"checkpoint":"([^"]*)"`)

// signedIn returns the signed note in the line of a checkpoint.
func signedIn(t *testing.T, x []byte) string {
	m := inLine.FindSubmatch(x)
	if m == nil {
		t.Fatalf("%s is no checkpoint", x)
	}
	return strings.ReplaceAll(string(m[1]), `\n`, "\n")
}

func quoted(signed string) []byte { return []byte(strings.ReplaceAll(signed, "\n", `\n`)) }

// Groups measures how fast a log appends the entries of 64 concurrent runs. Each run has 7 or 100 entries with payloads of 300 bytes, and the last
// but one is durable. The measured time includes Close.
func Groups(b *testing.B, made func(t testing.TB, witness bool) *Store) {
	for _, each := range []int{7, 100} {
		b.Run(fmt.Sprint(each, " entries a run"), func(b *testing.B) {
			l, err := made(b, false).Open()
			if err != nil {
				b.Fatal(err)
			}
			var n atomic.Int64
			var all sync.WaitGroup
			text := string(make([]byte, 300))
			b.ResetTimer()
			for range 64 {
				all.Go(func() {
					for n.Add(int64(each)) <= int64(b.N+each) {
						Run(b, l, each, text)
					}
				})
			}
			all.Wait()
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}
