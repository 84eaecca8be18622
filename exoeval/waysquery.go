package exoeval

import (
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// Other libraries have other words for what a query does. A program that uses one
// means something, and is told ours; each is named only where the query has it.

var (
	toFilter = []way{{"where", "write .where(t => condition)"}}
	toSend   = []way{{"execute", "write .execute() for all rows"}}
	toFirst  = []way{{"first", "write .where(t => condition) and .first()"}}
	toLimit  = []way{{"limit", "write .limit(n)"}}
	toOffset = []way{{"offset", "write .offset(n)"}}
	toPage   = []way{{"limit", "write .orderBy(t => t.column), .offset(n) and .limit(n)"}}
	toOrder  = []way{{"orderBy", "write .orderBy(t => t.column), or .orderBy(t => t.column.desc()) to sort backwards"}}
	toSelect = []way{{"select", "write .select(t => ({ name: t.column }))"}}
	toJoin   = []way{{"join", "write .join(({ a }) => a.link()), and select from both tables"}}
	toLeft   = []way{{"leftJoin", "write .leftJoin(({ a }) => a.link())"}}
	toReduce = []way{{"execute", "there are no aggregates but count: select the columns, execute, and reduce the rows"}}
	toChange = []way{{"", "nothing that changes data was granted here"}}
)

// queryWays are for members that queries don't have.
var queryWays = map[string][]way{
	"findMany": toFilter, "find": toFilter, "findAll": toFilter, "findBy": toFilter, "filterBy": toFilter, "andWhere": toFilter, "orWhere": toFilter, "whereIn": toFilter, "whereNot": toFilter,
	"whereNull": toFilter, "whereNotNull": toFilter, "whereBetween": toFilter, "match": toFilter, "eq": toFilter, "filter": {{"where", "write .where(t => condition), or filter the rows: (await ….execute()).filter"}},
	"all": toSend, "toArray": toSend, "get": toSend, "exec": toSend, "run": toSend, "fetch": toSend, "fetchAll": toSend, "list": toSend, "getMany": toSend, "many": toSend, "rows": toSend, "results": toSend, "data": toSend,
	"findOne": toFirst, "findFirst": toFirst, "findUnique": toFirst, "findById": toFirst, "findByPk": toFirst, "one": toFirst, "single": toFirst, "maybeSingle": toFirst, "getOne": toFirst, "firstOrNull": toFirst,
	"take": toLimit, "top": toLimit, "skip": toOffset, "page": toPage, "paginate": toPage, "range": toPage, "slice": toPage,
	"orderByDesc": toOrder, "sortBy": toOrder, "sort": toOrder, "order": toOrder, "desc": toOrder, "asc": toOrder, "order_by": toOrder, "thenBy": toOrder,
	"project": toSelect, "pluck": toSelect, "fields": toSelect, "columns": toSelect, "returning": toSelect, "pick": toSelect, "only": toSelect,
	"include": toJoin, "with": toJoin, "populate": toJoin, "innerJoin": toJoin, "preload": toJoin, "leftOuterJoin": toLeft, "left_join": toLeft,
	"sum": toReduce, "avg": toReduce, "average": toReduce, "min": toReduce, "max": toReduce, "groupBy": toReduce, "group_by": toReduce, "having": toReduce, "aggregate": toReduce, "countBy": toReduce,
	"insert": toChange, "update": toChange, "updateMany": toChange, "delete": toChange, "deleteMany": toChange, "create": toChange, "save": toChange, "upsert": toChange, "remove": toChange, "set": toChange,
}

// ofQuery is what to do instead of reading a member that a query doesn't have.
func (x *recorded) ofQuery(i *exo.Interface, name string) string {
	if row, table := x.rowOf(); row != nil && row.Fields[name] != nil {
		if len(x.r.frames) > 0 && i.Methods["join"] != nil {
			return "it is a query, and `" + name + "` a column of its rows: join it before, and use " + table + "." + name
		}
		if i.Methods["select"] != nil {
			return "`" + name + "` is a column of its rows: await it and read row." + name + ", or write .select(t => ({ " + name + ": t." + name + " }))"
		}
	}
	for _, w := range queryWays[name] {
		if w.needs == "" || i.Methods[w.needs] != nil {
			return w.text
		}
	}
	return x.r.pathTo(x.node.Type.Name, x.r.check.Name(x.node), name)
}

// rowOf is the interface of the rows of a query of one table, and the table's name.
func (x *recorded) rowOf() (*exo.Interface, string) {
	ns := x.node.Type.Args["ns"]
	if ns == nil || len(ns.Fields) != 1 {
		return nil, ""
	}
	return x.r.check.Catalog[ns.Fields[0].Type.Name], ns.Fields[0].Name
}

// pathTo says how a link is reached that something further away has: the shortest
// way from an interface by links.
func (r *run) pathTo(from, shown, name string) string {
	const most = 3 // links, and hundreds of interfaces
	type step struct {
		name, path string
		links      int
	}
	seen := map[string]bool{from: true}
	for todo := []step{{from, shown, 0}}; len(todo) > 0 && len(seen) < 500; todo = todo[1:] {
		at := todo[0]
		i := r.check.Catalog[at.name]
		if i == nil || at.links > most {
			continue
		}
		for _, n := range i.Names() {
			m := i.Methods[n]
			if m == nil || m.Sends || len(m.Params) > 0 || m.Result == nil || m.Result.Con == nil {
				continue
			}
			path := at.path + "." + n + "()"
			if to := m.Result.Con.Name; n == name {
				return "write " + path
			} else if !seen[to] {
				seen[to] = true
				todo = append(todo, step{to, path, at.links + 1})
			}
		}
	}
	return ""
}

// fromGrants is pathTo from any of the granted objects.
func (r *run) fromGrants(name string) string {
	best := ""
	for _, g := range r.granted {
		if s := r.pathTo(g.Type.Name, "api."+g.Name, name); s != "" && (best == "" || strings.Count(s, ".") < strings.Count(best, ".")) {
			best = s
		}
	}
	return best
}
