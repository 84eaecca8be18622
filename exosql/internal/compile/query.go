package compile

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// compiler turns a message, or a chain of typed calls, into one statement.
//
// Everything a query mentions lives in one flat list of sources (a from), and
// each row of the program's namespace is an occurrence with an identity of its
// own. The names of a row's columns are looked up in the from at the moment of
// use, never stored in names of the guest: an inner query can't capture an outer
// name (testdata/attacks/001), and wrapping a from moves all its rows at once.
type compiler struct {
	engine       Engine
	known        map[*decl.Column]decl.Form // what engine has answered
	dialect      sqlast.Dialect             // of engine
	aliases      int
	guardAliases int
	slots        []plan.Source
	steps        int
	emitted      int            // operations written: what is repeated in the statement counts each time
	handled      int            // bytes of made texts in one row, weighed, see handle
	held         int            // bytes of them
	holding      int            // aggregates that hold values, see holds
	tables       int            // that the statement reads, each place where it does
	columns      int            // of all those together
	grants       []*scope.Grant // of the message's objects
	msg          *exo.Message
	charges      map[int]int // of the cells of the statement that are a labelled column as it is, or made of columns, by their places
	made         map[int]int // the most bytes that the engine may make for those that are made, by their places
	charge       int         // the most of the labelled columns that the statement names
	unchanged    bool        // a condition of ifUnchanged is being interpreted
	replying     bool        // what is shown goes to a program
	zoned        bool        // local time is not UTC
	alone        *decl.Facet // what the message's object stands for, if that is not the grant: see Probe

	fence.Form               // in which it is compiled
	fences     int           // that stand in the statement
	entered    []*occurrence // the tables of the statement
	derived    []string      // the aliases of derived tables
	satisfying bool          // conditions of a scope are being written

	linked     []*decl.Column // that a link of the statement compares, as they are met
	compared   []*decl.Column // all of them, of an earlier compilation, where some tables are guarded
	guarding   bool           // the scope of a guard is being written
	unguarded  bool           // a condition that would need a guard has none
	linking    bool           // the condition of a link is being written
	links      []link         // that join guarded tables
	touched    []*occurrence  // whose columns are read in what is written, while guards are
	sorting    bool           // by something of a guarded table
	conditions int            // conditions of the program that are being written, one in another

	needed   bool        // what is written has to hold: unknown is as good as false
	fitted   []colExpr   // columns whose misfits are null in the statement
	raw      int         // columns are written as they are stored: see misfit.go
	changing bool        // the rows are found to be changed
	base     *occurrence // the row that is changed, once it is known
	extremes bool        // the one value that is asked is the least or the greatest of a column

	over *overAll // aggregates that are written are of its window

	after Position // where the page begins

	asked   int      // subqueries that are written
	sets    int      // queries that are combined
	trees   int      // links that are followed again and again
	notices []string // see plan.Plan
	failed  error    // met while something is written
}

// maxSteps bounds the work of one compilation: a message is a graph, and each
// use of a node is compiled anew.
const maxSteps = 5000

// maxEmitted bounds what is written of it: an operand that is repeated could
// double with each level.
const maxEmitted = 50_000

const maxSources = 60 // SQLite joins at most 64 tables

// occurrence is one row variable of a query: one table, in one place.
type occurrence struct {
	grant *scope.Grant // which grant's scopes apply to it
	facet *decl.Facet  // what a program sees of it; nil for hidden ones
	table *decl.Table
	form  func(*decl.Column) decl.Form // how the database holds its columns; nil: it is no row of a table
	fixed []scope.Fixed                // by its scope
	entry scope.Entry
	gates []string // see fence.Table
	alias string   // of the table itself, wherever its columns are now

	parent *occurrence // that it was joined to by a link, or nil
	by     *decl.Link
	with   *occurrence // that it was joined to by a condition, or nil: see joinedBy
	pairs  []decl.Pair // of that condition

	optional bool // joined so that it may be missing: all its columns may be null

	group  *group  // it is no row of a table, but a group of rows
	window *window // or the window of each row

	sought *plan.Source // the text that its query was searched for last

	selected expr // it is no row at all, but what select showed under a name

	depth     *decl.Column // of a row of a tree: see tree.go
	depthName string       // and what programs call it
}

// from is a FROM clause being built: sources, conditions, and where each row is now.
type from struct {
	c       *compiler
	outer   *from // the enclosing one, for EXISTS and IN
	sources scope.Sources
	where   []sqlast.Expr
	rows    []*occurrence
	at      map[*occurrence]place
	valued  []colExpr // columns that are not null in any row, by a condition of the program
	open    bool      // something came since the last fence
	asked   *[]expr   // within a left join: what the program demands, for its condition
}

// place says where a row's columns are: in a table, or among the outputs of a
// derived table, to which they are added when first used.
type place struct {
	alias   string
	derived *derived
}

type derived struct {
	inner *from
	sel   *sqlast.Select
	outs  map[outKey]string
	fence bool // it does nothing else: a condition inside holds outside too
	group *group
}

type outKey struct {
	row *occurrence
	col *decl.Column
}

// query is what a describing call has built so far, over a from.
type query struct {
	ns      []named       // what callbacks see
	base    *occurrence   // whose row a result shows without a select
	out     *projection   // what select chose, or nil
	order   []orderTerm   //
	chosen  bool          // the order has chosen the first row of each key: a later one sorts what was chosen
	limits  []sqlast.Expr // pending: they act when something comes after them, or at the end
	offsets []sqlast.Expr
	once    bool          // of the rows that show the same one is left
	context []*occurrence // the rows that were there before: a limit acts for each combination of them
	link    *decl.Link    // by which the rows were reached, whatever was said of them since
	merged  []string      // where several rows may lead to one of them: what those are called, and their link
}

type named struct {
	name string
	row  *occurrence
}

type orderTerm struct {
	expr expr
	desc bool
	kind string // as the catalogue has it, or "": a literal may widen what the compiler knows
	last bool   // the rank of a search, see sortedBy
}

// projection is what each result row shows: columns, scalars, records of them.
type projection struct {
	names []string
	items []projected
	bare  bool // one item, of which the result has the values without a record around each
}

type projected struct {
	expr expr
	rows *nested
	kind string // scalar kind of the cell
	elem string // of a list: that of its elements
	null bool
	sub  *projection
}

func (c *compiler) newFrom(outer *from) *from {
	return &from{c: c, outer: outer, at: map[*occurrence]place{}}
}

func (c *compiler) alias() string {
	if c.guarding { // of its own kind: the others stay what they were without guards
		c.guardAliases++
		return fmt.Sprintf("g%d", c.guardAliases-1)
	}
	c.aliases++
	return fmt.Sprintf("t%d", c.aliases-1)
}

func (c *compiler) step() error {
	if c.steps++; c.steps > maxSteps {
		return fail.Errorf(fail.Limit, "", "the query is too large")
	}
	return nil
}

// col is the expression that reads a row's column, wherever the row is now.
func (f *from) col(row *occurrence, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.charge = max(f.c.charge, col.Charge())
	p, ok := f.at[row]
	if !ok {
		if f.outer == nil {
			return nil // sqlast refuses nil: a row that is nowhere is an error, not a name
		}
		return f.outer.col(row, col)
	}
	if p.derived == nil {
		return sqlast.Column{Alias: p.alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.alias, Name: p.derived.expose(row, col)}
}

func (d *derived) expose(row *occurrence, col *decl.Column) string {
	k := outKey{row, col}
	name, ok := d.outs[k]
	if !ok {
		var x sqlast.Expr
		if d.group != nil && row.group == d.group {
			if made := d.group.cells[col]; made != nil {
				x = made.sql(d.inner)
			}
		} else if row.window != nil && row.window.inner == d.inner {
			if made := row.window.cells[col]; made != nil {
				x = made.sql(d.inner)
			}
		} else {
			x = d.inner.col(row, col)
		}
		o := d.out(k, x, len(d.outs))
		d.sel.Columns = append(d.sel.Columns, o)
		name = o.As
	}
	return name
}

// out is output n of a derived table.
func (d *derived) out(k outKey, x sqlast.Expr, n int) sqlast.Output {
	d.outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.outs[k]}
}

// orders are the terms that a query is sorted by. With total they end in keys of its rows, so
// that every order is total; see ties.
func (f *from) orders(q *query, total bool) []sqlast.Order {
	var out []sqlast.Order
	for _, o := range q.order {
		f.c.sorting = !free(o.expr.(sortExpr).x)
		out = append(out, sqlast.Order{Expr: o.expr.sql(f), Desc: o.desc, NotNull: f.neverNull(o.expr)})
		f.c.sorting = false
	}
	if total {
		out = append(out, f.ties(q)...)
	}
	return out
}

// ties are the keys of the rows, in the direction of the last term: an index that serves
// that is then read one way. A key that is sorted by already is left out, and that of a row
// which one before it determines.
func (f *from) ties(q *query) []sqlast.Order {
	desc := len(q.order) > 0 && q.order[len(q.order)-1].desc
	sortedBy := func(row *occurrence, k *decl.Column) bool {
		return slices.ContainsFunc(q.order, func(o orderTerm) bool {
			c, ok := plainText(o.expr.(sortExpr).x).(colExpr)
			return ok && c.row == row && c.col == k
		})
	}
	var out []sqlast.Order
	for _, r := range f.rows {
		if f.determined(r) {
			continue
		}
		if r.group != nil {
			for _, k := range r.group.keys {
				out = append(out, sqlast.Order{Expr: sortExpr{x: tying(k)}.sql(f), Desc: desc})
			}
			continue
		}
		for _, k := range r.ordering() {
			if !sortedBy(r, k) {
				out = append(out, sqlast.Order{Expr: f.tieBreak(r, k), Desc: desc, NotNull: !r.optional && !k.Null})
			}
		}
	}
	return out
}

// ordering are the columns that break ties between rows of the table: its key, or, where it has none, all that the program is shown
// plain. Rows that are equal in these are the same to the program. A hidden column would show by the order that it gives.
func (r *occurrence) ordering() (out []*decl.Column) {
	if len(r.table.Keys) > 0 || r.facet == nil {
		return r.table.Keys
	}
	for _, c := range r.facet.Cols {
		if pageable[c.Kind] && c.Label.Empty() {
			out = append(out, c)
		}
	}
	return out
}

// determined reports whether a row was reached by a link to its key from another one
// that is sorted by before it: of an order, its customer.
func (f *from) determined(r *occurrence) bool {
	return r.parent != nil && slices.Contains(f.rows, r.parent) && len(r.parent.table.Keys) > 0 && isKey(r.table, r.by.Pairs, func(p decl.Pair) *decl.Column { return p.To })
}

// isKey reports whether the columns of pairs are the key of a table.
func isKey(t *decl.Table, pairs []decl.Pair, end func(decl.Pair) *decl.Column) bool {
	return len(t.Keys) > 0 && !slices.ContainsFunc(t.Keys, func(k *decl.Column) bool {
		return !slices.ContainsFunc(pairs, func(p decl.Pair) bool { return end(p) == k })
	})
}

func (q *query) pending() bool { return len(q.limits)+len(q.offsets) > 0 }

// settle makes pending limits act, by wrapping everything so far in a derived
// table: whatever comes later works on the rows that were left. This is why a
// host's limit can't be paged past and a filter after it can't choose other rows.
//
// Where other rows were there before (a limit inside a join's callback), it acts
// for each combination of them: rows are numbered within it. Both engines can do
// that, while SQLite has no LATERAL.
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
				skip = call(sqlast.Add, skip, o)
			}
		}
		where := []sqlast.Expr{call(sqlast.Gt, n, skip)}
		for _, l := range q.limits {
			where = append(where, call(sqlast.Le, n, call(sqlast.Add, skip, l)))
		}
		return where
	})
	q.limits, q.offsets = nil, nil
	return nil
}

// keysOf are the columns that tell combinations of the rows apart.
func (f *from) keysOf(rows []*occurrence) []sqlast.Expr {
	var keys []sqlast.Expr
	for _, r := range rows {
		for _, k := range r.table.Keys {
			x := f.col(r, k)
			if f.c.wider(k) {
				x = exactText{colExpr{r, k}}.sql(f)
			}
			keys = append(keys, x)
		}
	}
	return keys
}

// refuseKeyless refuses rows without a key where others are counted for each of them: two that are equal would pass for one.
func refuseKeyless(rows []*occurrence) error {
	for _, r := range rows {
		if err := HasKey(r.table); err != nil {
			return err
		}
	}
	return nil
}

// wrap moves everything so far into a derived table. fill completes that, and
// returns what has to hold of its rows.
func (f *from) wrap(fill func(inner *from, sel *sqlast.Select, alias string) []sqlast.Expr) {
	inner := *f
	sel := inner.sources.Of(&sqlast.Select{Where: inner.where})
	d := &derived{inner: &inner, sel: sel, outs: map[outKey]string{}}
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	outer := from{c: f.c, outer: f.outer, rows: inner.rows, at: map[*occurrence]place{}, asked: f.asked, valued: f.valued}
	outer.sources = scope.Derived(sel, alias)
	for _, r := range inner.rows {
		outer.at[r] = place{alias: alias, derived: d}
	}
	outer.where = fill(&inner, sel, alias)
	// A limit closes it as a fence does. Rows that are numbered don't: engines move
	// conditions on what they are numbered by inside.
	outer.open = len(sel.Limit)+len(sel.Offset) == 0
	if len(sel.Columns) == 0 { // a derived table needs an output even when only its rows count
		if keys := inner.rows[0].table.Keys; len(keys) > 0 {
			d.expose(inner.rows[0], keys[0])
		} else {
			sel.Columns = []sqlast.Output{{Expr: sqlast.One, As: "one"}}
		}
	}
	*f = outer
}

// matched is the condition that other, a row of the finished sub-query, matches row.
func (f *from) matched(row *occurrence, pairs []decl.Pair, sub *from, other *occurrence) sqlast.Expr {
	var theirs, ours []sqlast.Expr
	for _, p := range pairs {
		f.c.linking = true
		for _, by := range f.pairs(colExpr{other, p.From}, colExpr{row, p.To}) {
			theirs, ours = append(theirs, compared(by[0], sub)), append(ours, compared(by[1], f))
		}
		f.c.linking = false
		f.c.link(sub, other, p.From, f, row, p.To)
	}
	if len(pairs) == 1 {
		sel := sub.sources.Of(&sqlast.Select{Where: sub.where})
		for i, x := range theirs {
			sel.Columns = append(sel.Columns, sqlast.Output{Expr: x, As: "k" + map[int]string{1: "x"}[i]})
		}
		return sqlast.InSelect{X: ours[0], And: ours[1:], Sub: sel}
	}
	for i := range theirs {
		sub.where = append(sub.where, call(sqlast.Eq, theirs[i], ours[i]))
	}
	return sqlast.Exists{Sub: sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: sqlast.One, As: "k"}}, Where: sub.where})}
}
