package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// jsonPath is what a column of JSON, or another expression of it, holds at the end of some keys. A key is a
// bound value: no text of a program stands in a statement.
type jsonPath struct {
	x    expr
	keys []Argument
	as   string // TypeJSON; or the type of the only values that it has, besides null; TypeInt for its length
}

func (e jsonPath) Type() Type { return Type{kind: e.as} }

func (e jsonPath) SQL(f *From) sqlast.Expr {
	switch {
	case f.c.dialect == sqlast.SQLite:
		return call(jsonOps[e.as], e.at(f))
	case e.as == value.TypeJSON:
		return call(sqlast.JSONValue, e.at(f))
	case e.as == value.TypeFloat:
		return call(sqlast.JSONNumber, e.at(f), e.at(f), e.at(f), e.at(f))
	case e.as == value.TypeInt:
		return call(sqlast.JSONLength, e.at(f), e.at(f), e.at(f), e.at(f), e.at(f))
	}
	return call(jsonOps[e.as], e.at(f), e.at(f))
}

// jsonNull is JSON that is asked whether it is null. A document that is JSON's own null is shown as null, and so it is null.
type jsonNull struct{ x expr }

func (e jsonNull) Type() Type { return e.x.Type() }

func (e jsonNull) SQL(f *From) sqlast.Expr {
	c, column := e.x.(Column)
	if !column {
		return e.x.SQL(f)
	}
	if f.c.formOf(c.col).Type == "jsonb" {
		return call(sqlast.JSONValue, c.SQL(f))
	}
	x := c.SQL(f)
	if f.c.guards(c) { // its misfits are null, too
		x = call(sqlast.JSONValid, x, x)
	}
	return call(sqlast.JSONNotNull, x) // of PostgreSQL's json there is no =
}

var jsonOps = map[string]sqlast.Op{value.TypeJSON: sqlast.JSONValue, value.TypeText: sqlast.JSONText, value.TypeFloat: sqlast.JSONNumber, value.TypeBool: sqlast.JSONBool, value.TypeInt: sqlast.JSONLength}

// at is the JSON at the end of the keys.
func (e jsonPath) at(f *From) sqlast.Expr {
	if f.c.emitted += 1 + len(e.keys); f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	x := e.x.SQL(f)
	if f.c.dialect == sqlast.SQLite {
		x = call(sqlast.JSONValid, x, e.x.SQL(f))
	} else {
		x = call(sqlast.JSONDocument, x)
	}
	for _, k := range e.keys {
		step := sqlast.JSONKey
		if k.kind == plan.ArgIndex {
			step = sqlast.JSONIndex
		}
		x = call(step, x, k.SQL(f))
	}
	return x
}

// jsonOf is an expression of JSON as what keys are added to.
func jsonOf(x expr) jsonPath {
	if e, ok := x.(jsonPath); ok {
		return e
	}
	return jsonPath{x: x, as: value.TypeJSON}
}

// key is what JSON holds under a key, a text, or at an index, a whole number.
func (f *From) key(x expr, n *message.Node) (expr, error) {
	e, key := jsonOf(x), literal(n, "")
	e.keys = slices.Clip(e.keys)
	switch {
	case key.kind == value.TypeInt:
		e.keys = append(e.keys, key.as(plan.ArgIndex))
	case key.kind != value.TypeText:
		return nil, fail.Errorf(fail.Invalid, "", "a key of JSON is a text, or the number of an element from 0")
	case f.c.dialect == sqlast.SQLite:
		e.keys = append(e.keys, key.as(plan.ArgPath))
	default:
		e.keys = append(e.keys, key.as(plan.ArgKey))
	}
	return e, nil
}

// jsonAs is JSON as a value of one type, and null where it is another.
func (f *From) jsonAs(x expr, kind string) expr {
	e := jsonOf(x)
	e.as = kind
	return e
}

// has is what JavaScript's includes means: of an array, whether a value is one of its elements; of a text, whether it is a
// part, unless an array alone is asked.
func (f *From) has(op *language.Operator, x expr, n *message.Node) (expr, error) {
	kind := typeOfValue(n.Args[0].Lit)
	if scalar.NumberRank(kind) > 0 {
		kind = value.TypeFloat
	}
	has, ok := map[string]sqlast.Op{value.TypeText: sqlast.JSONHasText, value.TypeFloat: sqlast.JSONHasNumber, value.TypeBool: sqlast.JSONHasBool}[kind]
	if !ok {
		return nil, fail.Errorf(fail.Invalid, n.Name, "looks for a text, a number, true or false; a date in JSON is a text, like '2024-01-31'")
	}
	of := Type{kind: value.TypeBool}
	among := Operation{has, []expr{jsonOf(x), literal(n.Args[0], kind)}, of}
	if op.Name == "has" || kind != value.TypeText {
		return among, nil
	}
	part := Operation{sqlast.Includes, f.search(texted([]expr{f.jsonAs(x, value.TypeText), literal(n.Args[0], kind)})), of}
	return Operation{sqlast.Coalesce, []expr{part, among}, of}, nil
}

// whole is whether JSON or an array is what a program says that it was.
func (f *From) whole(op *language.Operator, x expr, n *message.Node) expr {
	src := plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Kind: plan.ArgDocument}
	if op.Ast == sqlast.SameArray {
		if src.Elem = n.Recv.Type.Args["item"].Name; f.c.dialect == sqlast.Postgres {
			src.Kind = plan.ArgArray
		}
	}
	if f.c.dialect == sqlast.Postgres && src.Elem == value.TypeJSON { // for json there is no =
		x = Operation{sqlast.JSONArray, []expr{x}, x.Type()}
	}
	return Operation{op.Ast, []expr{x, Argument{src: src, kind: value.TypeText}}, Type{kind: value.TypeBool}}
}

// jsonLength is the length of a text or of an array.
func (f *From) jsonLength(x expr) expr {
	whole := Type{kind: value.TypeInt}
	length := Operation{sqlast.Length, texted([]expr{f.jsonAs(x, value.TypeText)}), whole}
	return Operation{sqlast.Coalesce, []expr{f.jsonAs(x, value.TypeInt), length}, whole}
}

// jsonText is the text of what is no array and no object.
func (f *From) jsonText(x expr) expr {
	text := Type{kind: value.TypeText}
	digits := []expr{f.jsonAs(x, value.TypeJSON)} // or two ids beyond 2^53 would be one text
	if f.c.dialect == sqlast.Postgres {
		digits = slices.Repeat(digits, 5)
	}
	var all expr = f.toText(f.jsonAs(x, value.TypeBool))
	for _, e := range []expr{f.toText(f.jsonAs(x, value.TypeFloat)), Operation{sqlast.JSONDigits, digits, text}, f.jsonAs(x, value.TypeText)} {
		all = Operation{sqlast.Coalesce, []expr{e, all}, text}
	}
	return all
}
