package expr

// This file has values within JSON: how they are compared and shown.

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

// jsonPath is the value at the end of a path of keys, in a column of JSON or in another JSON
// expression. Keys are bound values, since a statement contains no text of a program.
type jsonPath struct {
	x    Expr
	Keys []Argument
	as   string // as is TypeJSON, or the one type that its values have unless they are null; TypeInt for a length
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

// JSONNull is a JSON value in a test for null. JSON's own null reads as null in programs, so it is null here too.
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
	if f.c.Misfits(c) { // misfits (see misfit.go) in the column are null too
		x = Call(sqlast.JSONValid, x, x)
	}
	return Call(sqlast.JSONNotNull, x) // PostgreSQL's type json has no operator =
}

var jsonOps = map[string]sqlast.Op{value.TypeJSON: sqlast.JSONValue, value.TypeText: sqlast.JSONText, value.TypeFloat: sqlast.JSONNumber, value.TypeBool: sqlast.JSONBool, value.TypeInt: sqlast.JSONLength}

// at returns the JSON at the end of the path of keys.
func (e jsonPath) at(f *From) sqlast.Expr {
	if f.c.Emitted += 1 + len(e.Keys); f.c.Emitted > MaxEmitted {
		return sqlast.Null // package compile then refuses the statement as too large
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

// JSONOf returns x as a jsonPath, to which keys can be added.
func JSONOf(x Expr) jsonPath {
	if e, ok := x.(jsonPath); ok {
		return e
	}
	return jsonPath{x: x, as: value.TypeJSON}
}

// Key returns the JSON at a key, which is a text, or at an index, which is a whole number.
func (f *From) Key(x Expr, n *message.Node) (Expr, error) {
	e, key := JSONOf(x), Literal(n, "")
	e.Keys = slices.Clip(e.Keys)
	switch {
	case key.Kind == value.TypeInt:
		e.Keys = append(e.Keys, key.As(plan.ArgIndex))
	case key.Kind != value.TypeText:
		return nil, fail.Errorf(fail.Invalid, "", "a key of JSON must be a text, or the number of an element, from 0")
	case f.c.Dialect == sqlast.SQLite:
		e.Keys = append(e.Keys, key.As(plan.ArgPath))
	default:
		e.Keys = append(e.Keys, key.As(plan.ArgKey))
	}
	return e, nil
}

// JSONNumber returns the column of JSON from which an expression reads a number, or nil for any other expression.
func JSONNumber(x Expr) *decl.Column {
	e, _ := x.(jsonPath)
	if c, ok := e.x.(Column); ok && e.as == value.TypeFloat {
		return c.Col
	}
	return nil
}

// JSONAs returns JSON as a value of one type. It is null if the JSON has another type.
func (f *From) JSONAs(x Expr, kind string) Expr {
	e := JSONOf(x)
	e.as = kind
	return e
}

// Has returns the condition that an array has a value as an element, like includes in JavaScript. Unless op is about arrays only, the condition also asks
// whether a text contains the value.
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

// Whole returns the condition that JSON or an array still has the value that a program read.
func (f *From) Whole(op *language.Operator, x Expr, n *message.Node) Expr {
	src := plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Kind: plan.ArgDocument}
	if op.Ast == sqlast.SameArray {
		if src.Elem = n.Recv.Type.Args["item"].Name; f.c.Dialect == sqlast.Postgres {
			src.Kind = plan.ArgArray
		}
	}
	if f.c.Dialect == sqlast.Postgres && src.Elem == value.TypeJSON { // PostgreSQL's type json has no operator =
		x = Operation{sqlast.JSONArray, []Expr{x}, x.Type()}
	}
	return Operation{op.Ast, []Expr{x, Argument{Src: src, Kind: value.TypeText}}, Type{Kind: value.TypeBool}}
}

// JSONLength returns the length of a text or an array in JSON.
func (f *From) JSONLength(x Expr) Expr {
	whole := Type{Kind: value.TypeInt}
	length := Operation{sqlast.Length, texted([]Expr{f.JSONAs(x, value.TypeText)}), whole}
	return Operation{sqlast.Coalesce, []Expr{f.JSONAs(x, value.TypeInt), length}, whole}
}

// JSONText returns the text of a JSON value that is neither an array nor an object.
func (f *From) JSONText(x Expr) Expr {
	all := Operation{sqlast.Coalesce, []Expr{f.ToText(f.JSONAs(x, value.TypeFloat)), f.ToText(f.JSONAs(x, value.TypeBool))}, Type{Kind: value.TypeText}}
	return Operation{sqlast.Coalesce, []Expr{f.JSONShown(x), all}, all.of}
}

// JSONShown returns a JSON value that programs read as text: a text, or the digits of a whole number beyond 2^53. As floats, two such numbers could be equal.
func (f *From) JSONShown(x Expr) Expr {
	text, digits := Type{Kind: value.TypeText}, []Expr{f.JSONAs(x, value.TypeJSON)}
	if f.c.Dialect == sqlast.Postgres {
		digits = slices.Repeat(digits, 5)
	}
	return Operation{sqlast.Coalesce, []Expr{f.JSONAs(x, value.TypeText), Operation{sqlast.JSONDigits, digits, text}}, text}
}
