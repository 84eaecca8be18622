package compile

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
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
	state
	aliases      int
	guardAliases int
	steps        int
	tables       int            // that the statement reads, each place where it does
	columns      int            // of all those together
	grants       []*scope.Grant // of the message's objects
	msg          *exo.Message
	charges      map[int]int // of the cells of the statement that are a labelled column as it is, or made of columns, by their places
	made         map[int]int // the most bytes that the engine may make for those that are made, by their places
	replying     bool        // what is shown goes to a program
	alone        *decl.Facet // what the message's object stands for, if that is not the grant: see Probe

	fences  int           // that stand in the statement
	entered []*occurrence // the tables of the statement
	derived []string      // the aliases of derived tables

	linked []*decl.Column // that a link of the statement compares, as they are met
	links  []link         // that join guarded tables

	after Position // where the page begins

	asked   int      // subqueries that are written
	sets    int      // queries that are combined
	trees   int      // links that are followed again and again
	notices []string // see plan.Plan
}

// maxSteps bounds the work of one compilation: a message is a graph, and each
// use of a node is compiled anew.
const maxSteps = 5000

const maxSources = 60 // SQLite joins at most 64 tables

// from is a FROM clause being built: what expressions see of it, its sources and conditions.
type from struct {
	From
	c       *compiler
	sources scope.Sources
	where   []sqlast.Expr
	open    bool               // something came since the last fence
	fenced  map[*derived]*from // the derived tables that are fences and nothing else: a condition inside holds outside too
	asked   *[]expr            // within a left join: what the program demands, for its condition
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

func (c *compiler) newFrom(outer *From) *from { return c.over(newFrom(&c.state, outer)) }

// over is a from of what expressions see of it.
func (c *compiler) over(f From) *from { return &from{From: f, c: c} }

// trial is a copy of the compiler for what is tried on the side, for its type or its errors, and f as that sees it. Nothing of it stays in
// the statement.
func (c *compiler) trial(f *From) (*compiler, *From) {
	trial := *c
	trial.queries = &trial
	at := newFrom(&trial.state, f.outer)
	at.rows, at.at = f.rows, f.at
	return &trial, &at
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

// orders are the terms that a query is sorted by. With total they end in keys of its rows, so
// that every order is total; see ties.
func (f *from) orders(q *query, total bool) []sqlast.Order {
	var out []sqlast.Order
	if f.inStoredOrder(q.order) {
		f.c.raw++
		defer func() { f.c.raw-- }()
	}
	for _, o := range q.order {
		f.c.sorting = !free(o.expr.(SortKey).x)
		out = append(out, sqlast.Order{Expr: o.expr.SQL(&f.From), Desc: o.desc, NotNull: f.neverNull(o.expr)})
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
			c, ok := plainText(o.expr.(SortKey).x).(Column)
			return ok && c.row == row && c.col == k
		})
	}
	var out []sqlast.Order
	for _, r := range f.rows {
		if f.determined(r) {
			continue
		}
		if g := groupOf(r); g != nil {
			for _, k := range g.keys {
				out = append(out, sqlast.Order{Expr: sortBy(tying(k)).SQL(&f.From), Desc: desc})
			}
			continue
		}
		for _, k := range ordering(r) {
			if !sortedBy(r, k) {
				out = append(out, sqlast.Order{Expr: f.tieBreak(r, k), Desc: desc, NotNull: !r.optional && !k.Null})
			}
		}
	}
	return out
}

// ordering are the columns that break ties between rows of the table: its key, or, where it has none, all that the program is shown
// plain. Rows that are equal in these are the same to the program. A hidden column would show by the order that it gives.
func ordering(r *occurrence) (out []*decl.Column) {
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
				x = exactText{x: columnOf(r, k)}.SQL(&f.From)
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
	d := &derived{inner: &inner.From, sel: sel, outs: map[outKey]string{}}
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	outer := f.c.newFrom(f.outer)
	outer.rows, outer.valued, outer.asked = inner.rows, inner.valued, f.asked
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
	*f = *outer
}

// matched is the condition that other, a row of the finished sub-query, matches row.
func (f *from) matched(row *occurrence, pairs []decl.Pair, sub *from, other *occurrence) sqlast.Expr {
	var theirs, ours []sqlast.Expr
	for _, p := range pairs {
		f.c.linking = true
		for _, by := range f.pairs(columnOf(other, p.From), columnOf(row, p.To)) {
			theirs, ours = append(theirs, compared(by[0], &sub.From)), append(ours, compared(by[1], &f.From))
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
