package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const writesPerWorld = 24

// written counts what programs that write came to.
type written struct {
	programs, kept, refused, caught, limited, changed, twins, escaped, pairs int

	why   map[string]int
	whole map[string]int // what was written of JSON and arrays, and kept
}

// TestRandomWrites runs programs that write on both engines, and compares what they give and what they leave with a slow
// evaluator that changes rows in memory. No row out of scope may be another then, and none come into scope. EXO_LONG asks
// for 100,000 programs, EXO_PROGRAMS for another number, EXO_SEED for those of one seed.
func TestRandomWrites(t *testing.T) {
	programs := tu.Amount(384, 100_000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		programs = n
	}
	seeds := []uint64{19, tu.Seed(t, 103)}
	if os.Getenv("EXO_SEED") != "" {
		seeds = seeds[1:]
	}
	ours, other := newServer(t), newServer(t)
	n := &written{why: map[string]int{}, whole: map[string]int{}}
	for i, seed := range seeds {
		end := n.programs + ofSeed(programs, i, seeds)
		for i := uint64(0); n.programs < end; i++ {
			if wrong := writeWorld(t, ours, other, fromSeed(seed, i), n); wrong != "" {
				t.Fatalf("seed %d (EXO_SEED), database %d: %s", seed, i, wrong)
			}
		}
		if i == 0 && !testing.Short() { // the first is fixed, so what it must contain is no matter of luck
			t.Logf("%d programs: %d kept, of which %d changed something; %d calls refused, %d of them caught; %d too large; %d of %d twins changed rows out of scope; %d pairs; %v",
				n.programs, n.kept, n.changed, n.refused, n.caught, n.limited, n.escaped, n.twins, n.pairs, n.why)
			t.Logf("written whole: %v", n.whole)
			for _, text := range docs {
				if len(seeds) == 2 && n.whole[text] == 0 && text != "null" { // which is written as NULL
					t.Errorf("%s was written by no program", text)
				}
			}
			if n.changed*10 < n.programs || n.escaped*4 < n.twins || n.twins == 0 || n.pairs*2 < n.programs || n.limited*20 > n.programs {
				t.Error("too few of them change anything, or could")
			}
		}
	}
}

// writeWorld draws a database and runs programs on it.
func writeWorld(t *testing.T, ours, other *server, d *draws, n *written) (wrong string) {
	var c *Case
	for tries := 1; ; tries++ {
		c = genWorld(d)
		c.forWrites(d)
		if rule := c.Schema.broken(c.Data); rule != "" { // mending one has broken another
			if tries == 20 {
				return "the generator breaks a rule: " + rule + "\n" + c.Data.print(&c.Schema)
			}
			continue
		}
		if !c.refused() && slices.ContainsFunc(c.Schema.Facets, func(f Facet) bool { return len(f.Rights.Insert)+len(f.Rights.Update) > 0 || f.Rights.Delete }) &&
			(d.oneIn(3) || slices.ContainsFunc(c.Schema.Facets, func(f Facet) bool { return has(f.Rights.Update, slotDoc) })) { // few worlds have JSON that can be changed
			break
		}
	}
	pair := c.differing(d)
	var stores, pairs []*store
	t.Run("", func(t *testing.T) {
		for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
			w, err := ours.openStore(t, e, c)
			if err != nil {
				wrong = "open: " + e.Name + ": " + err.Error() + "\n" + c.writeScript()
				return
			}
			defer w.close()
			stores = append(stores, w)
			if pair == nil {
				continue
			}
			if w, err = other.openStore(t, e, pair); err != nil {
				wrong = "open the pair: " + e.Name + ": " + err.Error() + "\n" + pair.writeScript()
				return
			}
			defer w.close()
			pairs = append(pairs, w)
		}
		for i := range writesPerWorld {
			calls, fails := genCalls(d, c)
			spelling := uint64(d.n(1 << 20))
			for j, w := range stores {
				n.programs++
				x := trial{w: w, fails: fails, spelling: spelling, twin: i%4 == 0}
				if pair != nil {
					x.pair = pairs[j]
				}
				if bad := x.run(calls, n); bad != "" {
					calls, bad = x.shrink(calls, bad)
					wrong = bad + "\n" + w.describe(x.program(calls))
					return
				}
			}
		}
	})
	return wrong
}

// trial is how a program is tried on one store.
type trial struct {
	w, pair  *store // pair: with other rows out of scope, or nil
	fails    bool
	spelling uint64
	twin     bool
}

func (x *trial) program(calls []Call) string {
	return spellCalls(&x.w.c.Schema, calls, x.fails, x.spelling)
}

// run runs the program of some calls, and says what is wrong. The databases are as they were then.
func (x *trial) run(calls []Call, n *written) string {
	program := x.program(calls)
	if x.w.in = noTx; x.spelling%4 == 0 {
		x.w.in = keptTx
	} else if x.spelling%4 == 1 && x.pair == nil { // a pair is compared by what it keeps
		x.w.in = undoneTx
	}
	r, bad := x.w.check(calls, program, x.fails, n)
	if bad == "" && x.pair != nil {
		n.pairs++
		bad = x.w.compare(x.pair, program, r)
	}
	if bad == "" && x.twin {
		bad = x.w.escapes(program, n)
	}
	err := x.w.restore()
	if x.pair != nil {
		err = errors.Join(err, x.pair.restore())
	}
	if bad == "" && err != nil {
		bad = err.Error()
	}
	return bad
}

// shrink leaves out what a program fails without: calls, rows, values and conditions.
func (x *trial) shrink(calls []Call, bad string) ([]Call, string) {
	for again := true; again; {
		again = false
		for _, less := range lessCalls(calls) {
			if b := x.run(less, &written{why: map[string]int{}, whole: map[string]int{}}); b != "" {
				calls, bad, again = less, b, true
				break
			}
		}
	}
	return calls, bad
}

// lessCalls are the programs that are one step shorter.
func lessCalls(calls []Call) (out [][]Call) {
	for i, c := range calls {
		if len(calls) > 1 {
			out = append(out, slices.Delete(slices.Clone(calls), i, i+1))
		}
		with := func(c Call) {
			less := slices.Clone(calls)
			less[i] = c
			out = append(out, less)
		}
		for j := range c.Set {
			if less := c; len(c.Set) > 1 {
				less.Set = slices.Delete(slices.Clone(c.Set), j, j+1)
				with(less)
			}
		}
		for j := range c.Rows {
			if less := c; len(c.Rows) > 1 {
				less.Rows = slices.Delete(slices.Clone(c.Rows), j, j+1)
				with(less)
			}
		}
		if c.Q.Op == "where" && c.Do != "read" {
			less := c
			less.Q = c.Q.Args[0]
			less.All = !strings.HasPrefix(c.Do, "insert") && !said(less.Q)
			with(less)
		}
	}
	return out
}

// check runs a program and compares.
func (w *store) check(calls []Call, program string, fails bool, n *written) (r *exoeval.RunResult, wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprintf("panic: %v", p)
		}
	}()
	c := w.c
	m := newWriteModel(c, c.Grants, w.engine.Name == tu.Postgres.Name)
	w.errs, w.dirty = nil, true
	r, wrong = w.runIn(program, spellCalls(&c.Schema, calls, true, 0))
	if wrong != "" {
		return r, wrong
	}
	if errors.Is(r.Err, fail.ErrLimit) || slices.ContainsFunc(w.errs, func(err error) bool { return err != nil && errors.Is(err, fail.ErrLimit) }) {
		n.limited++
		return r, ""
	}
	if leak := newSlow(&c.Schema, c.Data, c.Grants).leaked(program, r); leak != "" {
		return r, fmt.Sprintf("a row out of scope is seen: %s\n%s", leak, told(r))
	}
	var want []answer
	ends := fails
	for i := range calls {
		if len(w.errs) <= i {
			return r, fmt.Sprintf("call %d was not made\n%s", i, told(r))
		}
		a, why := m.do(&calls[i], w.errs[i])
		for _, x := range why {
			n.why[x.why]++
		}
		if (len(why) > 0) != (w.errs[i] != nil) || len(why) > 0 && !slices.ContainsFunc(why, func(x refusal) bool { return x.kind == fail.KindOf(w.errs[i]) }) {
			return r, fmt.Sprintf("call %d ends with %v, must be refused: %v\n%s", i, w.errs[i], why, told(r))
		}
		if m.wrong != "" {
			return r, fmt.Sprintf("call %d: %s\n%s", i, m.wrong, told(r))
		}
		if len(why) == 0 {
			want = append(want, a)
			continue
		}
		want = append(want, answer{})
		n.refused++
		if !errors.Is(w.errs[i], exo.ErrNothingDone) || !calls[i].Catch {
			ends = true
			break
		}
		n.caught++
	}
	if ends != (r.Err != nil) {
		return r, fmt.Sprintf("it ends with %v, must fail: %v\n%s", r.Err, ends, told(r))
	}
	if !ends {
		if diff := differCalls(r, want, calls); diff != "" {
			return r, diff + "\n" + told(r)
		}
	} else {
		m.data = c.Data.clone() // nothing of it is kept
	}
	if w.in == undoneTx {
		m.data = c.Data.clone()
	}
	after, err := w.rows()
	if err != nil {
		return r, err.Error()
	}
	if diff := w.differRows(m, after); diff != "" {
		return r, diff + "\n" + told(r)
	}
	if !ends {
		n.kept++
		n.wholes(c.Data, m.data)
		if !slices.EqualFunc(after, w.before, slices.Equal) {
			n.changed++
		}
	}
	return r, ""
}

// wholes counts what there is more of behind a program: JSON by its text, arrays by their kind.
func (n *written) wholes(before, after [][][]Value) {
	more := map[string]int{}
	for by, data := range map[int][][][]Value{-1: before, 1: after} {
		for _, rows := range data {
			for _, row := range rows {
				for _, v := range row {
					switch {
					case v.Null || !v.Kind.whole():
					case v.Kind == JSON:
						more[v.S] += by
					default:
						more[fmt.Sprint(v.Kind)] += by
					}
				}
			}
		}
	}
	for text, by := range more {
		n.whole[text] += max(by, 0)
	}
}

// How a program stands in a transaction of the host's.
type inTx uint8

const (
	noTx     inTx = iota
	keptTx        // it is committed
	undoneTx      // it is rolled back
)

// runIn runs a program, in a Tx if there is to be one. One that fails runs behind it in the same Tx, and leaves nothing.
func (w *store) runIn(program, fails string) (r *exoeval.RunResult, wrong string) {
	ctx := context.Background()
	in := ctx
	run := func(program string) *exoeval.RunResult {
		return w.eval.Run(in, exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	}
	if w.in == noTx {
		return run(program), ""
	}
	tx, err := w.db.Begin(ctx)
	if err != nil {
		return nil, "Begin: " + err.Error()
	}
	in = tx.Context(ctx)
	r = run(program)
	errs := w.errs
	if again := run(fails); again.Err == nil {
		wrong = "a program that throws does not fail in a Tx"
	}
	w.errs = errs
	end := tx.Commit
	if w.in == undoneTx {
		end = tx.Rollback
	}
	if err := end(ctx); err != nil && wrong == "" {
		wrong = "the end of the Tx: " + err.Error()
	}
	return r, wrong
}

func told(r *exoeval.RunResult) string {
	b, _ := r.Value.AppendJSON(nil)
	return fmt.Sprintf("got %s\nerr %v", b, r.Err)
}

// differCalls compares what the calls gave.
func differCalls(r *exoeval.RunResult, want []answer, calls []Call) string {
	b, err := r.Value.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	var got []struct {
		Ok    json.RawMessage
		Error *string
	}
	if err := json.Unmarshal(b, &got); err != nil || len(got) != len(want) {
		return fmt.Sprintf("%d answers, want %d: %v", len(got), len(want), err)
	}
	for i, a := range want {
		if (got[i].Error != nil) != (a.rows == nil && a.keys == nil && !a.exact && !a.one && calls[i].Do != "read") {
			return fmt.Sprintf("call %d is refused, or must be", i)
		}
		if got[i].Error != nil {
			continue
		}
		rows := []json.RawMessage{got[i].Ok}
		if !a.one {
			rows = nil
			if err := json.Unmarshal(got[i].Ok, &rows); err != nil {
				return fmt.Sprintf("call %d gave no list", i)
			}
		}
		var texts []string
		for _, x := range rows {
			texts = append(texts, string(x))
		}
		if d := a.differs(texts); d != "" {
			return fmt.Sprintf("call %d: %s, want %s", i, d, a.rows)
		}
	}
	return ""
}

// differRows compares all tables with the model's, and those out of scope with what they were.
func (w *store) differRows(m *writeModel, after [][]string) string {
	for t := range w.c.Schema.Tables {
		for i := range m.out[t] {
			if s := secret(t, i); of(after[t], s) != of(w.before[t], s) || of(w.before[t], s) == "" {
				return fmt.Sprintf("a row out of scope is changed:\n%s\n%s", of(w.before[t], s), of(after[t], s))
			}
		}
		r := w.all.Run(context.Background(), exoeval.Job{Program: fmt.Sprintf("return await t%d.execute()", t), Run: exo.Run{Seed: 1}})
		if r.Err != nil {
			return r.Err.Error()
		}
		b, err := r.Value.AppendJSON(nil)
		if err != nil {
			return err.Error()
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(b, &rows); err != nil {
			return err.Error()
		}
		var got []string
		for _, x := range rows {
			got = append(got, string(x))
		}
		if want := m.print(t); !slices.Equal(sortedQuoted(got), want) {
			return fmt.Sprintf("table %s:\n%s\nwant\n%s", tableNames[w.c.Schema.Tables[t].Name], strings.Join(sortedQuoted(got), "\n"), strings.Join(want, "\n"))
		}
	}
	return ""
}

// compare runs the program on a database that differs in rows out of scope: nothing that it can see may differ.
func (w *store) compare(other *store, program string, r *exoeval.RunResult) string {
	other.errs, other.dirty = nil, true
	o := other.eval.Run(context.Background(), exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	known := slices.ContainsFunc(w.c.Schema.Facets, func(f Facet) bool { return f.Rights.Effects })
	if a, b := w.seen(r), other.seen(o); a != b && !(known && strings.Contains(a+b, "is taken")) { // the host lets programs learn of that
		return fmt.Sprintf("it depends on rows out of scope:\n%s\n%s\n%s", a, b, other.c.Data.print(&other.c.Schema))
	}
	return ""
}

// seen is all that a program's author sees of a run. Rows that a program has not ordered come as they do.
func (w *store) seen(r *exoeval.RunResult) string {
	var calls []map[string]any
	b, _ := r.Value.AppendJSON(nil)
	if json.Unmarshal(b, &calls) == nil {
		for _, c := range calls {
			if list, ok := c["ok"].([]any); ok {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
	}
	errs := ""
	if r.Err != nil {
		errs = fail.KindOf(r.Err).String() + fail.GuestText(r.Err) + fail.PosOf(r.Err).Text // what the database says is for the host
	}
	return fmt.Sprint(calls, errs, r.Console)
}

// escapes runs the program under grants of everything, and counts whether it changes rows that are out of scope.
func (w *store) escapes(program string, n *written) string {
	if err := w.restore(); err != nil {
		return err.Error()
	}
	w.dirty = true
	m := newWriteModel(w.c, w.c.Grants, false)
	_ = w.twin.Run(context.Background(), exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	after, err := w.rows()
	if err != nil {
		return err.Error()
	}
	if !slices.EqualFunc(after, w.before, slices.Equal) {
		n.twins++ // of the others nobody knows what they would have done
		for t := range m.out {
			for i := range m.out[t] {
				if s := secret(t, i); of(after[t], s) != of(w.before[t], s) {
					n.escaped++
					return ""
				}
			}
		}
	}
	return ""
}

// differing is the case with other rows out of scope, or nil where none could be drawn.
func (c *Case) differing(d *draws) *Case {
	for range 5 {
		o := *c
		o.Data = c.Data.clone()
		x := newSlow(&c.Schema, c.Data, c.Grants)
		fixed := map[string]bool{}
		in := make([]map[int]bool, len(c.Data))
		for t := range c.Data {
			in[t] = map[int]bool{}
			for i := range c.Data[t] {
				if x.reaches(t, i) {
					in[t][i] = true
				}
			}
		}
		// What rows in scope refer to stays, and so do the references of others to rows in scope: the database's own foreign
		// keys tell of both, and its host has to see to them.
		for _, r := range c.Schema.Refs {
			for i, child := range c.Data[r.Child] {
				for j, parent := range c.Data[r.Parent] {
					if !slices.ContainsFunc(r.Pairs, func(p [2]int) bool { return child[p[0]].Null || order(child[p[0]], parent[p[1]]) != 0 }) && (in[r.Child][i] || in[r.Parent][j]) {
						fixed[fmt.Sprint(r.Parent, j)], fixed[fmt.Sprint(r.Child, i)] = true, true
					}
				}
			}
		}
		changed := false
		for t, tab := range c.Schema.Tables {
			var rows [][]Value
			for i, row := range o.Data[t] {
				loose := !in[t][i] && !fixed[fmt.Sprint(t, i)] && row[slotTenant].I != 9
				if loose && d.n(2) == 0 && (len(rows) > 0 || i < len(o.Data[t])-1) {
					changed = true
					continue
				}
				for _, col := range tab.Cols {
					ref := slices.ContainsFunc(c.Schema.Refs, func(r Ref) bool {
						return r.Child == t && slices.ContainsFunc(r.Pairs, func(p [2]int) bool { return p[0] == col })
					})
					if loose && !ref && col != slotSecret && col != slotNote && d.n(3) == 0 {
						if v := genValue(d, slots[col].kind); !(col == slotID && (v.I > 50 || v.I < -50)) {
							row[col], changed = v, true
						}
					}
				}
				rows = append(rows, row)
			}
			o.Data[t] = rows
		}
		if !changed || c.Schema.broken(o.Data) != "" {
			continue
		}
		y, same := newSlow(&c.Schema, o.Data, c.Grants), true
		for t := range o.Data {
			n := 0
			for i, row := range o.Data[t] {
				if y.reaches(t, i) {
					n++
					same = same && in[t][number(row)]
				}
				for g := range x.grants { // of each grant by itself
					same = same && y.inScope(y.grants[g], t, i) == x.inScope(x.grants[g], t, number(row))
				}
			}
			same = same && n == len(in[t])
		}
		if same {
			return &o
		}
	}
	return nil
}

// describe is everything that one needs to decide who is wrong.
func (w *store) describe(program string) string {
	var b strings.Builder
	c := w.c
	fmt.Fprintf(&b, "on %s\n\n%s\n%s\n", w.engine.Name, c.Schema.writeDDL(w.engine.Name == tu.Postgres.Name), c.Data.print(&c.Schema))
	for _, r := range c.Schema.Refs {
		fmt.Fprintf(&b, "%s: %s\n", tableNames[c.Schema.Tables[r.Child].Name], c.Schema.reference(r))
	}
	for i, l := range c.Schema.Links {
		fmt.Fprintf(&b, "link %d %s: %s -> %s one %t over", i, linkNames[l.Name], tableNames[c.Schema.Tables[l.From].Name], tableNames[c.Schema.Tables[l.To].Name], l.One)
		for _, p := range l.Pairs {
			fmt.Fprintf(&b, " %s=%s", slots[p[0]].db, slots[p[1]].db)
		}
		b.WriteString("\n")
	}
	for i, f := range c.Schema.Facets {
		fmt.Fprintf(&b, "facet %d %s of %s: links %v insert (%s) update (%s) delete %t effects %t\n", i, aliases[f.Alias], tableNames[c.Schema.Tables[f.Table].Name], f.Links, listed(f.Rights.Insert), listed(f.Rights.Update), f.Rights.Delete, f.Rights.Effects)
	}
	for i, g := range c.Grants {
		j, _ := json.Marshal(g)
		fmt.Fprintf(&b, "grant %s: %s\n", grantNames[i], j)
	}
	fmt.Fprintf(&b, "\n%s\n\nerrors %v\n", program, w.errs)
	return b.String()
}
