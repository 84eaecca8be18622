package proof

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// What the operators mean, over values and truths of three kinds.

func (x *slow) cond(n *Node) truth {
	switch v := x.value(n); {
	case v.Null:
		return unknown
	default:
		return is(v.B)
	}
}

func (x *slow) value(n *Node) Value {
	var t truth
	switch n.Op {
	case "col":
		return x.cell(x.table(n), n.Slot)
	case "lit":
		return n.Val
	case "ask":
		return x.asked(n)
	case "matches":
		t = is(x.matches(x.table(n), n.Names))
	case "rank":
		return x.rank(x.table(n), n.Names)
	case "among":
		t = x.among(n)
	case "and":
		t = min(x.cond(n.Args[0]), x.cond(n.Args[1]))
	case "or":
		t = max(x.cond(n.Args[0]), x.cond(n.Args[1]))
	case "not":
		if t = yes - x.cond(n.Args[0]); n.JS && t == unknown {
			t = yes
		}
	case "case":
		if x.cond(n.Args[0]) == yes {
			return n.gives(x.value(n.Args[1]))
		}
		return n.gives(x.value(n.Args[2]))
	default:
		var vs []Value
		for _, a := range n.Args {
			vs = append(vs, x.value(a))
		}
		if calculated[n.Op] {
			v := n.gives(calculate(n.Op, vs))
			if n.Op == "asIncludes" { // a form of JavaScript's: of what has no parts it is false
				v.Null = false
			}
			return v
		}
		if t = apply(n.Op, vs); n.JS && t == unknown {
			t = no
		}
	}
	return Value{Kind: Bool, Null: t == unknown, B: t == yes}
}

// gives is a value as one of the kind that the node has: a whole number where an
// operator gives floats is a float.
func (n *Node) gives(v Value) Value {
	if v.Null {
		return Value{Null: true, Kind: n.K}
	}
	if n.K.numeric() {
		return Value{Kind: n.K, R: v.exact()}
	}
	v.Kind = n.K
	return v
}

// apply is a comparison of one value with others.
func apply(op string, vs []Value) truth {
	a := vs[0]
	switch op {
	case "isNull":
		return is(a.Null)
	case "isNotNull":
		return is(!a.Null)
	case "in":
		t := no
		for _, b := range vs[1:] {
			t = max(t, apply("eq", []Value{a, b}))
		}
		return t
	case "notIn":
		if len(vs) == 1 {
			return is(!a.Null) // a null is in no list, and not outside of one
		}
		return yes - apply("in", vs)
	case "between":
		return min(apply("ge", vs[:2]), apply("le", []Value{a, vs[2]}))
	case "has":
		t := no
		for _, b := range a.L {
			t = max(t, apply("eq", []Value{b, vs[1]}))
		}
		if a.Null {
			return unknown
		}
		return t
	}
	b := vs[1]
	switch op {
	case "is":
		return is(a.Null && b.Null || !a.Null && !b.Null && order(a, b) == 0)
	case "isNot":
		return yes - apply("is", vs)
	}
	switch op {
	case "includes", "startsWith", "endsWith": // which only JavaScript has
		if op == "includes" && len(b.S) > 200 { // what a row has is not looked for if it is longer; a program's own text would be an error
			return unknown
		}
		if a.Null || b.Null {
			return no
		}
	}
	if a.Null || b.Null {
		return unknown
	}
	switch op {
	case "includes":
		return is(strings.Contains(a.S, b.S))
	case "startsWith":
		return is(strings.HasPrefix(a.S, b.S))
	case "endsWith":
		return is(strings.HasSuffix(a.S, b.S))
	case "like":
		return is(like([]rune(a.S), []rune(b.S)))
	case "notLike":
		return is(!like([]rune(a.S), []rune(b.S)))
	case "ilike":
		return is(like([]rune(lower(a.S)), []rune(lower(b.S))))
	case "notIlike":
		return is(!like([]rune(lower(a.S)), []rune(lower(b.S))))
	}
	switch c := order(a, b); op {
	case "eq":
		return is(c == 0)
	case "ne":
		return is(c != 0)
	case "lt":
		return is(c < 0)
	case "le":
		return is(c <= 0)
	case "gt":
		return is(c > 0)
	case "ge":
		return is(c >= 0)
	}
	panic("proof: no operator " + op)
}

// calculated are the operators that give a value of the kind that their node has.
var calculated = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range strings.Fields("coalesce nullIf lower upper trim length slice substring concat prepend add sub rsub mul div rdiv mod rmod neg abs round roundUp floor ceil toText " +
		"year quarter month getMonth week day weekday hour minute second getTime truncate plus daysSince asText asNumber asBool asIncludes asHas") {
		m[op] = true
	}
	return m
}()

var null = Value{Null: true}

// calculate is the value of an operator; of most it is null if an operand is.
func calculate(op string, vs []Value) Value {
	a := vs[0]
	switch op {
	case "coalesce":
		if a.Null {
			return vs[1]
		}
		return a
	case "nullIf":
		if apply("eq", vs) == yes {
			return null
		}
		return a
	}
	for _, v := range vs {
		if v.Null {
			return null
		}
	}
	text := func(s string) Value { return Value{Kind: Text, S: s} }
	whole := func(i int64) Value { return Value{Kind: Int, I: i} }
	switch op {
	case "lower":
		return text(lower(a.S))
	case "upper":
		return text(upper(a.S))
	case "trim":
		return text(strings.Trim(a.S, white))
	case "length":
		if a.Kind != Text {
			return whole(int64(len(a.L)))
		}
		return whole(int64(utf8.RuneCountInString(a.S)))
	case "slice", "substring":
		from, to := int(vs[1].I), 1<<30
		if len(vs) > 2 {
			to = int(vs[2].I)
		}
		if op == "substring" && from > to {
			from, to = to, from
		}
		return text(cut(a.S, from, to))
	case "concat":
		s := ""
		for _, v := range vs {
			s += v.S
		}
		return text(s)
	case "prepend":
		return text(vs[1].S + a.S)
	case "asText", "asNumber", "asBool":
		return reached(op, a.S, vs[1:], null)
	case "asIncludes", "asHas":
		return reached(op, a.S, vs[2:], vs[1])
	case "toText":
		switch {
		case a.Kind.numeric():
			return text(digits(a.exact()))
		case a.Kind == Bool:
			return text(map[bool]string{true: "true", false: "false"}[a.B])
		case a.Kind == Time:
			return text(timeText(a.I))
		}
		return text(a.S)
	case "year":
		return whole(a.moment().year)
	case "quarter":
		return whole((a.moment().month + 2) / 3)
	case "week":
		return whole(a.moment().week())
	case "isoYear":
		m := a.moment()
		return whole(at((m.number() - (m.weekday+6)%7 + 3) * 86400000).year)
	case "truncate":
		return Value{Kind: Day, S: a.moment().truncate(vs[1].S)}
	case "plus":
		return a.moment().plus(vs[1].exact(), vs[2].S)
	case "daysSince":
		return whole(a.moment().number() - vs[1].moment().number())
	case "month":
		return whole(a.moment().month)
	case "getMonth":
		return whole(a.moment().month - 1)
	case "day":
		return whole(a.moment().day)
	case "weekday":
		return whole(a.moment().weekday)
	case "hour":
		return whole(a.moment().hour)
	case "minute":
		return whole(a.moment().minute)
	case "second":
		return whole(a.moment().second)
	case "getTime":
		return whole(a.I)
	case "sub", "rsub":
		if a.Kind == Time && op == "sub" {
			return whole(a.I - vs[1].I)
		} else if a.Kind == Time {
			return whole(vs[1].I - a.I)
		}
	}
	r := arithmetic(op, vs)
	if r == nil {
		return null
	}
	return Value{Kind: Decimal, R: r}
}

// arithmetic is exact, but for quotients, which end after twenty places; nil for
// a division by zero.
func arithmetic(op string, vs []Value) *big.Rat {
	r, a, b := new(big.Rat), vs[0].exact(), new(big.Rat)
	if len(vs) > 1 {
		b = b.Set(vs[1].exact())
	}
	switch op {
	case "rsub", "rdiv", "rmod":
		op, a, b = op[1:], b, a
	}
	switch op {
	case "add":
		return r.Add(a, b)
	case "sub":
		return r.Sub(a, b)
	case "mul":
		return r.Mul(a, b)
	case "div":
		if b.Sign() == 0 {
			return nil
		}
		return toZero(r.Quo(a, b), 20)
	case "mod":
		if b.Sign() == 0 {
			return nil
		}
		return r.Sub(a, b.Mul(toZero(r.Quo(a, b), 0), b))
	case "neg":
		return r.Neg(a)
	case "abs":
		return r.Abs(a)
	case "floor":
		return floor(a)
	case "ceil":
		return r.Neg(floor(r.Neg(a)))
	case "roundUp":
		return floor(r.Add(a, big.NewRat(1, 2)))
	case "round":
		half := new(big.Rat).SetFrac64(int64(a.Sign()), 2)
		scale := new(big.Rat).SetInt(ten(b.Num().Int64()))
		return toZero(r.Quo(r.Add(r.Mul(a, scale), half), scale), int(b.Num().Int64()))
	}
	panic("proof: no arithmetic " + op)
}

func ten(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// toZero leaves out what is behind some places.
func toZero(r *big.Rat, places int) *big.Rat {
	scale := ten(int64(places))
	n := new(big.Int).Mul(r.Num(), scale)
	return new(big.Rat).SetFrac(n.Quo(n, r.Denom()), scale)
}

func floor(r *big.Rat) *big.Rat {
	n := new(big.Int)
	n.Div(r.Num(), r.Denom()) // Euclid's, and the denominator is positive
	return new(big.Rat).SetInt(n)
}

// reached is what stands in JSON at the end of some steps, if it is of the type that is asked for, or whether it has an element.
func reached(op, doc string, steps []Value, element Value) Value {
	var x any
	if err := json.Unmarshal([]byte(doc), &x); err != nil {
		panic(err)
	}
	for _, s := range steps {
		switch o := x.(type) {
		case map[string]any:
			x = nil
			if s.Kind == Text {
				x = o[s.S]
			}
		case []any:
			x = nil
			if s.Kind == Int && int(s.I) < len(o) {
				x = o[s.I]
			}
		default:
			return null
		}
	}
	switch v := x.(type) {
	case []any:
		if op == "asIncludes" || op == "asHas" {
			return Value{Kind: Bool, B: slices.ContainsFunc(v, func(x any) bool {
				return x == map[Kind]any{Text: element.S, Bool: element.B, Int: float64(element.I), Float: element.F}[element.Kind]
			})}
		}
	case string:
		switch {
		case op == "asText":
			return Value{Kind: Text, S: v}
		case op == "asIncludes" && element.Kind == Text:
			return Value{Kind: Bool, B: strings.Contains(v, element.S)}
		}
	case float64:
		if op == "asNumber" {
			return Value{Kind: Float, F: v}
		}
	case bool:
		if op == "asBool" {
			return Value{Kind: Bool, B: v}
		}
	}
	return null
}
