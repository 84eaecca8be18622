package expr

// This file has what JSON holds at the end of some keys, and how that is compared and shown.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// jsonPath is what a column of JSON, or another expression of it, holds at the end of some keys. A key is a
// bound value: no text of a program stands in a statement.
type jsonPath struct {
	x    Expr
	Keys []Argument
	as   string // TypeJSON; or the type of the only values that it has, besides null; TypeInt for its length
}

func (e jsonPath) Type() Type { return Type{Kind: e.as} }

func (e jsonPath) SQL(f *From) sqlast.Expr {
	switch {
	case f.c.Dialect == sqlast.SQLite:
		return Call(jsonOps[e.as], e.at(f))
	case e.as == value.TypeJSON:
		return Call(sqlast.JSONValue, e.at(f))
	case e.as == value.TypeFloat:
		return Call(sqlast.JSONNumber, e.at(f), e.at(f), e.at(f), e.at(f))
	case e.as == value.TypeInt:
		return Call(sqlast.JSONLength, e.at(f), e.at(f), e.at(f), e.at(f), e.at(f))
	}
	return Call(jsonOps[e.as], e.at(f), e.at(f))
}

// JSONNull is JSON that is asked whether it is null. A document that is JSON's own null is shown as null, and so it is null.
type JSONNull struct{ X Expr }

func (e JSONNull) Type() Type { return e.X.Type() }

func (e JSONNull) SQL(f *From) sqlast.Expr {
	c, column := e.X.(Column)
	if !column {
		return e.X.SQL(f)
	}
	if f.c.FormOf(c.Col).Type == "jsonb" {
		return Call(sqlast.JSONValue, c.SQL(f))
	}
	x := c.SQL(f)
	if f.c.Misfits(c) { // its misfits are null, too
		x = Call(sqlast.JSONValid, x, x)
	}
	return Call(sqlast.JSONNotNull, x) // of PostgreSQL's json there is no =
}

var jsonOps = map[string]sqlast.Op{value.TypeJSON: sqlast.JSONValue, value.TypeText: sqlast.JSONText, value.TypeFloat: sqlast.JSONNumber, value.TypeBool: sqlast.JSONBool, value.TypeInt: sqlast.JSONLength}

// at is the JSON at the end of the keys.
func (e jsonPath) at(f *From) sqlast.Expr {
	if f.c.Emitted += 1 + len(e.Keys); f.c.Emitted > MaxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	x := e.x.SQL(f)
	if f.c.Dialect == sqlast.SQLite {
		x = Call(sqlast.JSONValid, x, e.x.SQL(f))
	} else {
		x = Call(sqlast.JSONDocument, x)
	}
	for _, k := range e.Keys {
		step := sqlast.JSONKey
		if k.Kind == plan.ArgIndex {
			step = sqlast.JSONIndex
		}
		x = Call(step, x, k.SQL(f))
	}
	return x
}

// JSONOf is an expression of JSON as what keys are added to.
func JSONOf(x Expr) jsonPath {
	if e, ok := x.(jsonPath); ok {
		return e
	}
	return jsonPath{x: x, as: value.TypeJSON}
}

// Key is what JSON holds under a key, a text, or at an index, a whole number.
func (f *From) Key(x Expr, n *message.Node) (Expr, error) {
	e, key := JSONOf(x), Literal(n, "")
	e.Keys = slices.Clip(e.Keys)
	switch {
	case key.Kind == value.TypeInt:
		e.Keys = append(e.Keys, key.As(plan.ArgIndex))
	case key.Kind != value.TypeText:
		return nil, fail.Errorf(fail.Invalid, "", "a key of JSON is a text, or the number of an element from 0")
	case f.c.Dialect == sqlast.SQLite:
		e.Keys = append(e.Keys, key.As(plan.ArgPath))
	default:
		e.Keys = append(e.Keys, key.As(plan.ArgKey))
	}
	return e, nil
}

// JSONNumber is the column of whose JSON an expression is a number, or nil.
func JSONNumber(x Expr) *decl.Column {
	e, _ := x.(jsonPath)
	if c, ok := e.x.(Column); ok && e.as == value.TypeFloat {
		return c.Col
	}
	return nil
}

// JSONAs is JSON as a value of one type, and null where it is another.
func (f *From) JSONAs(x Expr, kind string) Expr {
	e := JSONOf(x)
	e.as = kind
	return e
}

// Has is what JavaScript's includes means: of an array, whether a value is one of its elements; of a text, whether it is a
// part, unless an array alone is asked.
func (f *From) Has(op *language.Operator, x Expr, n *message.Node) (Expr, error) {
	kind := TypeOfValue(n.Args[0].Lit)
	if scalar.NumberRank(kind) > 0 {
		kind = value.TypeFloat
	}
	has, ok := map[string]sqlast.Op{value.TypeText: sqlast.JSONHasText, value.TypeFloat: sqlast.JSONHasNumber, value.TypeBool: sqlast.JSONHasBool}[kind]
	if !ok {
		return nil, fail.Errorf(fail.Invalid, n.Name, "looks for a text, a number, true or false; a date in JSON is a text, like '2024-01-31'")
	}
	of := Type{Kind: value.TypeBool}
	among := Operation{has, []Expr{JSONOf(x), Literal(n.Args[0], kind)}, of}
	if op.Name == "has" || kind != value.TypeText {
		return among, nil
	}
	part := Operation{sqlast.Includes, f.search(texted([]Expr{f.JSONAs(x, value.TypeText), Literal(n.Args[0], kind)})), of}
	return Operation{sqlast.Coalesce, []Expr{part, among}, of}, nil
}

// Whole is whether JSON or an array is what a program says that it was.
func (f *From) Whole(op *language.Operator, x Expr, n *message.Node) Expr {
	src := plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Kind: plan.ArgDocument}
	if op.Ast == sqlast.SameArray {
		if src.Elem = n.Recv.Type.Args["item"].Name; f.c.Dialect == sqlast.Postgres {
			src.Kind = plan.ArgArray
		}
	}
	if f.c.Dialect == sqlast.Postgres && src.Elem == value.TypeJSON { // for json there is no =
		x = Operation{sqlast.JSONArray, []Expr{x}, x.Type()}
	}
	return Operation{op.Ast, []Expr{x, Argument{Src: src, Kind: value.TypeText}}, Type{Kind: value.TypeBool}}
}

// JSONLength is the length of a text or of an array.
func (f *From) JSONLength(x Expr) Expr {
	whole := Type{Kind: value.TypeInt}
	length := Operation{sqlast.Length, texted([]Expr{f.JSONAs(x, value.TypeText)}), whole}
	return Operation{sqlast.Coalesce, []Expr{f.JSONAs(x, value.TypeInt), length}, whole}
}

// JSONText is the text of what is no array and no object.
func (f *From) JSONText(x Expr) Expr {
	all := Operation{sqlast.Coalesce, []Expr{f.ToText(f.JSONAs(x, value.TypeFloat)), f.ToText(f.JSONAs(x, value.TypeBool))}, Type{Kind: value.TypeText}}
	return Operation{sqlast.Coalesce, []Expr{f.JSONShown(x), all}, all.of}
}

// JSONShown is what programs are shown as a text: one, or the digits of a whole number beyond 2^53, of which two would be one float.
func (f *From) JSONShown(x Expr) Expr {
	text, digits := Type{Kind: value.TypeText}, []Expr{f.JSONAs(x, value.TypeJSON)}
	if f.c.Dialect == sqlast.Postgres {
		digits = slices.Repeat(digits, 5)
	}
	return Operation{sqlast.Coalesce, []Expr{f.JSONAs(x, value.TypeText), Operation{sqlast.JSONDigits, digits, text}}, text}
}
