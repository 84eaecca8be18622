package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// expr is an expression over rows. It becomes SQL when it is known in which
// from it is used.
type expr interface {
	sql(f *from) sqlast.Expr
	typ() exprType
}

// exprType is what the values of an expression are.
type exprType struct {
	kind  string // a scalar type of exo
	exact bool   // a number that was calculated: on SQLite a whole number or the text of a decimal, on PostgreSQL a numeric
	size  digits // of a number, or of a text; zero: what its kind holds

	native decl.Native // of a text: the type that the database has it in
}

func (t exprType) number() bool { return scalar.NumberRank(t.kind) > 0 }

// decimal reports whether comparing it needs exact numbers.
func (t exprType) decimal() bool { return t.exact || t.kind == value.TypeDecimal }

type colExpr struct {
	row *occurrence
	col *decl.Column
}

func (e colExpr) sql(f *from) sqlast.Expr {
	x := f.col(e.row, e.col)
	if e.col.Kind == value.TypeList && x != nil && e.form().Cast {
		return call(arrayOf(e.col, e.form()), x)
	}
	if x != nil && f.c.heldAs(e.col) != "" {
		return f.read(x, e.col)
	}
	return f.fitting(f.unindexed(x, e.row, e.col), e)
}

func (e colExpr) typ() exprType {
	t := exprType{kind: e.col.Kind}
	if t.kind == value.TypeText {
		t.native = e.form().Native
	}
	return t
}

// form is how the database holds the column.
func (e colExpr) form() decl.Form {
	if e.row == nil || e.row.form == nil { // on SQLite a text is a text
		return decl.Form{}
	}
	return e.row.form(e.col)
}

// comparable is the column as it can be compared and sorted: times on SQLite
// may be stored in many forms, so they are normalised unless declared ISO.
func (e colExpr) comparable(f *from) sqlast.Expr {
	x := f.col(e.row, e.col)
	if f.c.dialect == sqlast.Postgres {
		return f.fitting(e.comparablePostgres(x), e)
	}
	switch {
	case x == nil:
	case f.c.heldAs(e.col) != "":
		return f.read(x, e.col)
	case e.col.Kind == value.TypeTime && !e.col.Iso():
		return call(sqlast.AnyTime, x, x, x, x, x)
	}
	if e.col.Kind == value.TypeText && x != nil && f.c.form(e.col).Numbers { // its text, as it is shown
		return call(sqlast.CodePointText, x)
	}
	return f.fitting(f.unindexed(x, e.row, e.col), e)
}

// argExpr is a value of the program or of the host, bound to a placeholder of its own
// wherever it is used.
type argExpr struct {
	src  plan.Source
	kind string
	size digits
}

func (e argExpr) sql(f *from) sqlast.Expr { return f.c.arg(e.src) }

func (e argExpr) typ() exprType { return exprType{kind: e.kind, size: e.size} }

// as is the value bound as one of another kind.
func (e argExpr) as(kind string) argExpr {
	e.size = e.typ().digits() // a whole number stays one
	e.kind, e.src.Kind = kind, kind
	return e
}

// opExpr is an operation on operands as they are compared.
type opExpr struct {
	op   sqlast.Op
	args []expr
	of   exprType
}

func (e opExpr) typ() exprType { return e.of }

func (e opExpr) sql(f *from) sqlast.Expr {
	if f.c.emitted++; f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	if x := e.withGuards(f); x != nil {
		return x
	} else if f.c.dialect == sqlast.Postgres {
		if x := e.postgres(f); x != nil {
			return x
		}
	} else if x := e.held(f); x != nil {
		return x
	}
	if s, ok := e.args[0].(subquery); ok && keying(e.op) { // within: an engine keeps the value, and would call it for each row
		return s.write(f, func(x expr, sub *from) sqlast.Expr { return opExpr{e.op, []expr{x}, e.of}.sql(sub) })
	}
	needed := f.c.needed
	f.c.needed = needed && (e.op == sqlast.And || e.op == sqlast.Or)
	defer func() { f.c.needed = needed }()
	c := sqlast.Call{Op: e.op}
	for _, a := range e.args {
		x := compared(a, f)
		if e.op == sqlast.IsNull || e.op == sqlast.IsNotNull {
			x = f.stored(a, e.op)                             // normalising would hide an index
			if n := a.typ().native; !n.Text() && !n.Ordered { // a composite IS NULL where its fields are, and may be neither that nor not
				return call(map[sqlast.Op]sqlast.Op{sqlast.IsNull: sqlast.Is, sqlast.IsNotNull: sqlast.IsNot}[e.op], x, sqlast.Null)
			}
		}
		if c, ok := a.(colExpr); ok && (e.op == sqlast.Coalesce || e.op == sqlast.NullIfNumber || e.op == sqlast.Case) && c.col.Kind == value.TypeDecimal { // else a function of ours finds no number in it
			if fits, _ := f.c.fit(c); fits != sqlast.NoOp {
				x = call(sqlast.Case, f.isValue(fits, x), x, sqlast.Null)
			}
		}
		c.Args = append(c.Args, x)
	}
	return c
}

type inExpr struct {
	x    expr
	list []expr
	not  bool
}

func (e inExpr) typ() exprType { return exprType{kind: value.TypeBool} }

func (e inExpr) sql(f *from) sqlast.Expr {
	x, list := f.heldList(e.x, e.list)
	needed := f.c.needed
	f.c.needed = false // of the operands
	defer func() { f.c.needed = needed }()
	in := sqlast.In{X: compared(x, f), Not: e.not}
	for _, a := range list {
		in.List = append(in.List, compared(a, f))
	}
	if c, ok := plainText(e.x).(colExpr); ok {
		_, held := x.(rawExpr)
		if op, read := f.c.fit(c); needed && op != sqlast.NoOp && (!read || held) {
			guard := f.isValue(op, f.asStored(c))
			if in.X = f.asStored(c); f.c.dialect == sqlast.Postgres {
				in.X = f.unguarded(func() sqlast.Expr { return compared(x, f) })
			}
			if e.not && len(list) > 0 {
				return call(sqlast.And, in, guard)
			}
		}
	}
	if e.not && len(e.list) == 0 {
		// To SQL a NULL is not in an empty list; notIn holds for no NULL.
		return call(sqlast.IsNotNull, e.x.sql(f))
	}
	return in
}

// shown is an expression as a result shows it: a time exactly as it is compared,
// or a time that was read would not find the row that it came from. What can't be
// read as a time stays as it is, to be reported and not to pass for NULL.
func shown(e expr, f *from) sqlast.Expr {
	if f.c.dialect == sqlast.Postgres {
		return shownPostgres(e, f)
	}
	if s, ok := e.(subquery); ok {
		return s.shown(f)
	}
	if _, ok := e.(colExpr); !ok {
		return e.sql(f)
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

// sortExpr is an expression that is sorted by. A condition is negated twice:
// SQLite makes the constant of one that can't hold, like in([]), and takes a
// number that stands alone in ORDER BY for that of an output.
type sortExpr struct {
	x      expr
	stored bool // a column, as it lies in the database: see inStoredOrder
}

func (e sortExpr) typ() exprType { return e.x.typ() }

func (e sortExpr) sql(f *from) sqlast.Expr {
	if e.stored {
		f.c.raw++
		defer func() { f.c.raw-- }()
	}
	if c, ok := e.x.(colExpr); ok && f.c.heldAs(c.col).Exact(c.col.Kind) {
		x := rawExpr{c}.sql(f)
		if op, _ := f.c.fit(c); op != sqlast.NoOp && x != nil {
			return call(sqlast.Case, f.isValue(op, x), x, sqlast.Null)
		}
		return x
	}
	if c, ok := e.x.(interface{ comparable(*from) sqlast.Expr }); ok && e.x.typ().kind == value.TypeTime {
		return c.comparable(f)
	}
	x := sorted(e.x).sql(f)
	if e.x.typ().kind != value.TypeBool || x == nil {
		return x
	}
	if _, ok := e.x.(colExpr); ok {
		return x
	}
	return call(sqlast.Not, call(sqlast.Not, x))
}

// neverNull reports whether an expression has a value in every row. No index of PostgreSQL that was made
// without NULLS FIRST serves an order with it.
func (f *from) neverNull(e expr) bool {
	s, _ := e.(sortExpr)
	if s.x != nil {
		e = s.x
	}
	e = plainText(e)
	if x, ok := e.(exactText); ok {
		e = x.x
	}
	c, ok := e.(colExpr)
	return ok && (!c.col.Null && !c.row.optional && (s.stored || !f.c.guards(c)) || slices.Contains(f.valued, c))
}

// values are the columns that have a value wherever a condition holds.
func values(cond expr) (out []colExpr) {
	var x expr
	switch e := cond.(type) {
	case inExpr:
		if e.not {
			return nil
		}
		x = e.x
	case opExpr:
		switch e.op {
		case sqlast.Eq, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.Between, sqlast.IsNotNull:
		default:
			return nil
		}
		x = e.args[0]
	case beyondExpr:
		x = e.left[0]
	default:
		return nil
	}
	if c, ok := plainText(x).(colExpr); ok {
		out = append(out, c)
	}
	return out
}

func compared(e expr, f *from) sqlast.Expr {
	if c, ok := e.(interface{ comparable(*from) sqlast.Expr }); ok {
		return c.comparable(f)
	}
	return e.sql(f)
}

func call(op sqlast.Op, args ...sqlast.Expr) sqlast.Expr { return sqlast.Call{Op: op, Args: args} }
