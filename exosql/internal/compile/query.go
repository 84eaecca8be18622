package compile

// This file has the compiler's basic types: the compiler, a FROM clause that is being built, and a query with its order and limits.

import (
	"fmt"
	"maps"
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
// All tables of a query are in one flat list of sources (a from). Each row of the program's
// namespace is an occurrence with its own identity. The name of a row's column is looked up in the
// from at each use, and never stored under a name of the program. So an inner query can't capture
// an outer name (testdata/attacks/001), and wrapping a from moves all its rows at once.
type compiler struct {
	expr.State
	aliases      int
	guardAliases int
	steps        int
	tables       int            // tables counts the tables that the statement reads, a table once for each use
	columns      int            // columns counts the columns of these tables
	grants       []*scope.Grant // grants has the grants of the objects in the message
	msg          *exo.Message
	charges      map[int]int // charges has, for each cell with a label or a calculation, the size that limits count for it
	made         map[int]int // made has, for each calculated cell, the most bytes that the engine may make for it
	replying     bool        // replying: the result goes to a program
	alone        *decl.Facet // alone is the facet of a sample program's column, which may differ from the grant's facet: see Probe

	fences  int         // fences counts the fences of the statement: see fence.go
	entered []*expr.Row // entered are the occurrences of tables in the statement
	derived []string    // derived are the aliases of derived tables

	linked []*decl.Column // linked are the columns that links of the statement compare, in the order in which they are met
	links  []link         // links has the pairs of columns that join guarded tables: see guard.go

	after Position // after is the kind of each value of the page's cursor

	asked   int      // asked counts the subqueries that were written
	sets    int      // sets counts the queries that union and the like combine
	trees   int      // trees counts the links that recursive() follows
	notices []string // notices are remarks on the answer: see plan.Plan
}

// maxSteps bounds the work of one compilation: a message is a graph, and a node is compiled
// again for each use.
const maxSteps = 5000

const maxSources = 60 // SQLite joins at most 64 tables

// from is a FROM clause that is being built: its sources and conditions, and the rows that expressions can use.
type from struct {
	expr.From
	c       *compiler
	sources scope.Sources
	where   []sqlast.Expr
	open    bool                    // open: something was added since the last fence
	fenced  map[*expr.Derived]*from // fenced has the derived tables that are only fences: a condition on their rows means the same inside
	asked   *[]expr.Expr            // asked collects the program's conditions within a left join, for the join's ON
}

// query is the state of a chain of calls: what the calls that were read so far have built over a from.
type query struct {
	ns       []expr.Named  // ns are the rows that callbacks see
	base     *expr.Row     // base is the row that a result without select shows
	out      *projection   // out is what select chose; nil without a select
	order    []orderTerm   // order has the terms that sort the rows, the first term first
	chosen   bool          // chosen: distinctBy used the order to choose the first row of each key, so a later order only sorts these rows
	limits   []sqlast.Expr // limits are pending: they act when another call follows, or at the end
	offsets  []sqlast.Expr
	once     bool        // once: distinct keeps one of the rows that show the same values
	distinct bool        // distinct is set by every distinct, also of whole rows and of joined queries
	context  []*expr.Row // context has the rows that existed before the query: a limit acts for each combination of them
	link     *decl.Link  // link is the link that led to the rows, even if conditions follow
	tallies  []expr.Tally
	merged   []string // merged is set if several rows may lead to one row of the query: the name of these rows, and of their link
}

type orderTerm struct {
	expr expr.Expr
	desc bool
	kind string // kind is the type in the catalogue, "" if unknown; the compiler's type may be wider, because of a literal
	last bool   // last: the term is the rank of a search, which sorts only rows that are equal otherwise
}

// projection is what each row of the result shows: columns, calculated values, or records of these.
type projection struct {
	names []string
	items []projected
	bare  bool // bare: select returned one value, so the rows are values and not records
}

type projected struct {
	expr expr.Expr
	rows *nested
	kind string // kind is the scalar type of the cell
	elem string // elem is the scalar type of a list's elements
	null bool
	sub  *projection
}

func (c *compiler) newFrom(outer *expr.From) *from { return c.over(expr.NewFrom(&c.State, outer)) }

// over returns a from that has f as its expr.From.
func (c *compiler) over(f expr.From) *from { return &from{From: f, c: c} }

// trial returns copies of the compiler and of f, to interpret a node for its type and errors only.
// The copies add nothing to the statement.
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

// sort calls the function write, which writes an expression that rows are sorted by. Sorting stays set if an outer query had set it.
func (c *compiler) sort(sorting bool, write func()) {
	before := c.Sorting
	c.Sorting = before || sorting
	write()
	c.Sorting = before
}

// orders returns the terms that sort a query. If total is set, the keys of the rows follow and break
// ties, so that every row has its own place.
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

// ties returns the keys of the rows, in the direction of the last term, so that an index is read in
// one direction. Keys that are sorted by already are left out, and so is the key of a row that an
// earlier row determines.
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

// ordering returns the columns that order equal rows of the table: its key or, without one, all columns that the program gets
// unsealed. Rows with equal values in these look the same to the program. An order by a hidden column would reveal its values.
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

// determined reports whether a row that is sorted by earlier has a link to this row's key, as an
// order has to its customer.
func (f *from) determined(r *expr.Row) bool {
	return r.Parent != nil && slices.Contains(f.Rows, r.Parent) && len(r.Parent.Table.Keys) > 0 && r.Table.KeyOf(r.By.Pairs, func(p decl.Pair) *decl.Column { return p.To })
}

func (q *query) pending() bool { return len(q.limits)+len(q.offsets) > 0 }

// settle makes pending limits act: it wraps everything so far in a derived table, and later calls
// work on the remaining rows. So a program can't page past a host's limit, and a filter after a limit
// can't choose other rows.
//
// If other rows existed before (a limit inside a join's callback), the limit acts for each
// combination of these: the rows of each are numbered. Both engines can do that; SQLite has no LATERAL.
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

// keysOf returns the key columns of the rows, which distinguish their combinations.
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

// refuseKeyless refuses rows without a key if a limit acts for each of them: two equal rows would count as one.
func refuseKeyless(rows []*expr.Row) error {
	for _, r := range rows {
		if err := HasKey(r.Table); err != nil {
			return err
		}
	}
	return nil
}

// wrap moves everything so far into a derived table. The function fill completes its select, and
// returns conditions on the derived rows.
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

// HasKey returns an error for a table without a key.
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

// Position has one letter for each value of a page's cursor, because the statement depends on it. nil means the first page, without a cursor.
type Position []byte

const (
	AtNull  = 'n'
	AtValue = 'v'
	AtCell  = 'c' // the value is a stored cell of SQLite that no Value can represent: see plan.CellOf
)

// pageable are the kinds of values that a cursor stores exactly.
var pageable = map[string]bool{
	value.TypeInt: true, value.TypeFloat: true, value.TypeDecimal: true, value.TypeText: true, value.TypeBool: true, value.TypeTime: true,
	value.TypeDate: true, value.TypeInterval: true, value.TypeUUID: true, value.TypeBytes: true,
}

// inStoredOrder reports whether rows are sorted by columns as stored. They are if the first column has an index, because no index serves a guarded
// expression.
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

// asIndexed returns the terms changed to sort columns as they are stored, if an index serves that order.
func (f *from) asIndexed(terms []orderTerm) []orderTerm {
	if !f.inStoredOrder(terms) {
		return terms
	}
	out := slices.Clone(terms)
	for i, o := range out {
		c, column := expr.PlainText(o.x()).(expr.Column)
		out[i].expr = expr.SortKey{X: o.x(), Stored: column && (i == 0 || !f.c.Misfits(c))} // only the first stored term may have misfits, since upwards looks for hidden misfits only in that term
	}
	return out
}

// x returns the expression that a term sorts by.
func (o orderTerm) x() expr.Expr { return o.expr.(expr.SortKey).X }

// nested is a list of linked rows that select shows in one cell. In the statement it is a subquery,
// as in subquery.go: its table enters with its own scope, before the program's conditions. Cells are
// read last, in the program's order and limits, so no row out of scope is read or sorted.
type nested struct {
	n   *message.Node
	env expr.Names
}

// link is a pair of columns that a declared link compares. Each has its names in the statement: in
// its table, and in the derived table that contains it now.
type link struct{ a, b []sqlast.Column }

func newCompiler(d expr.Engine, m *exo.Message, grants []shape.Prepared) *compiler {
	return compilerOf(d, m, shape.Grants(grants))
}

// compilerOf returns a compiler for a message. It sets everything that depends on the message,
// since each of the message's statements needs it (TestLocalTimeOfEachStatement).
func compilerOf(d expr.Engine, m *exo.Message, grants []*scope.Grant) *compiler {
	c := newCompilerOn(d, grants)
	c.msg, c.Program, c.Zoned = m, true, m.Zone() != "UTC"
	return c
}

// newCompilerOn returns a compiler for a statement that no message asks for.
func newCompilerOn(d expr.Engine, grants []*scope.Grant) *compiler {
	c := &compiler{State: expr.State{Engine: d, Dialect: d.Dialect}, grants: grants}
	c.Queries = c
	return c
}

// bound returns env with the parameter of a callback bound to the query's rows.
func (f *from) bound(lambda *message.Node, q *query, env expr.Names) expr.Names {
	out := make(expr.Names, len(env)+1)
	maps.Copy(out, env)
	out[lambda.Recv] = q.seen()
	return out
}

// seen returns the names that the callbacks of a query see: its tables, and the columns that select named.
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

// row returns the occurrence of a table that a node means, by its name in a callback.
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

// isRow reports whether a node means one row with links, rather than a query.
func isRow(n *message.Node, f *from, env expr.Names) bool {
	_, err := f.row(n, env)
	return err == nil
}

// shown returns what the rows of q show: what select chose, or the whole row.
func (q *query) shown() *projection {
	if q.out == nil {
		return wholeRow(q.base)
	}
	return q.out
}

// wholeRow returns the projection of a whole row: each column that its facet shows, and its depth if it has one; of a group, only the keys.
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

// reads calls the function see for each column of the query's rows that a node reads through param, the parameter of its callback.
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
		return see(q.ns[0].Row, n.Name) // n follows a link of the query's rows
	}
	for _, a := range append([]*message.Node{n.Recv}, n.Args...) {
		if err := q.reads(a, see, param); err != nil {
			return err
		}
	}
	return nil
}
