package language

import (
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// ExistsMethod asks in a callback whether a link of a row leads to any row.
const ExistsMethod = "exists"

// The interfaces that every grant shares. They are plain data: the recorder and
// the gate know of queries only what stands here.

func v(name string) *exo.Term { return &exo.Term{Var: name} }

func con(name string) *exo.Term {
	return &exo.Term{Con: &exo.Type{Name: name}}
}

func app(name string, args map[string]*exo.Term) *exo.Term {
	return &exo.Term{App: name, Args: args}
}

const (
	QueryInterface = "Query"
	sortable       = "Sortable"
)

// queryMethods are what can be done with any query. Its type arguments are ns,
// the tables in it by their aliases, and row, what one result row shows.
func queryMethods() []*exo.Method {
	extended := &exo.Term{Ext: []*exo.Term{v("ns"), v("item.ns")}}
	return []*exo.Method{
		{Name: "join", Doc: "also the rows of a link, or of any query with a condition; rows without a match are left out",
			Params: []exo.Param{
				{Name: "the first argument", Want: con(QueryInterface), Lambda: v("ns"), Plain: true, Bind: "item"},
				{Name: "the condition", Want: con("Bool"), Lambda: extended, Opt: true},
			},
			Result: app(QueryInterface, map[string]*exo.Term{"ns": extended, "row": v("row")})},
		{Name: "leftJoin", Doc: "join, but rows without a match stay, with nulls",
			Params: []exo.Param{
				{Name: "the first argument", Want: con(QueryInterface), Lambda: v("ns"), Plain: true, Bind: "item"},
				{Name: "the condition", Want: con("Bool"), Lambda: extended, Opt: true},
			},
			Result: app(QueryInterface, map[string]*exo.Term{"ns": extended, "row": v("row")})},
		{Name: "where", Doc: "only the rows for which the condition holds",
			Params: []exo.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns"), Filter: true}}, Result: v("self")},
		{Name: "select", Doc: "what each result row shows",
			Params: []exo.Param{{Name: "the selection", Want: con(exo.TypeSelection), Lambda: v("ns"), Bind: "out"}},
			Result: app(QueryInterface, map[string]*exo.Term{"ns": v("ns"), "row": v("out")})},
		{Name: "distinct", Doc: "equal result rows once; after select", Row: true, Result: v("self")},
		{Name: "orderBy", Doc: "sorts; further calls sort within equals",
			Params: []exo.Param{{Name: "the order", Want: con(sortable), Lambda: v("ns"), Many: true}}, Result: v("self")},
		{Name: "limit", Doc: "at most n rows; what comes after limit works on those rows only",
			Params: []exo.Param{{Name: "the number of rows", Want: con(exo.TypeInt), Count: true}}, Result: v("self")},
		{Name: "offset", Doc: "without the first n rows",
			Params: []exo.Param{{Name: "the number of rows", Want: con(exo.TypeInt), Count: true}}, Result: v("self")},
		{Name: "as", Doc: "gives the table another name, to have it twice in one query",
			Params: []exo.Param{{Name: "name", Want: con(exo.TypeText), Static: true, Ident: true}},
			Result: app(QueryInterface, map[string]*exo.Term{"ns": {Key: "name", Of: v("ns.*")}, "row": v("row")})},
		{Name: ExistsMethod, Doc: "of a link, in a callback: whether there is a row", Result: boolExpr},
		{Name: "execute", Doc: "runs the query: an array of rows", Sends: true,
			Result: app(exo.TypeList, map[string]*exo.Term{"of": v("row")})},
		{Name: "first", Doc: "runs the query: its first row, or null", Sends: true, Result: &exo.Term{Var: "row", Null: true}},
		{Name: "count", Doc: "runs the query: how many rows it has", Sends: true, Result: con(exo.TypeInt)},
	}
}

// Both are made when a grant first needs them: every process that links this
// package starts with its initialiser, a worker that knows no database too.
var (
	SharedMethods    = sync.OnceValue(queryMethods)
	SharedInterfaces = sync.OnceValue(makeShared)
)

func makeShared() []*exo.Interface {
	q := &exo.Interface{Name: QueryInterface, Doc: "a query", Await: "execute", Words: QueryWords(), Methods: map[string]*exo.Method{}}
	for _, m := range SharedMethods() {
		q.Methods[m.Name] = m
		q.Order = append(q.Order, m.Name)
	}
	out := []*exo.Interface{q, {Name: "Order", Doc: "an order like column.desc()", Is: []string{sortable}}}
	for _, name := range anyColumn {
		out = append(out, columnInterface(name))
	}
	// A sortable thing is a column or an order; the name only has a text.
	return append(out, &exo.Interface{Name: sortable, Doc: "a column, or an order like column.desc()"})
}

// ReservedMember reports whether a name means something on queries already.
func ReservedMember(n string) bool {
	for _, m := range SharedMethods() {
		if m.Name == n {
			return true
		}
	}
	return false
}
