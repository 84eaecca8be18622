package proof

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Case is one database, what is granted on it, and one program. It is plain
// data, so that it can be kept.
type Case struct {
	Schema    Schema
	Data      Data
	Grants    []Grant
	Only      bool  // the grants are attenuated to the usual methods and the links Kept
	Kept      []int `json:",omitempty"`
	Revocable bool
	Queries   []Query
	Spelling  [2]uint64 // of the two texts of the program

	looked map[int]bool // facets of tables that programs may not write: see hostHasToLook
}

// genWorld draws everything of a case but its program.
func genWorld(d *draws) *Case {
	c := &Case{Schema: genSchema(d)}
	c.Data = genData(d, &c.Schema)
	for range 1 + d.n(3)/2 {
		g := genGrant(d, &c.Schema)
		for range 3 { // most grants reach some row
			if _, _, ok := g.rules(&c.Schema); !ok || len(newSlow(&c.Schema, c.Data, []Grant{g}).handed(0).tuples) > 0 {
				break
			}
			g = genGrant(d, &c.Schema)
		}
		c.Grants = append(c.Grants, g)
	}
	c.Only, c.Revocable = d.oneIn(8), d.oneIn(8)
	for l := range c.Schema.Links {
		all := c.Only && !d.oneIn(4)
		for i := range c.Grants {
			all = all && c.Schema.reaches(c.Grants[i].Facet, l)
		}
		if all {
			c.Kept = append(c.Kept, l)
		}
	}
	return c
}

func (c *Case) genProgram(d *draws) {
	c.Queries = genQueries(d, c)
	x := newSlow(&c.Schema, c.Data, c.Grants)
	for range 2 { // most programs return some row
		if slices.ContainsFunc(c.Queries, func(q Query) bool { return x.answer(q).some() }) {
			break
		}
		c.Queries = genQueries(d, c)
	}
	c.Spelling = [2]uint64{uint64(d.n(1 << 20)), uint64(d.n(1 << 20))}
}

// refused reports whether the rules demand that a grant be refused.
func (c *Case) refused() bool {
	for i := range c.Grants {
		if _, _, ok := c.Grants[i].rules(&c.Schema); !ok {
			return true
		}
	}
	return false
}

// world is a case's database on one engine, opened.
type world struct {
	c      *Case
	engine tu.Engine
	db     *exosql.DB
	decl   *declaration
	eval   exoeval.Runner
	twin   exoeval.Runner // the same under grants of everything
	cut    []func()       // revoke the grants, if they can be

	mu     sync.Mutex
	sql    []exosql.Query
	failed error
}

// open makes the database on one engine, and the gate. The error of the gate is
// apart: it is what a grant that must be refused shows.
func (s *server) open(ctx context.Context, e tu.Engine, c *Case) (w *world, gateErr, err error) {
	w = &world{c: c, engine: e, decl: c.Schema.declare()}
	url, opt := "sqlite::memory:", &exosql.OpenOptions{Conns: 2, Setup: func(ctx context.Context, db *sql.DB) error { return fill(ctx, db, &c.Schema, c.Data) }}
	if e.Name == tu.Postgres.Name {
		if err := s.fill(ctx, c); err != nil {
			return nil, nil, err
		}
		url, opt = s.url, &exosql.OpenOptions{Conns: 1}
	}
	w.db, err = exosql.Open(ctx, url, opt)
	if err != nil {
		return nil, nil, err
	}
	if w.eval, gateErr = w.gate(c.Grants); gateErr != nil {
		return w, gateErr, nil
	}
	var all []Grant
	for i := range c.Grants {
		all = append(all, c.Grants[i].everything(&c.Schema))
	}
	if w.twin, err = w.gate(all); err != nil {
		w.db.Close()
		return nil, nil, fmt.Errorf("the twin: %w", err)
	}
	return w, nil, nil
}

func (w *world) gate(grants []Grant) (exoeval.Runner, error) {
	objs := map[string]exo.Object{}
	for i := range grants {
		o := w.decl.facets[grants[i].Facet].Of(grants[i].relation(w.db, &w.c.Schema, w.decl))
		if w.c.Only {
			names := []string{"where", "join", "leftJoin", "select", "distinct", "orderBy", "limit", "offset", "as", "execute", "first", "count", "exists", "some", "every", "none", "sum", "avg", "median", "min", "max", "countDistinct", "search"}
			for _, l := range w.c.Kept {
				names = append(names, linkNames[w.c.Schema.Links[l].Name])
			}
			o = policy.Only(o, names...)
		}
		if w.c.Revocable {
			var cut func()
			o, cut = policy.Revocable(o)
			w.cut = append(w.cut, cut)
		}
		objs[grantNames[i]] = o
	}
	g, err := exo.NewGate(exo.Config{Grants: objs, Record: exo.RecordFunc(w.record)})
	if err != nil {
		return nil, err
	}
	return exoeval.InProcess{}.Bind(g, exoeval.Bounds{})
}

func (w *world) record(e exo.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range e.Details {
		if q, ok := d.(exosql.Query); ok {
			w.sql = append(w.sql, q)
		}
	}
	if e.Call != 0 && e.Err != nil {
		w.failed = e.Err
	}
	return nil
}

// outcome is what a check found out.
type outcome struct {
	wrong    string // "" if all is well
	limited  bool   // the program was too large for a limit, and was told so
	nonempty bool
	leaks    bool // the twin showed rows out of scope; if it was asked
	programs int
}

// check runs the case's program in both spellings and compares.
func (w *world) check(ctx context.Context, twin bool) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o.wrong = fmt.Sprintf("panic: %v", p)
		}
	}()
	c := w.c
	x := newSlow(&c.Schema, c.Data, c.Grants)
	var want []answer
	for _, q := range c.Queries {
		a := x.answer(q)
		want = append(want, a)
		o.nonempty = o.nonempty || a.some()
	}
	for i, spelling := range c.Spelling {
		text, bare := spell(&c.Schema, c.Queries, spelling)
		w.sql, w.failed = nil, nil
		r := w.eval.Run(ctx, exoeval.Job{Program: text, Run: exo.Run{Seed: 1}})
		o.programs++
		if leak := x.leaked(text, r); leak != "" {
			o.wrong = w.report(i, r, want, "a row out of scope is seen: "+leak)
			return o
		}
		if r.Err != nil {
			if errors.Is(r.Err, fail.ErrLimit) {
				o.limited = true
				return o
			}
			o.wrong = w.report(i, r, want, "an error")
			return o
		}
		if diff := differ(r.Value, want, bare); diff != "" {
			o.wrong = w.report(i, r, want, diff)
			return o
		}
	}
	if twin {
		text, _ := spell(&c.Schema, c.Queries, c.Spelling[0])
		r := w.twin.Run(ctx, exoeval.Job{Program: text, Run: exo.Run{Seed: 1}})
		o.leaks = x.leaked(text, r) != ""
	}
	return o
}

// checkAll is every check of a case.
func (w *world) checkAll(ctx context.Context) string {
	if wrong := w.checkTyped(ctx); wrong != "" {
		return wrong
	}
	if len(w.c.Queries) > 0 {
		if wrong := w.check(ctx, false).wrong; wrong != "" {
			return wrong
		}
	}
	return w.checkProbes(ctx)
}

// checkTyped compares what the host reads of its relations with the slow evaluator.
func (w *world) checkTyped(ctx context.Context) string {
	x := newSlow(&w.c.Schema, w.c.Data, w.c.Grants)
	for i, v := range x.grants {
		r := v.g.relation(w.db, &w.c.Schema, w.decl)
		want := x.typed(v, false)
		rows, err := r.All(ctx)
		n, err2 := r.Count(ctx)
		one, ok, err3 := r.First(ctx)
		if err := errors.Join(err, err2, err3); err != nil {
			return w.report(0, &exoeval.RunResult{}, nil, fmt.Sprintf("typed: grant %d: %v", i, err))
		}
		var got []string
		for _, r := range rows {
			got = append(got, r.Note)
		}
		diff := want.differs(got)
		if diff == "" && int(n) != len(want.rows) {
			diff = fmt.Sprintf("count is %d, want %d", n, len(want.rows))
		}
		if f := x.typed(v, true); diff == "" && (ok != (len(f.rows) > 0) || ok && one.Note != f.rows[0]) {
			diff = fmt.Sprintf("first is %q, want %q", one.Note, f.rows)
		}
		if diff != "" {
			return w.report(0, &exoeval.RunResult{}, []answer{want}, fmt.Sprintf("typed: grant %d: %s\ngot %s", i, diff, got))
		}
	}
	return ""
}

// probes ask for what is hidden. Each must be denied, and its error tell nothing.
var probes = []string{
	"%s.where(t => t.secret.eq('hs0x0k')).execute()",
	"%s.where({ secret: 'hs0x0k' }).count()",
	"%s.where({ note: 'zq0x0k', secret: 'hs0x0k' }).first()",
	"%s.select(t => ({ secret: t.secret })).execute()",
	"%s.orderBy(t => t.secret).limit(1).execute()",
	"%s.select(({ nobody }) => nobody).execute()",
	"%s.hidden().execute()",
}

// checkProbes asks for hidden things, and for anything after revocation.
func (w *world) checkProbes(ctx context.Context) string {
	x := newSlow(&w.c.Schema, w.c.Data, w.c.Grants)
	ask := func(p string, want fail.Kind) string {
		r := w.eval.Run(ctx, exoeval.Job{Program: p, Run: exo.Run{Seed: 1}})
		if fail.KindOf(r.Err) != want {
			return fmt.Sprintf("probe: %s: %v, want %v", p, r.Err, want)
		}
		if leak := x.leaked(p, r); leak != "" {
			return fmt.Sprintf("probe: %s: leaks %s", p, leak)
		}
		return ""
	}
	for _, p := range probes {
		if bad := ask("return "+fmt.Sprintf(p, grantNames[0]), fail.Denied); bad != "" {
			return bad
		}
	}
	if bad := ask("return "+grantNames[0]+".join("+grantNames[0]+".as('other')).execute()", fail.Invalid); bad != "" {
		return bad // a product of all rows with all
	}
	if w.c.Revocable {
		for _, cut := range w.cut {
			cut()
		}
		return ask("return "+grantNames[len(w.c.Grants)-1]+".execute()", fail.Revoked)
	}
	return ""
}

// differ compares a program's result with the answers of its queries.
func differ(v value.Value, want []answer, bare bool) string {
	var got []json.RawMessage
	b, err := v.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	if bare {
		got = []json.RawMessage{b}
	} else if err := json.Unmarshal(b, &got); err != nil {
		return "no list of answers"
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d answers, want %d", len(got), len(want))
	}
	for i, a := range want {
		rows := []json.RawMessage{got[i]}
		if !a.one {
			rows = nil
			if err := json.Unmarshal(got[i], &rows); err != nil {
				return fmt.Sprintf("query %d gave no list", i)
			}
		}
		var texts []string
		for _, r := range rows {
			texts = append(texts, string(r))
		}
		if d := a.differs(texts); d != "" {
			return fmt.Sprintf("query %d: %s", i, d)
		}
	}
	return ""
}

// leaked looks for texts of rows that no grant reaches, and of the hidden
// column, wherever the program's author can look. What the program said itself is no leak.
func (x *slow) leaked(program string, r *exoeval.RunResult) string {
	b, _ := r.Value.AppendJSON(nil)
	seen := string(b) + r.Console
	if r.Err != nil {
		seen += r.Err.Error() + fail.PosOf(r.Err).Text
	}
	for t := range x.data {
		for i := range x.data[t] {
			if s := secret(t, i); strings.Contains(seen, s) && !strings.Contains(program, s) {
				return s
			}
			in := slices.ContainsFunc(x.grants, func(v *view) bool { return x.inScope(v, t, i) })
			if s := canary(t, i); !in && strings.Contains(seen, s) && !strings.Contains(program, s) {
				return s
			}
		}
	}
	return ""
}

// report is everything that one needs to decide who is wrong.
func (w *world) report(spelling int, r *exoeval.RunResult, want []answer, what string) string {
	var b strings.Builder
	c := w.c
	fmt.Fprintf(&b, "%s\non %s\n\n%s\n%s\n", what, w.engine.Name, c.Schema.DDL(w.engine.Name == tu.Postgres.Name), c.Data.print(&c.Schema))
	for i, l := range c.Schema.Links {
		fmt.Fprintf(&b, "link %d %s: %s -> %s over", i, linkNames[l.Name], tableNames[c.Schema.Tables[l.From].Name], tableNames[c.Schema.Tables[l.To].Name])
		for _, p := range l.Pairs {
			fmt.Fprintf(&b, " %s=%s", slots[p[0]].db, slots[p[1]].db)
		}
		b.WriteString("\n")
	}
	for i, f := range c.Schema.Facets {
		fmt.Fprintf(&b, "facet %d %s of %s: links %v\n", i, aliases[f.Alias], tableNames[c.Schema.Tables[f.Table].Name], f.Links)
	}
	for i, g := range c.Grants {
		j, _ := json.Marshal(g)
		fmt.Fprintf(&b, "grant %s: %s\n", grantNames[i], j)
	}
	if len(c.Queries) > 0 {
		text, _ := spell(&c.Schema, c.Queries, c.Spelling[spelling])
		fmt.Fprintf(&b, "\n%s\n\n", text)
	}
	for _, q := range w.sql {
		fmt.Fprintf(&b, "SQL %s\nargs %v\n", q.SQL, q.Args)
	}
	got, _ := r.Value.AppendJSON(nil)
	fmt.Fprintf(&b, "got  %s\n", got)
	if r.Err != nil {
		fmt.Fprintf(&b, "err  %v (%v)\n", r.Err, w.failed)
	}
	for _, a := range want {
		fmt.Fprintf(&b, "want %s (exact: %t)\n", a.rows, a.exact)
	}
	return b.String()
}
