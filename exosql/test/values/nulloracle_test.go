package values_test

// Conditions over null, and an evaluator over rows, written by the rules of docs/language.md alone, that says which rows a condition keeps:
// nothing of the compiler is used in it.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A truth is true, false, or nil: unknown, which words of SQL give and JavaScript's forms do not.
type truth any

// A nullCond is a condition as a program writes it, of what is called t there, and what it is for a row.
type nullCond struct {
	js string
	of func(nullRow) truth
}

// nullGen makes conditions.
type nullGen struct {
	*rand.Rand
	columns  func(kind string) []string // that are there
	subquery bool                       // links and queries are, too
}

func (g *nullGen) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *nullGen) value(kind string) (js string, v any) {
	if kind == "text" {
		s := g.one("", "ab", "bc", "b")
		return strconv.Quote(s), s
	}
	v = []float64{0, 1, 2.5, 3, 5}[g.IntN(5)]
	if v == 2.5 && kind == "int" {
		v = 2.0
	}
	return fmt.Sprint(v), v
}

func less(a, b any) bool {
	if x, ok := a.(string); ok {
		return x < b.(string)
	}
	return a.(float64) < b.(float64)
}

func compare(op string, a, b any) bool {
	switch op {
	case "<", "lt":
		return less(a, b)
	case "<=", "le":
		return !less(b, a)
	case ">", "gt":
		return less(b, a)
	case ">=", "ge":
		return !less(a, b)
	}
	return (a == b) == (op == "eq")
}

var mirroredSigns = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// leaf is a condition of columns of the kind.
func (g *nullGen) leaf() nullCond {
	kind := g.one("int", "int", "float", "decimal", "text", "text", "bool")
	names := g.columns(kind)
	if len(names) == 0 {
		return g.leaf()
	}
	c := g.one(names...)
	col := strings.TrimPrefix(c, "t.")
	get := func(r nullRow) any { return r[col] }
	if kind == "bool" {
		return nullCond{c, func(r nullRow) truth { return get(r) }}
	}
	js, v := g.value(kind)
	other := func(nullRow) any { return v }
	if g.IntN(4) == 0 { // another column
		js = g.one(names...)
		name := strings.TrimPrefix(js, "t.")
		other = func(r nullRow) any { return r[name] }
	}
	both := func(f func(a, b any) bool, unknown truth) func(nullRow) truth {
		return func(r nullRow) truth {
			if a, b := get(r), other(r); a != nil && b != nil {
				return f(a, b)
			}
			return unknown
		}
	}
	switch n := g.IntN(14); {
	case n < 3:
		op := g.one("<", "<=", ">", ">=")
		if g.IntN(3) == 0 && !strings.HasPrefix(js, "t.") { // a value on the left
			return nullCond{js + " " + mirroredSigns[op] + " " + c, both(func(a, b any) bool { return compare(op, a, b) }, false)}
		}
		return nullCond{c + " " + op + " " + js, both(func(a, b any) bool { return compare(op, a, b) }, false)}
	case n == 3:
		op := g.one("===", "!==", "==", "!=")
		return nullCond{c + " " + op + " " + js, func(r nullRow) truth { return (get(r) == other(r)) == (op[0] == '=') }}
	case n == 4:
		op := g.one("===", "!==", "==", "!=")
		return nullCond{c + " " + op + " null", func(r nullRow) truth { return (get(r) == nil) == (op[0] == '=') }}
	case n == 5:
		op := g.one("eq", "ne", "lt", "le", "gt", "ge")
		return nullCond{c + "." + op + "(" + js + ")", both(func(a, b any) bool { return compare(op, a, b) }, nil)}
	case n == 6:
		low, l := g.value(kind)
		high, h := g.value(kind)
		return nullCond{c + ".between(" + low + ", " + high + ")", func(r nullRow) truth {
			if get(r) == nil {
				return nil
			}
			return compare("ge", get(r), l) && compare("le", get(r), h)
		}}
	case n <= 9:
		var list []string
		var vs []any
		for range g.IntN(4) {
			js, v := g.value(kind)
			list, vs = append(list, js), append(vs, v)
		}
		word := n == 9
		if !word && g.IntN(3) == 0 {
			list, vs = append(list, "null"), append(vs, nil)
		}
		text := "[" + strings.Join(list, ", ") + "]"
		switch {
		case word && g.IntN(2) == 0:
			return nullCond{c + ".in(" + text + ")", func(r nullRow) truth {
				if get(r) == nil && len(vs) > 0 {
					return nil
				}
				return slices.Contains(vs, get(r))
			}}
		case word:
			return nullCond{c + ".notIn(" + text + ")", func(r nullRow) truth {
				if get(r) == nil && len(vs) > 0 {
					return nil
				}
				return get(r) != nil && !slices.Contains(vs, get(r))
			}}
		case g.IntN(3) == 0:
			text = "new Set(" + text + ").has("
		default:
			text += ".includes("
		}
		return nullCond{text + c + ")", func(r nullRow) truth { return slices.Contains(vs, get(r)) }}
	case n == 10 && kind == "text":
		op, f := "includes", strings.Contains
		switch g.IntN(3) {
		case 0:
			op, f = "startsWith", strings.HasPrefix
		case 1:
			op, f = "endsWith", strings.HasSuffix
		}
		dot := g.one(".", "?.")
		if strings.HasPrefix(js, "t.") {
			dot = "." // a column can't stand behind ?.
		}
		return nullCond{c + dot + op + "(" + js + ")", both(func(a, b any) bool { return f(a.(string), b.(string)) }, false)}
	case n == 10:
		k, x := g.value(kind)
		return nullCond{"(" + c + " ?? " + k + ") > 1", func(r nullRow) truth {
			if get(r) == nil {
				return less(1.0, x)
			}
			return less(1.0, get(r))
		}}
	case n == 11 && kind == "text":
		op := g.one("like", "notLike")
		return nullCond{c + "." + op + "('%b')", func(r nullRow) truth {
			if get(r) == nil {
				return nil
			}
			return strings.HasSuffix(get(r).(string), "b") == (op == "like")
		}}
	case n == 11 && kind == "int":
		return nullCond{c + " + 1 > " + js, both(func(a, b any) bool { return a.(float64)+1 > b.(float64) }, false)}
	case n == 12 && kind == "text":
		return nullCond{c + "?.length > 1", func(r nullRow) truth { s, _ := get(r).(string); return len(s) > 1 }}
	case n == 13 && g.subquery:
		return g.asked()
	}
	return g.leaf()
}

// asked is a condition of more than the row's plain columns.
func (g *nullGen) asked() nullCond {
	crate := func(r nullRow) (any, bool) { v, ok := nullCrateMaxes[r["crateId"]]; return v, ok }
	switch g.IntN(7) {
	case 0:
		return nullCond{"t.crate", func(r nullRow) truth { _, ok := crate(r); return ok }}
	case 1:
		op := g.one("<", ">=")
		return nullCond{"t.crate()" + g.one(".", "?.") + "top " + op + " 2", func(r nullRow) truth { v, _ := crate(r); return v != nil && compare(op, v, 2.0) }}
	case 2:
		return nullCond{"t.tags" + g.one(".", "?.") + "includes('ab')", func(r nullRow) truth {
			s, _ := r["tags"].(string)
			return slices.Contains(strings.Fields(s), "ab")
		}}
	case 3:
		return nullCond{"t.tags.has('ab')", func(r nullRow) truth {
			s, ok := r["tags"].(string)
			if !ok {
				return nil
			}
			return slices.Contains(strings.Fields(s), "ab")
		}}
	case 4:
		return nullCond{"t.j.os" + g.one(" === 'ab'", " > 'aa' && t.j.os < 'b'", ".includes('a')", "?.includes('a')"), func(r nullRow) truth { return r["os"] == "ab" }}
	case 5:
		op := g.one("in", "notIn")
		return nullCond{"t.n." + op + "(crates.select(c => c.top))", func(r nullRow) truth {
			if r["n"] == nil {
				return nil
			}
			return slices.Contains([]any{3.0, 1.0, 2.0}, r["n"]) == (op == "in")
		}}
	}
	op := g.one("in", "notIn")
	return nullCond{"t.nn." + op + "(crates.select(c => c.top))", func(r nullRow) truth {
		return slices.Contains([]any{3.0, 1.0, 2.0}, r["nn"]) == (op == "in")
	}}
}

// cond is a condition of some depth.
func (g *nullGen) cond(depth int) nullCond {
	if depth == 0 || g.IntN(6) == 0 {
		return g.leaf()
	}
	a := g.cond(depth - 1)
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4:
		return nullCond{"!(" + a.js + ")", func(r nullRow) truth { return a.of(r) != true }}
	case 5, 6:
		b := g.cond(depth - 1)
		return nullCond{"(" + a.js + " && " + b.js + ")", func(r nullRow) truth { return and(a.of(r), b.of(r)) }}
	case 7, 8:
		b := g.cond(depth - 1)
		return nullCond{"(" + a.js + " || " + b.js + ")", func(r nullRow) truth { return not(and(not(a.of(r)), not(b.of(r)))) }}
	case 9:
		if strings.Contains(a.js, "t.crate") && !strings.Contains(a.js, "t.crate()") {
			return a // a link has no methods of a condition
		}
		return nullCond{"(" + a.js + ").not()", func(r nullRow) truth { return not(a.of(r)) }}
	case 10:
		b, c := g.cond(depth-1), g.cond(depth-1)
		return nullCond{"((" + a.js + ") ? !(" + b.js + ") : !(" + c.js + "))", func(r nullRow) truth {
			if a.of(r) == true {
				return b.of(r) != true
			}
			return c.of(r) != true
		}}
	}
	is := g.one("true", "false")
	return nullCond{"(!(" + a.js + ") === " + is + ")", func(r nullRow) truth { return (a.of(r) != true) == (is == "true") }}
}

func not(a truth) truth {
	if a == nil {
		return nil
	}
	return a == false
}

func and(a, b truth) truth {
	switch {
	case a == false || b == false:
		return false
	case a == nil || b == nil:
		return nil
	}
	return true
}

func nullRowColumns(kind string) []string {
	return map[string][]string{"int": {"t.n", "t.m", "t.nn"}, "float": {"t.f"}, "decimal": {"t.d"}, "text": {"t.s", "t.st"}, "bool": {"t.b", "t.bt"}}[kind]
}
