package budget_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const day = 24 * time.Hour

var (
	ann     = exo.Run{Principal: "ann"}
	errOver = errors.New("the program failed")
)

// passes counts the calls that pass until one is refused for a budget, and returns the text of that refusal.
func (r *run) passes(most int, method string, args ...int64) (n int, text string) {
	r.host.t.Helper()
	for range most {
		if err := r.call(method, args...); err != nil {
			if fail.KindOf(err) != fail.Limit {
				r.host.t.Errorf("%s: %v", method, err)
			}
			return n, fail.GuestText(err)
		}
		n++
	}
	return n, ""
}

// TestLasting: what a run has used is missing to later runs, in other processes too, until the window is over. Limits alone bound each run anew.
func TestLasting(t *testing.T) {
	for what, c := range map[string]struct {
		budget budget.Budget
		method string
		rows   []int64
		passes []int // of each run, each in a process of its own
		text   string
	}{
		"calls":        {budget.Budget{Per: budget.Principal, Every: day, Calls: 12}, "read", []int64{1}, []int{5, 5, 2, 0}, "the budget of 12 calls a day for this user is used up: it refills at 2026-12-01 00:00 UTC"},
		"rows":         {budget.Budget{Per: budget.Principal, Every: time.Hour, Rows: 100}, "read", []int64{12}, []int{5, 3, 0}, "the budget of 100 records an hour for this user is used up: it refills at 2026-11-30 13:00 UTC"},
		"bytes":        {budget.Budget{Per: budget.Tool, Every: 7 * day, Bytes: 1000}, "read", []int64{12}, []int{5, 3, 0}, "the budget of 1000 bytes a week that all users share is used up: it refills at 2026-12-07 00:00 UTC"},
		"held":         {budget.Budget{Per: budget.Principal, Every: 6 * time.Hour, Effects: 7}, "send", nil, []int{5, 2, 0}, "the budget of 7 effects each 6h0m0s for this user is used up: it refills at 2026-11-30 18:00 UTC"},
		"at once":      {budget.Budget{Per: budget.Principal, Every: time.Minute, Effects: 7}, "post", nil, []int{5, 2, 0}, "the budget of 7 effects a minute for this user is used up: it refills at 2026-11-30 12:01 UTC"},
		"never refill": {budget.Budget{Per: budget.Conversation, Calls: 6}, "read", []int64{0}, []int{5, 1, 0}, "the budget of 6 calls for this conversation is used up, and it does not refill"},
	} {
		s := store.NewMemory(nil)
		for i, want := range c.passes {
			r := newHost(t, in(t, s, c.budget), exo.Limits{}).begin(ann)
			n, text := r.passes(5, c.method, c.rows...)
			if n != want || want < 5 && !strings.Contains(text, c.text) {
				t.Errorf("%s, run %d: %d calls pass, then %q; want %d and %q", what, i, n, text, want, c.text)
			}
			if err := r.end(nil); err != nil {
				t.Error(err)
			}
			twin := newHost(t, nil, exo.Limits{Calls: 12, Rows: 100, Bytes: 1000}).begin(ann)
			if n, _ := twin.passes(5, c.method, c.rows...); n != 5 {
				t.Errorf("%s: the twin is refused after %d", what, n)
			}
		}
		later := newHost(t, in(t, s, c.budget), exo.Limits{})
		later.now = noon.Add(c.budget.Every)
		n, _ := later.begin(ann).passes(5, c.method, c.rows...)
		if want := min(5, int(c.budget.Every)*5); n != want {
			t.Errorf("%s: %d pass in the next window, want %d", what, n, want)
		}
	}
}

// TestWhose: a budget per principal or conversation is not another's, and one per tool is everybody's.
func TestWhose(t *testing.T) {
	bob, talk := exo.Run{Principal: "bob"}, exo.Run{Principal: "ann", Conversation: "2"}
	for per, want := range map[budget.Per][3]int{budget.Principal: {3, 3, 0}, budget.Conversation: {3, 3, 3}, budget.Tool: {3, 0, 0}} {
		s := store.NewMemory(nil)
		for i, r := range []exo.Run{ann, bob, talk} {
			h := newHost(t, in(t, s, budget.Budget{Per: per, Every: day, Calls: 3}), exo.Limits{})
			if n, _ := h.begin(r).passes(5, "read", 1); n != want[i] {
				t.Errorf("per %s, run %d: %d pass, want %d", per, i, n, want[i])
			}
		}
	}
}

// TestEither: of several budgets the one that is used up decides, and a call that it refuses uses nothing of the others.
func TestEither(t *testing.T) {
	set := in(t, store.NewMemory(nil), budget.Budget{Per: budget.Principal, Every: day, Calls: 10}, budget.Budget{Per: budget.Tool, Every: time.Hour, Calls: 3})
	h := newHost(t, set, exo.Limits{})
	r := h.begin(ann)
	if n, text := r.passes(9, "read", 1); n != 3 || !strings.Contains(text, "3 calls an hour that all users share") {
		t.Errorf("%d pass, then %q", n, text)
	}
	for range 9 {
		_, _ = r.passes(1, "read", 1)
	}
	if err := r.end(nil); err != nil {
		t.Error(err)
	}
	all, err := set.List(t.Context(), noon)
	if err != nil || len(all) != 2 || all[0].Used.Calls != 3 || all[1].Used.Calls != 3 || all[0].Principal != "ann" || !all[0].Refills.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v, %v", all, err)
	}
	h.now = noon.Add(time.Hour)
	if n, _ := h.begin(ann).passes(9, "read", 1); n != 3 {
		t.Errorf("%d pass in the next hour", n)
	}
}

// TestKilled: what a process had reserved when it was killed stays used until the window is over. The twin settles alone at the end, and a killed
// process has used nothing.
func TestKilled(t *testing.T) {
	b := budget.Budget{Per: budget.Principal, Every: day, Rows: 100, Effects: 4}
	use := func(make func() exo.Budgets, now time.Time) (rows int) {
		for range 50 {
			h := newHost(t, make(), exo.Limits{})
			h.now = now
			r := h.begin(ann)
			for range 3 {
				if r.call("read", 5) == nil {
					rows += 5
				}
			}
		} // the process is killed: Finish is never called
		return rows
	}
	s := store.NewMemory(nil)
	make := func() exo.Budgets { return in(t, s, b) }
	if got := use(make, noon); got > 100 || got == 0 {
		t.Errorf("killed runs got %d rows", got)
	}
	if got := use(make, noon.Add(day)); got == 0 {
		t.Error("a killed process keeps its part for good")
	}
	if got := use(func() exo.Budgets { return naive{store.NewMemory(nil), 100} }, noon); got != 750 {
		t.Errorf("the twin gives %d rows", got)
	}
}

// TestClockBack: a clock that is set back opens no window again that was left.
func TestClockBack(t *testing.T) {
	s := store.NewMemory(nil)
	for i, c := range []struct {
		at     time.Time
		passes int
	}{{noon, 3}, {noon.Add(-20 * day), 0}, {noon.Add(day), 3}, {noon, 0}, {noon.Add(day), 0}, {noon.Add(2 * day), 3}} {
		h := newHost(t, in(t, s, budget.Budget{Per: budget.Principal, Every: day, Calls: 3}), exo.Limits{})
		h.now = c.at
		r := h.begin(ann)
		n, _ := r.passes(5, "read", 1)
		if n != c.passes {
			t.Errorf("step %d: %d pass at %s, want %d", i, n, c.at, c.passes)
		}
		_ = r.end(nil)
	}
	h := newHost(t, in(t, s, budget.Budget{Per: budget.Principal, Every: day, Calls: 3}), exo.Limits{}) // within a run
	h.now = noon.Add(3 * day)
	r, n := h.begin(ann), 0
	for i := range 20 {
		h.now = noon.Add(time.Duration(3+i%2) * day)
		if r.call("read", 1) == nil {
			n++
		}
	}
	if n > 6 {
		t.Errorf("a clock that jumps gives %d calls", n)
	}
}

// TestNames: no two principals, conversations or tools share a budget, whatever characters their names have. Parts that are only joined would.
func TestNames(t *testing.T) {
	s := store.NewMemory(nil)
	odd := []exo.Run{{Principal: "a", Conversation: "b/c"}, {Principal: "a/b", Conversation: "c"}, {Principal: "a%2Fb", Conversation: "c"}, {Principal: "a", Conversation: "b%2Fc"},
		{Principal: "a\x00", Conversation: ""}, {Principal: "a", Conversation: "\x00"}, {Principal: "A", Conversation: "b/c"}, {Principal: "a ", Conversation: "b/c"}, {Principal: "", Conversation: ""},
		{Principal: exo.Principal(strings.Repeat("x", 5000)), Conversation: "1"}, {Principal: exo.Principal(strings.Repeat("x", 5000)), Conversation: strings.Repeat("y", 5000)}, {Principal: "\xff", Conversation: ""}, {Principal: "\xfe", Conversation: ""}}
	for i, r := range odd {
		h := newHost(t, in(t, s, budget.Budget{Per: budget.Conversation, Every: day, Calls: 2}), exo.Limits{})
		if n, _ := h.begin(r).passes(5, "read", 1); n != 2 {
			t.Errorf("run %d, %.40q: %d pass, so it shares a budget", i, r.Principal, n)
		}
	}
	for _, tool := range []string{"tool/conversation", "tool%2F", "other"} {
		set, err := budget.In(s, tool, budget.Budget{Per: budget.Conversation, Every: day, Calls: 2})
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := newHost(t, set, exo.Limits{}).begin(odd[0]).passes(5, "read", 1); n != 2 {
			t.Errorf("the tool %q shares a budget", tool)
		}
	}
	if "a"+"/"+"b/c" != "a/b"+"/"+"c" {
		t.Error("the twin tells them apart")
	}
}

// TestEffectsGoBack: effects that did not take place go back when the run ends; a preview has none. What acted at once stays.
func TestEffectsGoBack(t *testing.T) {
	set := in(t, store.NewMemory(nil), budget.Budget{Per: budget.Principal, Every: day, Effects: 5, Calls: 1000})
	h := newHost(t, set, exo.Limits{})
	left := func() int {
		all, err := set.List(t.Context(), noon)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		return 5 - all[0].Used.Effects
	}
	for i, c := range []struct {
		method string
		failed error
		run    exo.Run
		left   int
	}{{"send", errOver, ann, 5}, {"send", nil, exo.Run{Principal: "ann", Preview: true}, 5}, {"send", nil, ann, 3}, {"post", errOver, ann, 1}} {
		r := h.begin(c.run)
		for range 2 {
			if err := r.call(c.method); (err != nil) != c.run.Preview {
				t.Error(err)
			}
		}
		_ = r.end(c.failed)
		if got := left(); got != c.left {
			t.Errorf("step %d: %d are left, want %d", i, got, c.left)
		}
	}
	if h.shop.sent.Load() != 4 {
		t.Errorf("%d left", h.shop.sent.Load())
	}
}

// TestOneRowCalls: a program that reads one row in each of a thousand calls gets as many rows as there are, and costs a few operations of the store.
func TestOneRowCalls(t *testing.T) {
	s := &counting{Store: store.NewMemory(nil)}
	h := newHost(t, in(t, s, budget.Budget{Per: budget.Principal, Every: day, Rows: 700}), exo.Limits{Calls: 2000})
	r, got := h.begin(ann), 0
	for range 1000 {
		if r.call("read", 1) == nil {
			got++
		}
	}
	if got != 700 || s.ops.Load() > 150 {
		t.Errorf("%d rows by %d operations", got, s.ops.Load())
	}
	_ = r.end(nil)
	s.ops.Store(0)
	h = newHost(t, in(t, s, budget.Budget{Per: budget.Tool, Every: day, Rows: 7000, Calls: 1000, Bytes: 1 << 20, Effects: 100}), exo.Limits{})
	r = h.begin(ann)
	for range 7 {
		if err := r.call("read", 20); err != nil {
			t.Error(err)
		}
	}
	if _ = r.end(nil); s.ops.Load() != 4 { // a read and a write, at the beginning and at the end
		t.Errorf("a run of 7 calls costs %d operations of the store", s.ops.Load())
	}
}

// TestTooMuchUsesUp: a reply with more than is left is withheld, and uses the rest up: so a program can't feel its way to what is left for free.
func TestTooMuchUsesUp(t *testing.T) {
	h := newHost(t, in(t, store.NewMemory(nil), budget.Budget{Per: budget.Principal, Every: day, Rows: 100}), exo.Limits{})
	r := h.begin(ann)
	for i, c := range []struct {
		rows int64
		ok   bool
	}{{5, true}, {96, false}, {1, false}, {0, true}} {
		if err := r.call("read", c.rows); (err == nil) != c.ok {
			t.Errorf("call %d of %d rows: %v", i, c.rows, err)
		}
	}
}

// TestWithheldShowsNothing: a program that has read what its result may not carry leaves the same budget whatever it does then. One whose result may
// carry that leaves what it did not use.
func TestWithheldShowsNothing(t *testing.T) {
	left := func(secret int, call string) string {
		s := store.NewMemory(nil)
		set := in(t, s, budget.Budget{Per: budget.Principal, Every: day, Calls: 5000, Rows: 50, Effects: 300, Bytes: 10_000}, budget.Budget{Per: budget.Tool, Every: time.Hour, Calls: 5000})
		h := newHost(t, set, exo.Limits{Rows: 20, Calls: 200})
		r := h.begin(ann)
		_ = r.call("read", 3)
		_ = r.call(call)
		for range secret {
			_ = r.call("read", 2)
			_ = r.call("send")
		}
		_ = r.end(nil)
		all, err := set.List(t.Context(), noon)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(all[0].Used, all[1].Used)
	}
	for _, secret := range []int{1, 2, 3, 4, 5, 150} { // 150: more calls than a run may make
		if a, b := left(0, "secret"), left(secret, "secret"); a != b {
			t.Errorf("the secret %d shows: %s and %s", secret, a, b)
		}
	}
	if left(0, "post") == left(5, "post") {
		t.Error("the twin, whose result may leave, shows nothing")
	}
	// Such a run has no more effects, so the one that it had is all that it uses.
	set := in(t, store.NewMemory(nil), budget.Budget{Per: budget.Principal, Every: day, Effects: 5, Calls: 100})
	h := newHost(t, set, exo.Limits{})
	r := h.begin(ann)
	for i, method := range []string{"post", "secret", "send", "post", "secret"} {
		if err := r.call(method); (err != nil) != (i == 2 || i == 3) {
			t.Error(method, err)
		}
	}
	if n, text := r.passes(40, "secret"); n != 40 {
		t.Errorf("it has %d more calls, then %s", n, text)
	}
	_ = r.end(nil)
	if all, err := set.List(t.Context(), noon); err != nil || all[0].Used.Effects != 1 {
		t.Errorf("%v %+v", err, all)
	}
}

// TestWithheldTakesNoMore: what such a run asks for when its budget has begun anew, or when others have given something back, shows nothing either.
func TestWithheldTakesNoMore(t *testing.T) {
	left := func(again bool, method string) string {
		set := in(t, store.NewMemory(nil), budget.Budget{Per: budget.Principal, Every: time.Minute, Calls: 1000, Rows: 400, Effects: 30, Bytes: 100_000})
		h := newHost(t, set, exo.Limits{Rows: 390, Calls: 20})
		other := h.begin(ann)
		_ = other.call("read", 1)
		r := h.begin(ann)
		_ = r.call("secret")
		_ = other.end(nil)
		if again {
			h.now = noon.Add(time.Minute)
		}
		for range 30 {
			if method != "" {
				_ = r.call(method)
			}
		}
		_ = r.end(nil)
		last := h.begin(ann)
		_ = last.call("read", 1)
		_ = last.end(nil)
		all, err := set.List(t.Context(), h.now)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(all[0].Used)
	}
	for _, again := range []bool{false, true} {
		for _, method := range []string{"send", "secret"} {
			if a, b := left(again, ""), left(again, method); a != b {
				t.Errorf("a new window %t, %s: %s and %s", again, method, a, b)
			}
		}
	}
}

// TestAtOnce: however many runs of however many processes act, are killed and end, no more is delivered than there is. The twin, which asks the store and
// settles at the end, delivers more.
func TestAtOnce(t *testing.T) {
	folder, err := store.OpenFolder(filepath.Join(t.TempDir(), "s"), &store.LocalOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.IntRange(1, 60).Draw(rt, "most")
		procs, runs := rapid.IntRange(1, 4).Draw(rt, "processes"), rapid.IntRange(1, 3).Draw(rt, "runs")
		size := rapid.Int64Range(1, 9).Draw(rt, "size")
		kills := rapid.SliceOfN(rapid.Bool(), procs*runs, procs*runs).Draw(rt, "kills")
		s := store.NewMemory(nil)
		rows, calls := together(t, procs, runs, size, kills, func() exo.Budgets {
			return in(t, s, budget.Budget{Per: budget.Principal, Every: day, Rows: most, Calls: 2 * most}, budget.Budget{Per: budget.Tool, Calls: 5 * most})
		})
		if rows > most || calls > 2*most {
			rt.Errorf("%d rows and %d calls of %d", rows, calls, most)
		}
	})
	url := tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on") // the server of the tests has it off
	if err := postgres.Create(t.Context(), url, ""); err != nil {
		t.Fatal(err)
	}
	database, err := postgres.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	for what, s := range map[string]store.Store{"a folder": folder, "a database": database} {
		rows, _ := together(t, 4, 3, 1, make([]bool, 12), func() exo.Budgets { return in(t, s, budget.Budget{Per: budget.Principal, Every: day, Rows: 37}) })
		if rows > 37 || rows < 20 {
			t.Errorf("in %s, %d rows of 37", what, rows)
		}
	}
	s := store.NewMemory(nil)
	if rows, _ := together(t, 4, 3, 5, make([]bool, 12), func() exo.Budgets { return naive{s, 37} }); rows <= 37 {
		t.Errorf("the twin delivers %d rows of 37", rows)
	}
}

// together lets runs of several processes read at once, and returns what was delivered.
func together(t *testing.T, procs, runs int, size int64, kills []bool, make func() exo.Budgets) (rows, calls int) {
	var mu sync.Mutex
	var all, begun, read sync.WaitGroup
	begun.Add(procs * runs)
	read.Add(procs * runs)
	for i := range procs {
		h := newHost(t, make(), exo.Limits{})
		for k := range runs {
			all.Go(func() {
				r := h.begin(ann)
				begun.Done()
				begun.Wait()
				for range 12 {
					if r.call("read", size) == nil {
						mu.Lock()
						rows, calls = rows+int(size), calls+1
						mu.Unlock()
					}
				}
				read.Done()
				read.Wait() // all read before one settles
				if !kills[i*runs+k] {
					_ = r.end(nil)
				}
			})
		}
	}
	all.Wait()
	return rows, calls
}

// TestBits: declassifiers reveal no more bits than the budget has.
func TestBits(t *testing.T) {
	s := store.NewMemory(nil)
	for i, c := range []struct {
		who      exo.Principal
		at       time.Time
		n, left  int
		contains string
	}{{"ann", noon, 3, 2, ""}, {"ann", noon, 3, 0, "the budget of 5 bits a day for this user has less left than the 3 that this call takes"}, {"bob", noon, 5, 0, ""}, {"ann", noon, 0, 0, "less left"}, {"ann", noon.Add(day), 1, 1, ""},
		{"cy", noon.Add(day), 2, 0, "9 bits that all users share"}} {
		left, err := in(t, s, budget.Budget{Per: budget.Principal, Every: day, Bits: 5, Rows: 3}, budget.Budget{Per: budget.Tool, Bits: 9}).Bits().Take(c.who, c.at, c.n)
		if i == 4 {
			c.left = 0
		}
		if left != c.left || (err != nil) != (c.contains != "") || err != nil && (fail.KindOf(err) != fail.Limit || !strings.Contains(fail.GuestText(err), c.contains)) {
			t.Errorf("step %d: %d, %v", i, left, err)
		}
	}
	if b := in(t, s, budget.Budget{Per: budget.Tool, Rows: 1}).Bits(); b != nil {
		t.Errorf("without bits: %v", b)
	}
}

// TestFails: what can't be known refuses, with no word of it for the program.
func TestFails(t *testing.T) {
	b := budget.Budget{Per: budget.Principal, Every: day, Calls: 3}
	damaged, closed := store.NewMemory(nil), store.NewMemory(nil)
	set := in(t, damaged, b)
	r := newHost(t, set, exo.Limits{}).begin(ann)
	_ = r.call("read", 1)
	_ = r.end(nil)
	for e, err := range store.All(t.Context(), damaged, "") {
		if err != nil || !strings.HasPrefix(e.Key, "budget/tool/principal/24h0m0s/ann") {
			t.Fatal(e, err)
		}
		e.Value = []byte(`{"used":[-5,0,0,0,0]}`)
		if _, err := damaged.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	_ = closed.Close()
	for what, s := range map[string]exo.Budgets{"damaged": set, "closed": in(t, closed, b), "zero": &budget.Set{}, "nil": (*budget.Set)(nil)} {
		h := newHost(t, s, exo.Limits{})
		r := h.begin(ann)
		if err := r.call("post"); fail.KindOf(err) != fail.Internal || strings.Contains(fail.GuestText(err), "budget") || h.shop.sent.Load() != 0 {
			t.Errorf("%s: %v", what, err)
		}
		_ = r.end(nil)
	}
	if _, err := set.List(context.Background(), noon); err == nil || !strings.Contains(err.Error(), "should say how much of a budget was used") {
		t.Error(err)
	}
}

// TestIn: a budget that means nothing is refused.
func TestIn(t *testing.T) {
	s := store.NewMemory(nil)
	good := budget.Budget{Per: budget.Tool, Calls: 1}
	for want, f := range map[string]func() (*budget.Set, error){
		"a nil store":            func() (*budget.Set, error) { return budget.In(nil, "tool", good) },
		"0 bytes: want 1 to 100": func() (*budget.Set, error) { return budget.In(s, "", good) },
		"In got no budget":       func() (*budget.Set, error) { return budget.In(s, "tool") },
		"bounds nothing":         func() (*budget.Set, error) { return budget.In(s, "tool", budget.Budget{Per: budget.Tool}) },
		"an amount of a budget is -1: want 1 or more": func() (*budget.Set, error) { return budget.In(s, "tool", budget.Budget{Per: budget.Tool, Rows: -1}) },
		"want principal, conversatio":                 func() (*budget.Set, error) { return budget.In(s, "tool", budget.Budget{Per: "day", Rows: 1}) },
		"whole minutes": func() (*budget.Set, error) {
			return budget.In(s, "tool", budget.Budget{Per: budget.Tool, Rows: 1, Every: 1})
		},
		"put their amounts into one": func() (*budget.Set, error) { return budget.In(s, "tool", good, good) },
		"bits can't be": func() (*budget.Set, error) {
			return budget.In(s, "tool", budget.Budget{Per: budget.Conversation, Bits: 1})
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestSettleLate: a run that ends in a later window gives nothing back there: it had reserved in the window before.
func TestSettleLate(t *testing.T) {
	s := store.NewMemory(nil)
	h := newHost(t, in(t, s, budget.Budget{Per: budget.Principal, Every: day, Calls: 800}), exo.Limits{})
	early := h.begin(ann)
	_ = early.call("read", 1)
	h.now = noon.Add(day)
	late := newHost(t, in(t, s, budget.Budget{Per: budget.Principal, Every: day, Calls: 800}), exo.Limits{Calls: 2000})
	late.now = h.now
	r := late.begin(ann)
	n, _ := r.passes(700, "read", 1)
	_ = early.end(nil)
	more, _ := r.passes(300, "read", 1)
	if n+more != 800 {
		t.Errorf("%d calls of 800 pass", n+more)
	}
}
