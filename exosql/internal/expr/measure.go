package expr

// This file has measures. They use the same operators as a program's own aggregate with a
// condition, so guards and misfits (see misfit.go) and the bounds of numbers are the same.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Measure returns a measure of row's table, over the query's rows that meet the conditions.
func (f *From) Measure(m *decl.Measure, row *Row, within []Expr) (Expr, error) {
	if m.Func == "" {
		return f.ratio(m, m.Num, m.Den, func(part *decl.Measure) (Expr, error) { return f.Measure(part, row, within) })
	}
	within = slices.Clip(within)
	if m.Where != nil {
		within = append(within, f.condition(m.Where, row))
	}
	if m.Func == language.Count {
		if m.Col != nil { // a mean counts only rows with a value
			within = append(within, Operation{sqlast.IsNotNull, []Expr{f.summed(Column{row, m.Col})}, Type{Kind: value.TypeBool}})
		}
		if row.Optional { // a left join without a match made this row
			present := row.Table.Keys // keys, or the columns that joined the row, are never null in an existing row
			if len(present) == 0 && row.By != nil {
				present = row.By.Ends()
			}
			if len(present) == 0 {
				return nil, fail.Errorf(fail.Denied, m.Name, "can't be measured after leftJoin: its table has no key, so rows without a match would be counted; use join")
			}
			for _, k := range present {
				within = append(within, Operation{sqlast.IsNotNull, []Expr{Column{row, k}}, Type{Kind: value.TypeBool}})
			}
		}
		return f.Aggregate(m.Func, nil, within)
	}
	return f.Aggregate(m.Func, Column{row, m.Col}, within)
}

// ratio divides the part num of a measure by its part den.
func (f *From) ratio(m, num, den *decl.Measure, value func(part *decl.Measure) (Expr, error)) (Expr, error) {
	a, err := value(num)
	if err != nil {
		return nil, err
	}
	b, err := value(den)
	if err != nil {
		return nil, err
	}
	e := f.Operate(language.OperatorByName()["div"], []Expr{a, b}, Type{Kind: m.Kind()})
	return e, e.Type().Fits(m.Name)
}

// Total returns a measure over the rows of all groups that meet the conditions. each returns the measure of one group. A mean or a ratio is
// calculated from sums and counts, not from the means or ratios of the groups.
func (f *From) Total(m *decl.Measure, within []Expr, each func(part *decl.Measure) (Expr, error)) (Expr, error) {
	total := func(part *decl.Measure) (Expr, error) { return f.Total(part, within, each) }
	name := m.Func
	switch name {
	case "":
		return f.ratio(m, m.Num, m.Den, total)
	case language.Avg:
		return f.ratio(m, &decl.Measure{Name: m.Name, Func: language.Sum, Col: m.Col, Where: m.Where}, &decl.Measure{Name: m.Name, Func: language.Count, Col: m.Col, Where: m.Where}, total)
	case language.Count:
		name = language.Sum
	}
	x, err := each(m)
	if err != nil {
		return nil, err
	}
	if x, err = f.Aggregate(name, x, within); err == nil && m.Func == language.Count {
		x = Operation{sqlast.Coalesce, []Expr{x, Const(sqlast.Zero)}, x.Type()}
	}
	return x, err
}

// condition converts a predicate of the host to a condition like a program's.
func (f *From) condition(p *decl.Pred, row *Row) Expr {
	truth := Type{Kind: value.TypeBool}
	switch p.Op {
	case "all":
		return Const(sqlast.True)
	case "and", "or", "not":
		e := Operation{Op: language.OperatorByName()[p.Op].Ast, of: truth}
		for _, s := range p.Subs {
			e.Args = append(e.Args, f.condition(s, row))
		}
		return e
	}
	op, args := compared(p, row, row.Grant.Origin)
	if op.Form == language.FormList {
		all := f.Keyed(args)
		return In{all[0], all[1:], op.Name == "notIn"}
	}
	return f.Operate(op, args, truth)
}

// compared returns the operator and the operands of a predicate of the host.
func compared(p *decl.Pred, row *Row, origin plan.Origin) (*language.Operator, []Expr) {
	args := []Expr{Column{row, p.Col}}
	for _, v := range p.Args {
		e := Argument{Src: plan.Source{Origin: origin, Index: v.Slot, Item: -1}, Kind: ScalarOf(v.Kind)}
		args = append(args, e.Beside(p.Col.Kind))
	}
	op := language.OperatorOn()[language.ColumnInterfaces[p.Col.Kind]][p.Op]
	if op == nil { // the host may compare by order what programs can't, like truth values
		op = language.OperatorByName()[p.Op]
	}
	return op, args
}
