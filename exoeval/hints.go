package exoeval

import (
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo"
)

// What a program wanted is often plain from what it wrote, although there is no
// such thing. These are the ways out; each is named only where it exists.

const onRows = "select it, and do that with the rows"

// way is what to write instead, where a column has the member that it needs.
type way struct{ needs, text string }

var (
	aggregate = []way{{"", "there are no aggregates but count: select it, and reduce the rows"}}
	search    = []way{{"includes", "write .includes('…')"}}
	pattern   = []way{{"like", "write .includes('…'), .startsWith('…') or .like('a%b')"}}
	atTime    = []way{{"getTime", "it is a time: compare it, like column >= '2024-01-01' && column < '2024-02-01'"}}
	equal     = []way{{"eq", "write column === value"}}
	later     = []way{{"<", "write column > value"}}
	earlier   = []way{{"<", "write column < value"}}
	isEmpty   = []way{{"isNull", "write column === null"}}
	firstOne  = []way{{"slice", "for the character at a position write .slice(0, 1)"}, {"has", "select it, and read it from the result"}}
)

// waysOut are for members that columns don't have.
var waysOut = map[string][]way{
	"sum": aggregate, "avg": aggregate, "average": aggregate, "min": aggregate, "max": aggregate, "count": aggregate, "groupBy": aggregate,
	"indexOf": search, "lastIndexOf": search, "match": pattern, "matchAll": pattern, "search": pattern, "test": pattern, "contains": search,
	"isBefore": earlier, "before": earlier, "isAfter": later, "after": later, "lessThan": earlier, "greaterThan": later, "equals": equal, "equal": equal, "isEmpty": isEmpty, "isNil": isEmpty,
	"startsWith": atTime, "endsWith": atTime, "includes": atTime, "like": atTime, "ilike": atTime, "slice": atTime, "substring": atTime, "getDate": {{"day", "write .day()"}}, "getDay": {{"weekday", "write .weekday()"}},
	"charAt": firstOne, "at": firstOne,
	"toFixed": {{"round", "write .round(2), or do it with the rows"}}, "toPrecision": {{"round", "write .round(2), or do it with the rows"}},
	"split": nil, "replace": nil, "replaceAll": nil, "padStart": nil, "padEnd": nil, "repeat": nil, "normalize": nil, "charCodeAt": nil, "codePointAt": nil,
	"localeCompare": nil, "toLocaleString": nil, "toLocaleDateString": nil, "toLocaleTimeString": nil, "toDateString": nil, "setDate": nil, "trimStart": nil, "trimEnd": nil,
}

// wayOut is what to do instead of reading a member that is not there; "" if
// nothing is known.
func (x *recorded) wayOut(name string) string {
	i := x.iface()
	if i == nil {
		return ""
	}
	if !i.Expr {
		if i.Await != "" {
			return x.ofQuery(i, name)
		}
		return ""
	}
	ways, known := waysOut[name]
	if _, err := strconv.Atoi(name); err == nil {
		ways, known = firstOne, true
	}
	for _, w := range ways {
		if w.needs == "" || i.Methods[w.needs] != nil {
			return w.text
		}
	}
	switch of := x.node.Type.Args["of"]; {
	case of != nil && (of.Name == exo.TypeJSON || of.Name == exo.TypeList):
		return "what is in it can't be reached in the database: select it, and read it from the result"
	case known:
		return onRows
	}
	return ""
}

// instead is what to write where an operator, the method, is not available for n.
func (r *run) instead(n *exo.Node, method string) string {
	i := r.check.Catalog[n.Type.Name]
	if i != nil && !i.Expr && i.Methods["leftJoin"] != nil && (method == "!" || method == "===" || method == "!==") {
		return "; to ask whether there is one, leftJoin it and compare a column of it with null"
	}
	if i == nil || !i.Expr {
		return ""
	}
	has := func(name string) bool { return i.Methods[name] != nil }
	switch method {
	case "!":
		return "; for an empty value use .isNull()"
	case "neg":
		return "; to sort backwards use .desc()"
	case "-", "+":
		if has("getTime") {
			return "; write .getTime() for the milliseconds since 1970, with which it can be done"
		}
	case "||":
		if has("coalesce") {
			return "; for another value where this one is empty use ??"
		}
	case "&&", "?:":
		return "; compare it, like " + r.comparison(n)
	case "===", "!==", "coalesce", "<", "<=", ">", ">=", "in":
		if !has("===") && has("isNull") {
			return "; only whether it is null can be asked: select it, and go on with the rows"
		}
	}
	return ""
}

// comparison is a condition that a program may mean by a column alone.
func (r *run) comparison(n *exo.Node) string {
	s := r.check.Name(n) + " !== null"
	if of := n.Type.Args["of"]; of != nil {
		switch of.Name {
		case exo.TypeInt, exo.TypeFloat, exo.TypeDecimal:
			s += " or !== 0"
		case exo.TypeText:
			s += " or !== ''"
		}
	}
	return s
}

// better adds to the error of a call what to write instead.
func (r *run) better(err error, recv *exo.Node, m *exo.Method, args []*exo.Node) error {
	e := asError(err)
	if e.Msg == "" {
		return err
	}
	i := r.check.Catalog[recv.Type.Name]
	for k, a := range args {
		switch {
		case a.Op == exo.OpLit && inexact(a.Lit):
			e.Msg += "; JavaScript's numbers are not exact beyond 2^53: write it as text, in quotes"
			return err
		case i != nil && i.Expr && m.Params[k].Count && a.Op == exo.OpLit && a.Lit.Type() == exo.TypeInt && a.Lit.Int() < 0 && i.Methods["endsWith"] != nil:
			e.Msg += "; to compare an end use .endsWith('…'), for else " + onRows
			return err
		case i != nil && i.Expr && r.dayAndTime(recv, a):
			e.Msg += "; compare their texts: the day's .toText() with the date's .toText().slice(0, 10)"
			return err
		}
	}
	return err
}

// dayAndTime reports whether one is a day and the other, or a part of it, a time.
func (r *run) dayAndTime(a, b *exo.Node) bool {
	if b.Op == exo.OpList {
		for _, x := range b.Args {
			if r.dayAndTime(a, x) {
				return true
			}
		}
		return false
	}
	x, y := r.valueType(a), r.valueType(b)
	return x == exo.TypeDate && y == exo.TypeTime || x == exo.TypeTime && y == exo.TypeDate
}

// valueType is the name of the type of a column's values, or "".
func (r *run) valueType(n *exo.Node) string {
	if i := r.check.Catalog[n.Type.Name]; i == nil || !i.Expr || n.Type.Args["of"] == nil {
		return ""
	}
	return n.Type.Args["of"].Name
}

// equalities are the methods that tell whole numbers apart to the last digit.
var equalities = map[string]bool{"eq": true, "ne": true, "is": true, "isNot": true, "in": true, "notIn": true, "===": true, "!==": true, "=": true, "<>": true, "!=": true}

// exact refuses numbers that stand for several whole numbers where equality with a
// whole number is asked for: they would equal what nobody wrote.
func (r *run) exact(recv *exo.Node, name string, v exo.Value) error {
	if !equalities[name] || r.valueType(recv) != exo.TypeInt || !inexact(v) {
		return nil
	}
	return exo.Errorf(exo.Invalid, r.check.Name(recv), "is compared with a number beyond 2^53, where JavaScript's are not exact: write it as text, in quotes")
}

// inexact reports whether there is a whole number in v, at any depth, of which
// JavaScript knows the first digits only.
func inexact(v exo.Value) bool {
	switch v.Type() {
	case exo.TypeFloat:
		f := v.Float()
		return f == math.Trunc(f) && math.Abs(f) > exo.SafeInteger && math.Abs(f) < 1<<63
	case exo.TypeInt:
		return v.Int() > exo.SafeInteger || v.Int() < -exo.SafeInteger
	case exo.TypeList:
		for k := range v.Len() {
			if inexact(v.At(k)) {
				return true
			}
		}
	case exo.TypeRecord:
		for _, x := range v.Fields() {
			if inexact(x) {
				return true
			}
		}
	}
	return false
}
