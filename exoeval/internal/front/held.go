package front

// This file refuses a number that has lost digits in JavaScript, when a program gives it to a granted object.

import (
	"cmp"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// JavaScript reads 9007199254740993 as 9007199254740992, and 0.12345678901234567890 as 0.12345678901234568. For whole numbers, decimals and
// JSON every digit counts: the rounded number would find or store something that the author did not write. The functions here refuse such a
// number, and name the text to write instead.

const (
	beyondInt   = 1 << 63 // the first whole number that no column can have
	beyondTotal = 1e60    // no sum of a column's whole numbers reaches this
)

// comparesInOrder has the methods that compare by order, like <.
var comparesInOrder = map[string]bool{"lt": true, "le": true, "gt": true, "ge": true, "between": true, "<": true, "<=": true, ">": true, ">=": true}

// equalities has the methods that compare whole numbers to the last digit.
var equalities = map[string]bool{"eq": true, "ne": true, "is": true, "isNot": true, "in": true, "notIn": true, "===": true, "!==": true, "=": true, "<>": true, "!=": true,
	"nullIf": true, "has": true, "includes": true, "is in": true}

// choices has the methods that return one of two values.
var choices = map[string]bool{"case": true, "?:": true}

// Numbers checks the numbers that a program gives to granted objects.
type Numbers struct {
	Check   *message.Checker
	Written WrittenNumbers
}

// ValueType returns the name of the type of a column's values, or "" if n is no column.
func ValueType(of message.Catalog, n *message.Node) string {
	if i := of[n.Type.Name]; i == nil || !i.Expr || n.Type.Args["of"] == nil {
		return ""
	}
	return n.Type.Args["of"].Name
}

// Held refuses a call if an argument is a number that lost digits in JavaScript, and those digits count.
func (l Numbers) Held(recv *message.Node, m *message.Method, name string, args []*message.Node) error {
	if m == nil {
		return nil
	}
	i := l.Check.Catalog[recv.Type.Name]
	expression := i != nil && i.Expr && recv.Type.Args["of"] != nil
	for k, a := range args {
		if k >= len(m.Params) {
			return nil
		}
		t := m.Params[k].Want.Con
		if expression && (t == nil || t.Name != value.TypeInt) { // such an argument has the receiver's type; an int parameter is a count
			t = recv.Type.Args["of"]
		}
		if expression && t.Name == value.TypeBool { // the condition of `?:` is a bool; a branch has the type of the other branch
			t = &message.Type{Name: value.TypeJSON}
			for _, other := range args {
				if of := other.Type.Args["of"]; of != nil && ValueType(l.Check.Catalog, other) != "" && of.Name != value.TypeBool {
					t = of
				}
			}
		}
		op := ""
		if expression {
			op = name
		}
		if field, why := l.unheldIn(t, op, "", a); why != "" {
			switch {
			case field != "":
				return fail.Errorf(fail.Invalid, l.Check.Op(recv, m.Name), "`%s` is given %s", field, why)
			case equalities[op] || comparesInOrder[op]:
				return fail.Errorf(fail.Invalid, l.Check.Name(recv), "is compared with %s", why)
			}
			return fail.Errorf(fail.Invalid, l.Check.Op(recv, m.Name), "is given %s", why)
		}
	}
	return nil
}

// unheldIn looks in an argument of the wanted type t for a number that lost digits. It returns the field that has the number, "" if n itself is the
// number, and what is wrong, "" if nothing is.
func (l Numbers) unheldIn(t *message.Type, op, field string, n *message.Node) (string, string) {
	if t == nil {
		return "", ""
	}
	switch n.Op {
	case message.OpLit:
		return l.unheldValue(t, op, field, n.Lit)
	case message.OpLambda:
		return l.unheldIn(t, op, field, n.Args[0])
	case message.OpList:
		for _, a := range n.Args {
			if field, why := l.unheldIn(elementOf(t), op, field, a); why != "" {
				return field, why
			}
		}
	case message.OpRecord:
		for k, a := range n.Args {
			if field, why := l.unheldIn(memberOf(t, n.Names[k]), op, cmp.Or(field, n.Names[k]), a); why != "" {
				return field, why
			}
		}
	}
	return "", ""
}

// unheldValue does for plain data what unheldIn does for a node, with the same results.
func (l Numbers) unheldValue(t *message.Type, op, field string, v value.Value) (string, string) {
	if t == nil {
		return "", ""
	}
	switch v.Type() {
	case value.TypeInt, value.TypeFloat:
		if t.Name == value.TypeList {
			t = elementOf(t)
		}
		return field, l.Unheld(t.Name, op, v)
	case value.TypeList:
		for k := range v.Len() {
			if field, why := l.unheldValue(elementOf(t), op, field, v.At(k)); why != "" {
				return field, why
			}
		}
	case value.TypeRecord:
		for name, x := range v.Fields() {
			if field, why := l.unheldValue(memberOf(t, name), op, cmp.Or(field, name), x); why != "" {
				return field, why
			}
		}
	}
	return "", ""
}

// elementOf returns the type of a list's elements. If t is the type of one value but a list is given, as for the method in, each element
// has the type t.
func elementOf(t *message.Type) *message.Type {
	if t != nil && t.Name == value.TypeList {
		return t.Args["of"]
	}
	return t
}

// memberOf returns the type of a field, or nil if the type is unknown.
func memberOf(t *message.Type, name string) *message.Type {
	switch {
	case t == nil:
		return nil
	case t.Name == value.TypeJSON || t.Name == value.TypeData:
		return t
	case t.Name == value.TypeList: // a list of records, as insertMany takes
		return memberOf(t.Args["of"], name)
	}
	return t.Field(name)
}

// Unheld returns what is wrong with a number where a value of the type kind is wanted, and what to
// write instead; "" if nothing is wrong. op is the method of a column that takes the number, or "".
func (l Numbers) Unheld(kind, op string, v value.Value) string {
	why := l.unheldAlone(kind, op, v)
	between := kind == value.TypeInt && isBeyond(v.Float()) && math.Abs(v.Float()) < beyondInt         // in a choice, SQLite reads a whole number in this range as a double
	if choices[op] && (between || why != "" && (kind == value.TypeInt || kind == value.TypeDecimal)) { // choices take no text
		return "a number that JavaScript may have rounded: read the values and choose in JavaScript, or join two conditions with ||"
	}
	return why
}

func (l Numbers) unheldAlone(kind, op string, v value.Value) string {
	f := v.Float()
	beyond := isBeyond(f) && f == math.Trunc(f)
	n, written := l.Written[math.Abs(f)]
	const text = "a number beyond 2^53, where JavaScript's numbers are not exact: write it as text, in quotes"
	switch kind {
	case value.TypeInt:
		alone := op == "" || equalities[op] // op compares with, or stores, exactly this number
		switch {
		case beyond && alone && math.Abs(f) < beyondInt:
			return text
		case beyond && alone && op != "" && written && n.shown: // the author sees from a literal like 1e21 that no column can have it
		case beyond && alone:
			return "a number outside the range of whole numbers, which is -9223372036854775808 to 9223372036854775807" + when(op != "", "; to compare with it use < or >")
		case beyond && math.Abs(f) < beyondTotal: // comparisons and calculations use all digits of the number
			if written && !n.whole {
				return insteadOf(n, f, kind)
			}
		case beyond && comparesInOrder[op]:
		case written && !n.shown:
			return insteadOf(n, f, kind)
		case beyond && !written && shownDigits(f) != wholeDigits(f):
			return "a number beyond 10^60, where JavaScript's numbers are not exact"
		}
	case value.TypeDecimal:
		switch {
		case written && !n.shown:
			return insteadOf(n, f, kind)
		case beyond && !written: // a calculation may have rounded the number: 2**53 + 1 is 2**53
			return text
		}
	case value.TypeJSON, value.TypeData: // conditions on JSON compare fractions with JavaScript's digits
		if (op == "" || beyond) && written && !n.shown && !n.whole {
			return insteadOf(n, f, kind)
		}
	}
	return ""
}

const maxShownDigits = 60 // bounds the digits that an error repeats

// insteadOf returns JavaScript's form of a number in the program's text, and what to write for a value of the type kind.
func insteadOf(n writtenNumber, f float64, kind string) string {
	sign := when(f < 0, "-")
	has := shownDigits(math.Abs(f))
	if isBeyond(f) {
		has = wholeDigits(math.Abs(f))
	}
	how := "write " + sign + has
	switch _, err := strconv.ParseInt(n.Text, 10, 64); {
	case kind == value.TypeDecimal, kind == value.TypeInt && isBeyond(f) && err == nil:
		how = "write it as text, in quotes"
		if len(n.Text) <= maxShownDigits {
			how += ": '" + sign + n.Text + "'"
		}
	case kind != value.TypeInt:
		how += ", or a text"
	}
	return sign + scalar.Shorten(n.Text, maxShownDigits) + ", which JavaScript rounds to " + sign + scalar.Shorten(has, maxShownDigits) + "; " + how
}

func when(is bool, s string) string {
	if is {
		return s
	}
	return ""
}
