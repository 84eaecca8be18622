package language

import (
	"sync"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// These methods test, in a callback, whether a link leads to any row, and whether one, all or none
// of its rows meet a condition.
const (
	ExistsMethod = "exists"
	Some         = "some"
	Every        = "every"
	None         = "none"
)

// These methods run a query. In a callback, Execute returns the rows of a link, in the form that select shows, and First returns the first of them.
const (
	Execute = "execute"
	First   = "first"
	Page    = "page"
)

// This file has the interfaces that all grants share. They are plain data, and all that the
// recorder and the gate know about queries.

func v(name string) *message.Term { return &message.Term{Var: name} }

func con(name string) *message.Term {
	return &message.Term{Con: &message.Type{Name: name}}
}

func app(name string, args map[string]*message.Term) *message.Term {
	return &message.Term{App: name, Args: args}
}

const (
	QueryInterface = "Query"
	sortable       = "Sortable"
)

// GroupAlias is the name of a query's groups in its callbacks.
const GroupAlias = "group"

// queryMethods returns the methods of every query. Its type arguments are ns, the tables in it by
// their aliases, and row, the type of a result's row.
func queryMethods() []*message.Method {
	extended := &message.Term{Ext: []*message.Term{v("ns"), v("item.ns")}}
	join := func(name, doc string) *message.Method {
		return &message.Method{Name: name, Doc: doc,
			Params: []message.Param{
				{Name: "the first argument", Want: con(QueryInterface), Lambda: v("ns"), Plain: true, Bind: "item"},
				{Name: "the condition", Want: con("Bool"), Lambda: extended, Opt: true},
			},
			Result: app(QueryInterface, map[string]*message.Term{"ns": extended, "row": v("row")})}
	}
	return []*message.Method{
		join("join", "also the rows of a link, or of any query with a condition; only with a match"),
		join("leftJoin", "join, but rows without a match stay, with nulls"),
		{Name: "where", Doc: "only rows for which it holds",
			Params: []message.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns"), Filter: true}}, Result: v("self")},
		{Name: "select", Doc: "what each result row shows",
			Params: []message.Param{{Name: "the selection", Want: con(value.TypeSelection), Lambda: v("ns"), Bind: "out"}},
			Result: app(QueryInterface, map[string]*message.Term{"ns": v("ns"), "row": v("out")})},
		{Name: "distinct", Doc: "equal rows once; after select", Row: true, Result: v("self")},
		{Name: "orderBy", Doc: "sorts; further calls sort within equals",
			Params: []message.Param{{Name: "the order", Want: con(sortable), Lambda: v("ns"), Many: true}}, Result: v("self")},
		{Name: "limit", Doc: "at most n rows; what follows works on those",
			Params: []message.Param{{Name: "the number of rows", Want: con(value.TypeInt), Count: true}}, Result: v("self")},
		{Name: "offset", Doc: "skips n rows",
			Params: []message.Param{{Name: "the number of rows", Want: con(value.TypeInt), Count: true}}, Result: v("self")},
		groupBy(), countBy(), distinctBy(), partitionBy(),
		combines(Union), combines(UnionAll), combines(Concat), combines(Intersect), combines(Except),
		{Name: "as", Doc: "another name, to have a table twice",
			Params: []message.Param{{Name: "name", Want: con(value.TypeText), Static: true, Ident: true}},
			Result: app(QueryInterface, map[string]*message.Term{"ns": {Key: "name", Of: v("ns.*")}, "row": v("row")})},
		{Name: ExistsMethod, Doc: "of a link, in a callback: whether there is a row", Result: boolExpr},
		quantifier(Some), quantifier(Every), quantifier(None),
		{Name: Execute, Doc: "runs the query: its rows", Sends: true,
			Result: app(value.TypeList, map[string]*message.Term{"of": v("row")}), Nested: app(value.TypeRows, map[string]*message.Term{"of": v("row")})},
		{Name: First, Doc: "runs the query: its first row, or null", Sends: true, Result: &message.Term{Var: "row", Null: true}, Nested: v("self"), Truth: ExistsMethod},
		{Name: "count", Doc: "runs the query, as those below do: how many rows it has", Sends: true, Result: con(value.TypeInt), Nested: whole},
		{Name: Page, Doc: "n rows; next goes on from there", Sends: true,
			Params: []message.Param{{Name: "the number of rows", Want: con(value.TypeInt), Count: true}, {Name: "the cursor", Want: con(value.TypeText), Null: true, Opt: true}},
			Result: &message.Term{Ext: []*message.Term{{Name: "rows", Of: app(value.TypeList, map[string]*message.Term{"of": v("row")})}, {Name: "next", Of: &message.Term{Con: &message.Type{Name: value.TypeText, Null: true}}}}}},
		queryAggregate(Sum), queryAggregate(Avg), queryAggregate(Median), queryAggregate(Min), queryAggregate(Max), queryAggregate(CountDistinct),
	}
}

// These are made when they are first called, since every process with this package runs its
// initialisers, even a worker without a database.
var (
	SharedMethods    = sync.OnceValue(queryMethods)
	SharedInterfaces = sync.OnceValue(makeShared)
)

func makeShared() []*message.Interface {
	q := &message.Interface{Name: QueryInterface, Doc: "a query", Await: "execute", Words: QueryWords(), Methods: map[string]*message.Method{}}
	for _, m := range SharedMethods() {
		q.Methods[m.Name] = m
		if Declared(m) {
			q.Order = append(q.Order, m.Name)
		}
	}
	out := []*message.Interface{q, groupInterface(), windowInterface(), {Name: recordInterface, Doc: "a row of what select showed", Words: []message.Words{phrases(recordPhrases)}}, {Name: "Order", Doc: "an order like column.desc()", Is: []string{sortable}, Words: []message.Words{phrases(orderPhrases)}}}
	for _, name := range anyColumn {
		out = append(out, columnInterface(name))
	}
	// These interfaces have no members, only a name and a text for errors.
	return append(out, &message.Interface{Name: sortable, Doc: "a column, or an order like column.desc()"},
		&message.Interface{Name: numeric, Doc: "a column of numbers, or a calculation with it"},
		&message.Interface{Name: minMax, Doc: "a column of numbers, texts, times or days"},
		&message.Interface{Name: countable, Doc: "a column, or an expression of columns"})
}

// Declared reports whether authors of programs are shown a method of queries. Other methods are for programs that
// know them from other libraries or from an error. Tests of a link's rows are described once for all links.
func Declared(m *message.Method) bool {
	return m.Name != CountBy && m.Name != Page && m.Name != PartitionBy && Sets[m.Name] == sqlast.NoSet && (m.Nested == nil || m.Sends)
}

// ReservedMember reports whether a name is already a method of queries.
func ReservedMember(n string) bool {
	for _, m := range SharedMethods() {
		if m.Name == n {
			return true
		}
	}
	return n == Recursive
}
