package compile

// This file has what the others build on: the compiler, a FROM clause in the making, and a query with its order and limits.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// compiler turns a message, or a chain of typed calls, into one statement.
//
// All tables of a query are in one flat list of sources (a from), and each row of the program's
// namespace is an occurrence with its own identity. The name of a row's column is looked up in
// the from at each use, and never stored under a name of the program. So an inner query can't
// capture an outer name (testdata/attacks/001), and wrapping a from moves all its rows at once.
type compiler struct {
	expr.State
	aliases      int
	guardAliases int
	steps        int
	tables       int            // how many tables the statement reads, a table counted at each use
	columns      int            // how many columns these have together
	grants       []*scope.Grant // of the message's objects
	msg          *exo.Message
	charges      map[int]int // by number of a cell that is a labelled column, or calculated: what limits count for it
	made         map[int]int // by number of a calculated cell: the most bytes that the engine may make for it
	replying     bool        // a program gets the result
	alone        *decl.Facet // the facet of the message's object, if that is not the grant: see Probe

	fences  int         // how many fences the statement has
	entered []*expr.Row // the tables of the statement
	derived []string    // the aliases of derived tables

	linked []*decl.Column // columns that a link of the statement compares, in the order in which they are met
	links  []link         // links that join guarded tables

	after Position // where the page begins

	asked   int      // how many subqueries are written
	sets    int      // how many queries are combined
	trees   int      // how many links are followed again and again
	notices []string // see plan.Plan
}

// maxSteps bounds the work of one compilation: a message is a graph, and a node is compiled
// again for each use.
const maxSteps = 5000

const maxSources = 60 // SQLite joins at most 64 tables

// from is a FROM clause in the making: what expressions see of it, its sources and conditions.
type from struct {
	expr.From
	c       *compiler
	sources scope.Sources
	where   []sqlast.Expr
	open    bool                    // something was added since the last fence
	fenced  map[*expr.Derived]*from // the derived tables that are only fences: a condition that is true inside is true outside
	asked   *[]expr.Expr            // within a left join: the program's conditions, for the join's ON
}

// query is what the calls of a program have built so far, over a from.
type query struct {
	ns       []expr.Named  // the rows that callbacks see
	base     *expr.Row     // the row that a result shows without a select
	out      *projection   // the choice of select, or nil
	order    []orderTerm   //
	chosen   bool          // the order has chosen the first row of each key; a later order only sorts the chosen rows
	limits   []sqlast.Expr // pending: they act when something comes after them, or at the end
	offsets  []sqlast.Expr
	once     bool        // one of the rows that show the same is left
	distinct bool        // the same, also for whole rows, and in joined queries
	context  []*expr.Row // the rows that were there before: a limit acts for each combination of them
	link     *decl.Link  // the link that led to the rows, also after further conditions
	tallies  []expr.Tally
	merged   []string // if several rows may lead to one row of the query: the name of the rows that lead there, and their link
}

type orderTerm struct {
	expr expr.Expr
	desc bool
	kind string // the type as the catalogue declares it, or ""; the compiler's may be wider, because of a literal
	last bool   // it is the rank of a search, see sortedBy
}

// projection is what each result row shows: columns, scalars, records of them.
type projection struct {
	names []string
	items []projected
	bare  bool // one item: the result has its values without a record around each
}

type projected struct {
	expr expr.Expr
	rows *nested
	kind string // scalar kind of the cell
	elem string // of a list: the scalar kind of its elements
	null bool
	sub  *projection
}

func (c *compiler) newFrom(outer *expr.From) *from { return c.over(expr.NewFrom(&c.State, outer)) }

// over returns a from with this expr.From.
func (c *compiler) over(f expr.From) *from { return &from{From: f, c: c} }

// trial returns a copy of the compiler, and f for that copy, to interpret something for its
// type or its errors alone. The statement keeps nothing of it.
func (c *compiler) trial(f *expr.From) (*compiler, *expr.From) {
	trial := *c
	trial.Queries = &trial
	at := expr.NewFrom(&trial.State, f.Outer)
	at.Rows, at.At = f.Rows, f.At
	return &trial, &at
}

func (c *compiler) alias() string {
	if c.Guarding { // guards have their own aliases, so the other aliases are the same with and without guards
		c.guardAliases++
		return fmt.Sprintf("g%d", c.guardAliases-1)
	}
	c.aliases++
	return fmt.Sprintf("t%d", c.aliases-1)
}

func (c *compiler) step() error {
	if c.steps++; c.steps > maxSteps {
		return fail.Errorf(fail.Limit, "", "the query is too large: write several smaller queries")
	}
	return nil
}

// sort calls write to write what rows are sorted by; sorting may already be set by a query around it.
func (c *compiler) sort(sorting bool, write func()) {
	before := c.Sorting
	c.Sorting = before || sorting
	write()
	c.Sorting = before
}

// orders returns the terms that a query is sorted by. With total they end in keys of its rows,
// so that every order is total; see ties.
func (f *from) orders(q *query, total bool) []sqlast.Order {
	var out []sqlast.Order
	for _, o := range q.order {
		f.c.sort(!expr.Free(o.expr.(expr.SortKey).X), func() {
			out = append(out, sqlast.Order{Expr: o.expr.SQL(&f.From), Desc: o.desc, NotNull: f.NeverNull(o.expr)})
		})
	}
	if total {
		out = append(out, f.ties(q)...)
	}
	return out
}

// ties returns the keys of the rows, in the direction of the last term, so that an index that
// serves it is read in one direction. It leaves out a key that is sorted by already, and the
// key of a row that an earlier row determines.
func (f *from) ties(q *query) []sqlast.Order {
	desc := len(q.order) > 0 && q.order[len(q.order)-1].desc
	sortedBy := func(row *expr.Row, k *decl.Column) bool {
		return slices.ContainsFunc(q.order, func(o orderTerm) bool {
			c, ok := expr.PlainText(o.expr.(expr.SortKey).X).(expr.Column)
			return ok && c.Row == row && c.Col == k
		})
	}
	var out []sqlast.Order
	for _, r := range f.Rows {
		if f.determined(r) {
			continue
		}
		if g := groupOf(r); g != nil {
			for _, k := range g.keys {
				out = append(out, sqlast.Order{Expr: expr.SortBy(expr.Tying(k)).SQL(&f.From), Desc: desc})
			}
			continue
		}
		for _, k := range ordering(r) {
			if !sortedBy(r, k) {
				out = append(out, sqlast.Order{Expr: f.TieBreak(r, k), Desc: desc, NotNull: !r.Optional && !k.Null})
			}
		}
	}
	return out
}

// ordering returns the columns that break ties between rows of the table: its key or, without one, all columns that the program
// gets unsealed. Rows with equal values in these look the same to the program. A hidden column would be revealed by its order.
func ordering(r *expr.Row) (out []*decl.Column) {
	if len(r.Table.Keys) > 0 || r.Facet == nil {
		return r.Table.Keys
	}
	for _, c := range r.Facet.Cols {
		if pageable[c.Kind] && c.Label.Empty() {
			out = append(out, c)
		}
	}
	return out
}

// determined reports whether a link to the row's key leads to it from a row that is sorted by
// before it: from an order to its customer.
func (f *from) determined(r *expr.Row) bool {
	return r.Parent != nil && slices.Contains(f.Rows, r.Parent) && len(r.Parent.Table.Keys) > 0 && r.Table.KeyOf(r.By.Pairs, func(p decl.Pair) *decl.Column { return p.To })
}

func (q *query) pending() bool { return len(q.limits)+len(q.offsets) > 0 }

// settle makes pending limits act, by wrapping everything so far in a derived table: whatever
// comes later works on the remaining rows. So a program can't page past a host's limit, and a
// filter after a limit can't choose other rows.
//
// If there were other rows before (a limit inside a join's callback), the limit acts for each
// combination of these: rows are numbered within it. Both engines can do that; SQLite has no LATERAL.
func (f *from) settle(q *query) error {
	if !q.pending() {
		return nil
	}
	if err := refuseKeyless(q.context); err != nil {
		return err
	}
	f.wrap(func(inner *from, sel *sqlast.Select, alias string) []sqlast.Expr {
		order := inner.orders(q, true)
		if len(q.context) == 0 {
			sel.OrderBy, sel.Limit, sel.Offset = order, q.limits, q.offsets
			return nil
		}
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: sqlast.RowNumber{PartitionBy: inner.keysOf(q.context), OrderBy: order}, As: "n"})
		n := sqlast.Column{Alias: alias, Name: "n"}
		var skip sqlast.Expr = sqlast.Zero
		for i, o := range q.offsets {
			if i == 0 {
				skip = o
			} else {
				skip = expr.Call(sqlast.Add, skip, o)
			}
		}
		where := []sqlast.Expr{expr.Call(sqlast.Gt, n, skip)}
		for _, l := range q.limits {
			where = append(where, expr.Call(sqlast.Le, n, expr.Call(sqlast.Add, skip, l)))
		}
		return where
	})
	q.limits, q.offsets = nil, nil
	return nil
}

// keysOf returns the columns that distinguish combinations of the rows.
func (f *from) keysOf(rows []*expr.Row) []sqlast.Expr {
	var keys []sqlast.Expr
	for _, r := range rows {
		for _, k := range r.Table.Keys {
			x := f.Col(r, k)
			if f.c.Wider(k) {
				x = expr.ExactText{X: expr.ColumnOf(r, k)}.SQL(&f.From)
			}
			keys = append(keys, x)
		}
	}
	return keys
}

// refuseKeyless refuses rows without a key if others are counted for each of them: two equal rows would count as one.
func refuseKeyless(rows []*expr.Row) error {
	for _, r := range rows {
		if err := HasKey(r.Table); err != nil {
			return err
		}
	}
	return nil
}

// wrap moves everything so far into a derived table. fill completes it, and returns conditions
// on its rows.
func (f *from) wrap(fill func(inner *from, sel *sqlast.Select, alias string) []sqlast.Expr) {
	inner := *f
	sel := inner.sources.Of(&sqlast.Select{Where: inner.where})
	d := &expr.Derived{Inner: &inner.From, Sel: sel, Outs: map[expr.OutKey]string{}}
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	outer := f.c.newFrom(f.Outer)
	outer.Rows, outer.Valued, outer.asked = inner.Rows, inner.Valued, f.asked
	outer.sources = scope.Derived(sel, alias)
	for _, r := range inner.Rows {
		outer.At[r] = expr.Place{Alias: alias, Derived: d}
	}
	outer.where = fill(&inner, sel, alias)
	// A derived table with LIMIT or OFFSET is a fence. One that only numbers its rows is not:
	// engines move conditions on the PARTITION BY columns inside.
	outer.open = len(sel.Limit)+len(sel.Offset) == 0
	if len(sel.Columns) == 0 { // a derived table needs an output, even if only the number of its rows matters
		if keys := inner.Rows[0].Table.Keys; len(keys) > 0 {
			d.Expose(inner.Rows[0], keys[0])
		} else {
			sel.Columns = []sqlast.Output{{Expr: sqlast.One, As: "one"}}
		}
	}
	*f = *outer
}

// HasKey refuses a table whose rows have no key.
func HasKey(t *decl.Table) error {
	if len(t.Keys) == 0 {
		return noKey(t)
	}
	return nil
}

func noKey(t *decl.Table) *fail.Error {
	return &fail.Error{Kind: fail.Denied, Msg: "needs a key, and this table has none. Its rows can be filtered, sorted, counted, grouped and limited, but not written, read in pages, or limited for each row of another table",
		Err: fmt.Errorf("exosql: table %s has no key: declare %s, so that a limit has one answer", t.Name, t.Reader.Key("its columns"))}
}

// Position has one of these letters for each value of a cursor. A statement depends on it. nil means no cursor: the first page.
type Position []byte

const (
	AtNull  = 'n'
	AtValue = 'v'
	AtCell  = 'c' // a cell of SQLite that no Value can be, see plan.CellOf
)

// pageable are the kinds of values that a cursor stores exactly.
var pageable = map[string]bool{
	value.TypeInt: true, value.TypeFloat: true, value.TypeDecimal: true, value.TypeText: true, value.TypeBool: true, value.TypeTime: true,
	value.TypeDate: true, value.TypeInterval: true, value.TypeUUID: true, value.TypeBytes: true,
}

// inStoredOrder reports whether rows are sorted by columns as they are stored: if the first has an index, which would not serve its guard.
func (f *from) inStoredOrder(terms []orderTerm) bool {
	if len(terms) == 0 || f.c.Engine.Again {
		return false
	}
	c, ok := expr.PlainText(terms[0].x()).(expr.Column)
	if !ok || c.Row == nil || !f.c.FormOf(c.Col).Indexed {
		return false
	}
	if f.c.Dialect == sqlast.Postgres { // no index serves a time cut to milliseconds
		return c.Col.Kind != value.TypeTime || c.Col.Iso()
	}
	switch form := f.c.HeldAs(c.Col); c.Col.Kind {
	case value.TypeInt, value.TypeFloat, value.TypeText, value.TypeUUID, value.TypeBytes:
		return true
	case value.TypeBool:
		return form == ""
	case value.TypeTime, value.TypeDate: // no index serves a value that must be converted first
		return (form != "" || c.Col.Kind != value.TypeTime || c.Col.Iso()) && (form == "" || form.Exact(c.Col.Kind))
	}
	return false
}

// asIndexed returns terms that sort columns as they are stored, if an index serves that.
func (f *from) asIndexed(terms []orderTerm) []orderTerm {
	if !f.inStoredOrder(terms) {
		return terms
	}
	out := slices.Clone(terms)
	for i, o := range out {
		c, column := expr.PlainText(o.x()).(expr.Column)
		out[i].expr = expr.SortKey{X: o.x(), Stored: column && (i == 0 || !f.c.Misfits(c))} // only the first stored term may have misfits: upwards looks only in the first term for misfits that a limit hides
	}
	return out
}

// x returns what a term sorts by.
func (o orderTerm) x() expr.Expr { return o.expr.(expr.SortKey).X }

// nested is the rows of a link that a selection shows in one cell of their row. In the
// statement they are a subquery of that row, as in subquery.go: their table enters with its own
// scope, and the program's conditions come after that. Cells are read last, in the program's
// order and limits for each row, so no cell of a row out of scope is read, and no such row is sorted.
type nested struct {
	n   *message.Node
	env expr.Names
}

// link is two columns that a declared link compares, each with its names in the statement: in
// its table, and in the derived table that it is now in.
type link struct{ a, b []sqlast.Column }

func newCompiler(d expr.Engine, m *exo.Message, grants []shape.Prepared) *compiler {
	return compilerOf(d, m, shape.Grants(grants))
}

// compilerOf returns a compiler for a message. It sets all that depends on the message, since a
// message's statement is compiled more than once (TestLocalTimeOfEachStatement).
func compilerOf(d expr.Engine, m *exo.Message, grants []*scope.Grant) *compiler {
	c := newCompilerOn(d, grants)
	c.msg, c.Program, c.Zoned = m, true, m.Zone() != "UTC"
	return c
}

// newCompilerOn returns a compiler for a statement without a message.
func newCompilerOn(d expr.Engine, grants []*scope.Grant) *compiler {
	c := &compiler{State: expr.State{Engine: d, Dialect: d.Dialect}, grants: grants}
	c.Queries = c
	return c
}

// bound returns env with a callback's placeholder bound to the query's tables.
func (f *from) bound(lambda *message.Node, q *query, env expr.Names) expr.Names {
	out := make(expr.Names, len(env)+1)
	for k, v := range env {
		out[k] = v
	}
	out[lambda.Recv] = q.seen()
	return out
}

// seen returns what the callbacks of a query see: its tables, and what select named.
func (q *query) seen() []expr.Named {
	if q.out == nil || q.out.bare {
		return q.ns
	}
	seen := slices.Clone(q.ns)
	for i, it := range q.out.items {
		if it.expr != nil {
			seen = append(seen, expr.Named{Name: q.out.names[i], Row: &expr.Row{Selected: it.expr}})
		}
	}
	return seen
}

// row finds the occurrence that a node stands for: a table of a callback's namespace.
func (f *from) row(n *message.Node, env expr.Names) (*expr.Row, error) {
	if n.Op == message.OpField && n.Recv.Op == message.OpParam {
		for _, x := range env[n.Recv] {
			if x.Name == n.Name && x.Row.Selected == nil {
				return x.Row, nil
			}
		}
	}
	return nil, expr.ErrNode(n)
}

// isRow reports whether a node stands for one row, which has links, rather than for a query.
func isRow(n *message.Node, f *from, env expr.Names) bool {
	_, err := f.row(n, env)
	return err == nil
}

// wholeRow shows every column that the row's facet shows.
func wholeRow(row *expr.Row) *projection {
	p := &projection{}
	if g := groupOf(row); g != nil {
		for i, k := range g.keys {
			p.names = append(p.names, g.names[i])
			p.items = append(p.items, projected{expr: k, kind: g.kinds[i], null: true})
		}
		return p
	}
	for _, c := range row.Facet.Cols {
		p.names = append(p.names, c.Guest)
		p.items = append(p.items, projected{expr: expr.ColumnOf(row, c), kind: c.Kind, elem: c.Elem, null: c.Null || row.Optional})
	}
	if row.Depth != nil {
		p.names = append(p.names, row.DepthName)
		p.items = append(p.items, projected{expr: expr.ColumnOf(row, row.Depth), kind: value.TypeInt, null: row.Optional})
	}
	return p
}

// reads calls see for each column of the query's own rows that a node reads through the placeholder of its callback.
func (q *query) reads(n *message.Node, see func(*expr.Row, string) error, param *message.Node) error {
	if n == nil {
		return nil
	}
	if n.Op == message.OpField && n.Recv.Op == message.OpField && n.Recv.Recv == param {
		for _, x := range q.ns {
			if x.Name == n.Recv.Name {
				return see(x.Row, n.Name)
			}
		}
	}
	if n.Op == message.OpCall && n.Recv.Op == message.OpField && n.Recv.Recv == param && q.once && n.Type.Args["row"] != nil {
		return see(q.ns[0].Row, n.Name) // a link
	}
	for _, a := range append([]*message.Node{n.Recv}, n.Args...) {
		if err := q.reads(a, see, param); err != nil {
			return err
		}
	}
	return nil
}
