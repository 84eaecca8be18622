package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file applies the operators of the language to expressions.

// Operate applies an operator to its operands. of is the type of the result.
func (f *From) Operate(op *language.Operator, args []Expr, of Type) Expr {
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
		if args[0].Type().Kind == value.TypeText {
			args = f.InOrder(args)
		} else {
			args = f.comparison(op.Ast, args)
			_, column = args[0].(Column)
		}
		if op.Name == "between" && !column {
			// An operand that is an expression must not be repeated, since its size could double with each level.
			if f.c.Dialect == sqlast.Postgres {
				return Operation{sqlast.Within, []Expr{args[1], args[2], args[0]}, of}
			}
			return Operation{sqlast.Between, args, of}
		} else if op.Name == "between" {
			return Operation{sqlast.And, []Expr{Operation{sqlast.Ge, args[:2], of}, Operation{sqlast.Le, []Expr{args[0], args[2]}, of}}, of}
		}
		return Operation{op.Ast, args, of}
	case language.FormNumber, language.FormReversed:
		return f.calculation(op, args, of)
	case language.FormText:
		args = texted(args)
		if op.Name == "prepend" {
			args = []Expr{args[1], args[0]}
		}
		switch op.Ast {
		case sqlast.Concat, sqlast.Lower, sqlast.Upper:
			args = Mapped(args, f.boundedText)
			fallthrough
		case sqlast.Trim:
			of.Size = textSize(op.Ast, args)
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
		return f.ToText(args[0])
	case language.FormHas:
		has := op.Ast
		if args[1].Type().Number() {
			has = sqlast.HasNumber
		}
		if _, ok := args[0].(Subquery); ok && f.c.Dialect == sqlast.Postgres { // = ANY (SELECT …) would compare with the subquery's rows, not with the array in its row
			args[0] = Operation{sqlast.Coalesce, []Expr{args[0], Null{}}, args[0].Type()}
		}
		return Operation{has, []Expr{args[1], args[0]}, of}
	case language.FormPart:
		if f.c.Zoned {
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

// calculation writes arithmetic, which is exact on both engines: see package number.
func (f *From) calculation(op *language.Operator, args []Expr, of Type) Expr {
	if op.Ast == sqlast.Round {
		places := Expr(Const(sqlast.Zero))
		if len(args) > 1 {
			places = args[1].(Argument).As(plan.ArgPlaces)
		}
		x := f.bounded(args[0])
		return Operation{op.Ast, []Expr{x, places}, Type{Kind: of.Kind, Exact: true, Size: sizeOf(op.Ast, []Expr{x})}}
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = f.bounded(a)
	}
	if op.Form == language.FormReversed {
		out[0], out[1] = out[1], out[0]
	}
	return Operation{op.Ast, out, Type{Kind: of.Kind, Exact: true, Size: sizeOf(op.Ast, out)}}
}

func (f *From) match(op *language.Operator, args []Expr, of Type) Expr {
	p := args[1].(Argument)
	p.Src.Pattern = true
	args = texted([]Expr{args[0], p})
	if op.Form == language.FormFolded {
		f.Handle(sqlast.Lower, args)
		for i, a := range args {
			a = f.boundedText(a)
			args[i] = Operation{sqlast.Lower, []Expr{a}, Type{Kind: value.TypeText, Size: textSize(sqlast.Lower, []Expr{a})}}
		}
	}
	f.Handle(sqlast.Like, args[:1])
	m := Operation{sqlast.Like, args, of}
	if op.Ast == sqlast.Not {
		return Operation{sqlast.Not, []Expr{m}, of}
	}
	return m
}

// same applies an operator that returns one of its operands.
func (f *From) same(op *language.Operator, args []Expr, of Type) Expr {
	var head []Expr
	if op.Ast == sqlast.Case {
		head, args = []Expr{Demanded(args[0])}, args[1:]
	}
	if of.Kind == value.TypeText {
		of.Native = Lettered(NativeOf(args))
		args = texted(args)
		if made(args) {
			args = Mapped(args, f.boundedText)
		}
		of.Size = Longest(args)
	} else {
		// Each operand gets its bound here, where it may still be a plain column: a bound repeats its operand, which must not be a long expression.
		args = Mapped(args, func(a Expr) Expr {
			if a.Type().unbounded() {
				return f.bounded(a)
			}
			return a
		})
		args, of = f.alike(args)
		if of.Exact { // all operands become exact, even whole numbers, if one has a fraction
			args = Mapped(args, f.Exactly)
		}
		of.Size = Largest(args)
	}
	switch {
	case op.Ast == sqlast.NullIf && of.Decimal():
		return Operation{sqlast.NullIfNumber, args, of}
	case op.Ast == sqlast.NullIf && of.Kind == value.TypeInterval:
		return Operation{sqlast.NullIfInterval, args, of}
	}
	return Operation{op.Ast, append(head[:len(head):len(head)], args...), of}
}

func (f *From) ToText(x Expr) Expr {
	text := Type{Kind: value.TypeText, Size: Digits{Whole: 2*number.MaxNumeric + 2}}
	switch t := x.Type(); {
	case t.Number():
		return Operation{sqlast.NumberText, []Expr{f.bounded(x)}, text}
	case t.Kind == value.TypeBool:
		return Operation{sqlast.ByTruth, []Expr{x}, text}
	case t.Kind == value.TypeTime:
		return Operation{sqlast.TimeText, []Expr{x}, text}
	case t.Kind == value.TypeDate:
		return Operation{sqlast.DateText, []Expr{x}, text}
	}
	return Text{x}
}

// plainer turns a null-safe comparison into = if neither operand can be null, since indexes serve =
// on both engines.
func (f *From) plainer(op sqlast.Op, args []Expr) sqlast.Op {
	for _, a := range args {
		switch a := a.(type) {
		case Column:
			if f.mayBeNull(a) || op == sqlast.IsNot && f.c.Misfits(a) {
				return op
			}
		case Argument: // comparisons with null have become isNull before this
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

// Predicate writes a predicate of the host for one row. origin has the arguments with its values.
func (f *From) Predicate(p *decl.Pred, row *Row, origin plan.Origin) sqlast.Expr {
	if p == nil {
		return sqlast.False // the zero predicate admits no row
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
			c.Args = append(c.Args, f.Predicate(s, row, origin))
		}
		return c
	}
	f.c.Raw++ // conditions of the host have no guards: see misfit.go
	defer func() { f.c.Raw-- }()
	op, args := compared(p, row, origin)
	if exact := f.holdsExactly(op, Column{row, p.Col}, args[1:]); exact != nil {
		return exact
	}
	if op.Form == language.FormList {
		all := f.Keyed(args)
		return In{all[0], all[1:], op.Name == "notIn"}.SQL(f)
	}
	return f.Operate(op, args, Type{Kind: value.TypeBool}).SQL(f)
}

// slice returns a part of a text, from a position to another or, for substr, of a length.
func slice(op *language.Operator, args []Expr, of Type) Expr {
	start := args[1].(Argument).As(plan.ArgPosition)
	var end Argument
	if len(args) > 2 {
		end = args[2].(Argument).As(plan.ArgLength)
		if op.Name != "substr" {
			end.Src.From = start.Src.Index + 1
		}
		if op.Name == "substring" { // in JavaScript's substring, the smaller position is the start
			start.Src.Or, end.Src.Swap = end.Src.Index+1, true
		}
	}
	out := []Expr{Text{args[0]}, start}
	if len(args) > 2 {
		out = append(out, end)
	}
	of.Size = textSize(sqlast.Substr, out)
	return Operation{sqlast.Substr, out, of}
}

// holdsExactly writes a condition of the host on a column that compares more widely than exact. It returns nil if that makes no difference.
func (f *From) holdsExactly(op *language.Operator, x Column, args []Expr) sqlast.Expr {
	if !f.c.Wider(x.Col) {
		return nil
	}
	truth := Type{Kind: value.TypeBool}
	by := func(x Expr) Expr {
		with := append([]Expr{x}, args...)
		if op.Form == language.FormList {
			all := f.Keyed(with)
			return In{all[0], all[1:], op.Name == "notIn"}
		}
		return f.Operate(op, with, truth)
	}
	switch {
	case op.Name == "eq" || op.Name == "in":
		return Operation{sqlast.And, []Expr{by(f.own(x)), by(ExactText{x})}, truth}.SQL(f)
	case op.Name == "ne" || op.Name == "notIn", op.Form == language.FormOrdered && f.c.Dialect == sqlast.SQLite: // PostgreSQL sorts by characters anyway, so only SQLite needs this for orders
		return by(ExactText{x}).SQL(f)
	}
	return nil
}
