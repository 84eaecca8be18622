package expr

// This file compares and sorts columns that are text for programs and have another type in the database. As texts, money of $10
// would come before $2, and enums would lose their order. So such a column is compared and sorted in its type, or not at all.

import (
	"cmp"
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// arrays has the casts for arrays of types that the engine does not recognize in PostgreSQL's answers, by the type of their elements.
var arrays = map[string]sqlast.Op{
	value.TypeText: sqlast.TextArray, value.TypeInt: sqlast.IntArray, value.TypeFloat: sqlast.FloatArray, value.TypeBool: sqlast.BoolArray, value.TypeDecimal: sqlast.DecimalArray,
	value.TypeDate: sqlast.DateArray, value.TypeUUID: sqlast.UUIDArray, value.TypeJSON: sqlast.JSONArray, value.TypeBytes: sqlast.BytesArray, value.TypeInterval: sqlast.IntervalArray,
}

// arrayOf returns the cast for an array column of a type that the engine does not recognize.
func arrayOf(c *decl.Column, f decl.Form) sqlast.Op {
	if f.Native.Address {
		return sqlast.AddressArray
	}
	return arrays[c.Elem]
}

// textual converts x, the SQL of e, to text, if a plain cast would differ from the text that the database shows.
func textual(e Expr, x sqlast.Expr) sqlast.Expr {
	if e.Type().Native.Address {
		return Call(sqlast.AddressText, x)
	}
	return x
}

// Lettered returns a native type for values that were converted to text: the type may have an order, but its text has none.
func Lettered(n decl.Native) decl.Native {
	n.Ordered, n.Extreme, n.Address, n.Sample = false, false, false, ""
	return n
}

// NativeOf returns the native type of the first expression that has one.
func NativeOf(args []Expr) decl.Native {
	for _, a := range args {
		if n := a.Type().Native; !n.Text() {
			return n
		}
	}
	return decl.Native{}
}

// inItsType reports whether an expression keeps its native type in the statement.
func inItsType(e Expr) bool {
	switch e := e.(type) {
	case Text, sameText, ExactText, byLetters, ownText:
		return false
	case Operation:
		return false
	case Cell:
		return e.Of.Native.Ordered // if the type has no order, rows are grouped by its text
	}
	return !e.Type().Native.Text()
}

// natively converts operands to the one native type of their columns. It converts a program's values
// before any row is read, so a value that does not convert fails the query whatever the rows are.
func natively(args []Expr) (out []Expr, ok bool) {
	of := NativeOf(args)
	if !of.Ordered {
		return nil, false
	}
	for _, a := range args {
		v, val := a.(Argument)
		switch {
		case val:
			v.Src.As = of.Type
			out = append(out, v)
		case a.Type().Kind == value.TypeNull:
			out = append(out, a)
		case a.Type().Native != of || !inItsType(a):
			return nil, false
		default:
			out = append(out, Native{a, true})
		}
	}
	for i := range out {
		if v, value := out[i].(Argument); value {
			v.Src.Beside = columnName(args)
			out[i] = v
		}
	}
	return out, true
}

// TypeOf returns the database's name for a column's type.
func (c *State) TypeOf(col *decl.Column) string {
	f := c.FormOf(col)
	if !f.Native.Text() {
		return f.Native.Type
	}
	return cmp.Or(f.Type, col.Kind)
}

// columnName returns the name that programs use for the first column in args.
func columnName(args []Expr) string {
	for _, a := range args {
		if c, ok := PlainText(a).(Column); ok {
			return c.Col.Guest
		}
	}
	return ""
}

// InOrder returns texts in the form in which < and similar operators compare them.
func (f *From) InOrder(args []Expr) []Expr {
	if same, ok := natively(args); ok {
		return same
	}
	for _, a := range args {
		if n := a.Type().Native; !n.Text() {
			f.c.Fail(fail.Errorf(fail.Invalid, "", "%s", noOrder(a, "can't be compared with a text by order")))
		}
	}
	return texted(args)
}

// noOrder explains why an expression can't be sorted by, compared by order, or have a minimum.
func noOrder(e Expr, why string) string {
	what := "this expression"
	if name := columnName([]Expr{e}); name != "" {
		what = "`" + name + "`"
	}
	n := e.Type().Native
	switch _, column := PlainText(e).(Column); {
	case n.Ordered:
	case column:
		why = "its order there is not alphabetical"
	default:
		why = "the text that is made of it here is in no order: use the column by itself"
	}
	return fmt.Sprintf("%s is %s in the database, and %s; it can be compared with === and in(), counted and grouped, or read first and sorted in the program", what, n.Type, why)
}

// Native is an expression that keeps its database type.
type Native struct {
	x     Expr
	order bool // order: rows are sorted by the expression, or it is compared by order
}

func (e Native) Type() Type { return e.x.Type() }

func (e Native) SQL(f *From) sqlast.Expr {
	if n := e.x.Type().Native; e.order && !n.Ordered {
		f.c.Fail(fail.Errorf(fail.Invalid, "", "%s", noOrder(e.x, "")))
		return sqlast.Null
	}
	return e.x.SQL(f)
}

// Tying returns an expression that breaks ties between sorted rows. Any fixed order serves, so it may sort by the text of a value.
func Tying(x Expr) Expr {
	if n := x.Type().Native; n.Text() || n.Ordered {
		return x
	}
	return byLetters{x}
}

// byLetters sorts an expression by its text, since its type has no order.
type byLetters struct{ x Expr }

func (e byLetters) Type() Type { return Type{Kind: value.TypeText} }

func (e byLetters) SQL(f *From) sqlast.Expr { return Text{e.x}.SQL(f) }

// Text is an operand as text, compared by code points. The column itself may be an enum of
// PostgreSQL, or be sorted by a language's rules.
type Text struct{ X Expr }

func (e Text) Type() Type {
	return Type{Kind: value.TypeText, Size: e.X.Type().bytes(), Native: Lettered(e.X.Type().Native)}
}

func (e Text) SQL(f *From) sqlast.Expr {
	x := e.X.SQL(f)
	if c, column := e.X.(Column); column && x != nil && f.c.Dialect == sqlast.SQLite {
		if form := f.c.FormOf(c.Col); form.Numbers {
			return Call(sqlast.CodePointText, x)
		} else if form.Equality == decl.WiderEquality {
			return Call(sqlast.ByCodePoint, x)
		}
	}
	if _, value := e.X.(Argument); f.c.Dialect != sqlast.Postgres || x == nil {
		return x
	} else if value {
		return Call(sqlast.CastedText, x)
	}
	return Call(sqlast.CodePointText, textual(e.X, x))
}

// sameText is a text column that = compares with another under the columns' own collation, so that
// an index of either serves. If that collation treats different texts as equal, Pairs adds the exact
// comparison. PostgreSQL refuses to compare columns of different collations.
type sameText struct{ x Column }

func (e sameText) Type() Type { return e.x.Type() }

func (e sameText) SQL(f *From) sqlast.Expr {
	x := f.Col(e.x.Row, e.x.Col)
	if f.c.Dialect != sqlast.Postgres || x == nil {
		return f.unindexed(x, e.x.Row, e.x.Col)
	}
	return Call(sqlast.CastedText, textual(e.x, x))
}

// ExactText is a text column that is compared character by character.
type ExactText struct{ X Column }

func (e ExactText) Type() Type { return e.X.Type() }

func (e ExactText) SQL(f *From) sqlast.Expr {
	x := f.Col(e.X.Row, e.X.Col)
	switch {
	case x == nil:
		return nil
	case f.c.equality(e.X.Col).ByType(): // text compares exactly here, and an index on the column's text serves
		return Call(sqlast.CastedText, x)
	}
	return Call(sqlast.CodePointText, textual(e.X, x))
}

// ownText is a text that is compared by its column's own equality. It is the column itself, or the one column of a subquery.
type ownText struct {
	x  Expr
	by decl.Form
}

func (e ownText) Type() Type { return e.x.Type() }

func (e ownText) SQL(f *From) sqlast.Expr {
	c, column := e.x.(Column)
	if !column {
		return e.collated(e.x.(Subquery).write(f, func(x Expr, sub *From) sqlast.Expr { return ownText{x, e.by}.SQL(sub) }))
	}
	if f.c.Dialect == sqlast.SQLite || e.by.Equality.ByType() {
		return f.unindexed(f.Col(c.Row, c.Col), c.Row, c.Col)
	}
	return c.comparable(f)
}

// collated adds the column's collation to an expression made from it, since SQLite drops the collation in an expression.
func (e ownText) collated(x sqlast.Expr) sqlast.Expr {
	if op, ok := collations[e.by.Collation]; ok && x != nil {
		return Call(op, x)
	}
	return x
}

// collations have the operators that write a collation of SQLite, by the collation's name.
var collations = map[string]sqlast.Op{"NOCASE": sqlast.NoCase, "RTRIM": sqlast.RightTrim}

// PlainText removes from e the wrappers that only determine how its text is compared.
func PlainText(e Expr) Expr {
	switch t := e.(type) {
	case Text:
		return t.X
	case Native:
		return t.x
	case ownText:
		return t.x
	}
	return e
}

func texted(args []Expr) []Expr { return Mapped(args, func(a Expr) Expr { return Text{a} }) }
