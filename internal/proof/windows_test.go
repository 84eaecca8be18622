package proof

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// windowed asks, of a grouping's rows, for the first of each key, and for the functions of a window in each row.
func (g *grouping) windowed(s *Schema, spelling uint64, ranked bool) string {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}, r: rand.New(rand.NewPCG(spelling, 10))}
	q := p.query(g.q)
	of := func() string {
		return p.callback(g.bind, g.ns, []*Node{g.value}, func() string { return p.expr(g.value) })
	}
	by := p.callback(g.bind, g.ns, g.keys, func() string {
		var ks []string
		for i, k := range g.keys {
			ks = append(ks, fmt.Sprintf("k%d: %s", i, p.expr(k)))
		}
		return "{ " + strings.Join(ks, ", ") + " }"
	})
	show := "n: window.rowNumber(), c: window.count(), rc: window.runningCount(), v: window.lag(" + of() + ", 0), before: window.lag(" + of() + "), after: window.lead(" + of() + ", 2), first: window.first(" + of() + "), last: window.last(" + of() + ")"
	if ranked {
		show += ", r: window.rank(), d: window.denseRank()"
	}
	for _, a := range windowAggregates(g.value.kind()) {
		show += fmt.Sprintf(", %s: window.%s(%s), r%s: window.running%s(%s)", a, a, of(), a, strings.ToUpper(a[:1])+a[1:], of())
	}
	cond := func() string {
		return p.callback(g.bind, g.ns, []*Node{g.cond}, func() string { return p.expr(g.cond) })
	}
	show += fmt.Sprintf(", wc: window.where(%s).count(), wrc: window.where(%s).runningCount(), wmc: window.where(%s).movingCount(%d), mc: window.movingCount(%d)", cond(), cond(), cond(), g.moving, g.moving)
	for _, a := range windowAggregates(g.value.kind()) {
		name := strings.ToUpper(a[:1]) + a[1:]
		show += fmt.Sprintf(", w%s: window.where(%s).%s(%s), wr%s: window.where(%s).running%s(%s), m%s: window.moving%s(%s, %d), wm%s: window.where(%s).moving%s(%s, %d)",
			a, cond(), a, of(), a, cond(), name, of(), a, name, of(), g.moving, a, cond(), name, of(), g.moving)
	}
	first := p.callback(g.bind, g.ns, []*Node{g.value}, func() string { return "{ v: " + p.expr(g.value) + " }" })
	return strings.Join(p.lets, "\n") + "\nconst q = " + q + ";\nreturn [await q.distinctBy(" + by + ").select(" + first + "), await q.partitionBy(" + by + ").select(({ window }) => ({ " + show + " })), await q.partitionBy(" + by + ").where(({ window }) => window.rowNumber() === 2).count()];"
}

func windowAggregates(k Kind) []string {
	if k.numeric() {
		return []string{"sum", "avg", "min", "max"}
	}
	return []string{"min", "max"}
}

// windows are the records that windowed must give, sorted, as texts.
func (g *grouping) windows(x *slow, ranked bool) (firsts, rows []string, seconds int) {
	rs := x.eval(g.q)
	x.settle(rs)
	sort.SliceStable(rs.tuples, func(i, j int) bool { return x.before(rs, rs.tuples[i], rs.tuples[j]) })
	type part struct {
		keys   []Value
		values []Value
		holds  []bool
		sorted []tuple
	}
	var parts []*part
	for _, t := range rs.tuples {
		x.call(&Node{Bind: g.bind, NS: g.ns}, t)
		var keys []Value
		for _, k := range g.keys {
			keys = append(keys, x.value(k))
		}
		i := slices.IndexFunc(parts, func(p *part) bool {
			return slices.EqualFunc(p.keys, keys, func(a, b Value) bool { return order(a, b) == 0 })
		})
		if i < 0 {
			i, parts = len(parts), append(parts, &part{keys: keys})
		}
		parts[i].values, parts[i].sorted = append(parts[i].values, x.value(g.value)), append(parts[i].sorted, t)
		parts[i].holds = append(parts[i].holds, x.cond(g.cond) == yes)
	}
	kind := g.value.kind()
	for _, p := range parts {
		firsts = append(firsts, `{"v":`+p.values[0].json()+"}")
		if len(p.values) > 1 {
			seconds++
		}
		at := func(i int) string {
			if i < 0 || i >= len(p.values) {
				return "null"
			}
			return p.values[i].json()
		}
		rank, dense := 0, 0
		for i := range p.values {
			text := fmt.Sprintf(`{"n":%d,"c":%d,"rc":%d,"v":%s,"before":%s,"after":%s,"first":%s,"last":%s`, i+1, len(p.values), i+1, at(i), at(i-1), at(i+2), at(0), at(len(p.values)-1))
			if ranked {
				peer := i > 0 && slices.EqualFunc(p.sorted[i].keys[:len(rs.desc)], p.sorted[i-1].keys[:len(rs.desc)], func(a, b Value) bool { return order(a, b) == 0 })
				if !peer {
					rank, dense = i+1, dense+1
				}
				text += fmt.Sprintf(`,"r":%d,"d":%d`, rank, dense)
			}
			for _, a := range windowAggregates(kind) {
				text += fmt.Sprintf(`,"%s":%s,"r%s":%s`, a, aggregate(a, kind, p.values).json(), a, aggregate(a, kind, p.values[:i+1]).json())
			}
			// some are the values from one row to another, of those for which the condition holds
			some := func(from, to int) (vs []Value) {
				for k := from; k < to; k++ {
					if p.holds[k] {
						vs = append(vs, p.values[k])
					}
				}
				return vs
			}
			all, from := len(p.values), max(0, i+1-g.moving)
			text += fmt.Sprintf(`,"wc":%d,"wrc":%d,"wmc":%d,"mc":%d`, len(some(0, all)), len(some(0, i+1)), len(some(from, i+1)), i+1-from)
			for _, a := range windowAggregates(kind) {
				text += fmt.Sprintf(`,"w%s":%s,"wr%s":%s,"m%s":%s,"wm%s":%s`, a, aggregate(a, kind, some(0, all)).json(), a, aggregate(a, kind, some(0, i+1)).json(), a, aggregate(a, kind, p.values[from:i+1]).json(), a, aggregate(a, kind, some(from, i+1)).json())
			}
			rows = append(rows, text+"}")
		}
	}
	slices.Sort(firsts)
	slices.Sort(rows)
	return firsts, rows, seconds
}

// TestRandomWindows compares windows of random queries with the slow evaluator. Few have a window of several rows.
func TestRandomWindows(t *testing.T) {
	compareRandom(t, 10, 3000, 25, drawWindows)
}

// drawWindows draws windows of a random query.
func drawWindows(gen *generator, s *Schema, x *slow) drawn {
	g := gen.grouping()
	g.moving = 1 + gen.n(4)
	ranked := chained(g.q, "orderBy") && len(x.descending(g.q)) > 0
	firsts, rows, seconds := g.windows(x, ranked)
	right := func(got []byte) bool {
		var parts []json.RawMessage
		return json.Unmarshal(got, &parts) == nil && len(parts) == 3 && sameRecords(parts[0], firsts) && sameRecords(parts[1], rows) && string(parts[2]) == strconv.Itoa(seconds)
	}
	return drawn{program: g.windowed(s, uint64(gen.n(1<<20)), ranked), slow: x, want: fmt.Sprint(firsts, rows, seconds), right: right, some: seconds > 0}
}

// sameRecords reports whether a list holds these records, in any order.
func sameRecords(list json.RawMessage, want []string) bool {
	var got []json.RawMessage
	if json.Unmarshal(list, &got) != nil {
		return false
	}
	var texts []string
	for _, r := range got {
		texts = append(texts, string(r))
	}
	slices.Sort(texts)
	return slices.Equal(texts, want)
}
