package codemode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// The examples use names of the catalogue, and run on what is granted (TestExamplesRun).

func (p *prompt) examples() []Example {
	if p.lookups != nil {
		return p.found()
	}
	var out []Example
	if q := p.query(); q != nil {
		out = append(out, q.joined(), q.shaped())
	} else {
		out = p.callExamples()
	}
	out = append(out, p.changed())
	return slices.DeleteFunc(out, func(e Example) bool { return e.Code == "" })
}

// found returns the examples for a tool that does not declare everything.
func (p *prompt) found() []Example {
	out := []Example{{"what there is for a question, and how it is declared",
		fmt.Sprintf("async (api) => {\n  const found = await %s(\"words of the question\");\n  return { found, declared: await Promise.all(found.slice(0, 2).map((f) => %s(f.name))) };\n}", p.lookups[0], p.lookups[1])}}
	if q := p.query(); q != nil {
		if e := q.joined(); e.Code != "" {
			out = append(out, e)
		}
	}
	if e := p.changed(); e.Code != "" {
		out = append(out, e)
	}
	return out
}

// queryShape has the facts about a query of one table that the examples need.
type queryShape struct {
	p       *prompt
	name    string // the name of its interface
	path    string // the expression with which a program gets it
	alias   string
	columns []column // the columns that may be returned
	all     bool     // columns contains every column of the table
	methods map[string]*message.Method
	await   string
	links   []link
	linked  bool
}

type column struct {
	name string
	of   *message.Type
	ops  map[string]*message.Method
}

type link struct {
	name string
	to   *message.Type
}

// shape reads a type as a query. It returns nil if the type is no query.
func (p *prompt) shape(path string, t *message.Type) *queryShape {
	if t == nil || p.catalog[t.Name] == nil {
		return nil
	}
	i, ns := p.catalog[t.Name], t.Args["ns"]
	if ns == nil || len(ns.Fields) != 1 {
		return nil
	}
	row := p.catalog[ns.Fields[0].Type.Name]
	if row == nil || !slices.Contains(row.Is, value.TypeRow) {
		return nil
	}
	q := &queryShape{p: p, name: t.Name, path: path, alias: ns.Fields[0].Name, methods: i.Methods, await: i.Await, all: true}
	for _, n := range row.Names() {
		f := row.Fields[n]
		if f == nil {
			if to := row.Methods[n].Result; to != nil && to.Con != nil {
				q.links = append(q.links, link{n, to.Con})
			}
			continue
		}
		x := p.catalog[f.Type.Name]
		if x == nil || !x.Expr || f.Type.Args["of"] == nil || !f.Label.Secrecy().FlowsTo(p.admits) {
			q.all = false
			continue
		}
		q.columns = append(q.columns, column{n, f.Type.Args["of"], x.Methods})
	}
	q.linked = len(q.links) > 0
	// The best example uses a link to many rows of another table. The catalogue does not show to
	// how many rows a link leads, but the link's name usually does.
	slices.SortStableFunc(q.links, func(a, b link) int { return q.rank(b) - q.rank(a) })
	if len(q.columns) == 0 {
		return nil
	}
	return q
}

func (q *queryShape) rank(l link) int {
	n := 0
	if strings.HasSuffix(l.name, "s") {
		n++
	}
	if ns := l.to.Args["ns"]; ns != nil && len(ns.Fields) == 1 && ns.Fields[0].Name != q.alias {
		n += 2
	}
	return n
}

// target returns the name of the first usable link and the query that it leads to, or "" and nil. walked is true if the
// example follows the link without a join.
func (q *queryShape) target(walked bool) (string, *queryShape) {
	for _, l := range q.links {
		if walked && q.methods[l.name] == nil {
			continue // a query may have fewer links than its rows
		}
		if t := q.p.shape(q.path+"."+l.name+"()", l.to); t != nil {
			return l.name, t
		}
	}
	return "", nil
}

// joined returns an example with join, where and select in one query.
func (q *queryShape) joined() Example {
	send := ""
	for _, m := range []string{"execute", "first", "count"} {
		if send == "" && q.methods[m] != nil {
			send = m
		}
	}
	if send == "" || !q.all && q.methods["select"] == nil && send != "count" {
		return Example{}
	}
	about, code := "one query", "(api) => "+q.path
	from, names := q, []string{q.alias}
	alias := q.alias
	if l, t := q.target(false); t != nil && q.methods["join"] != nil {
		again := ""
		if alias = t.alias; alias == q.alias {
			alias += "2"
			again = ".as(" + quote(alias) + ")"
		}
		if again == "" || t.methods["as"] != nil {
			code += fmt.Sprintf("\n  .join(({ %s }) => %s.%s()%s)", q.alias, q.alias, l, again)
			from, names = t, append(names, alias)
			about = fmt.Sprintf("each %s with its %s, in one query", q.alias, l)
		} else {
			alias = q.alias
		}
	}
	if c, ok := from.condition(alias); ok && q.methods["where"] != nil {
		code += fmt.Sprintf("\n  .where(({ %s }) => %s)", alias, c)
	}
	if q.methods["select"] != nil && send != "count" {
		var fields []string
		if from != q {
			fields = append(fields, fmt.Sprintf("%s: %s.%s", q.alias, q.alias, q.show(1)[0].name))
		}
		for _, c := range from.show(2) {
			if from == q || c.name != q.alias {
				fields = append(fields, fmt.Sprintf("%s: %s.%s", c.name, alias, c.name))
			}
		}
		code += fmt.Sprintf("\n  .select(({ %s }) => ({ %s }))", strings.Join(names, ", "), strings.Join(fields, ", "))
	}
	return Example{about, code + "\n  ." + send + "()"}
}

// shaped returns an example with statements: a filter object, an order, and JavaScript on the rows.
func (q *queryShape) shaped() Example {
	if _, t := q.target(true); t != nil {
		q = t
	}
	run := ".execute()"
	if q.methods["execute"] == nil {
		if run = ""; q.await == "" {
			return Example{}
		}
	}
	base := q.path
	if f := q.filter(); f != "" && q.methods["where"] != nil {
		base += ".where({ " + f + " })"
	}
	rows := "found"
	if c := q.sortable(); c != "" && q.methods["orderBy"] != nil {
		rows += fmt.Sprintf(".orderBy(({ %s }) => %s.%s.desc())", q.alias, q.alias, c)
	}
	if q.methods["limit"] != nil {
		rows += ".limit(10)"
	}
	show := q.show(1)[0].name
	if !q.all {
		if q.methods["select"] == nil {
			return Example{}
		}
		rows += fmt.Sprintf(".select(({ %s }) => ({ %s: %s.%s }))", q.alias, show, q.alias, show)
	}
	total := "rows.length"
	if q.methods["count"] != nil {
		total = "await found.count()"
	}
	return Example{"a filter object, and plain rows shaped in JavaScript", fmt.Sprintf("async (api) => {\n  const found = %s; // nothing runs yet\n  const rows = await %s%s;\n"+
		"  return { total: %s, first: rows.map((row) => row.%s) };\n}", base, rows, run, total, show)}
}

// pick returns the first column that satisfies one of the tests, which are tried in order, or false if there is none.
func (q *queryShape) pick(tests ...func(column) bool) (column, bool) {
	for _, t := range tests {
		for _, c := range q.columns {
			if t(c) {
				return c, true
			}
		}
	}
	return column{}, false
}

func isKind(name string) func(column) bool { return func(c column) bool { return c.of.Name == name } }
func isEnum(c column) bool                 { return len(c.of.Enum) > 0 }
func isProse(c column) bool                { return c.of.Name == value.TypeText && len(c.of.Enum) == 0 }
func anyColumn(column) bool                { return true }

// condition returns a condition on a column of the table that callbacks call alias, or false if no column is suitable.
func (q *queryShape) condition(alias string) (string, bool) {
	comparable := func(test func(column) bool, op string) func(column) bool {
		return func(c column) bool { return test(c) && c.ops[op] != nil }
	}
	c, ok := q.pick(comparable(isKind(value.TypeBool), "==="), comparable(isEnum, "==="), comparable(isKind(value.TypeTime), ">="),
		comparable(isProse, "!=="), comparable(isKind(value.TypeFloat), ">"), comparable(isKind(value.TypeInt), ">"))
	if !ok {
		return "", false
	}
	x := alias + "." + c.name
	switch {
	case c.of.Name == value.TypeBool:
		return x + " === false", true
	case isEnum(c):
		return x + " === " + quote(c.of.Enum[0]), true
	case c.of.Name == value.TypeTime:
		return x + ` >= "2024-01-31"`, true
	case isProse(c):
		return x + ` !== ""`, true
	}
	return x + " > 0", true
}

// filter returns one field of a filter object, or "" if no column is suitable.
func (q *queryShape) filter() string {
	c, ok := q.pick(isKind(value.TypeBool), isEnum, isProse, isKind(value.TypeInt))
	if !ok || c.ops["eq"] == nil {
		return ""
	}
	val := "1"
	switch {
	case c.of.Name == value.TypeBool:
		val = "false"
	case isEnum(c):
		val = quote(c.of.Enum[0])
	case isProse(c):
		val = `"some text"`
	}
	return c.name + ": " + val
}

func (q *queryShape) sortable() string {
	c, ok := q.pick(isKind(value.TypeTime), isKind(value.TypeFloat), isProse, anyColumn)
	if !ok || c.ops["desc"] == nil {
		return ""
	}
	return c.name
}

// show returns up to n columns, the most informative first: text before dates, dates before numbers.
func (q *queryShape) show(n int) []column {
	var out []column
	for _, test := range []func(column) bool{isProse, isKind(value.TypeTime), isEnum, isKind(value.TypeFloat), anyColumn} {
		for _, c := range q.columns {
			same := func(d column) bool { return d.name == c.name }
			if len(out) < n && test(c) && !slices.ContainsFunc(out, same) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}
