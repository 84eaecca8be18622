package expr

// How columns are compared and sorted that are texts to programs and have another type in the database. As texts, money of $10 comes
// before $2, and an enum's values have no order: so such a column is compared and sorted by its type, or not at all.

import (
	"cmp"
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// arrays cast arrays of types that an answer of PostgreSQL does not name, by the type of the elements.
var arrays = map[string]sqlast.Op{
	value.TypeText: sqlast.TextArray, value.TypeInt: sqlast.IntArray, value.TypeFloat: sqlast.FloatArray, value.TypeBool: sqlast.BoolArray, value.TypeDecimal: sqlast.DecimalArray,
	value.TypeDate: sqlast.DateArray, value.TypeUUID: sqlast.UUIDArray, value.TypeJSON: sqlast.JSONArray, value.TypeBytes: sqlast.BytesArray, value.TypeInterval: sqlast.IntervalArray,
}

// arrayOf casts an array of such a type.
func arrayOf(c *decl.Column, f decl.Form) sqlast.Op {
	if f.Native.Address {
		return sqlast.AddressArray
	}
	return arrays[c.Elem]
}

// textual is the text of x, which e was written as, where a cast to text is not what the database shows.
func textual(e Expr, x sqlast.Expr) sqlast.Expr {
	if e.Type().Native.Address {
		return Call(sqlast.AddressText, x)
	}
	return x
}

// Lettered is a native type after its conversion to text: the type has an order, the text has none.
func Lettered(n decl.Native) decl.Native {
	n.Ordered, n.Extreme, n.Address, n.Sample = false, false, false, ""
	return n
}

// NativeOf is the first native type among expressions.
func NativeOf(args []Expr) decl.Native {
	for _, a := range args {
		if n := a.Type().Native; !n.Text() {
			return n
		}
	}
	return decl.Native{}
}

// inItsType reports whether an expression has a native type in the statement, too.
func inItsType(e Expr) bool {
	switch e := e.(type) {
	case Text, sameText, ExactText, byLetters, ownText:
		return false
	case Operation:
		return false
	case Cell:
		return e.Of.Native.Ordered // else its text is what rows are grouped by
	}
	return !e.Type().Native.Text()
}

// natively converts operands to the one native type of their columns. The program's values are converted before a row is read: one that
// does not fit fails the query, whatever rows there are.
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

// TypeOf is what the database calls the type of a column.
func (c *State) TypeOf(col *decl.Column) string {
	f := c.FormOf(col)
	if !f.Native.Text() {
		return f.Native.Type
	}
	return cmp.Or(f.Type, col.Kind)
}

// columnName is what programs call the first column among expressions.
func columnName(args []Expr) string {
	for _, a := range args {
		if c, ok := PlainText(a).(Column); ok {
			return c.Col.Guest
		}
	}
	return ""
}

// InOrder are texts that are compared by < and its like.
func (f *From) InOrder(args []Expr) []Expr {
	if same, ok := natively(args); ok {
		return same
	}
	for _, a := range args {
		if n := a.Type().Native; !n.Text() {
			f.c.Fail(fail.Errorf(fail.Invalid, "", "%s", noOrder(a, "what it is compared with here is a text")))
		}
	}
	return texted(args)
}

// noOrder says why an expression can't be sorted by, compared by order, or have a minimum.
func noOrder(e Expr, why string) string {
	what := "this"
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

// Native is an expression in the type that it has in the database.
type Native struct {
	x     Expr
	order bool // rows are sorted by it, or compared with it
}

func (e Native) Type() Type { return e.x.Type() }

func (e Native) SQL(f *From) sqlast.Expr {
	if n := e.x.Type().Native; e.order && !n.Ordered {
		f.c.Fail(fail.Errorf(fail.Invalid, "", "%s", noOrder(e.x, "")))
		return sqlast.Null
	}
	return e.x.SQL(f)
}

// Tying is an expression as rows are sorted by it to break ties: any order serves, also that of the letters.
func Tying(x Expr) Expr {
	if n := x.Type().Native; n.Text() || n.Ordered {
		return x
	}
	return byLetters{x}
}

// byLetters is an expression that has no order of its own, sorted by its text.
type byLetters struct{ x Expr }

func (e byLetters) Type() Type { return Type{Kind: value.TypeText} }

func (e byLetters) SQL(f *From) sqlast.Expr { return Text{e.x}.SQL(f) }

// Text is an operand as text, compared by code points: on PostgreSQL a
// column may hold it as an enum, and sort by a language's rules.
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

// sameText is a column of text as it is compared with another one by =, under the
// columns' own collation: an index of either serves. Where a collation takes different texts for equal, pairs adds the exact
// comparison. Two columns with different ones PostgreSQL refuses to compare.
type sameText struct{ x Column }

func (e sameText) Type() Type { return e.x.Type() }

func (e sameText) SQL(f *From) sqlast.Expr {
	x := f.Col(e.x.Row, e.x.Col)
	if f.c.Dialect != sqlast.Postgres || x == nil {
		return f.unindexed(x, e.x.Row, e.x.Col)
	}
	return Call(sqlast.CastedText, textual(e.x, x))
}

// ExactText is a column of texts as it is compared exactly: by its characters.
type ExactText struct{ X Column }

func (e ExactText) Type() Type { return e.X.Type() }

func (e ExactText) SQL(f *From) sqlast.Expr {
	x := f.Col(e.X.Row, e.X.Col)
	switch {
	case x == nil:
		return nil
	case f.c.equality(e.X.Col).ByType(): // its text has a collation that is exact, and an index of the text serves
		return Call(sqlast.CastedText, x)
	}
	return Call(sqlast.CodePointText, textual(e.X, x))
}

// ownText is a text as the equality of a column compares it: the column itself, or the one column of a subquery.
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

// collated is what was made of the column: in an expression SQLite forgets a column's collation.
func (e ownText) collated(x sqlast.Expr) sqlast.Expr {
	if op, ok := collations[e.by.Collation]; ok && x != nil {
		return Call(op, x)
	}
	return x
}

// collations write an expression of SQLite with the collation of a column that it was made of.
var collations = map[string]sqlast.Op{"NOCASE": sqlast.NoCase, "RTRIM": sqlast.RightTrim}

// PlainText is e without what only says how its text is compared.
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
