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

// JavaScript reads 9007199254740993 as 9007199254740992, and 0.12345678901234567890
// as 0.12345678901234568. For whole numbers, decimals and JSON every digit counts:
// such a number would find or store something that the program does not say. The
// functions here refuse it, and name the text to write instead.

const (
	beyondInt   = 1 << 63 // the first whole number that no column can have
	beyondTotal = 1e60    // totals of whole numbers are always smaller
)

// comparesInOrder has the methods that compare by < and its like.
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

// ValueType returns the name of the type of a column's values, or "".
func ValueType(of message.Catalog, n *message.Node) string {
	if i := of[n.Type.Name]; i == nil || !i.Expr || n.Type.Args["of"] == nil {
		return ""
	}
	return n.Type.Args["of"].Name
}

// Held refuses a call if an argument is a number that has lost digits in JavaScript, and the digits count.
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
		if expression && (t == nil || t.Name != value.TypeInt) { // the argument has the type of the receiver and is no count
			t = recv.Type.Args["of"]
		}
		if expression && t.Name == value.TypeBool { // a branch of `?:`
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

// unheldIn looks for such a number in an argument of the wanted type t. field is the name of the number in the argument.
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

// unheldValue does the same as unheldIn for plain data.
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

// elementOf returns the type of the elements of a list. It also serves if a list is given where t is one value, as to in.
func elementOf(t *message.Type) *message.Type {
	if t != nil && t.Name == value.TypeList {
		return t.Args["of"]
	}
	return t
}

// memberOf returns the type of a field, nil if it is unknown.
func memberOf(t *message.Type, name string) *message.Type {
	switch {
	case t == nil:
		return nil
	case t.Name == value.TypeJSON || t.Name == value.TypeData:
		return t
	case t.Name == value.TypeList: // insertMany
		return memberOf(t.Args["of"], name)
	}
	return t.Field(name)
}

// Unheld returns what is wrong with a number where a value of the type kind is wanted, and what to
// write instead; "" if nothing is wrong. op is the method of a column that takes the number, or "".
func (l Numbers) Unheld(kind, op string, v value.Value) string {
	why := l.unheldAlone(kind, op, v)
	between := kind == value.TypeInt && isBeyond(v.Float()) && math.Abs(v.Float()) < beyondInt         // SQLite would read it as a double there
	if choices[op] && (between || why != "" && (kind == value.TypeInt || kind == value.TypeDecimal)) { // these methods take no text
		return "a number that JavaScript may have rounded: read them and choose in JavaScript, or join two conditions with ||"
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
		alone := op == "" || equalities[op] // the number is one that a column has
		switch {
		case beyond && alone && math.Abs(f) < beyondInt:
			return text
		case beyond && alone && op != "" && written && n.shown: // 1e21 itself shows that no whole number is so large
		case beyond && alone:
			return "a number outside the range of whole numbers, which is -9223372036854775808 to 9223372036854775807" + when(op != "", "; to compare with it use < or >")
		case beyond && math.Abs(f) < beyondTotal: // all digits of the number are used to compare and calculate
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
		case beyond && !written: // 2**53 + 1 is 2**53
			return text
		}
	case value.TypeJSON, value.TypeData: // a condition compares fractions with the digits that JavaScript has
		if (op == "" || beyond) && written && !n.shown && !n.whole {
			return insteadOf(n, f, kind)
		}
	}
	return ""
}

const maxShownDigits = 60 // the most digits of a number that an error repeats

// insteadOf returns what JavaScript has instead of a number in the program's text, and what to write where a value of the type kind is wanted.
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
