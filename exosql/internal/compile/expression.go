package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// expr is an expression over rows. It becomes SQL when it is known in which
// from it is used.
type expr interface {
	SQL(f *From) sqlast.Expr
	Type() Type
}

// Type is what the values of an expression are.
type Type struct {
	kind  string // a scalar type of exo
	exact bool   // a number that was calculated: on SQLite a whole number or the text of a decimal, on PostgreSQL a numeric
	size  digits // of a number, or of a text; zero: what its kind holds

	native decl.Native // of a text: the type that the database has it in
}

func (t Type) number() bool { return scalar.NumberRank(t.kind) > 0 }

// decimal reports whether comparing it needs exact numbers.
func (t Type) decimal() bool { return t.exact || t.kind == value.TypeDecimal }

type Column struct {
	row *occurrence
	col *decl.Column
}

func (e Column) SQL(f *From) sqlast.Expr {
	x := f.col(e.row, e.col)
	if e.col.Kind == value.TypeList && x != nil && e.form().Cast {
		return call(arrayOf(e.col, e.form()), x)
	}
	if x != nil && f.c.heldAs(e.col) != "" {
		return f.read(x, e.col)
	}
	return f.fitting(f.unindexed(x, e.row, e.col), e)
}

func (e Column) Type() Type {
	t := Type{kind: e.col.Kind}
	if t.kind == value.TypeText {
		t.native = e.form().Native
	}
	return t
}

// form is how the database holds the column.
func (e Column) form() decl.Form {
	if e.row == nil || e.row.form == nil { // on SQLite a text is a text
		return decl.Form{}
	}
	return e.row.form(e.col)
}

// comparable is the column as it can be compared and sorted: times on SQLite
// may be stored in many forms, so they are normalised unless declared ISO.
func (e Column) comparable(f *From) sqlast.Expr {
	x := f.col(e.row, e.col)
	if f.c.dialect == sqlast.Postgres {
		return e.comparablePostgres(x)
	}
	switch {
	case x == nil:
	case f.c.heldAs(e.col) != "":
		return f.read(x, e.col)
	case e.col.Kind == value.TypeTime && !e.col.Iso():
		return call(sqlast.AnyTime, x, x, x, x, x)
	}
	if e.col.Kind == value.TypeText && x != nil && f.c.formOf(e.col).Numbers { // its text, as it is shown
		return call(sqlast.CodePointText, x)
	}
	return f.fitting(f.unindexed(x, e.row, e.col), e)
}

// Operation is an operation on operands as they are compared.
type Operation struct {
	op   sqlast.Op
	args []expr
	of   Type
}

func (e Operation) Type() Type { return e.of }

func (e Operation) SQL(f *From) sqlast.Expr {
	if f.c.emitted++; f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	if f.c.dialect == sqlast.Postgres {
		if x := e.postgres(f); x != nil {
			return x
		}
	} else if x := e.withGuards(f); x != nil {
		return x
	} else if x := e.held(f); x != nil {
		return x
	}
	if s, ok := e.args[0].(subquery); ok && keying(e.op) { // within: an engine keeps the value, and would call it for each row
		return s.write(f, func(x expr, sub *From) sqlast.Expr { return Operation{e.op, []expr{x}, e.of}.SQL(sub) })
	}
	needed := f.c.needed
	f.c.needed = needed && (e.op == sqlast.And || e.op == sqlast.Or)
	defer func() { f.c.needed = needed }()
	c := sqlast.Call{Op: e.op}
	for _, a := range e.args {
		x := compared(a, f)
		if e.op == sqlast.IsNull || e.op == sqlast.IsNotNull {
			x = f.stored(a, e.op) // normalising would hide an index
		}
		if c, ok := a.(Column); ok && (e.op == sqlast.Coalesce || e.op == sqlast.NullIfNumber || e.op == sqlast.Case) && c.col.Kind == value.TypeDecimal { // else a function of ours finds no number in it
			if fits, _ := f.c.fit(c); fits != sqlast.NoOp {
				x = call(sqlast.Case, isValue(fits, x), x, sqlast.Null)
			}
		}
		c.Args = append(c.Args, x)
	}
	return c
}

type In struct {
	x    expr
	list []expr
	not  bool
}

func (e In) Type() Type { return Type{kind: value.TypeBool} }

func (e In) SQL(f *From) sqlast.Expr {
	x, list := f.heldList(e.x, e.list)
	needed := f.c.needed
	f.c.needed = false // of the operands
	defer func() { f.c.needed = needed }()
	in := sqlast.In{X: compared(x, f), Not: e.not}
	for _, a := range list {
		in.List = append(in.List, compared(a, f))
	}
	if c, ok := plainText(e.x).(Column); ok {
		_, held := x.(raw)
		if op, read := f.c.fit(c); needed && op != sqlast.NoOp && (!read || held) {
			if in.X = f.asStored(c); e.not && len(list) > 0 {
				return call(sqlast.And, in, isValue(op, in.X))
			}
		}
	}
	if e.not && len(e.list) == 0 {
		// To SQL a NULL is not in an empty list; notIn holds for no NULL.
		return call(sqlast.IsNotNull, e.x.SQL(f))
	}
	return in
}

// shown is an expression as a result shows it: a time exactly as it is compared,
// or a time that was read would not find the row that it came from. What can't be
// read as a time stays as it is, to be reported and not to pass for NULL.
func shown(e expr, f *From) sqlast.Expr {
	if f.c.dialect == sqlast.Postgres {
		return shownPostgres(e, f)
	}
	if s, ok := e.(subquery); ok {
		return s.shown(f)
	}
	if _, ok := e.(Column); !ok {
		return e.SQL(f)
	}
	f.c.raw++
	x := compared(e, f)
	f.c.raw--
	c, _ := x.(sqlast.Call)
	switch c.Op {
	case sqlast.AnyTime:
		return call(sqlast.Coalesce, x, c.Args[0])
	case sqlast.ReadTime, sqlast.ReadDay, sqlast.ReadFlag: // the cell itself might read as another value
		return call(sqlast.Coalesce, x, call(sqlast.TypeOf, c.Args[0]))
	}
	return x
}

// SortKey is an expression that is sorted by. A condition is negated twice:
// SQLite makes the constant of one that can't hold, like in([]), and takes a
// number that stands alone in ORDER BY for that of an output.
type SortKey struct{ x expr }

func (e SortKey) Type() Type { return e.x.Type() }

func (e SortKey) SQL(f *From) sqlast.Expr {
	if c, ok := e.x.(Column); ok && f.c.heldAs(c.col).Exact(c.col.Kind) {
		x := raw{c}.SQL(f)
		if op, _ := f.c.fit(c); op != sqlast.NoOp && x != nil {
			return call(sqlast.Case, isValue(op, x), x, sqlast.Null)
		}
		return x
	}
	if c, ok := e.x.(interface{ comparable(*From) sqlast.Expr }); ok && e.x.Type().kind == value.TypeTime {
		return c.comparable(f)
	}
	x := sorted(e.x).SQL(f)
	if e.x.Type().kind != value.TypeBool || x == nil {
		return x
	}
	if _, ok := e.x.(Column); ok {
		return x
	}
	return call(sqlast.Not, call(sqlast.Not, x))
}

// neverNull reports whether an expression has a value in every row. No index of PostgreSQL that was made
// without NULLS FIRST serves an order with it.
func (f *From) neverNull(e expr) bool {
	if s, ok := e.(SortKey); ok {
		e = s.x
	}
	e = plainText(e)
	if x, ok := e.(exactText); ok {
		e = x.x
	}
	c, ok := e.(Column)
	return ok && (!c.col.Null && !c.row.optional && !f.c.guards(c) || slices.Contains(f.valued, c))
}

// values are the columns that have a value wherever a condition holds.
func values(cond expr) (out []Column) {
	var x expr
	switch e := cond.(type) {
	case In:
		if e.not {
			return nil
		}
		x = e.x
	case Operation:
		switch e.op {
		case sqlast.Eq, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.Between, sqlast.IsNotNull:
		default:
			return nil
		}
		x = e.args[0]
	case Beyond:
		x = e.left[0]
	default:
		return nil
	}
	if c, ok := plainText(x).(Column); ok {
		out = append(out, c)
	}
	return out
}

func compared(e expr, f *From) sqlast.Expr {
	if c, ok := e.(interface{ comparable(*From) sqlast.Expr }); ok {
		return c.comparable(f)
	}
	return e.SQL(f)
}

func call(op sqlast.Op, args ...sqlast.Expr) sqlast.Expr { return sqlast.Call{Op: op, Args: args} }

// Beyond is that values come after others, by the first that differ.
type Beyond struct {
	left, right []expr
	desc        bool
}

func (Beyond) Type() Type { return Type{kind: value.TypeBool} }

func (e Beyond) SQL(f *From) sqlast.Expr {
	defer func(needed bool) { f.c.needed = needed }(f.c.needed)
	f.c.needed = false // of the operands
	b := sqlast.Beyond{Desc: e.desc}
	for i := range e.left {
		b.Left, b.Right = append(b.Left, compared(e.left[i], f)), append(b.Right, compared(e.right[i], f))
	}
	return b
}

// columnOf is a column of a row.
func columnOf(row *occurrence, col *decl.Column) Column { return Column{row, col} }

// apply is an operator applied to operands; of is what it gives.
func apply(op sqlast.Op, args []expr, of Type) Operation { return Operation{op, args, of} }

// inList is whether x is one of a list, or not.
func inList(x expr, list []expr, not bool) In { return In{x, list, not} }

// sortBy is x as rows are sorted by it.
func sortBy(x expr) SortKey { return SortKey{x} }
