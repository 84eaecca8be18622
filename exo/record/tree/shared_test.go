package tree_test

// This file tests logs that several processes share, in a database of a test.

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
)

// memory is a database of a test: what a log asks of a tree.Table, without SQL. Package postgres runs the same suites over PostgreSQL.
type memory struct {
	mu    sync.Mutex
	about []byte
	rows  []tree.Row
	at    map[int64]time.Time
	// fail, if set, is called by each Group that has rows. If lost, the answer is lost; if kept, the rows are there all the same.
	fail func() (kept, lost bool)

	witnessed string       // see KeepCosigned
	read      atomic.Int64 // how many rows were read
}

func (m *memory) About(context.Context) ([]byte, error) { return m.about, nil }

func (m *memory) Rows(_ context.Context, from int64, sealed bool) iter.Seq2[tree.Row, error] {
	m.mu.Lock()
	rows := slices.Clone(m.rows)
	for i := range rows {
		rows[i].At = m.at[rows[i].Number]
	}
	m.mu.Unlock()
	for i := len(rows) - 1; from > 0 && i >= 0; i-- {
		if rows[i].Checkpoint && rows[i].Number <= from {
			rows = rows[i:]
			break
		}
	}
	return func(yield func(tree.Row, error) bool) {
		for _, r := range rows {
			m.read.Add(1)
			if !sealed {
				r.Sealed = nil
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *memory) Group(_ context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := tree.State{Checkpoints: map[int64]string{}, Last: map[tree.Run]tree.Last{}}
	for _, r := range m.rows {
		if s.Head = r; !r.Checkpoint && slices.Contains(runs, r.Run) {
			s.Last[r.Run] = tree.Last{Leaf: r.Line, Seconds: time.Since(m.at[r.Number]).Seconds()}
		} else if r.Checkpoint && slices.Contains(sizes, r.Number) {
			s.Checkpoints[r.Number] = r.Line
		}
	}
	rows, err := next(s)
	if err != nil {
		return err
	}
	kept, lost := true, false
	if m.fail != nil && len(rows) > 0 {
		kept, lost = m.fail()
	}
	if kept {
		m.rows = append(m.rows, rows...)
		for _, r := range rows {
			m.at[r.Number] = time.Now()
		}
	}
	if lost {
		return tree.ErrLost
	}
	return nil
}

func (m *memory) Silent(_ context.Context, seconds, _ int64) (leaves []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := map[tree.Run]tree.Row{}
	for _, r := range m.rows {
		if !r.Checkpoint {
			last[r.Run] = r
		}
	}
	for _, r := range m.rows {
		if z := last[r.Run]; !r.Checkpoint && time.Since(m.at[z.Number]) >= time.Duration(seconds)*time.Second && !strings.Contains(z.Line, `"step":"ended"`) {
			leaves = append(leaves, r.Line)
		}
	}
	return leaves, nil
}

func (m *memory) Destroy(_ context.Context, numbers []int64) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.rows {
		if !r.Checkpoint && r.Key != nil && slices.Contains(numbers, r.Number) {
			m.rows[i].Key, n = nil, n+1
		}
	}
	return n, nil
}

func (m *memory) list(is func(tree.Row) bool) (all []tree.Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if !r.Checkpoint && is(r) {
			r.Sealed = nil
			all = append(all, r)
			m.read.Add(1)
		}
	}
	return all
}

func (m *memory) Keyed(_ context.Context, from int64, most int) ([]tree.Row, error) {
	return m.list(func(r tree.Row) bool {
		if r.Key == nil || r.Number < from || most == 0 {
			return false
		}
		most--
		return true
	}), nil
}

func (m *memory) OfRuns(_ context.Context, runs []tree.Run) ([]tree.Row, error) {
	return m.list(func(r tree.Row) bool {
		return slices.Contains(runs, r.Run) || slices.ContainsFunc(runs, func(id tree.Run) bool { return strings.Contains(r.Line, `"of":"`+id.String()) })
	}), nil
}

func (m *memory) Cosigned(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.witnessed, nil
}

func (m *memory) KeepCosigned(_ context.Context, _ int64, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.witnessed = text
	return nil
}

func (m *memory) Close() error { return nil }

// killable is the process of a memory.
type killable struct {
	*memory
	killed bool
}

func (k *killable) Group(ctx context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	if k.killed {
		return errors.New("killed")
	}
	return k.memory.Group(ctx, sizes, runs, next)
}

type process struct {
	*tree.Shared
	k *killable
}

var inLine = regexp.MustCompile(`^\{"leaf":(\{[^}]*\})(?:,"key":"([^"]*)")?(?:,"sealed":"([^"]*)")?\}\n$`)

// inMemory makes a log in a memory.
func inMemory(t testing.TB, witness bool) *treetest.Store { s, _ := made(t, witness); return s }

func made(t testing.TB, witness bool) (*treetest.Store, *memory) {
	t.Helper()
	return madeWith(t, treetest.NewKeys(t, witness))
}

// madeAt makes a log with a witness over HTTP.
func madeAt(t testing.TB, witness string) (*treetest.Store, *memory) {
	t.Helper()
	k := treetest.NewKeys(t, false)
	k.About.Witness = witness
	return madeWith(t, k)
}

func madeWith(t testing.TB, k treetest.Keys) (*treetest.Store, *memory) {
	t.Helper()
	m := &memory{at: map[int64]time.Time{}}
	s := &treetest.Store{Keys: k, From: tree.In(m), Shared: true}
	if err := tree.CreateShared(s.Keys.About, s.Private, func(about []byte, first tree.Row) error {
		m.about, m.rows = about, []tree.Row{first}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.Open = func() (treetest.Log, error) {
		k := &killable{memory: m}
		l, err := tree.OpenShared(t.Context(), k, s.Private, &tree.SharedOptions{Dead: time.Nanosecond})
		return process{l, k}, err
	}
	s.Crash = func(l treetest.Log, _ int) {
		p := l.(process)
		p.k.mu.Lock()
		p.k.killed = true
		p.k.mu.Unlock()
		_ = p.Close()
	}
	s.Read = func() (lines [][]byte) {
		for _, r := range m.rows {
			line := r.Line
			if !r.Checkpoint {
				line = `{"leaf":` + r.Line
				if r.Key != nil {
					line += `,"key":"` + base64.StdEncoding.EncodeToString(r.Key) + `"`
				}
				line += `,"sealed":"` + base64.StdEncoding.EncodeToString(r.Sealed) + "\"}\n"
			}
			lines = append(lines, []byte(line))
		}
		return lines
	}
	s.Write = func(lines [][]byte) {
		m.rows = nil
		n := int64(0)
		for _, line := range lines {
			r := tree.Row{Number: n, Checkpoint: bytes.HasPrefix(line, []byte(`{"checkpoint"`)), Line: string(line)}
			if !r.Checkpoint {
				parts := inLine.FindSubmatch(line)
				_, run, _ := bytes.Cut(parts[1], []byte(`"run":"`))
				for i := range r.Run {
					r.Run[i] = unhex(run[2*i])<<4 | unhex(run[2*i+1])
				}
				r.Line = string(parts[1])
				r.Key, _ = base64.StdEncoding.DecodeString(string(parts[2]))
				r.Sealed, _ = base64.StdEncoding.DecodeString(string(parts[3]))
				n++
			}
			m.rows = append(m.rows, r)
		}
	}
	s.About = func(text []byte) []byte {
		if text != nil {
			m.about = text
		}
		return bytes.Clone(m.about)
	}
	return s, m
}

func unhex(c byte) byte { return byte(strings.IndexByte("0123456789abcdef", c)) }

// TestSharedModel and TestSharedTampering run what TestModel and TestTampering do.
func TestSharedModel(t *testing.T) { treetest.Model(t, inMemory) }

func TestSharedTampering(t *testing.T) { treetest.Tampering(t, inMemory) }

func shared(t *testing.T, m tree.Table, s *treetest.Store, opt *tree.SharedOptions) *tree.Shared {
	t.Helper()
	l, err := tree.OpenShared(t.Context(), m, s.Private, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestSharedLost: a group whose answer was lost is looked for, and is in the log once.
func TestSharedLost(t *testing.T) {
	for _, kept := range []bool{false, true} {
		s, m := made(t, false)
		l, n := shared(t, m, s, nil), 0
		m.fail = func() (bool, bool) { n++; return kept || n > 2, n <= 2 }
		treetest.Run(t, l, 5, "x")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if v := s.Verify(t); !v.Complete() || v.Entries != 5 || n < 2 {
			t.Errorf("kept %v: %d entries, %d groups", kept, v.Entries, n)
		}
	}
}

// TestSharedDown: while nothing can be appended, every caller gets the error; what was accepted before stays in the queue, and is there once also if the last
// answer before was lost.
func TestSharedDown(t *testing.T) {
	for _, kept := range []bool{false, true} {
		s, m := made(t, false)
		l := shared(t, m, s, &tree.SharedOptions{Patience: 20 * time.Millisecond})
		down := true
		m.fail = func() (bool, bool) { return kept || !down, down }
		r := treetest.NewRun()
		if err := l.Append(treetest.LeafOf(r, tree.Begun), []byte("x"), false); err != nil {
			t.Error(err)
		}
		broken := func() (bool, bool) { return false, true }
		err := l.Append(treetest.LeafOf(r, "intent"), []byte("x"), true)
		if !kept && !errors.Is(err, tree.ErrLost) || kept && err != nil {
			t.Errorf("kept %v: %v", kept, err)
		}
		if kept { // the look has found the group, so the log is not down: lose what comes next
			m.mu.Lock()
			m.fail = broken
			m.mu.Unlock()
			if err := l.Append(treetest.LeafOf(r, "intent"), []byte("x"), true); !errors.Is(err, tree.ErrLost) {
				t.Error(err)
			}
		}
		if err := l.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, false); !errors.Is(err, tree.ErrLost) {
			t.Error("an entry was accepted that nobody may rely on:", err)
		}
		m.mu.Lock()
		m.fail, down = nil, false
		m.mu.Unlock()
		if err := l.Append(treetest.LeafOf(r, tree.Ended), []byte("x"), true); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		want := int64(2)
		if kept {
			want = 3
		}
		if v := s.Verify(t); !v.Complete() || v.Entries != want {
			t.Errorf("kept %v: %s", kept, strings.Join(v.Lines(), "\n"))
		}
	}
}

// TestSharedForged: nobody signs a row that somebody without the key added, nor goes on from another history than the one that it knows.
func TestSharedForged(t *testing.T) {
	s, m := made(t, false)
	l := shared(t, m, s, nil)
	treetest.Run(t, l, 5, "paid 10")
	if _, _, err := l.Erase(time.Time{}); err != nil { // it waits for the last group
		t.Fatal(err)
	}
	now := slices.Clone(m.rows)
	last := slices.IndexFunc(now, func(r tree.Row) bool { return !r.Checkpoint && r.Number == 4 })
	for name, c := range map[string]struct {
		rows []tree.Row
		want string
	}{
		"an entry behind the end":   {append(slices.Clone(now), tree.Row{Number: 5, Run: now[last].Run, Line: strings.Replace(now[last].Line, `"n":4`, `"n":5`, 1)}), "without the signing key"},
		"an old copy":               {now[:1], "no longer begins with the 5 entries"},
		"a checkpoint out of place": {append(slices.Clone(now[:len(now)-1]), tree.Row{Number: 9, Checkpoint: true, Line: now[len(now)-1].Line}), "the last checkpoint was changed"},
		"nothing":                   {nil, "without the signing key"},
	} {
		m.rows = c.rows
		if err := l.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if len(m.rows) != len(c.rows) {
			t.Errorf("%s was signed", name)
		}
	}
	m.rows = now
	if err := l.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, true); err != nil {
		t.Error(err)
	}
	m.rows = slices.Clone(m.rows)
	m.rows[last].Run = treetest.NewRun() // what is not signed repeats what is
	if v := s.Verify(t); v.Intact() || !strings.Contains(v.Changed[0], "has the line of another") {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// TestSharedSilentForged: a row of a run that never was is no run to settle: nobody has signed it.
func TestSharedSilentForged(t *testing.T) {
	s, m := made(t, false)
	l := shared(t, m, s, nil)
	r := treetest.NewRun()
	if err := l.Append(treetest.LeafOf(r, tree.Begun), nil, true); err != nil {
		t.Fatal(err)
	}
	if all, err := shared(t, m, s, &tree.SharedOptions{Dead: time.Nanosecond}).Silent(t.Context(), 0); err != nil || len(all) != 1 || all[0].Run != r {
		t.Fatal(all, err)
	}
	first := slices.IndexFunc(m.rows, func(r tree.Row) bool { return !r.Checkpoint })
	forged := tree.Row{Number: -1, Run: treetest.NewRun(), Line: m.rows[first].Line}
	forged.Line = strings.NewReplacer(`"n":0`, `"n":-1`, r.String(), forged.Run.String()).Replace(forged.Line)
	m.rows = append([]tree.Row{forged}, m.rows...)
	asked := func(m tree.Table) {
		t.Helper()
		l, err := tree.OpenShared(t.Context(), m, s.Private, &tree.SharedOptions{Dead: time.Nanosecond})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.Signed(l.Tail); len(l.Tail) < 2 || err == nil || !strings.Contains(err.Error(), "the log was changed") {
			t.Error(l.Tail, err)
		}
	}
	asked(m)
	m.rows = m.rows[1:] // the row is there for a moment only
	asked(&brief{m, forged.Line})
	if l := shared(t, m, s, &tree.SharedOptions{Dead: time.Nanosecond}); len(l.Tail) != 1 || l.Signed(l.Tail) != nil {
		t.Error(l.Tail)
	}
}

// brief has a row while silent runs are looked for.
type brief struct {
	*memory
	line string
}

func (b *brief) Silent(ctx context.Context, seconds, most int64) ([]string, error) {
	all, err := b.memory.Silent(ctx, seconds, most)
	return append(all, b.line), err
}

// TestSharedRuns: a run is its process's. Another settles it only after a silence, and then it can't do any more what can't be undone.
func TestSharedRuns(t *testing.T) {
	s, m := made(t, false)
	alive, careful, other := shared(t, m, s, nil), shared(t, m, s, nil), shared(t, m, s, &tree.SharedOptions{Dead: time.Nanosecond})
	r := treetest.NewRun()
	settle := treetest.LeafOf(r, tree.Ended)
	settle.Asked = true
	for i, c := range []struct {
		by      *tree.Shared
		leaf    tree.Leaf
		durable bool
		want    string
	}{
		{alive, treetest.LeafOf(r, "intent"), true, "has not begun"},
		{alive, treetest.LeafOf(r, tree.Begun), true, ""},
		{other, treetest.LeafOf(r, tree.Begun), true, "has begun before"},
		{other, treetest.LeafOf(r, "committing"), true, "another process wrote to that run"},
		{careful, settle, false, "its process may be alive"},
		{alive, treetest.LeafOf(r, "committing"), true, ""},
		{other, settle, false, ""},
		{other, settle, false, ""},
		{alive, treetest.LeafOf(r, "acting"), true, "another process wrote to that run"},
		{alive, treetest.LeafOf(r, tree.Ended), true, ""},
	} {
		if err := c.by.Append(c.leaf, []byte("x"), c.durable); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %s: %v, want %q", i, c.leaf.Step, err, c.want)
		}
	}
	if v := s.Verify(t); !v.Complete() || len(v.Unended) > 0 || v.Entries != 5 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	for _, apart := range []bool{false, true} { // the entry before it, for which nobody waits, lifts no fence
		r := treetest.NewRun()
		settle := treetest.LeafOf(r, tree.Ended)
		settle.Asked = true
		if err := errors.Join(alive.Append(treetest.LeafOf(r, tree.Begun), nil, true), other.Append(settle, nil, false), alive.Append(treetest.LeafOf(r, "released"), nil, false)); err != nil {
			t.Fatal(err)
		}
		if apart {
			if err := alive.Append(treetest.LeafOf(treetest.NewRun(), tree.Begun), nil, true); err != nil { // commits what waits
				t.Fatal(err)
			}
		}
		if err := alive.Append(treetest.LeafOf(r, "committing"), nil, true); err == nil || !strings.Contains(err.Error(), "another process wrote to that run") {
			t.Errorf("a settled run commits: %v", err)
		}
	}
	// Whose first entry was refused while nobody waited learns it with the next.
	for _, step := range []string{tree.Begun, "intent"} {
		err := other.Append(treetest.LeafOf(r, step), nil, false)
		if step == "intent" {
			err = other.Append(treetest.LeafOf(r, "committing"), nil, true)
		}
		if step == "intent" && (err == nil || !strings.Contains(err.Error(), "has begun before")) {
			t.Error(err)
		}
	}
}
