package language

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
)

var columnDocs = map[string]string{
	"Int": "a whole number of the database", "Float": "a number of the database", "Decimal": "an exact decimal number of the database", "Text": "text of the database",
	"Bool": "a condition like column.eq(value)", "Time": "a date of the database", "Day": "a day of the database", "Interval": "a length of time of the database",
	"Uuid": "an id of the database", "Bytes": "bytes of the database", "Json": "JSON of the database: column.key, column.list[0]; compare with a text, a number, true or false", "Elements": "an array of the database",
}

var boolExpr = &exo.Term{Con: &exo.Type{Name: "Bool", Args: map[string]*exo.Type{"of": {Name: exo.TypeBool}}}}

// columnInterface makes the interface of a kind of column expressions from the
// operators that it has.
func columnInterface(name string) *exo.Interface {
	i := &exo.Interface{Name: name, Doc: columnDocs[name], Expr: true, Words: columnWords(name), Fields: map[string]*exo.Property{}, Methods: map[string]*exo.Method{}}
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
		if !op.unlisted && (i.Keys == "" || op.on[0] == "Json" || len(op.on) == len(anyColumn)) { // what compares JSON is said by its doc
			i.Order = append(i.Order, op.Name)
		}
		if op.field {
			i.Fields[op.Name] = &exo.Property{Doc: op.doc, Type: &exo.Type{Name: "Int", Args: map[string]*exo.Type{"of": {Name: exo.TypeInt, Null: true}}}}
			continue
		}
		m := &exo.Method{Name: op.Name, Doc: op.doc, Result: resultTerm(op.result), Total: op.total}
		for _, p := range op.params {
			m.Params = append(m.Params, paramOf(p, name, op.Null))
		}
		for _, n := range append([]string{op.Name}, op.also...) {
			i.Methods[n] = m
		}
	}
	return i
}

// resultTerm is the type of what an operator gives.
func resultTerm(result string) *exo.Term {
	wide := func(null bool, terms ...*exo.Term) *exo.Term {
		return &exo.Term{Wide: terms, To: scalarInterfaces, Null: null}
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
	case "quotient": // of whole numbers too it has a fraction
		return wide(true, v("of"), v("value"), con(exo.TypeFloat))
	case "remainder":
		return wide(true, v("of"), v("value"))
	case "coalesced":
		return wide(false, &exo.Term{Var: "of", Bare: true}, v("value"))
	case "case":
		return wide(false, v("then"), v("else"))
	case "text":
		return wide(false, con(exo.TypeText))
	case "int":
		return wide(true, con(exo.TypeInt))
	case "day":
		return wide(true, con(exo.TypeDate))
	case "textNull":
		return wide(true, con(exo.TypeText))
	case "float":
		return wide(true, con(exo.TypeFloat))
	case "boolNull":
		return wide(true, con(exo.TypeBool))
	case "json":
		return &exo.Term{Con: &exo.Type{Name: "Json", Args: map[string]*exo.Type{"of": {Name: exo.TypeJSON, Null: true}}}}
	}
	return boolExpr
}

// paramOf is a parameter of an operator on columns of the interface on.
func paramOf(param, on string, null bool) exo.Param {
	of := v("of")
	switch on {
	case "Int", "Float":
		of = con(exo.TypeNumber)
	case "Decimal":
		of = con(exo.TypeDecimal)
	case "Json":
		of = con(exo.TypeData)
	}
	bare := of
	if of.Var != "" {
		bare = &exo.Term{Var: "of", Bare: true}
	}
	switch param {
	case "high":
		return exo.Param{Name: "the upper end", Want: of, Bind: "high"}
	case "bare":
		return exo.Param{Name: "the value", Want: bare, Bind: "value"}
	case "then", "else":
		return exo.Param{Name: "the value where it holds", Want: con(exo.TypeData), Bind: param, Null: true}
	case "list":
		return exo.Param{Name: "the list", Want: app(exo.TypeList, map[string]*exo.Term{"of": of})}
	case "item":
		return exo.Param{Name: "the value", Want: v("item"), Fixed: true}
	case "element":
		return exo.Param{Name: "the element", Want: con(exo.TypeData), Fixed: true}
	case "whole":
		return exo.Param{Name: "the value", Want: con(exo.TypeData), Fixed: true}
	case "elements":
		return exo.Param{Name: "the array", Want: app(exo.TypeList, map[string]*exo.Term{"of": con(exo.TypeData)}), Fixed: true}
	case "key":
		return exo.Param{Name: "the key", Want: con(exo.TypeData), Fixed: true}
	case "condition":
		return exo.Param{Name: "the other condition", Want: con(exo.TypeBool)}
	case "pattern":
		return exo.Param{Name: "the pattern", Want: con(exo.TypeText), Fixed: true}
	case "part", "more":
		return exo.Param{Name: "the text", Want: con(exo.TypeText), Opt: param == "more"}
	case "start", "end", "length":
		return exo.Param{Name: "the " + param, Want: con(exo.TypeInt), Count: true, Fixed: true, Opt: param != "start"}
	case "unit":
		of := &exo.Type{Name: exo.TypeText}
		for _, u := range Units {
			of.Enum = append(of.Enum, u.Name)
		}
		return exo.Param{Name: "the unit", Want: &exo.Term{Con: of}, Static: true, Fixed: true}
	case "number":
		return exo.Param{Name: "how many", Want: con(exo.TypeInt)}
	case "places":
		return exo.Param{Name: "the places", Want: con(exo.TypeInt), Count: true, Fixed: true, Opt: true}
	}
	return exo.Param{Name: "the value", Want: of, Null: null, Bind: "value"}
}
