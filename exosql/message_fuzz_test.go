package exosql_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	"github.com/exoagent/exoagent/exosql/internal/language"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// messageSeeds are programs whose messages have every method of the language.
var messageSeeds = []string{
	"things.where(t => t.s === 'Hello World').orderBy(t => t.n.desc()).limit(2).offset(0).select(t => ({ id: t.id, s: t.s }))",
	"things.select(t => t.s).distinct().first()", "things.leftJoin(({ thing }) => thing.selves().as('o'), ).where(({ thing, o }) => o.id === thing.id)",
	"things.join(things.as('o'), ({ thing, o }) => o.n === thing.n).select(({ thing, o }) => ({ a: thing.s, b: o.id }))",
	"things.groupBy(t => ({ s: t.s })).where(g => g.count() > 0).select(g => ({ s: g.s, n: g.count(), sum: g.sum(t => t.n), avg: g.avg(t => t.f), med: g.median(t => t.n), min: g.min(t => t.s), max: g.max(t => t.d), d: g.countDistinct(t => t.s), w: g.where(t => t.b).count(), c: g.collect(t => t.s) }))",
	"things.countBy(t => t.b)", "things.count()", "things.sum(t => t.n)", "things.avg(t => t.n)", "things.median(t => t.n)", "things.min(t => t.s)", "things.max(t => t.s)", "things.countDistinct(t => t.s)", "things.page(1)",
	"things.orderBy(t => t.n).distinctBy(t => t.s)",
	"things.orderBy(t => t.n).partitionBy(t => t.b).select(({ thing, window }) => ({ id: thing.id, a: window.rowNumber(), b: window.rank(), c: window.denseRank(), d: window.lag(t => t.s, 1), e: window.lead(t => t.s), f: window.first(t => t.s), g: window.last(t => t.n), h: window.count(), i: window.sum(t => t.n), j: window.avg(t => t.n), k: window.min(t => t.n), l: window.max(t => t.s), m: window.runningCount(), n: window.runningSum(t => t.n), o: window.runningAvg(t => t.n), p: window.runningMin(t => t.s), q: window.runningMax(t => t.s), r: window.where(t => t.b).movingCount(2), u: window.movingSum(t => t.n, 3), v: window.movingAvg(t => t.d, 3), w: window.movingMin(t => t.d, 3), x: window.where(t => t.n > 0).movingMax(t => t.s, 3) }))",
	"things.partitionBy().select(({ thing, window }) => ({ id: thing.id, a: window.running().count(), b: window.moving(3).count() }))",
	"things.select(t => ({ id: t.id, s: t.s })).union(things.select(t => ({ id: t.id, s: t.s }))).where(r => r.s.includes('o'))", "things.select(t => t.s).unionAll(things.select(t => t.s))",
	"things.select(t => t.s).concat(things.select(t => t.s))", "things.select(t => t.s).intersect(things.select(t => t.s)).count()", "things.select(t => t.n).except(things.select(t => t.n))",
	"things.where(t => t.selves().exists() && t.selves().some(x => x.b) && !t.selves().every(x => x.n > 100) && t.selves().none(x => x.n > 100)).select(t => ({ one: t.self().s, rows: t.selves().orderBy(x => x.id).limit(2).select(x => x.s), first: t.selves().orderBy(x => x.id).first(), n: t.selves().count() }))",
	"things.where(t => t.s.in(things.select(x => x.s)) && t.id.notIn(things.where(x => x.n > 100).select(x => x.id)) && t.n <= things.max(x => x.n))",
	"things.self().recursive(3).where(t => t.depth <= 2)", "things.select(t => ({ id: t.id, below: t.selves().recursive().count() }))",
	"things.where(t => t.j.b === 'x' && t.j.a[0] === 1 || t.j.a.includes(1)).select(t => ({ x: t.j.b, y: t.j.b.asText() }))",
	"tasks.search('draw').select(t => t.title)", "tasks.where(t => t.matches('draw OR build')).orderBy(t => t.rank('draw').desc()).select(t => ({ id: t.id, r: t.rank('draw') }))",
	"tasks.project().tasks().comments().author().select(a => a.email)", "org.projects().select(p => ({ lead: p.lead().name, done: p.tasks().where(t => t.done).count() }))",
}

var methodName = regexp.MustCompile("^[A-Za-z]+$")

type messageWorld struct {
	gate  *exo.Gate
	seeds []message.Expr
	names []string
}

// messages is a gate with rows of others behind it, and what honest programs send it.
func messages(t testing.TB, e tu.Engine) messageWorld {
	t.Helper()
	f := kit.ThingFacet()
	f.Add(exosql.Via(exosql.One("self", kit.ThingID, kit.ThingID), f), exosql.Via(exosql.Many("selves", kit.ThingID, kit.ThingID), f))
	grants := tu.Tenant(e.Open(t), tu.Acme)
	grants["things"] = f.Of(exosql.Grant(kit.OpenThings(t, e), kit.Things, kit.ThingID.Eq(1)))
	r := tu.NewRunner(t, grants, exo.Limits{})
	w := messageWorld{}
	for _, p := range messageSeeds {
		o := r.Run(t, "return await "+p)
		if o.Kind != 0 || leaks(o.JSON) {
			t.Fatalf("%s: %s", p, o)
		}
		for _, en := range o.Events {
			if en.Step == exo.Intent {
				x, err := message.DecodeExpr(string(en.Message), 10_000)
				if err != nil {
					t.Fatal(err)
				}
				w.seeds = append(w.seeds, x)
			}
		}
	}
	for _, i := range language.SharedInterfaces() {
		w.names = slices.AppendSeq(w.names, maps.Keys(i.Methods))
	}
	w.names = append(w.names, "depth", "search", "matches", "rank", "recursive", "self", "selves", "tasks", "project", "id", "s", "n", "title", "assignee", "password", "thing", "window", "group", "row", "")
	slices.Sort(w.names)
	w.names = slices.Compact(w.names)
	gate, err := exo.NewGate(exo.Config{Grants: grants, Limits: exo.Limits{}})
	if err != nil {
		t.Fatal(err)
	}
	w.gate = gate
	return w
}

// leaks reports whether a text holds what is out of scope: of the other tenant, hidden, or of things that were not granted.
func leaks(s string) bool {
	return strings.Contains(s, tu.Canaries[tu.Bolt]) || strings.Contains(s, tu.Hidden) || strings.Contains(s, "LODIE") || strings.Contains(s, "a%b_c")
}

// TestMessagesHaveEveryMethod: what is fuzzed begins with each method that a query, a group or a window has.
func TestMessagesHaveEveryMethod(t *testing.T) {
	w, has := messages(t, tu.SQLite), map[string]bool{}
	for _, x := range w.seeds {
		if err := w.send(t, x); err != nil {
			t.Errorf("%+v: %v", x, err)
		}
		for _, n := range x.Nodes {
			has[n.Name] = true
		}
	}
	want := []string{language.Search, language.Matches, language.Rank, language.Recursive, language.GetKey}
	for _, i := range language.SharedInterfaces() {
		if i.Name == language.QueryInterface || i.Name == language.GroupInterface || i.Name == language.WindowInterface {
			for n := range i.Methods {
				if methodName.MatchString(n) {
					want = append(want, n)
				}
			}
		}
	}
	for _, n := range want {
		if !has[n] {
			t.Errorf("no message calls %s", n)
		}
	}
}

// changed is a message with some of its parts exchanged: three bytes say which and by what.
func (w messageWorld) changed(seed uint16, by []byte) message.Expr {
	x := message.Expr{Nodes: slices.Clone(w.seeds[int(seed)%len(w.seeds)].Nodes)}
	lits := []value.Value{value.Null(), value.Bool(true), value.Int(0), value.Int(-1), value.Int(1 << 40), value.Float(0.5), value.Text(""), value.Text("' OR 1=1 --"), value.Text("s"), value.Text("month"), value.List(value.Text("x"), value.Int(1)), value.RecordValue(value.Field{Name: "s", Value: value.Text("x")})}
	for ; len(by) >= 3 && len(x.Nodes) < 300; by = by[3:] {
		at, to := int(by[1])%len(x.Nodes), int(by[2])
		n := &x.Nodes[at]
		switch by[0] % 8 {
		case 0:
			n.Name = w.names[to%len(w.names)]
		case 1:
			n.Recv = int32(to%(at+2)) - 1
		case 2:
			if len(n.Args) > 0 {
				n.Args = slices.Clone(n.Args)
				n.Args[to%len(n.Args)] = int32(to % len(x.Nodes))
			}
		case 3:
			n.Lit = lits[to%len(lits)]
		case 4:
			n.Args = append(slices.Clip(n.Args), int32(to%len(x.Nodes)))
		case 5:
			x.Nodes = append(x.Nodes, message.WireNode{Op: message.OpCall, Name: w.names[to%len(w.names)], Recv: int32(at)})
		case 6: // the same call again, behind it
			more := *n
			more.Recv = int32(len(x.Nodes) - 1)
			x.Nodes = append(x.Nodes, more)
		case 7: // a part of another message
			other := w.seeds[to%len(w.seeds)].Nodes
			*n = other[at%len(other)]
		}
	}
	return x
}

// send gives a message to the gate without any recorder before it.
func (w messageWorld) send(t testing.TB, x message.Expr) error {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := w.gate.Begin(ctx, exo.Run{Clock: tu.Start}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Finish(ctx, value.Null(), nil)
	if err = s.Submit(exo.Call{ID: 1, Expr: x}); err == nil {
		var r exo.Reply
		if r, _, err = s.Next(ctx); err == nil {
			if b, e := r.Value.AppendJSON(nil); e == nil && leaks(string(b)) {
				t.Fatalf("%+v shows %s", x, b)
			}
			err = r.Err
		}
	}
	if err != nil && (fail.KindOf(err) == fail.Internal || fail.KindOf(err) == fail.Other || leaks(fail.GuestText(err))) {
		t.Fatalf("%+v: %v", x, err)
	}
	return err
}

// FuzzMessages: whatever a message is made of, it is answered within its scope or refused for what it says, and is never an error
// of ours or of the database.
func FuzzMessages(f *testing.F) {
	worlds := []messageWorld{messages(f, tu.SQLite), messages(f, tu.Postgres)}
	for i := range worlds[0].seeds {
		f.Add(uint16(i), []byte{})
		for k := range byte(8) {
			f.Add(uint16(i), []byte{k, byte(i), 7 * k, 7 - k, byte(3 * i), byte(i)})
		}
	}
	f.Fuzz(func(t *testing.T, seed uint16, by []byte) {
		for _, w := range worlds {
			_ = w.send(t, w.changed(seed, by)) // most are refused
		}
	})
}
