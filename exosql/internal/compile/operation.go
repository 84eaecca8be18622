package compile

// This file reads the operators in a message; package expr writes them.

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// operatorOf returns the operator that a node applies to an expression, or nil if the node applies none.
func operatorOf(n *message.Node) *language.Operator {
	if n.Recv == nil || n.Op != message.OpCall && n.Op != message.OpField {
		return nil
	}
	return language.OperatorOn()[n.Recv.Type.Name][n.Name]
}

// operation interprets a call of an operator, which package language describes.
func (f *from) operation(op *language.Operator, n *message.Node, env expr.Names) (expr.Expr, error) {
	e, err := f.operated(op, n, env)
	if err == nil && op.Sure(n.Name) {
		e = f.Knowing(e)
	}
	return e, err
}

func (f *from) operated(op *language.Operator, n *message.Node, env expr.Names) (expr.Expr, error) {
	if op.Form == language.FormOrder {
		return nil, expr.ErrNode(n)
	}
	x, err := f.expr(n.Recv, env)
	if err != nil {
		return nil, err
	}
	if c, ok := x.(expr.Cell); ok && c.List != "" {
		return nil, fail.Errorf(fail.Invalid, n.Name, "a collected list can only be shown: select it, and use it in the rows of the result")
	}
	of := expr.Type{Kind: value.TypeBool}
	if t := n.Type.Args["of"]; t != nil {
		of.Kind = t.Name
	}
	switch {
	case n.Name == language.Negation:
		return f.Unless(x), nil
	case op.Form == language.FormKey:
		return f.Key(x, n.Args[0])
	case op.Form == language.FormJSON:
		return f.JSONAs(x, of.Kind), nil
	case op.Form == language.FormJSONLength:
		return f.JSONLength(x), nil
	case op.Form == language.FormJSONToText:
		if len(expr.JSONOf(x).Keys) == 0 { // grouping by a whole document would make one group, of null
			return nil, fail.Errorf(fail.Invalid, "", "a whole JSON document is no text: take one of its keys, like column.key, or write column.asText() if the document is a text")
		}
		return f.JSONText(x), nil
	case op.Form == language.FormWhole:
		return f.Whole(op, x, n), nil
	case op.Form == language.FormJSONHas:
		return f.Has(op, x, n)
	case x.Type().Kind == value.TypeJSON:
		if x, err = f.asCompared(op, x, n, env); err != nil {
			return nil, err
		}
		if x.Type().Kind == value.TypeJSON {
			x = expr.JSONNull{X: x}
		}
	}
	if op.Form == language.FormList && isQuery(n.Args[0]) {
		return f.among(x, n, env)
	}
	if op.Form == language.FormList {
		list, err := f.list(n.Args[0], x.Type().Kind, env)
		if err != nil {
			return nil, err
		}
		f.Handle(sqlast.Eq, append([]expr.Expr{x}, list...))
		all := f.Keyed(append([]expr.Expr{x}, list...))
		return expr.InList(all[0], all[1:], op.Name == "notIn"), nil
	}
	if op.Form == language.FormTruncate {
		return f.Truncate(x, n.Args[0].Lit.Text())
	}
	if op.Form == language.FormPlus {
		many := n.Args[0]
		if many.Op == message.OpLit {
			return f.Plus(x, expr.Literal(many, value.TypeInt), n.Args[1].Lit.Text())
		}
		y, err := f.expr(many, env)
		if err != nil {
			return nil, err
		}
		return f.Plus(x, y, n.Args[1].Lit.Text())
	}
	args := []expr.Expr{x}
	for _, a := range n.Args {
		if a.Op == message.OpLit && a.Lit.IsNull() {
			args = append(args, expr.Null{}) // null is part of the message's shape, so it needs no argument
			continue
		}
		if a.Op == message.OpLit {
			args = append(args, expr.Literal(a, f.operandKind(op, n.Recv.Type, x)))
			continue
		}
		y, err := f.expr(a, env)
		if err != nil {
			return nil, err
		}
		args = append(args, y)
	}
	if op.Form != language.FormPattern && op.Form != language.FormFolded { // a pattern is matched in a form of its own: see match in package expr
		f.Handle(op.Ast, args)
	}
	e := f.Operate(op, args, of)
	return e, e.Type().Fits(n.Name)
}

// operandKind returns the type with which a literal is bound, if the operator compares or combines the literal with x; otherwise "".
func (f *from) operandKind(op *language.Operator, t *message.Type, x expr.Expr) string {
	switch op.Form {
	case language.FormHas:
		return t.Args["item"].Name
	case language.FormCompare, language.FormOrdered, language.FormSame, language.FormElapsed, language.FormDays:
		if op.Name != "case" {
			return x.Type().Kind
		}
	}
	return ""
}

// list makes the statement's parameters for a list. Their number is the next power of two, so that few plans serve all lengths. All numbers of the
// list get the least type that fits all, since the shape of a message has no type for each number.
func (f *from) list(n *message.Node, kind string, env expr.Names) ([]expr.Expr, error) {
	var out []expr.Expr
	if n.Op == message.OpLit {
		item := expr.Argument{Src: plan.Source{Origin: plan.FromMessage, Index: n.Slot}}
		for i := range n.Lit.Len() {
			switch k := expr.TypeOfValue(n.Lit.At(i)); {
			case item.Kind == "":
				item.Kind = k
			case item.Kind != k:
				item = item.As(value.TypeDecimal)
			}
		}
		for i := range scalar.ListClass(n.Lit.Len()) {
			item.Src.Item = i
			out = append(out, item.Beside(kind))
		}
		return out, nil
	}
	for _, a := range n.Args {
		if a.Op == message.OpLit {
			out = append(out, expr.Literal(a, kind))
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

// asCompared converts JSON to the type of the other operands: 'mac' finds texts, 3 numbers, true truth values. For a test for
// null the JSON stays as it is. The digits of a number beyond 2^53 find texts and numbers, since programs get such numbers as
// texts.
func (f *from) asCompared(op *language.Operator, x expr.Expr, n *message.Node, env expr.Names) (expr.Expr, error) {
	kind, wide := "", false
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
			for i := range a.Lit.Len() {
				wide = wide || k == value.TypeText && scalar.Wide(a.Lit.At(i).Text())
			}
		case a.Op == message.OpLit:
			k = expr.TypeOfValue(a.Lit)
			wide = wide || k == value.TypeText && scalar.Wide(a.Lit.Text())
		case isQuery(a):
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "give the type of the JSON to compare it with a query's column: write column.key.asText().%s(query), or .asNumber() or .asBool()", n.Name)
		case a.Op == message.OpList:
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "a list that JSON is compared with can't have columns in it: write a condition for each, and join them with ||")
		case op.Ast == sqlast.Is || op.Ast == sqlast.IsNot: // is and isNot treat null as a value
			// A null column, and JSON that is no number when read as one, are both null and would compare as equal.
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "give the type of the JSON to compare it with a column: write column.key.asText() === other, or .asNumber() or .asBool()")
		default:
			y, err := f.expr(a, env)
			if err != nil {
				return nil, err
			}
			k = y.Type().Kind
		}
		if scalar.NumberRank(k) > 0 {
			k = value.TypeFloat
		}
		if kind != "" && kind != k || k != value.TypeText && k != value.TypeFloat && k != value.TypeBool {
			return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "JSON can be compared with a text, a number, true or false; for anything else give its type: column.key.asText(), .asNumber() or .asBool(). A date in JSON is a text, like '2024-01-31'")
		}
		kind = k
	}
	switch {
	case kind == "":
		return x, nil
	case wide && op.Form == language.FormOrdered:
		return nil, fail.Errorf(fail.Invalid, language.Shown(n.Name), "JSON and a number beyond 2^53 can only be compared with === and !==: for < and > write column.key.asNumber(), and compare with a smaller number")
	case wide:
		return f.JSONShown(x), nil
	}
	return f.JSONAs(x, kind), nil
}

// typeOfItems returns the type of the values of a list. Numbers of different types become one type.
func typeOfItems(v value.Value) (string, error) {
	kind := value.TypeText // an empty list has the type text
	for i := range v.Len() {
		k := expr.TypeOfValue(v.At(i))
		if scalar.NumberRank(k) > 0 {
			k = value.TypeFloat
		}
		if i > 0 && k != kind {
			return "", fail.Errorf(fail.Invalid, "", "a list that JSON is compared with must have only texts or only numbers: write two conditions, and join them with ||")
		}
		kind = k
	}
	return kind, nil
}
