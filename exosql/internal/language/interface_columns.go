package language

import (
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

var columnDocs = map[string]string{
	"Int": "a whole number of the database", "Float": "a number of the database", "Decimal": "an exact decimal number of the database", "Text": "text of the database",
	"Bool": "a condition like column === value", "Time": "a date of the database", "Day": "a day of the database", "Interval": "a length of time of the database",
	"Uuid": "an id of the database", "Bytes": "bytes of the database", "Json": "JSON of the database: column.key, column.list[0]; compare with a text, a number, true or false", "Elements": "an array of the database",
}

var boolExpr = &message.Term{Con: &message.Type{Name: "Bool", Args: map[string]*message.Type{"of": {Name: value.TypeBool}}}}

// columnInterface makes the interface for one kind of column expression from the operators that it
// has.
func columnInterface(name string) *message.Interface {
	i := &message.Interface{Name: name, Doc: columnDocs[name], Expr: true, Words: columnWords(name), Fields: map[string]*message.Property{}, Methods: map[string]*message.Method{}}
	if slices.Contains(equal, name) {
		i.Is = []string{sortable, countable}
	}
	if slices.Contains(comparables, name) {
		i.Is = append(i.Is, minMax)
	}
	if slices.Contains(numbers, name) {
		i.Is = append(i.Is, numeric)
	}
	if slices.Contains(jsons, name) {
		i.Keys = GetKey
	}
	for k := range operators {
		op := &operators[k]
		if !slices.Contains(op.on, name) {
			continue
		}
		if !op.unlisted && (i.Keys == "" || op.on[0] == "Json" || len(op.on) == len(anyColumn)) { // the doc of JSON lists its comparisons itself
			i.Order = append(i.Order, op.Name)
		}
		if op.field {
			i.Fields[op.Name] = &message.Property{Doc: op.doc, Type: &message.Type{Name: "Int", Args: map[string]*message.Type{"of": {Name: value.TypeInt, Null: true}}}}
			continue
		}
		m := &message.Method{Name: op.Name, Doc: op.doc, Result: resultTerm(op.result), Total: op.total, Whole: op.whole}
		for _, p := range op.params {
			m.Params = append(m.Params, paramOf(p, name, op.Null))
		}
		for _, n := range append([]string{op.Name}, op.also...) {
			i.Methods[n] = m
		}
	}
	return i
}

// resultTerm returns the type of an operator's result.
func resultTerm(result string) *message.Term {
	wide := func(null bool, terms ...*message.Term) *message.Term {
		return &message.Term{Wide: terms, To: scalarInterfaces, Null: null}
	}
	switch result {
	case "order":
		return con("Order")
	case "self":
		return wide(false, v("of"))
	case "nullable":
		return wide(true, v("of"))
	case "wide":
		return wide(false, v("of"), v("value"))
	case "quotient": // whole numbers also have a quotient with a fraction
		return wide(true, v("of"), v("value"), con(value.TypeFloat))
	case "remainder":
		return wide(true, v("of"), v("value"))
	case "coalesced":
		return wide(false, &message.Term{Var: "of", Bare: true}, v("value"))
	case "case":
		return wide(false, v("then"), v("else"))
	case "text":
		return wide(false, con(value.TypeText))
	case "int":
		return wide(true, con(value.TypeInt))
	case "day":
		return wide(true, con(value.TypeDate))
	case "textNull":
		return wide(true, con(value.TypeText))
	case "float":
		return wide(true, con(value.TypeFloat))
	case "boolNull":
		return wide(true, con(value.TypeBool))
	case "json":
		return &message.Term{Con: &message.Type{Name: "Json", Args: map[string]*message.Type{"of": {Name: value.TypeJSON, Null: true}}}}
	}
	return boolExpr
}

// paramOf returns a parameter of an operator, for columns with the interface on.
func paramOf(param, on string, null bool) message.Param {
	of := v("of")
	switch on {
	case "Int", "Float":
		of = con(value.TypeNumber)
	case "Decimal":
		of = con(value.TypeDecimal)
	case "Json":
		of = con(value.TypeData)
	}
	bare := of
	if of.Var != "" {
		bare = &message.Term{Var: "of", Bare: true}
	}
	switch param {
	case "high":
		return message.Param{Name: "the upper end", Want: of, Bind: "high"}
	case "bare":
		return message.Param{Name: "the value", Want: bare, Bind: "value"}
	case "then", "else":
		return message.Param{Name: "the value where it holds", Want: con(value.TypeData), Bind: param, Null: true}
	case "list":
		return message.Param{Name: "the list", Want: app(value.TypeList, map[string]*message.Term{"of": of})}
	case "item":
		return message.Param{Name: "the value", Want: v("item"), Fixed: true}
	case "element":
		return message.Param{Name: "the element", Want: con(value.TypeData), Fixed: true}
	case "whole":
		return message.Param{Name: "the value", Want: con(value.TypeData), Fixed: true}
	case "elements":
		return message.Param{Name: "the array", Want: app(value.TypeList, map[string]*message.Term{"of": con(value.TypeData)}), Fixed: true}
	case "key":
		return message.Param{Name: "the key", Want: con(value.TypeData), Fixed: true}
	case "condition":
		return message.Param{Name: "the other condition", Want: con(value.TypeBool)}
	case "pattern":
		return message.Param{Name: "the pattern", Want: con(value.TypeText), Fixed: true}
	case "part", "more":
		return message.Param{Name: "the text", Want: con(value.TypeText), Opt: param == "more"}
	case "start", "end", "length":
		return message.Param{Name: "the " + param, Want: con(value.TypeInt), Count: true, Fixed: true, Opt: param != "start"}
	case "unit":
		of := &message.Type{Name: value.TypeText}
		for _, u := range Units {
			of.Enum = append(of.Enum, u.Name)
		}
		return message.Param{Name: "the unit", Want: &message.Term{Con: of}, Static: true, Fixed: true}
	case "number":
		return message.Param{Name: "how many", Want: con(value.TypeInt)}
	case "places":
		return message.Param{Name: "the places", Want: con(value.TypeInt), Count: true, Fixed: true, Opt: true}
	}
	return message.Param{Name: "the value", Want: of, Null: null, Bind: "value"}
}
