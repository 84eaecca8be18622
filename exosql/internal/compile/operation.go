package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/number"
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
	of := exprType{kind: value.TypeBool}
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
		length := opExpr{sqlast.Length, texted([]expr{f.jsonAs(x, value.TypeText)}), exprType{kind: value.TypeInt}}
		return opExpr{sqlast.Coalesce, []expr{f.jsonAs(x, value.TypeInt), length}, exprType{kind: value.TypeInt}}, nil
	case op.Form == language.FormJSONToText:
		if len(jsonOf(x).keys) == 0 { // documents would all be null, and so one group
			return nil, fail.Errorf(fail.Invalid, "", "a whole JSON document is no text; take a key of it, like column.key, or column.asText() where it is a text itself")
		}
		text := exprType{kind: value.TypeText}
		digits := []expr{f.jsonAs(x, value.TypeJSON)} // or two ids beyond 2^53 would be one text
		if f.c.dialect == sqlast.Postgres {
			digits = slices.Repeat(digits, 5)
		}
		var all expr = f.toText(f.jsonAs(x, value.TypeBool))
		for _, e := range []expr{f.toText(f.jsonAs(x, value.TypeFloat)), opExpr{sqlast.JSONDigits, digits, text}, f.jsonAs(x, value.TypeText)} {
			all = opExpr{sqlast.Coalesce, []expr{e, all}, text}
		}
		return all, nil
	case op.Form == language.FormWhole:
		return f.whole(op, x, n), nil
	case op.Form == language.FormJSONHas:
		return f.has(op, x, n)
	case x.typ().kind == value.TypeJSON:
		if x, err = f.asCompared(x, n, env, op.Ast == sqlast.Is || op.Ast == sqlast.IsNot); err != nil {
			return nil, err
		}
		if x.typ().kind == value.TypeJSON {
			x = jsonNull{x}
		}
	}
	if op.Form == language.FormList && isQuery(n.Args[0]) {
		return f.among(x, n, env)
	}
	if op.Form == language.FormList {
		list, err := f.list(n.Args[0], x.typ().kind, env)
		if err != nil {
			return nil, err
		}
		f.handle(sqlast.Eq, append([]expr{x}, list...))
		all := f.keyed(append([]expr{x}, list...))
		return inExpr{all[0], all[1:], op.Name == "notIn"}, nil
	}
	if op.Form == language.FormTruncate {
		return f.truncate(x, n.Args[0].Lit.Text())
	}
	if op.Form == language.FormPlus {
		return f.plus(x, n, env)
	}
	args := []expr{x}
	for _, a := range n.Args {
		if a.Op == message.OpLit && a.Lit.IsNull() {
			args = append(args, nullExpr{}) // the shape of the message says that it is null
			continue
		}
		if a.Op == message.OpLit {
			args = append(args, f.literal(a, f.operandKind(op, n.Recv.Type, x)))
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
	return e, e.typ().fits(n.Name)
}

// operandKind is what a literal beside x is bound as.
func (f *from) operandKind(op *language.Operator, t *message.Type, x expr) string {
	switch op.Form {
	case language.FormHas:
		return t.Args["item"].Name
	case language.FormCompare, language.FormOrdered, language.FormSame, language.FormElapsed, language.FormDays:
		if op.Name != "case" {
			return x.typ().kind
		}
	}
	return ""
}

// operate applies an operator to its operands; of is what it gives.
func (f *from) operate(op *language.Operator, args []expr, of exprType) expr {
	switch op.Form {
	case language.FormCompare:
		if _, null := args[1].(nullExpr); null && op.Null {
			return opExpr{op.IfNull, args[:1], of}
		}
		if exact := f.keyComparison(f.plainer(op.Ast, args), args, of); exact != nil {
			return exact
		}
		return opExpr{f.plainer(op.Ast, args), f.comparison(op.Ast, args), of}
	case language.FormOrdered:
		_, column := args[0].(colExpr)
		if args[0].typ().kind == value.TypeText {
			args = f.inOrder(args)
		} else {
			args = f.comparison(op.Ast, args)
			_, column = args[0].(colExpr)
		}
		if op.Name == "between" && !column {
			// An operand that is an expression is not repeated: it could double with each level.
			if f.c.dialect == sqlast.Postgres {
				return opExpr{sqlast.Within, []expr{args[1], args[2], args[0]}, of}
			}
			return opExpr{sqlast.Between, args, of}
		} else if op.Name == "between" {
			return opExpr{sqlast.And, []expr{opExpr{sqlast.Ge, args[:2], of}, opExpr{sqlast.Le, []expr{args[0], args[2]}, of}}, of}
		}
		return opExpr{op.Ast, args, of}
	case language.FormNumber, language.FormReversed:
		return f.calculation(op, args, of)
	case language.FormText:
		args = texted(args)
		if op.Name == "prepend" {
			args = []expr{args[1], args[0]}
		}
		switch op.Ast {
		case sqlast.Concat, sqlast.Lower, sqlast.Upper:
			args = mapped(args, f.boundedText)
			fallthrough
		case sqlast.Trim:
			of.size = textSize(op.Ast, args)
		case sqlast.Includes:
			args = f.search(args)
		}
		return opExpr{op.Ast, args, of}
	case language.FormPattern, language.FormFolded:
		return f.match(op, args, of)
	case language.FormSame:
		return f.same(op, args, of)
	case language.FormSlice:
		return slice(op, args, of)
	case language.FormToText:
		return f.toText(args[0])
	case language.FormHas:
		has := op.Ast
		if args[1].typ().number() {
			has = sqlast.HasNumber
		}
		if _, ok := args[0].(subquery); ok && f.c.dialect == sqlast.Postgres { // = ANY (SELECT …) looks in its rows
			args[0] = opExpr{sqlast.Coalesce, []expr{args[0], nullExpr{}}, args[0].typ()}
		}
		return opExpr{has, []expr{args[1], args[0]}, of}
	case language.FormPart:
		if f.c.zoned {
			args[0] = f.local(args[0])
		}
		return f.part(op.Ast, args[0])
	case language.FormUTC:
		return f.part(op.Ast, args[0])
	case language.FormElapsed:
		return f.elapsed(op, args)
	case language.FormDays:
		return f.days(args)
	}
	return opExpr{op.Ast, args, of}
}

func texted(args []expr) []expr { return mapped(args, func(a expr) expr { return textExpr{a} }) }

func mapped[T any](args []expr, f func(expr) T) []T {
	out := make([]T, len(args))
	for i, a := range args {
		out[i] = f(a)
	}
	return out
}

// calculation is arithmetic: exact on every engine, see number.go.
func (f *from) calculation(op *language.Operator, args []expr, of exprType) expr {
	if op.Ast == sqlast.Round {
		places := expr(constExpr(sqlast.Zero))
		if len(args) > 1 {
			places = args[1].(argExpr).as(plan.ArgPlaces)
		}
		x := f.bounded(args[0])
		return opExpr{op.Ast, []expr{x, places}, exprType{kind: of.kind, exact: true, size: sizeOf(op.Ast, []expr{x})}}
	}
	out := make([]expr, len(args))
	for i, a := range args {
		out[i] = f.bounded(a)
	}
	if op.Form == language.FormReversed {
		out[0], out[1] = out[1], out[0]
	}
	return opExpr{op.Ast, out, exprType{kind: of.kind, exact: true, size: sizeOf(op.Ast, out)}}
}

func (f *from) match(op *language.Operator, args []expr, of exprType) expr {
	p := args[1].(argExpr)
	p.src.Pattern = true
	args = texted([]expr{args[0], p})
	if op.Form == language.FormFolded {
		f.handle(sqlast.Lower, args)
		for i, a := range args {
			a = f.boundedText(a)
			args[i] = opExpr{sqlast.Lower, []expr{a}, exprType{kind: value.TypeText, size: textSize(sqlast.Lower, []expr{a})}}
		}
	}
	f.handle(sqlast.Like, args[:1])
	m := opExpr{sqlast.Like, args, of}
	if op.Ast == sqlast.Not {
		return opExpr{sqlast.Not, []expr{m}, of}
	}
	return m
}

// same is an operator whose result is one of its operands.
func (f *from) same(op *language.Operator, args []expr, of exprType) expr {
	var head []expr
	if op.Ast == sqlast.Case {
		head, args = []expr{demanded(args[0])}, args[1:]
	}
	if of.kind == value.TypeText {
		of.native = lettered(nativeOf(args))
		args = texted(args)
		if made(args) {
			args = mapped(args, f.boundedText)
		}
		of.size = longest(args)
	} else {
		// Bounded here, where each is a column: what bounds an expression repeats it.
		args = mapped(args, func(a expr) expr {
			if a.typ().unbounded() {
				return f.bounded(a)
			}
			return a
		})
		args, of = f.alike(args)
		if of.exact { // all of them: a whole number beside a fraction, too
			args = mapped(args, f.exactly)
		}
		of.size = largest(args)
	}
	switch {
	case op.Ast == sqlast.NullIf && of.decimal():
		return opExpr{sqlast.NullIfNumber, args, of}
	case op.Ast == sqlast.NullIf && of.kind == value.TypeInterval:
		return opExpr{sqlast.NullIfInterval, args, of}
	}
	return opExpr{op.Ast, append(head[:len(head):len(head)], args...), of}
}

// slice is a part of a text, up to a position or, of substr, of a length.
func slice(op *language.Operator, args []expr, of exprType) expr {
	start := args[1].(argExpr).as(plan.ArgPosition)
	var end argExpr
	if len(args) > 2 {
		end = args[2].(argExpr).as(plan.ArgLength)
		if op.Name != "substr" {
			end.src.From = start.src.Index + 1
		}
		if op.Name == "substring" { // whichever comes first, as in JavaScript
			start.src.Or, end.src.Swap = end.src.Index+1, true
		}
	}
	out := []expr{textExpr{args[0]}, start}
	if len(args) > 2 {
		out = append(out, end)
	}
	of.size = textSize(sqlast.Substr, out)
	return opExpr{sqlast.Substr, out, of}
}

func (f *from) toText(x expr) expr {
	text := exprType{kind: value.TypeText, size: digits{whole: 2*number.MaxNumeric + 2}}
	switch t := x.typ(); {
	case t.number():
		return opExpr{sqlast.NumberText, []expr{f.bounded(x)}, text}
	case t.kind == value.TypeBool:
		return opExpr{sqlast.ByTruth, []expr{x}, text}
	case t.kind == value.TypeTime:
		return opExpr{sqlast.TimeText, []expr{x}, text}
	case t.kind == value.TypeDate:
		return opExpr{sqlast.DateText, []expr{x}, text}
	}
	return textExpr{x}
}

// plainer makes = of a null-safe comparison in which nothing can be null: an
// index serves = everywhere.
func (f *from) plainer(op sqlast.Op, args []expr) sqlast.Op {
	for _, a := range args {
		switch a := a.(type) {
		case colExpr:
			if a.col.Null || a.row.optional || op == sqlast.IsNot && f.c.guards(a) {
				return op
			}
		case argExpr: // one that is null has become isNull already
		default:
			return op
		}
	}
	switch op {
	case sqlast.Is:
		return sqlast.Eq
	case sqlast.IsNot:
		return sqlast.Ne
	}
	return op
}

// literal is a value of the message, bound as of the given kind, or as what it is.
func (f *from) literal(n *message.Node, kind string) argExpr {
	e := argExpr{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}, kind: typeOfValue(n.Lit)}
	return e.beside(kind)
}

// beside is the value bound as what it was written for: a text as a decimal or a day.
func (e argExpr) beside(kind string) argExpr {
	if casts[kind] != sqlast.NoCast && e.kind != kind || kind == value.TypeFloat && e.kind == value.TypeInt {
		return e.as(kind)
	}
	return e
}

func typeOfValue(v value.Value) string { return scalarOf(v.Type()) }

// scalarOf is the type of what is bound as one argument: null for what has parts.
func scalarOf(typ string) string {
	switch typ {
	case value.TypeList, value.TypeRecord, value.TypeRows, value.TypeRef, "":
		return value.TypeNull
	}
	return typ
}

// list makes the placeholders of a list: as many as the class of its length, so
// that a few plans serve all lengths. Its numbers are of one kind, the least that
// holds all: which of them are whole is no part of the message's shape.
func (f *from) list(n *message.Node, kind string, env names) ([]expr, error) {
	var out []expr
	if n.Op == message.OpLit {
		item := argExpr{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot}}
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
			out = append(out, f.literal(a, kind))
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

// constExpr is a constant of a statement's text.
type constExpr sqlast.Const

func (e constExpr) sql(*from) sqlast.Expr { return sqlast.Const(e) }

func (e constExpr) typ() exprType { return exprType{kind: value.TypeInt} }

// predicate makes the SQL of a shaper's predicate for one row. origin says whose
// arguments its values are.
func (f *from) predicate(p *decl.Pred, row *occurrence, origin plan.Origin) sqlast.Expr {
	if p == nil {
		return sqlast.False // the zero predicate
	}
	switch p.Op {
	case "all":
		return sqlast.True
	case "and", "or", "not":
		if len(p.Subs) == 0 {
			return sqlast.False
		}
		c := sqlast.Call{Op: language.OperatorByName()[p.Op].Ast}
		for _, s := range p.Subs {
			c.Args = append(c.Args, f.predicate(s, row, origin))
		}
		return c
	}
	f.c.raw++ // of the host
	defer func() { f.c.raw-- }()
	args := []expr{colExpr{row, p.Col}}
	for _, v := range p.Args {
		e := argExpr{src: plan.Source{Origin: origin, Index: v.Slot, Item: -1}, kind: scalarOf(v.Kind)}
		args = append(args, e.beside(p.Col.Kind))
	}
	op := language.OperatorOn()[language.ColumnInterfaces[p.Col.Kind]][p.Op]
	if op == nil { // a host may order what programs can't, like truth values
		op = language.OperatorByName()[p.Op]
	}
	if exact := f.holdsExactly(op, colExpr{row, p.Col}, args[1:]); exact != nil {
		return exact
	}
	if op.Form == language.FormList {
		all := f.keyed(args)
		return inExpr{all[0], all[1:], op.Name == "notIn"}.sql(f)
	}
	return f.operate(op, args, exprType{kind: value.TypeBool}).sql(f)
}
