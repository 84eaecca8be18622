package sqlast

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// row is what the expressions of this file are evaluated over: columns p and q
// are conditions, m and n numbers, and any may be nil.
var row = []string{"p", "q", "m", "n"}

// value is an SQL value: nil, or a number; conditions are 0 and 1.
type value *int64

func num(i int64) value { return &i }

func truth(b bool) value {
	if b {
		return num(1)
	}
	return num(0)
}

// eval evaluates e in Go, in three-valued logic.
func eval(e Expr, vals map[string]value, args []value) value {
	ev := func(e Expr) value { return eval(e, vals, args) }
	switch e := e.(type) {
	case Column:
		return vals[e.Name]
	case Arg:
		return args[e.Slot]
	case Const:
		return map[Const]value{True: num(1), False: num(0), Zero: num(0), One: num(1), Null: nil}[e]
	case In:
		return not3(e.Not, in3(ev(e.X), e.List, ev))
	case Beyond:
		for i := range e.Left {
			a, b := ev(e.Left[i]), ev(e.Right[i])
			if a == nil || b == nil {
				return nil
			}
			if *a != *b {
				return truth((*a > *b) != e.Desc)
			}
		}
		return num(0)
	case InSelect: // over the one row's m, where the condition holds
		if w := ev(e.Sub.Where[0]); w == nil || *w == 0 {
			return num(0)
		}
		return in3(ev(e.X), []Expr{e.Sub.Columns[0].Expr}, ev)
	case Exists:
		w := ev(e.Sub.Where[0])
		return truth(e.Not != (w != nil && *w == 1))
	}
	c := e.(Call)
	var a []value
	for _, x := range c.Args {
		a = append(a, ev(x))
	}
	null := slices.Contains(a, nil)
	switch c.Op {
	case Is, IsNot:
		same := a[0] == nil && a[1] == nil || !null && *a[0] == *a[1]
		return truth(same == (c.Op == Is))
	case IsNull:
		return truth(null)
	case IsNotNull:
		return truth(!null)
	case And, Or:
		decides := map[Op]int64{And: 0, Or: 1}[c.Op]
		for _, v := range a {
			if v != nil && *v == decides {
				return num(decides)
			}
		}
		if null {
			return nil
		}
		return num(1 - decides)
	}
	if null {
		return nil
	}
	switch c.Op {
	case Eq:
		return truth(*a[0] == *a[1])
	case Ne:
		return truth(*a[0] != *a[1])
	case Lt:
		return truth(*a[0] < *a[1])
	case Le:
		return truth(*a[0] <= *a[1])
	case Gt:
		return truth(*a[0] > *a[1])
	case Ge:
		return truth(*a[0] >= *a[1])
	case Not:
		return num(1 - *a[0])
	case Add:
		return num(*a[0] + *a[1])
	}
	panic("no " + c.Op.String())
}

func in3(x value, list []Expr, ev func(Expr) value) value {
	var unknown bool
	for _, e := range list {
		switch y := ev(e); {
		case x == nil || y == nil:
			unknown = true
		case *x == *y:
			return num(1)
		}
	}
	if unknown {
		return nil
	}
	return num(0)
}

func not3(not bool, v value) value {
	if not && v != nil {
		return num(1 - *v)
	}
	return v
}

// generate draws a tree whose columns are read through the alias t0, or through
// a derived or enclosing select where sub is on.
type generate struct {
	t    *rapid.T
	subs int
	args int
}

func (g *generate) number(depth int) Expr {
	leaves := []Expr{col("t0", "m"), col("t0", "n"), Zero, One, Null, Arg{Slot: rapid.IntRange(0, g.args-1).Draw(g.t, "slot")}}
	if depth == 0 || rapid.Bool().Draw(g.t, "leaf") {
		return rapid.SampledFrom(leaves).Draw(g.t, "number")
	}
	return call(Add, g.number(depth-1), g.number(depth-1))
}

func (g *generate) condition(depth int) Expr {
	if depth == 0 {
		return rapid.SampledFrom([]Expr{True, False, Null, col("t0", "p"), col("t0", "q")}).Draw(g.t, "condition")
	}
	d := depth - 1
	switch rapid.IntRange(0, 7).Draw(g.t, "node") {
	case 0:
		return call(rapid.SampledFrom([]Op{Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot}).Draw(g.t, "op"), g.number(d), g.number(d))
	case 1, 2:
		c := Call{Op: rapid.SampledFrom([]Op{And, Or}).Draw(g.t, "op")}
		for range rapid.IntRange(1, 3).Draw(g.t, "arity") {
			c.Args = append(c.Args, g.condition(d))
		}
		return c
	case 3:
		return call(rapid.SampledFrom([]Op{Not, IsNull, IsNotNull}).Draw(g.t, "op"), g.condition(d))
	case 4:
		in := In{X: g.number(d), Not: rapid.Bool().Draw(g.t, "not")}
		for range rapid.IntRange(0, 3).Draw(g.t, "len") {
			in.List = append(in.List, g.number(0))
		}
		return in
	case 7:
		b := Beyond{Desc: rapid.Bool().Draw(g.t, "desc")}
		for range rapid.IntRange(2, 3).Draw(g.t, "pairs") {
			b.Left, b.Right = append(b.Left, g.number(0)), append(b.Right, g.number(0))
		}
		return b
	case 5:
		return call(rapid.SampledFrom([]Op{Is, IsNot, Eq, Ne}).Draw(g.t, "op"), g.condition(d), g.condition(d))
	}
	g.subs++
	sub := &Select{From: []Source{{Table: "one", Alias: alias(g.subs)}}, Where: []Expr{g.condition(d)}}
	if rapid.Bool().Draw(g.t, "in") {
		sub.Columns = []Output{{col(sub.From[0].Alias, "m"), "v"}}
		return InSelect{g.number(d), nil, sub}
	}
	sub.Columns = []Output{{One, "v"}}
	return Exists{sub, rapid.Bool().Draw(g.t, "not")}
}

func alias(i int) string {
	return "s" + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + string(rune('a'+i/676))
}

// TestLogic compares what SQLite makes of random trees with what they mean:
// once as an output, once as the condition that keeps the row or does not.
func TestLogic(t *testing.T) {
	db := open(t, `CREATE TABLE one (p INTEGER, q INTEGER, m INTEGER, n INTEGER)`)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int64) value {
			if i := rapid.Int64Range(lo-1, hi).Draw(t, "value"); i >= lo {
				return num(i)
			}
			return nil
		}
		vals := map[string]value{"p": draw(0, 1), "q": draw(0, 1), "m": draw(-2, 3), "n": draw(-2, 3)}
		args := []value{draw(-2, 3), draw(-2, 3)}
		var bound, cells []any
		for _, a := range args {
			bound = append(bound, (*int64)(a))
		}
		for _, c := range row {
			cells = append(cells, (*int64)(vals[c]))
		}
		if _, err := db.Exec(`DELETE FROM one; INSERT INTO one VALUES (?, ?, ?, ?)`, cells...); err != nil {
			t.Fatal(err)
		}

		g := &generate{t: t, args: len(args)}
		e := g.condition(rapid.IntRange(0, 5).Draw(t, "depth"))
		s := &Select{Columns: []Output{{e, "v"}}, From: []Source{{Table: "one", Alias: "t0"}}}
		want := eval(e, vals, args)
		wantText, wantRow := "NULL", ""
		if want != nil {
			wantText = map[int64]string{0: "0", 1: "1"}[*want]
			if *want == 1 {
				wantRow = "1"
			}
		}
		if got := run(t, db, s, bound...); got != wantText {
			text, _ := mustRender(t, s, SQLite)
			t.Fatalf("%s: %s, want %s", text, got, wantText)
		}
		s.Columns[0].Expr, s.Where = One, []Expr{e}
		if got := run(t, db, s, bound...); got != wantRow {
			text, _ := mustRender(t, s, SQLite)
			t.Fatalf("%s: rows %q, want %q", text, got, wantRow)
		}
		if text, slots := mustRender(t, s, Postgres); len(slots) > 0 && !hasAll(text, len(slots)) {
			t.Fatalf("%s: %d slots", text, len(slots))
		}
	})
}
