package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// operatorOf is the operator that a node applies to an expression, or nil.
func operatorOf(n *message.Node) *language.Operator {
	if n.Recv == nil || n.Op != message.OpCall && n.Op != message.OpField {
		return nil
	}
	return language.OperatorOn()[n.Recv.Type.Name][n.Name]
}

// operation interprets an operator of the table.
func (f *from) operation(op *language.Operator, n *message.Node, env names) (expr, error) {
	e, err := f.operated(op, n, env)
	if err == nil && op.Sure(n.Name) {
		e = f.knowing(e)
	}
	return e, err
}

func (f *from) operated(op *language.Operator, n *message.Node, env names) (expr, error) {
	if op.Form == language.FormOrder {
		return nil, ErrNode(n)
	}
	x, err := f.expr(n.Recv, env)
	if err != nil {
		return nil, err
	}
	if c, ok := x.(cell); ok && c.list != "" {
		return nil, fail.Errorf(fail.Invalid, n.Name, "a collected list can only be shown: select it, and go on with the rows")
	}
	of := Type{kind: value.TypeBool}
	if t := n.Type.Args["of"]; t != nil {
		of.kind = t.Name
	}
	switch {
	case n.Name == language.Negation:
		return f.unless(x), nil
	case op.Form == language.FormKey:
		return f.key(x, n.Args[0])
	case op.Form == language.FormJSON:
		return f.jsonAs(x, of.kind), nil
	case op.Form == language.FormJSONLength:
		return f.jsonLength(x), nil
	case op.Form == language.FormJSONToText:
		if len(jsonOf(x).keys) == 0 { // documents would all be null, and so one group
			return nil, fail.Errorf(fail.Invalid, "", "a whole JSON document is no text; take a key of it, like column.key, or column.asText() where it is a text itself")
		}
		return f.jsonText(x), nil
	case op.Form == language.FormWhole:
		return f.whole(op, x, n), nil
	case op.Form == language.FormJSONHas:
		return f.has(op, x, n)
	case x.Type().kind == value.TypeJSON:
		if x, err = f.asCompared(x, n, env, op.Ast == sqlast.Is || op.Ast == sqlast.IsNot); err != nil {
			return nil, err
		}
		if x.Type().kind == value.TypeJSON {
			x = jsonNull{x}
		}
	}
	if op.Form == language.FormList && isQuery(n.Args[0]) {
		return f.among(x, n, env)
	}
	if op.Form == language.FormList {
		list, err := f.list(n.Args[0], x.Type().kind, env)
		if err != nil {
			return nil, err
		}
		f.handle(sqlast.Eq, append([]expr{x}, list...))
		all := f.keyed(append([]expr{x}, list...))
		return inList(all[0], all[1:], op.Name == "notIn"), nil
	}
	if op.Form == language.FormTruncate {
		return f.truncate(x, n.Args[0].Lit.Text())
	}
	if op.Form == language.FormPlus {
		many := n.Args[0]
		if many.Op == message.OpLit {
			return f.plus(x, literal(many, value.TypeInt), n.Args[1].Lit.Text())
		}
		y, err := f.expr(many, env)
		if err != nil {
			return nil, err
		}
		return f.plus(x, y, n.Args[1].Lit.Text())
	}
	args := []expr{x}
	for _, a := range n.Args {
		if a.Op == message.OpLit && a.Lit.IsNull() {
			args = append(args, Null{}) // the shape of the message says that it is null
			continue
		}
		if a.Op == message.OpLit {
			args = append(args, literal(a, f.operandKind(op, n.Recv.Type, x)))
			continue
		}
		y, err := f.expr(a, env)
		if err != nil {
			return nil, err
		}
		args = append(args, y)
	}
	if op.Form != language.FormPattern && op.Form != language.FormFolded { // see match
		f.handle(op.Ast, args)
	}
	e := f.operate(op, args, of)
	return e, e.Type().fits(n.Name)
}

// operandKind is what a literal beside x is bound as.
func (f *from) operandKind(op *language.Operator, t *message.Type, x expr) string {
	switch op.Form {
	case language.FormHas:
		return t.Args["item"].Name
	case language.FormCompare, language.FormOrdered, language.FormSame, language.FormElapsed, language.FormDays:
		if op.Name != "case" {
			return x.Type().kind
		}
	}
	return ""
}

// list makes the placeholders of a list: as many as the class of its length, so
// that a few plans serve all lengths. Its numbers are of one kind, the least that
// holds all: which of them are whole is no part of the message's shape.
func (f *from) list(n *message.Node, kind string, env names) ([]expr, error) {
	var out []expr
	if n.Op == message.OpLit {
		item := Argument{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot}}
		for i := range n.Lit.Len() {
			switch k := typeOfValue(n.Lit.At(i)); {
			case item.kind == "":
				item.kind = k
			case item.kind != k:
				item = item.as(value.TypeDecimal)
			}
		}
		for i := range scalar.ListClass(n.Lit.Len()) {
			item.src.Item = i
			out = append(out, item.beside(kind))
		}
		return out, nil
	}
	for _, a := range n.Args {
		if a.Op == message.OpLit {
			out = append(out, literal(a, kind))
			continue
		}
		x, err := f.expr(a, env)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// asCompared converts JSON to the type that it is compared with: 'mac' finds texts, 3 numbers, true truth values. For a test for null it
// stays as it is. null: the comparison treats null as a value.
func (f *from) asCompared(x expr, n *message.Node, env names, null bool) (expr, error) {
	kind := ""
	for _, a := range n.Args {
		var k string
		switch {
		case a.Op == message.OpLit && a.Lit.IsNull():
			continue
		case a.Op == message.OpLit && a.Lit.Type() == value.TypeList:
			item, err := typeOfItems(a.Lit)
			if err != nil {
				return nil, err
			}
			k = item
		case a.Op == message.OpLit:
			k = typeOfValue(a.Lit)
		case isQuery(a):
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "say what the JSON is that a query's column is compared with: column.key.asText().%s(query)", n.Name)
		case a.Op == message.OpList:
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "JSON is compared with a list of values, and no columns in it; join conditions with ||")
		case null:
			// A number in it and a column without a value would both be null as text, and so the same.
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "say what the JSON is that is compared with a column: column.key.asText() === other")
		default:
			y, err := f.expr(a, env)
			if err != nil {
				return nil, err
			}
			k = y.Type().kind
		}
		if scalar.NumberRank(k) > 0 {
			k = value.TypeFloat
		}
		if kind != "" && kind != k || k != value.TypeText && k != value.TypeFloat && k != value.TypeBool {
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "JSON is compared with a text, a number, true or false, or as column.key.asText(), .asNumber() or .asBool(); a date in it is a text, like '2024-01-31'")
		}
		kind = k
	}
	if kind == "" {
		return x, nil
	}
	return f.jsonAs(x, kind), nil
}

// typeOfItems is the type of the values of a list: numbers are one.
func typeOfItems(v value.Value) (string, error) {
	kind := value.TypeText // of an empty list
	for i := range v.Len() {
		k := typeOfValue(v.At(i))
		if scalar.NumberRank(k) > 0 {
			k = value.TypeFloat
		}
		if i > 0 && k != kind {
			return "", fail.Errorf(fail.Invalid, "", "JSON is compared with a list of texts, or of numbers, and not of both; join conditions with ||")
		}
		kind = k
	}
	return kind, nil
}
