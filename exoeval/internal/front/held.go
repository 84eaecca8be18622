package front

// This file refuses numbers of which JavaScript has lost digits, where a program gives them to a granted object.

import (
	"cmp"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// JavaScript reads 9007199254740993 as 9007199254740992, and 0.12345678901234567890 as
// 0.12345678901234568. Where the digits count, beside whole numbers and decimals and in JSON, such a
// number would find or store what the program doesn't say. The functions here refuse it, and name the text
// that is exact.

const (
	beyondInt   = 1 << 63 // the first whole number that no column holds
	beyondTotal = 1e60    // no total of whole numbers reaches it
)

// comparesInOrder are the methods that compare by < and its like.
var comparesInOrder = map[string]bool{"lt": true, "le": true, "gt": true, "ge": true, "between": true, "<": true, "<=": true, ">": true, ">=": true}

// equalities are the methods that tell whole numbers apart to the last digit.
var equalities = map[string]bool{"eq": true, "ne": true, "is": true, "isNot": true, "in": true, "notIn": true, "===": true, "!==": true, "=": true, "<>": true, "!=": true,
	"nullIf": true, "has": true, "includes": true, "is in": true}

// choices are the methods that give one of two values.
var choices = map[string]bool{"case": true, "?:": true}

// Numbers judges the numbers that a program gives to what was granted.
type Numbers struct {
	Check   *message.Checker
	Written WrittenNumbers
}

// ValueType is the name of the type of a column's values, or "".
func ValueType(of message.Catalog, n *message.Node) string {
	if i := of[n.Type.Name]; i == nil || !i.Expr || n.Type.Args["of"] == nil {
		return ""
	}
	return n.Type.Args["of"].Name
}

// Held refuses a call that is given a number of which JavaScript has lost digits that count.
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
		if expression && (t == nil || t.Name != value.TypeInt) { // an argument of the kind of what it is called on, and no count
			t = recv.Type.Args["of"]
		}
		if expression && t.Name == value.TypeBool { // what `?:` gives
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

// unheldIn looks for such a number in an argument that a type is wanted for. field is the name that it has there.
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

// unheldValue is unheldIn of plain data.
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

// elementOf is the type of the elements of a list: of one that is given where a single value is wanted too, as by in.
func elementOf(t *message.Type) *message.Type {
	if t != nil && t.Name == value.TypeList {
		return t.Args["of"]
	}
	return t
}

// memberOf is the type of a field, nil where nothing is known of it.
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

// Unheld says what is wrong with a number where one of a kind is wanted, and what to write instead; "" if nothing
// is. op is the method of a column that it is given to, or "".
func (l Numbers) Unheld(kind, op string, v value.Value) string {
	why := l.unheldAlone(kind, op, v)
	between := kind == value.TypeInt && isBeyond(v.Float()) && math.Abs(v.Float()) < beyondInt         // SQLite would have it as a double there
	if choices[op] && (between || why != "" && (kind == value.TypeInt || kind == value.TypeDecimal)) { // no text is taken there
		return "a number that JavaScript may have rounded: choose in JavaScript, from what was read, or join two conditions with ||"
	}
	return why
}

func (l Numbers) unheldAlone(kind, op string, v value.Value) string {
	f := v.Float()
	beyond := isBeyond(f) && f == math.Trunc(f)
	n, written := l.Written[math.Abs(f)]
	const text = "a number beyond 2^53, where JavaScript's are not exact: write it as text, in quotes"
	switch kind {
	case value.TypeInt:
		alone := op == "" || equalities[op] // the number is one that a column has
		switch {
		case beyond && alone && math.Abs(f) < beyondInt:
			return text
		case beyond && alone && op != "" && written && n.shown: // 1e21 says itself that no whole number is so large
		case beyond && alone:
			return "a number at or beyond 2^63, which no whole number reaches: they are from -9223372036854775808 to 9223372036854775807" + when(op != "", "; to compare with it use < or >")
		case beyond && math.Abs(f) < beyondTotal: // all digits of the number are compared and calculated with
			if written && !n.whole {
				return insteadOf(n, f, kind)
			}
		case beyond && comparesInOrder[op]:
		case written && !n.shown:
			return insteadOf(n, f, kind)
		case beyond && !written && shownDigits(f) != wholeDigits(f):
			return "a number beyond 10^60, where JavaScript's are not exact"
		}
	case value.TypeDecimal:
		switch {
		case written && !n.shown:
			return insteadOf(n, f, kind)
		case beyond && !written: // 2**53 + 1 is 2**53
			return text
		}
	case value.TypeJSON, value.TypeData: // a condition compares fractions as JavaScript has them
		if (op == "" || beyond) && written && !n.shown && !n.whole {
			return insteadOf(n, f, kind)
		}
	}
	return ""
}

const maxShownDigits = 60 // of a number that an error repeats

// insteadOf says of a number in the program's text what JavaScript has instead, and what to write where one of a kind is wanted.
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
	return sign + scalar.Shorten(n.Text, maxShownDigits) + ", of which JavaScript's numbers hold " + sign + scalar.Shorten(has, maxShownDigits) + " only; " + how
}

func when(is bool, s string) string {
	if is {
		return s
	}
	return ""
}
