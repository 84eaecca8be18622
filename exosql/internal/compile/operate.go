package compile

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file applies the operators of the language to expressions.

// operate applies an operator to its operands; of is what it gives.
func (f *From) operate(op *language.Operator, args []expr, of Type) expr {
	switch op.Form {
	case language.FormCompare:
		if _, null := args[1].(Null); null && op.Null {
			return Operation{op.IfNull, args[:1], of}
		}
		if exact := f.keyComparison(f.plainer(op.Ast, args), args, of); exact != nil {
			return exact
		}
		return Operation{f.plainer(op.Ast, args), f.comparison(op.Ast, args), of}
	case language.FormOrdered:
		_, column := args[0].(Column)
		if args[0].Type().kind == value.TypeText {
			args = f.inOrder(args)
		} else {
			args = f.comparison(op.Ast, args)
			_, column = args[0].(Column)
		}
		if op.Name == "between" && !column {
			// An operand that is an expression is not repeated: it could double with each level.
			if f.c.dialect == sqlast.Postgres {
				return Operation{sqlast.Within, []expr{args[1], args[2], args[0]}, of}
			}
			return Operation{sqlast.Between, args, of}
		} else if op.Name == "between" {
			return Operation{sqlast.And, []expr{Operation{sqlast.Ge, args[:2], of}, Operation{sqlast.Le, []expr{args[0], args[2]}, of}}, of}
		}
		return Operation{op.Ast, args, of}
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
		return Operation{op.Ast, args, of}
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
		if args[1].Type().number() {
			has = sqlast.HasNumber
		}
		if _, ok := args[0].(subquery); ok && f.c.dialect == sqlast.Postgres { // = ANY (SELECT …) looks in its rows
			args[0] = Operation{sqlast.Coalesce, []expr{args[0], Null{}}, args[0].Type()}
		}
		return Operation{has, []expr{args[1], args[0]}, of}
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
	return Operation{op.Ast, args, of}
}

// calculation is arithmetic: exact on every engine, see number.go.
func (f *From) calculation(op *language.Operator, args []expr, of Type) expr {
	if op.Ast == sqlast.Round {
		places := expr(Const(sqlast.Zero))
		if len(args) > 1 {
			places = args[1].(Argument).as(plan.ArgPlaces)
		}
		x := f.bounded(args[0])
		return Operation{op.Ast, []expr{x, places}, Type{kind: of.kind, exact: true, size: sizeOf(op.Ast, []expr{x})}}
	}
	out := make([]expr, len(args))
	for i, a := range args {
		out[i] = f.bounded(a)
	}
	if op.Form == language.FormReversed {
		out[0], out[1] = out[1], out[0]
	}
	return Operation{op.Ast, out, Type{kind: of.kind, exact: true, size: sizeOf(op.Ast, out)}}
}

func (f *From) match(op *language.Operator, args []expr, of Type) expr {
	p := args[1].(Argument)
	p.src.Pattern = true
	args = texted([]expr{args[0], p})
	if op.Form == language.FormFolded {
		f.handle(sqlast.Lower, args)
		for i, a := range args {
			a = f.boundedText(a)
			args[i] = Operation{sqlast.Lower, []expr{a}, Type{kind: value.TypeText, size: textSize(sqlast.Lower, []expr{a})}}
		}
	}
	f.handle(sqlast.Like, args[:1])
	m := Operation{sqlast.Like, args, of}
	if op.Ast == sqlast.Not {
		return Operation{sqlast.Not, []expr{m}, of}
	}
	return m
}

// same is an operator whose result is one of its operands.
func (f *From) same(op *language.Operator, args []expr, of Type) expr {
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
			if a.Type().unbounded() {
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
		return Operation{sqlast.NullIfNumber, args, of}
	case op.Ast == sqlast.NullIf && of.kind == value.TypeInterval:
		return Operation{sqlast.NullIfInterval, args, of}
	}
	return Operation{op.Ast, append(head[:len(head):len(head)], args...), of}
}

func (f *From) toText(x expr) expr {
	text := Type{kind: value.TypeText, size: digits{whole: 2*number.MaxNumeric + 2}}
	switch t := x.Type(); {
	case t.number():
		return Operation{sqlast.NumberText, []expr{f.bounded(x)}, text}
	case t.kind == value.TypeBool:
		return Operation{sqlast.ByTruth, []expr{x}, text}
	case t.kind == value.TypeTime:
		return Operation{sqlast.TimeText, []expr{x}, text}
	case t.kind == value.TypeDate:
		return Operation{sqlast.DateText, []expr{x}, text}
	}
	return Text{x}
}

// plainer makes = of a null-safe comparison in which nothing can be null: an
// index serves = everywhere.
func (f *From) plainer(op sqlast.Op, args []expr) sqlast.Op {
	for _, a := range args {
		switch a := a.(type) {
		case Column:
			if a.col.Null || a.row.optional || op == sqlast.IsNot && f.c.guards(a) {
				return op
			}
		case Argument: // one that is null has become isNull already
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

// predicate makes the SQL of a shaper's predicate for one row. origin says whose
// arguments its values are.
func (f *From) predicate(p *decl.Pred, row *occurrence, origin plan.Origin) sqlast.Expr {
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
	args := []expr{Column{row, p.Col}}
	for _, v := range p.Args {
		e := Argument{src: plan.Source{Origin: origin, Index: v.Slot, Item: -1}, kind: scalarOf(v.Kind)}
		args = append(args, e.beside(p.Col.Kind))
	}
	op := language.OperatorOn()[language.ColumnInterfaces[p.Col.Kind]][p.Op]
	if op == nil { // a host may order what programs can't, like truth values
		op = language.OperatorByName()[p.Op]
	}
	if exact := f.holdsExactly(op, Column{row, p.Col}, args[1:]); exact != nil {
		return exact
	}
	if op.Form == language.FormList {
		all := f.keyed(args)
		return In{all[0], all[1:], op.Name == "notIn"}.SQL(f)
	}
	return f.operate(op, args, Type{kind: value.TypeBool}).SQL(f)
}

func texted(args []expr) []expr { return mapped(args, func(a expr) expr { return Text{a} }) }

func mapped[T any](args []expr, f func(expr) T) []T {
	out := make([]T, len(args))
	for i, a := range args {
		out[i] = f(a)
	}
	return out
}

// slice is a part of a text, up to a position or, of substr, of a length.
func slice(op *language.Operator, args []expr, of Type) expr {
	start := args[1].(Argument).as(plan.ArgPosition)
	var end Argument
	if len(args) > 2 {
		end = args[2].(Argument).as(plan.ArgLength)
		if op.Name != "substr" {
			end.src.From = start.src.Index + 1
		}
		if op.Name == "substring" { // whichever comes first, as in JavaScript
			start.src.Or, end.src.Swap = end.src.Index+1, true
		}
	}
	out := []expr{Text{args[0]}, start}
	if len(args) > 2 {
		out = append(out, end)
	}
	of.size = textSize(sqlast.Substr, out)
	return Operation{sqlast.Substr, out, of}
}
