package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A write changes rows in scope, and leaves them in scope. Which rows an update or a delete
// changes is said by a query like any other, with its scopes and fences; the statement finds them
// by their keys. A row that is inserted gets from us what the scope fixes, and what the link that
// it is inserted through says. Whatever a written key points to has to be in scope as well, which
// queries find out before, in the same transaction: a foreign row and a missing one are one error.

// Writing is how messages of one shape that write are answered, for whatever values. It is kept, see Keep.
type Writing struct {
	Kind  Kind
	Table *decl.Table
	Facet *decl.Facet
	Grant *scope.Grant
	// Parent finds the row whose link a row is inserted through, or is nil. There has to be one; the first Keys of its
	// cells are arguments of their own, and the others have to be true: that the scope fixes the same values.
	Parent  *plan.Plan
	Keys    int
	Through string     // what the program calls it
	Link    *decl.Link // that link, or nil
	Checks  []Check
	Change  *plan.Plan // of an update or a delete
	Found   bool       // which has to find a row: see language.IfUnchanged
	Inserts []Insert   // of an insert, for each of the sets of columns that rows give
	Filled  []Filled   // of an insert: what the scope fills in
	// Back reads an inserted row as programs see it, or is nil. The key that the insert gave is the last of its
	// arguments. There has to be one, or the row was inserted out of scope.
	Back *plan.Plan
}

// Kind is what a message does with rows.
type Kind = decl.WriteKind

const (
	Inserts = decl.Inserts
	Updates = decl.Updates
	Deletes = decl.Deletes
)

// Filled is a column that the scope fills in.
type Filled struct {
	Col    *decl.Column
	Source plan.Source
}

// Insert adds rows that give values for the same columns: One adds one, and Many adds Batch of them. The values of the rows
// are the arguments after those of the message.
type Insert struct {
	One, Many *plan.Plan
	Batch     int
}

// Check is a query that finds out whether rows are in scope that written keys point to. It
// counts them: there has to be one for each of the different keys. One asks of one key, and Many of CheckBatch of them, whose
// values are the arguments after those of the message.
type Check struct {
	One, Many *plan.Plan
	Keys      [][]KeyPart  // for each set of columns: the parts of the key, as if one row were written; nil: it has none
	Columns   []string     // that are the key, as programs call them
	Needed    bool         // it can't be null
	Grant     *scope.Grant // in whose scope the rows have to be; nil of a Closed one
	Closed    bool         // no key may be written: it leads to rows that may be out of scope, and is no key of theirs

	Hidden []bool         // those of Columns that programs do not see
	Hooks  []*decl.Column // those of Columns that a hook fills in some row; the others are nil
}

// KeyPart is where the value of one column of a key is. Absent says that the row gives none.
type KeyPart struct {
	Source plan.Source
	Absent bool
}

// CheckBatch is how many keys are asked for at once.
const CheckBatch = 100

// writer compiles one message that writes.
type writer struct {
	d      Engine
	m      *exo.Message
	grants []*scope.Grant
	beside []*scope.Grant // of the same programs, which the message doesn't speak of
	sets   [][]string
	w      *Writing
	keys   bool // what is inserted is known by its keys afterwards

	pointed map[*decl.Link]bool // links of which points has what they lead to looked for in the scope of the grant that writes

	chain *decl.Relation // of the typed API: the rows that are written; nil: the message says them
}

// IsWrite reports whether a message writes.
func IsWrite(m *exo.Message) bool {
	switch m.Root.Name {
	case language.Insert, language.InsertMany, language.Update, language.Delete:
		return true
	}
	return false
}

// Write plans a guest's message that writes. sets are the columns that its literals give, see GivenBy. With keys
// the statements of an insert give the keys of the new rows. The grants of the message come first, then others of the same programs.
func Write(d Engine, m *exo.Message, grants []Prepared, sets [][]string, keys bool) (*Writing, error) {
	c, n := newCompiler(d, m, grants), len(m.Objects)
	w := &writer{d: d, m: m, grants: c.grants[:n], beside: c.grants[n:], sets: sets, w: &Writing{}, keys: keys}
	return w.planned()
}

// planned makes all plans.
func (w *writer) planned() (*Writing, error) {
	make := w.change
	if w.w.Kind = writeKind(w.m.Root.Name); w.w.Kind == Inserts {
		make = w.insert
	}
	if err := make(); err != nil {
		return nil, err
	}
	return w.w, nil
}

// writeKind is what a method does with rows.
func writeKind(method string) Kind {
	switch method {
	case language.Insert, language.InsertMany:
		return Inserts
	case language.Update:
		return Updates
	}
	return Deletes
}

func (w *writer) compiler() *compiler { return compilerOf(w.d, w.m, w.grants) }

// written is one column of a row that is written, and its value.
type written struct {
	col    *decl.Column
	arg    *argExpr // nil: null, or an output
	out    string   // of the select that finds the rows: what is calculated
	null   bool
	filled bool // by a hook
}

// given is the value of column number i that a row gives, row number n of those that are written together.
func (w *writer) given(col *decl.Column, set []string, n, i int) written {
	v := w.valued(col, argExpr{src: plan.Source{Origin: plan.FromMessage, Index: len(w.m.Args) + n*len(set) + i, Item: -1}, kind: valueKind(col.Kind)})
	v.filled = filled(set[i])
	return v
}

// valueKind is the type of the values that a column is given: of a date, a number with decimals and their like it is text.
func valueKind(column string) string {
	switch column {
	case exo.TypeBool, exo.TypeInt, exo.TypeFloat, exo.TypeTime:
		return column
	}
	return exo.TypeText
}

func (w *writer) valued(col *decl.Column, a argExpr) written { return written{col: col, arg: &a} }

// stored is a value as it is bound to be stored in a column. PostgreSQL takes its text for
// whatever type the column has: an enum, a numeric with a scale, a smallint.
func (w *writer) stored(c *compiler, v written) sqlast.Expr {
	if v.null {
		return sqlast.Null
	}
	src := v.arg.src
	if src.Origin == plan.FromMessage && !v.filled {
		src.As, src.Beside, src.Column = c.typeOf(v.col), v.col.Guest, v.col.Name
	}
	switch {
	case v.col.Kind == exo.TypeJSON:
		src.Kind = plan.ArgDocument
	case v.col.Kind == exo.TypeList:
		src.Kind, src.Elem = plan.ArgDocument, v.col.Elem
		if w.d.Dialect == sqlast.Postgres {
			src.Kind = plan.ArgArray
		}
	case w.d.Dialect == sqlast.Postgres && v.col.Kind == exo.TypeBytes:
		src.Kind = plan.ArgStoredBytes
	case w.d.Dialect == sqlast.Postgres:
		src.Kind = plan.ArgStored
	case v.col.Kind == exo.TypeDecimal, v.col.Kind == exo.TypeBytes, v.col.Kind == exo.TypeFloat:
		src.Kind = v.col.Kind
	}
	return c.arg(src)
}

// finished is the plan of a write.
func (w *writer) finished(c *compiler, x *sqlast.Write, cells []plan.Cell) (*plan.Plan, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if len(c.slots) > maxValues {
		return nil, exo.Errorf(exo.Limit, "", "too many values in one statement: the limit is %d; write fewer rows at a time", maxValues)
	}
	text, slots, reads, err := sqlast.RenderWrite(x, c.dialect)
	if err != nil {
		return nil, &exo.Error{Kind: exo.Internal, Err: err}
	}
	p := &plan.Plan{Text: text, Kind: plan.RunAll, Cells: cells, Shape: &exo.Shape{}, Joins: c.tables * c.columns,
		Write: &plan.Write{Table: x.Table, In: x.In, Insert: x.Kind == sqlast.Insert, Rows: len(x.Rows), Delete: x.Kind == sqlast.Delete, Effects: w.w.Facet.Rights.Effects}, Reads: lowered(reads)}
	switch x.Kind {
	case sqlast.Update:
		p.Write.Update = x.Columns
	case sqlast.Insert:
		p.Write.Given = x.Columns
	}
	t := w.w.Table
	p.Write.Labelled = !t.Label.Secrecy().Empty() || slices.ContainsFunc(t.Cols, func(col *decl.Column) bool { return !col.Label.Secrecy().Empty() })
	for _, cell := range cells {
		p.Shape.Names = append(p.Shape.Names, cell.Name)
	}
	for _, s := range slots {
		p.Args = append(p.Args, c.slots[s])
	}
	return p, nil
}

// change plans an update or a delete.
func (w *writer) change() error {
	root := w.m.Root
	if w.chain != nil && !narrowed(w.chain) {
		return exo.Errorf(exo.Invalid, "", "it would %s every row: say which by Where, or say Where(AllRows) if all are meant", root.Name)
	}
	if w.chain == nil && !conditioned(root.Recv) {
		return exo.Errorf(exo.Invalid, "", "it would %s every row: say which by where, or say .all().%s(…) if all are meant", root.Name, root.Name)
	}
	c := w.compiler()
	p, err := w.changed(c)
	if err != nil {
		return err
	}
	w.w.Change, w.w.Found = p, w.chain == nil && calls(root.Recv, language.IfUnchanged)
	if c.fences > 0 {
		p.Open = w.openChange(fence.Form{Open: true})
	}
	return nil
}

// openChange is the plan of an update or a delete in an open form, or nil. Of more tables than the one that is written there is none.
func (w *writer) openChange(form fence.Form) *plan.Plan {
	return opened(form, w.compiler, func(c *compiler) (*plan.Plan, error) {
		once := &writer{d: w.d, m: w.m, grants: w.grants, sets: w.sets, w: &Writing{}}
		return once.changed(c)
	})
}

// GuardedWrite is Guarded of a message that updates or deletes.
func GuardedWrite(d Engine, m *exo.Message, grants []Prepared, sets [][]string, form fence.Form) *plan.Plan {
	w := &writer{d: d, m: m, grants: newCompiler(d, m, grants).grants, sets: sets}
	if p := w.openChange(form); p != nil {
		return p
	}
	return &plan.Plan{}
}

// changed is the plan of an update or a delete. The rows of one table that meet conditions are changed where they stand; those
// that something else tells, or that fences stand around, are found first, and changed by their keys. An open compilation has nil for these.
func (w *writer) changed(c *compiler) (*plan.Plan, error) {
	root := w.m.Root
	f := c.newFrom(nil)
	q, err := w.rows(f)
	if err != nil {
		return nil, err
	}
	if q.out != nil || len(q.ns) != 1 || q.base.grouped() || q.base.facet == nil || q.base.window != nil || q.base.selected != nil {
		return nil, exo.Errorf(exo.Invalid, "", "%s is for the rows of one table as they are: without join, select, groupBy and their like; a condition on other tables can stand in where", root.Name)
	}
	row := q.base
	w.w.Table, w.w.Facet, w.w.Grant = row.table, row.facet, row.grant
	if err := hasKey(row.table); err != nil {
		return nil, err
	}
	entry, err := row.grant.Enter(row.table, nil, nil) // all that the scope says, of which the way here may have implied some
	if err != nil {
		return nil, err
	}
	kind := sqlast.Delete
	if root.Name == language.Update {
		kind = sqlast.Update
	}
	x, err := entry.Write(kind)
	if err != nil {
		return nil, err
	}
	alias, as := c.alias(), c.alias()
	sel := &sqlast.Select{}
	for i, k := range row.table.Keys {
		out := fmt.Sprintf("c%d", i)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: f.col(row, k), As: out})
		x.Keys = append(x.Keys, sqlast.KeyOutput{Column: k.Name, Output: out})
	}
	var set []written
	before := c.tables
	if root.Name == language.Update {
		if set, err = w.set(f, q, sel); err != nil {
			return nil, err
		}
		if err := w.stays(entry, set); err != nil {
			return nil, err
		}
		if err := w.points(row.grant, row.facet, [][]written{w.standing(entry, set)}); err != nil {
			return nil, err
		}
	} else if !row.facet.Rights.Delete {
		return nil, exo.Errorf(exo.Denied, "", "rows can't be deleted")
	}
	if err := w.decides(row.grant, row.table, set); err != nil {
		return nil, err
	}
	if err := w.leads(row.grant, row.table, row.facet, [][]written{set}); err != nil {
		return nil, err
	}
	var rows [][]written
	if set != nil {
		rows = append(rows, set)
	}
	if err := w.besides(row.grant, row.table, row.facet, rows); err != nil {
		return nil, err
	}
	// SQLite calculates the values of a row when it comes to it. A query among them would see the rows that were changed before.
	asks := w.d.Dialect == sqlast.SQLite && c.tables > before
	direct := f.sources.First() == row.alias && f.sources.Len() == 1 && len(q.limits)+len(q.offsets) == 0 && len(f.where) > 0 && !asks
	if !direct && c.Open {
		return nil, nil
	}
	for _, v := range set {
		var value sqlast.Expr
		switch {
		case v.out == "":
			value = w.stored(c, v)
		case direct:
			value = sel.Columns[slices.IndexFunc(sel.Columns, func(o sqlast.Output) bool { return o.As == v.out })].Expr
		default:
			value = sqlast.Column{Alias: as, Name: v.out}
		}
		x.Columns, x.Values = append(x.Columns, v.col.Name), append(x.Values, value)
	}
	if direct {
		x.Alias, x.Keys, x.Where = row.alias, nil, f.where
		return w.finished(c, x, nil)
	}
	x.Alias, x.As = alias, as
	if sel.Limit, sel.Offset = q.limits, q.offsets; len(q.limits)+len(q.offsets) > 0 {
		sel.OrderBy = f.orders(q, true)
	}
	sel.Where = f.where
	f.sources.Changing(x, sel)
	// The key finds the row. That it finds no other, should two rows have one, the
	// scope's own columns say once more.
	fixed, _ := entry.Parts()
	for _, y := range fixed {
		if y.Via == nil {
			x.Where = append(x.Where, c.again(y, x.Alias))
		}
	}
	return w.finished(c, x, nil)
}

// standing are the values of a row that is updated, with those that the scope fixes: a key of several columns, of which the tenant is one,
// is looked for by all of them.
func (w *writer) standing(entry scope.Entry, set []written) []written {
	fixed, _ := entry.Parts()
	for _, x := range fixed {
		if len(x.Slots) == 1 && !slices.ContainsFunc(set, func(v written) bool { return v.col == x.Col }) {
			set = append(set[:len(set):len(set)], w.valued(x.Col, fixedValue(x)))
		}
	}
	return set
}

// fixedValue is the one value that the scope says of a column.
func fixedValue(x scope.Fixed) argExpr {
	return argExpr{src: plan.Source{Origin: x.Origin, Index: x.Slots[0], Item: -1}, kind: scalarOf(x.Pred.Args[0].Kind)}
}

// again is a condition of the scope on the row that is written.
func (c *compiler) again(y scope.Fixed, alias string) sqlast.Expr {
	f := c.newFrom(nil)
	row := &occurrence{table: y.Col.Table, alias: alias, form: c.forms()}
	f.at[row] = place{alias: alias}
	c.satisfying = true
	defer func() { c.satisfying = false }()
	return f.predicate(y.Pred, row, y.Origin)
}

// conditioned reports whether a chain of calls says which rows are meant.
func conditioned(n *exo.Node) bool {
	for ; n != nil; n = n.Recv {
		switch n.Name {
		case "where", "limit", language.IfUnchanged, language.First, language.All, language.DistinctBy:
			if n.Op == exo.OpCall {
				return true
			}
		}
	}
	return false
}

// calls reports whether a method is among a chain of calls.
func calls(n *exo.Node, method string) bool {
	for ; n != nil; n = n.Recv {
		if n.Op == exo.OpCall && n.Name == method {
			return true
		}
	}
	return false
}

// hasKey refuses a table whose rows have no key.
func hasKey(t *decl.Table) error {
	if len(t.Keys) == 0 {
		return noKey(t)
	}
	return nil
}

// set are the values of an update. Those that are calculated become outputs of sel.
func (w *writer) set(f *from, q *query, sel *sqlast.Select) ([]written, error) {
	arg, env := w.m.Root.Args[0], names{}
	if arg.Op == exo.OpLambda {
		env = f.bound(arg, q, env)
		arg = arg.Args[0]
	}
	fc := q.base.facet
	var out []written
	add := func(name string, value func(*decl.Column) (written, error)) error {
		col := column(fc.Rights.Update, fc, name)
		if col == nil {
			return exo.Errorf(exo.Denied, "", "`%s` can't be changed", name)
		}
		if col.Key { // no program has the right
			return ofHook(written{col: col, filled: filled(name)}.hook(), exo.Errorf(exo.Invalid, "", "the key `%s` can't be changed: rows are found by it", col.Name))
		}
		v, err := value(col)
		out = append(out, v)
		return err
	}
	for i, n := range w.sets[0] { // what a literal gives, and what hooks fill beside what is calculated
		if arg.Op == exo.OpRecord && !filled(n) {
			return nil, errNode(arg)
		}
		if err := add(n, func(col *decl.Column) (written, error) { return w.given(col, w.sets[0], 0, i), nil }); err != nil {
			return nil, err
		}
	}
	switch arg.Op {
	case exo.OpLit:
	case exo.OpRecord:
		for i, n := range arg.Names {
			if err := add(n, func(col *decl.Column) (written, error) { return w.calculated(f, col, arg.Args[i], env, sel) }); err != nil {
				return nil, err
			}
		}
	default:
		return nil, errNode(arg)
	}
	if len(out) == 0 {
		return nil, exo.Errorf(exo.Invalid, "", "there is nothing to change: give it an object of columns and values")
	}
	return out, nil
}

// calculated is a value that an update's callback gives.
func (w *writer) calculated(f *from, col *decl.Column, n *exo.Node, env names, sel *sqlast.Select) (written, error) {
	if n.Op == exo.OpLit {
		if n.Lit.IsNull() {
			return written{col: col, null: true}, nil
		}
		return w.valued(col, argExpr{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}, kind: kindOfValue(n.Lit)}), nil
	}
	if n.Op == exo.OpList {
		return written{}, exo.Errorf(exo.Invalid, "", "`%s` can't be calculated of columns: read the row first, and give plain values", col.Guest)
	}
	e, err := f.expr(n, env)
	if err != nil {
		return written{}, err
	}
	if c, ok := e.(colExpr); len(col.Enum) > 0 && (!ok || !slices.Equal(c.col.Enum, col.Enum)) {
		return written{}, exo.Errorf(exo.Invalid, "", "`%s` is one of '%s', and can't be set to what is calculated", col.Guest, strings.Join(col.Enum, "', '"))
	}
	name, value := fmt.Sprintf("c%d", len(sel.Columns)), e.sql(f)
	if _, plain := e.(colExpr); !plain && w.d.Dialect == sqlast.SQLite { // PostgreSQL knows what its columns hold
		switch col.Kind {
		case exo.TypeInt:
			value = sqlast.Call{Op: sqlast.StoreWhole, Args: []sqlast.Expr{value}}
		case exo.TypeFloat:
			value = sqlast.Call{Op: sqlast.StoreFloat, Args: []sqlast.Expr{value}}
		}
	}
	sel.Columns = append(sel.Columns, sqlast.Output{Expr: value, As: name})
	return written{col: col, out: name}, nil
}

// stays sees to it that rows that are updated stay in scope: a column by which that is told is not
// written, or, where it is the key of a row in scope, points to another one in scope.
func (w *writer) stays(entry scope.Entry, set []written) error {
	for _, c := range entry.Conditions() {
		var of []*decl.Column
		if c.Kind == scope.Holds {
			of = columnsOf(c.Pred, nil)
		} else {
			for _, p := range keysOf(c, entry.Table()) {
				of = append(of, p.To)
			}
		}
		touched := false
		for _, v := range set {
			if !slices.Contains(of, v.col) {
				continue
			}
			if c.Kind != scope.Linked {
				return ofHook(v.hook(), exo.Errorf(exo.Denied, "", "`%s` can't be changed: by it rows are told that may be seen", v.col.Guest))
			}
			touched = true
		}
		if touched {
			if err := w.reach(c.Grant, c.Link.From, c.Link, [][]written{set}, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func columnsOf(p *decl.Pred, out []*decl.Column) []*decl.Column {
	if p == nil {
		return out
	}
	if p.Col != nil {
		out = append(out, p.Col)
	}
	for _, s := range p.Subs {
		out = columnsOf(s, out)
	}
	return out
}

func named1(cols []*decl.Column, guest string) *decl.Column {
	for _, c := range cols {
		if c.Guest == guest {
			return c
		}
	}
	return nil
}
