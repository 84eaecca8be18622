package compile

// This file builds the statements of a write: the one that changes or inserts rows, and the queries
// before and after it. Package writing decides what may be written.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sealed"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Assigned is a column of a written row and its value. The value is Src, unless it is Null or an output calculates it.
type Assigned struct {
	Col    *decl.Column
	Src    plan.Source
	Null   bool
	Out    string // Out is the output of the statement that calculates the value for each row
	Filled bool   // Filled: a hook of the host set the value
}

// Plain reports whether the value is known before the statement runs, and is not NULL.
func (a Assigned) Plain() bool { return !a.Null && a.Out == "" }

// FixedSource returns the source of the one value that a scope requires for a column.
func FixedSource(x scope.Fixed) plan.Source {
	return plan.Source{Origin: x.Origin, Index: x.Slots[0], Item: -1}
}

// valueKind returns the type of the values that a column takes: text for dates, decimals and the like.
func valueKind(column string) string {
	switch column {
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeTime:
		return column
	}
	return value.TypeText
}

// Statement builds one statement of a write.
type Statement struct {
	c   *compiler
	f   *from
	q   *query
	env expr.Names

	// These fields belong to an update or a delete.
	x      *sqlast.Write
	entry  scope.Entry
	sel    *sqlast.Select // sel finds the rows to change
	tables int            // tables counts the statement's tables before values were calculated
	images bool           // images: an update returns the rows that it has changed
}

// NewStatement begins a statement of a write for a message.
func NewStatement(d expr.Engine, m *exo.Message, grants []*scope.Grant) *Statement {
	return statement(compilerOf(d, m, grants))
}

func statement(c *compiler) *Statement { return &Statement{c: c, f: c.newFrom(nil), env: expr.Names{}} }

// Fenced reports whether the statement has fences: see fence.go.
func (s *Statement) Fenced() bool { return s.c.fences > 0 }

// Find adds the query of a message: for the rows to write, or for the row through whose link rows are inserted.
func (s *Statement) Find(n *message.Node) (err error) {
	s.c.Changing = true
	s.c.Engine.Again = true // rows are sorted by the values that the program sees, with misfits (see misfit.go in package expr) as null: otherwise a limit would choose other rows
	s.q, err = s.f.query(n, s.env)
	return err
}

// FindChain adds the query of a chain of typed calls. fc is the facet through which Go code writes its rows, or nil if it does not write them.
func (s *Statement) FindChain(r *decl.Relation, g *scope.Grant, fc *decl.Facet) error {
	q, row, err := s.f.relation(r, g)
	if err != nil {
		return err
	}
	if s.q = q; fc != nil {
		row.Facet = fc
		q.ns = []expr.Named{{Name: fc.Alias, Row: row}}
	}
	return nil
}

// Row returns the grant and the facet of the query's rows. ok is false unless each row comes from one row of one table.
func (s *Statement) Row() (g *scope.Grant, fc *decl.Facet, ok bool) {
	if s.q.base == nil || s.q.base.Facet == nil || len(s.q.ns) != 1 {
		return nil, nil, false
	}
	return s.q.base.Grant, s.q.base.Facet, true
}

// Whole reports whether the query returns rows of one table, whole and unchanged.
func (s *Statement) Whole() bool {
	q := s.q
	return q.out == nil && len(q.ns) == 1 && !grouped(q.base) && q.base.Facet != nil && windowOf(q.base) == nil && q.base.Selected == nil
}

// Parent returns the plan that finds the one row through whose link rows are inserted. It reads the values of the link's
// columns. If the scope of the new rows fixes such a column too, the plan checks that the row has that value.
func (s *Statement) Parent(l *decl.Link, fixed []scope.Fixed) (*plan.Plan, error) {
	f, q, out := s.f, s.q, &projection{}
	for i, p := range l.Pairs {
		out.names = append(out.names, fmt.Sprintf("k%d", i))
		out.items = append(out.items, projected{expr: expr.ColumnOf(q.base, p.From), kind: p.From.Kind, null: p.From.Null})
	}
	for _, x := range fixed {
		for i, p := range l.Pairs {
			if p.To == x.Col && len(x.Slots) == 1 {
				out.names = append(out.names, fmt.Sprintf("s%d", i))
				out.items = append(out.items, projected{expr: f.equals(q.base, p.From, expr.Argument{Src: FixedSource(x), Kind: expr.ScalarOf(x.Pred.Args[0].Kind)}), kind: value.TypeBool, null: p.From.Null})
			}
		}
	}
	if err := f.settle(q); err != nil {
		return nil, err
	}
	q.limits = append(q.limits, f.c.Arg(plan.Source{Origin: plan.FromConst, Index: 2, Item: -1}))
	return f.finish(q, plan.RunAll, out)
}

// Change begins an update or a delete of the query's rows, which are in the scope of entry. If images is set, an update on PostgreSQL returns the changed rows.
func (s *Statement) Change(entry scope.Entry, update, images bool) error {
	s.images = images && update && s.c.Dialect == sqlast.Postgres
	kind := sqlast.Delete
	if update {
		kind = sqlast.Update
	}
	x, err := entry.Write(kind)
	if err != nil {
		return err
	}
	x.Alias, x.As = s.c.alias(), s.c.alias()
	s.x, s.entry, s.sel = x, entry, &sqlast.Select{}
	for i, k := range s.q.base.Table.Keys {
		out := fmt.Sprintf("c%d", i)
		s.sel.Columns = append(s.sel.Columns, sqlast.Output{Expr: s.f.Col(s.q.base, k), As: out})
		x.Keys = append(x.Keys, sqlast.KeyOutput{Column: k.Name, Output: out})
	}
	s.tables = s.c.tables
	return nil
}

// Callback binds the callback of an update to the query's rows, and returns the callback's result.
func (s *Statement) Callback(n *message.Node) *message.Node {
	s.env = s.f.bound(n, s.q, s.env)
	return n.Args[0]
}

// Calculate returns the value that the callback of an update gives a column.
func (s *Statement) Calculate(col *decl.Column, n *message.Node) (Assigned, error) {
	if n.Op == message.OpLit {
		if n.Lit.IsNull() {
			return Assigned{Col: col, Null: true}, nil
		}
		return Assigned{Col: col, Src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}}, nil
	}
	if n.Op == message.OpList {
		return Assigned{}, fail.Errorf(fail.Invalid, "", "`%s` can't be calculated from columns: read the row first, and give plain values", col.Guest)
	}
	f := s.f
	e, err := f.expr(n, s.env)
	if err != nil {
		return Assigned{}, err
	}
	if c, ok := e.(expr.Column); len(col.Enum) > 0 && (!ok || !slices.Equal(c.Col.Enum, col.Enum)) {
		return Assigned{}, fail.Errorf(fail.Invalid, "", "`%s` can't be set to a calculated value: give one of '%s'", col.Guest, strings.Join(col.Enum, "', '"))
	}
	name, val := fmt.Sprintf("c%d", len(s.sel.Columns)), e.SQL(&f.From)
	if held := f.Holding(col, e); held != nil {
		val = held
	} else if _, plain := e.(expr.Column); !plain && s.c.Dialect == sqlast.SQLite { // PostgreSQL checks the values of its columns itself
		switch col.Kind {
		case value.TypeInt:
			val = sqlast.Call{Op: sqlast.StoreWhole, Args: []sqlast.Expr{val}}
		case value.TypeFloat:
			val = sqlast.Call{Op: sqlast.StoreFloat, Args: []sqlast.Expr{val}}
		}
	}
	val = s.c.exactly(col, val)
	s.sel.Columns = append(s.sel.Columns, sqlast.Output{Expr: val, As: name})
	return Assigned{Col: col, Out: name}, nil
}

// Changed returns the plan of an update or a delete. Rows of one table that meet conditions are changed directly. Rows that are selected
// in another way, or behind fences, are found first and changed by their keys; open statements can't do that and return nil.
func (s *Statement) Changed(set []Assigned) (*plan.Plan, error) {
	c, f, q, x, sel, row := s.c, s.f, s.q, s.x, s.sel, s.q.base
	// SQLite calculates the values row by row. A subquery in them would see rows that are already changed.
	asks := c.Dialect == sqlast.SQLite && c.tables > s.tables
	direct := f.sources.First() == row.Alias && f.sources.Len() == 1 && len(q.limits)+len(q.offsets) == 0 && len(f.where) > 0 && !asks
	if !direct && c.Open {
		return nil, nil
	}
	for _, v := range set {
		var value sqlast.Expr
		switch {
		case v.Out == "":
			value = c.stored(v)
		case direct:
			value = sel.Columns[slices.IndexFunc(sel.Columns, func(o sqlast.Output) bool { return o.As == v.Out })].Expr
		default:
			value = sqlast.Column{Alias: x.As, Name: v.Out}
		}
		x.Columns, x.Values = append(x.Columns, v.Col.Name), append(x.Values, value)
	}
	if direct {
		x.Alias, x.As, x.Keys, x.Where = row.Alias, "", nil, f.where
		return c.written(x, s.returned())
	}
	if sel.Limit, sel.Offset = q.limits, q.offsets; len(q.limits)+len(q.offsets) > 0 {
		sel.OrderBy = f.orders(q, true)
	}
	sel.Where = f.where
	f.sources.Changing(x, sel)
	// The key finds the row. Two rows may have one key, so the scope's own columns are compared once
	// more.
	fixed, _ := s.entry.Parts()
	for _, y := range fixed {
		if y.Via == nil {
			x.Where = append(x.Where, c.again(y, x.Alias))
		}
	}
	return c.written(x, s.returned())
}

// returned makes an update return images of the rows that it has changed, as they are before any AFTER trigger acts.
func (s *Statement) returned() []plan.Cell {
	if !s.images {
		return nil
	}
	f, base, sel, p := s.c.newFrom(nil), s.q.base, &sqlast.Select{}, &plan.Plan{}
	row := &expr.Row{Table: base.Table, Facet: base.Facet, Alias: s.x.Alias, Form: s.c.Forms()}
	f.At[row] = expr.Place{Alias: s.x.Alias}
	f.outputs(sel, p, image(row), 0)
	s.x.Outputs = sel.Columns
	return imaged(p, row, s.c.msg).Cells
}

// again repeats a condition of the scope on the written row.
func (c *compiler) again(y scope.Fixed, alias string) sqlast.Expr {
	f := c.newFrom(nil)
	row := &expr.Row{Table: y.Col.Table, Alias: alias, Form: c.Forms()}
	f.At[row] = expr.Place{Alias: alias}
	c.Satisfying = true
	defer func() { c.Satisfying = false }()
	return f.Predicate(y.Pred, row, y.Origin)
}

// Inserted returns the plan that inserts rows and returns columns of the new rows. All rows have values for the same columns.
func (s *Statement) Inserted(entry scope.Entry, rows [][]Assigned, returning []*decl.Column) (*plan.Plan, error) {
	x, err := entry.Write(sqlast.Insert)
	if err != nil {
		return nil, err
	}
	for n, row := range rows {
		var vals []sqlast.Expr
		for _, v := range row {
			if n == 0 {
				x.Columns = append(x.Columns, v.Col.Name)
			}
			vals = append(vals, s.c.stored(v))
		}
		x.Rows = append(x.Rows, vals)
	}
	var cells []plan.Cell
	for _, k := range returning {
		x.Returning = append(x.Returning, k.Name)
		cells = append(cells, plan.Cell{Kind: k.Kind, Null: true, Form: s.c.HeldAs(k), Name: k.Table.Name + "." + k.Name}) // a trigger may have made the key NULL
	}
	return s.c.written(x, cells)
}

// stored writes a value in the form in which a column stores it. PostgreSQL converts its text to
// the column's type, like an enum, a numeric with a scale, or a smallint.
func (c *compiler) stored(v Assigned) sqlast.Expr {
	if v.Null {
		return sqlast.Null
	}
	src := v.Src
	if src.Origin == plan.FromMessage && !v.Filled {
		src.As, src.Beside, src.Column = c.TypeOf(v.Col), v.Col.Guest, v.Col.Name
	}
	switch form := c.HeldAs(v.Col); {
	case form != "":
		src.Kind, src.Form, src.Of, src.Beside = plan.ArgCell, form, v.Col.Kind, v.Col.Guest
	case v.Col.Kind == value.TypeJSON:
		src.Kind = plan.ArgDocument
	case v.Col.Kind == value.TypeList:
		src.Kind, src.Elem = plan.ArgDocument, v.Col.Elem
		if c.Dialect == sqlast.Postgres {
			src.Kind = plan.ArgArray
		}
	case c.Dialect == sqlast.Postgres && v.Col.Kind == value.TypeBytes:
		src.Kind = plan.ArgStoredBytes
	case c.Dialect == sqlast.Postgres:
		src.Kind = plan.ArgStored
	case v.Col.Kind == value.TypeDecimal, v.Col.Kind == value.TypeBytes, v.Col.Kind == value.TypeFloat:
		src.Kind = v.Col.Kind
	}
	if f := c.FormOf(v.Col); f.Rounds != "" || f.Numbers {
		src.Kind, src.Of, src.Beside = plan.ArgKept, cmp.Or(f.Rounds, value.TypeText), v.Col.Guest
	}
	return c.Arg(src)
}

// exactly makes the statement fail if SQLite would not store a calculated value exactly, but another number or text (see plan.ArgKept).
func (c *compiler) exactly(col *decl.Column, x sqlast.Expr) sqlast.Expr {
	switch f := c.FormOf(col); {
	case f.Rounds == "REAL":
		return expr.Call(sqlast.StoreReal, x)
	case f.Rounds != "":
		return expr.Call(sqlast.StoreExact, x)
	case f.Numbers:
		return expr.Call(sqlast.StoreText, x)
	}
	return x
}

// written returns the plan of a statement that writes, or the error that compilation noted.
func (c *compiler) written(x *sqlast.Write, cells []plan.Cell) (*plan.Plan, error) {
	if c.Failed != nil {
		return nil, c.Failed
	}
	if len(c.Slots) > expr.MaxValues {
		return nil, fail.Errorf(fail.Limit, "", "too many values in one statement: the limit is %d; write fewer rows at a time", expr.MaxValues)
	}
	text, slots, reads, err := sqlast.RenderWrite(x, c.Dialect)
	if err != nil {
		return nil, &fail.Error{Kind: fail.Internal, Err: err}
	}
	p := &plan.Plan{Text: text, Kind: plan.RunAll, Cells: cells, Shape: &value.Shape{}, Joins: c.tables * c.columns,
		Write: &plan.Write{Table: x.Table, In: x.In, Insert: x.Kind == sqlast.Insert, Rows: len(x.Rows), Delete: x.Kind == sqlast.Delete}, Reads: sqlast.Folded(reads)}
	switch x.Kind {
	case sqlast.Update:
		p.Write.Update = x.Columns
	case sqlast.Insert:
		p.Write.Given = x.Columns
	}
	for _, cell := range cells {
		p.Shape.Names = append(p.Shape.Names, cell.Name)
	}
	for _, s := range slots {
		p.Args = append(p.Args, c.Slots[s])
	}
	return p, nil
}

// Opened returns the plan of a write in an open form, or nil if the write can't have that form. The function make builds the plan from a statement.
func Opened(d expr.Engine, m *exo.Message, grants []*scope.Grant, form fence.Form, make func(*Statement) (*plan.Plan, error)) *plan.Plan {
	return opened(form, func() *compiler { return compilerOf(d, m, grants) }, func(c *compiler) (*plan.Plan, error) { return make(statement(c)) })
}

// equals returns the condition that a column equals a value.
func (f *from) equals(row *expr.Row, col *decl.Column, a expr.Argument) expr.Expr {
	op := language.OperatorOn()[language.ColumnInterfaces[col.Kind]]["eq"]
	return f.Operate(op, []expr.Expr{expr.ColumnOf(row, col), a.Beside(col.Kind)}, expr.Type{Kind: value.TypeBool})
}

// hasKeys returns the condition that a row has one of n keys. The keys' values are the message's arguments, beginning with the number first.
func (f *from) hasKeys(row *expr.Row, cols []*decl.Column, first, n int) expr.Expr {
	at := func(i int) expr.Argument {
		return expr.Argument{Src: plan.Source{Origin: plan.FromMessage, Index: first + i, Item: -1}, Kind: valueKind(cols[i%len(cols)].Kind)}
	}
	if len(cols) == 1 && n > 1 {
		in := []expr.Expr{expr.ColumnOf(row, cols[0])}
		for i := range n {
			in = append(in, at(i).Beside(cols[0].Kind))
		}
		in = f.Keyed(in)
		return expr.InList(in[0], in[1:], false)
	}
	var any []expr.Expr
	for r := range n {
		var all []expr.Expr
		for i, col := range cols {
			all = append(all, f.equals(row, col, at(r*len(cols)+i)))
		}
		any = append(any, joined(sqlast.And, all))
	}
	return joined(sqlast.Or, any)
}

func joined(op sqlast.Op, list []expr.Expr) expr.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return expr.Apply(op, list, expr.Type{Kind: value.TypeBool})
}

// Count returns the plan that counts the rows of a table in scope that have one of n keys. The
// keys' values follow the arguments of the message.
func (s *Statement) Count(g *scope.Grant, t *decl.Table, key []*decl.Column, n int) (*plan.Plan, error) {
	row, err := s.f.occur(g, nil, t, nil, nil)
	if err != nil {
		return nil, err
	}
	s.f.demand(s.f.hasKeys(row, key, len(s.c.msg.Args), n))
	return s.f.finish(&query{base: row}, plan.RunCount, nil)
}

// Back returns the plan that reads an inserted row in scope by its key. The key is in the message's arguments,
// beginning with the number first. The row has the columns that programs see, or all columns for Go code.
func (s *Statement) Back(g *scope.Grant, fc *decl.Facet, first int, program bool) (*plan.Plan, error) {
	if err := HasKey(fc.Table); err != nil {
		return nil, err
	}
	row, err := s.f.occur(g, fc, fc.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	for i, k := range fc.Table.Keys {
		s.f.demand(s.f.hasKeys(row, []*decl.Column{k}, first+i, 1))
	}
	out := allColumns
	if program {
		out = wholeRow
	}
	p, err := s.f.finish(&query{base: row, ns: []expr.Named{{Name: fc.Alias, Row: row}}}, plan.RunAll, out(row))
	if err == nil {
		p.Back = s.c.tables == 1
		if program {
			for i, col := range fc.Cols { // a default of the database may store a misfit
				if col.Label.Empty() {
					p.Cells[i].Shown = col.Guest
				}
			}
			err = s.c.sealed(p) // a hook of the host may have set a value that the program may not read
		}
	}
	return p, err
}

// An image is a row's key, then the row as its facet shows it. The host reads images within the scope of
// the message that writes, so they show what that program could have read.

// Before returns the plan that reads the rows that an update or a delete is about to change, at
// most limit of them. In one transaction it finds the same rows as the statement that changes
// them, since both have the same query, in which the key breaks a limit's ties.
func Before(d expr.Engine, m *exo.Message, grants []shape.Prepared, limit int) (*plan.Plan, error) {
	s := statement(newCompiler(d, m, grants))
	if err := s.Find(m.Root.Recv); err != nil {
		return nil, err
	}
	if err := s.f.settle(s.q); err != nil {
		return nil, err
	}
	s.q.limits = append(s.q.limits, s.c.Arg(plan.Source{Origin: plan.FromConst, Index: limit, Item: -1}))
	p, err := s.f.finish(s.q, plan.RunAll, image(s.q.base))
	return imaged(p, s.q.base, m), err
}

// After returns the plan that reads the rows that a message wrote, by n keys. Its arguments are the
// columns of the first key, then of the second, and so on.
func After(d expr.Engine, m *exo.Message, g *scope.Grant, fc *decl.Facet, n int) (*plan.Plan, error) {
	s := NewStatement(d, m, nil)
	row, err := s.f.occur(g, fc, fc.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	s.f.demand(s.f.hasKeys(row, fc.Table.Keys, 0, n))
	p, err := s.f.finish(&query{base: row, ns: []expr.Named{{Name: fc.Alias, Row: row}}}, plan.RunAll, image(row))
	return imaged(p, row, m), err
}

// imaged marks the cells as sealed that the program may not read. So a misfit in such a cell does
// not make the write fail, and no error reveals it to the program.
func imaged(p *plan.Plan, row *expr.Row, m *exo.Message) *plan.Plan {
	if p != nil {
		for i := range row.Table.Keys { // a misfit in a key is an error: as NULL, the key would find no row
			p.Cells[i].Misfits = false
		}
		for i, col := range row.Facet.Cols {
			if !col.Label.Secrecy().FlowsTo(m.RunLabel()) {
				p.Cells[len(row.Table.Keys)+i].Sealed = sealed.Most
			}
		}
	}
	return p
}

func image(row *expr.Row) *projection {
	p := &projection{}
	add := func(name string, c *decl.Column) {
		p.names = append(p.names, name)
		p.items = append(p.items, projected{expr: expr.ColumnOf(row, c), kind: c.Kind, elem: c.Elem, null: c.Null})
	}
	for i, k := range row.Table.Keys {
		add(fmt.Sprintf(" %d", i), k) // a program's column name has no space, so these names are free
	}
	for _, c := range row.Facet.Cols {
		add(c.Guest, c)
	}
	return p
}

// Misfits returns a plan that counts changed rows with misfits in columns that the change compares or calculates with,
// or nil if there are no such columns. n is the query of the change; s is a new statement of its message. A value that
// only the program sees as null must not be changed as if it were null.
func (s *Statement) Misfits(n *message.Node, change *Statement) (*plan.Plan, error) {
	var cols []*decl.Column
	for _, e := range change.c.Fitted {
		if e.Row == change.q.base {
			cols = append(cols, e.Col)
		}
	}
	if len(cols) == 0 {
		return nil, nil
	}
	if err := s.Find(n); err != nil {
		return nil, err
	}
	if err := s.f.settle(s.q); err != nil {
		return nil, err
	}
	any := scalar.Each(cols, func(col *decl.Column) expr.Expr { return expr.Misfit{X: expr.ColumnOf(s.q.base, col)} })
	s.f.demand(joined(sqlast.Or, any))
	return s.f.finish(&query{base: s.q.base, ns: s.q.ns}, plan.RunCount, nil)
}
