package codemode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// prompt writes the texts that a model reads about a tool, from the catalogue of the grants.
type prompt struct {
	catalog message.Catalog
	granted []message.GrantedName
	admits  value.Label
	seals   value.Label // the tags of values that programs get sealed
	zone    string
	types   map[string]bool // the names of all types that a program can get
	lookups []string        // the names of the functions search and describe, if not everything is declared
}

// describe returns the whole description: purpose, tables, rules and examples. listed comes after the rules.
func (p *prompt) describe(tables string, rules []rule, listed string, examples []Example) string {
	var b strings.Builder
	b.WriteString(p.purpose() + "\n\n" + tables + "\nRules:\n")
	for _, r := range rules {
		b.WriteString("- " + r.text + "\n")
	}
	b.WriteString(listed)
	for k, e := range examples {
		fmt.Fprintf(&b, "\nExample %d: %s\n```js\n%s\n```\n", k+1, e.About, e.Code)
	}
	return b.String()
}

// purpose returns the text that explains what the tool is for.
func (p *prompt) purpose() string {
	where := "is declared below"
	if p.lookups != nil {
		where = "can be found by the functions declared below"
	}
	does := ""
	if p.changes() != "" {
		does = ", which can change data,"
	}
	return "Runs one JavaScript program" + does + " and returns what it returns, as JSON. Everything you may see or do " + where + "; " +
		"it is already limited to what this user may reach, so never filter by owner or ask for credentials. " +
		"Write one program that gets, combines and shapes all you need, instead of many calls."
}

// rule is one rule in the description. For each rule a program in rules_test.go checks that it is true.
type rule struct{ id, text string }

func (p *prompt) rules() []rule {
	var rs []rule
	add := func(id, text string, when bool) {
		if when {
			rs = append(rs, rule{id, text})
		}
	}
	q := p.query()
	has := func(names ...string) bool {
		for _, n := range names {
			if q == nil || q.methods[n] == nil {
				return false
			}
		}
		return true
	}
	add("form", "A program is `(api) => …`, `async (api) => { …; return value }`, or statements that use `api`, may `await`, and end with `return`. Modern JavaScript and its built-ins work; there is no BigInt, import, require, fetch, timer or file.", true)
	if q != nil && q.await != "" {
		var sends []string
		for _, n := range sorted(q.methods) {
			if m := q.methods[n]; m.Sends && m.Effect == message.NoEffect && m.Name == n {
				sends = append(sends, "`."+n+"()`")
			}
		}
		runs := strings.Join(sends, " or ")
		if len(sends) > 4 {
			runs = "a method of it that gives a Promise"
		}
		add("await", fmt.Sprintf("A query only describes until %s runs it. `await query`, `await Promise.all([query])`, and returning a query or `{ a: query }`, is `.%s()`. Results are plain data: arrays and objects on which any JavaScript works.", runs, q.await), true)
	}
	if p.lookups != nil {
		add("lookup", fmt.Sprintf("What is not declared below is found by the program: `await %s(\"open invoices\")` gives names with their paths, `await %s(name)` the declarations of one. Return what they tell, then write the program that uses it. An empty list means that nothing like it can be reached.", p.lookups[0], p.lookups[1]), true)
	}
	add("promise", "Methods that return a Promise act when called: await them; Promise.all runs several at once.", p.acts())
	add("changes", p.changes(), p.changes() != "")
	add("rows", "`update` and `delete` are of the rows of a query, `query.where(…).update({ column: value })`, never of a row that was read; every row is meant only by `query.all()` before them.", p.changed().Code != "")
	add("order", "Calls apply in order: put where and orderBy before limit; where after limit filters only the rows that limit kept.", has("where", "limit", "orderBy"))
	add("unordered", "Rows come in no particular order, and so do those that orderBy leaves equal: use orderBy wherever order matters.", has("orderBy"))
	add("columns", "A callback gets the tables of the query by name: `({ todo }) => …`; with one table also `t => t.column`. Columns have no value in it: they stand for expressions of the database, on which JavaScript's operators work, and the methods declared below. `if`, loops and other functions do not work on them.", has("where"))
	add("link", "Follow a link from a query, `query.link()`, for only the rows it leads to; join it, `.join(({ a }) => a.link())`, for the columns of both tables; join any other query with a condition, `.join(other, ({ a, b }) => a.x === b.y)`.", has("join") && q.linked)
	add("links", "In a callback a link of a row is a value: to at most one, that row, `a.link().x`, null where there is none; to many, ask `count()`, `sum(b => b.x)`, `max(b => b.x)`, `some(b => b.x > 1)`, `every` or `none`, after `where` if need be.", has("where", "some", "every", "none", "count", "sum", "max") && q.linked)
	add("row", "Without select, each row has the columns of the table that the query began with. Select a record of columns: `({ a, b }) => ({ x: a.x, y: b.y })`.", has("join", "select"))
	add("measures", fmt.Sprintf("What is marked [measure] the host has defined: call it, as `%[1]s()`, instead of calculating it. Groups, windows and links have it too, `g.%[1]s()`, also in where and orderBy.", p.measure()), p.measure() != "")
	add("as", "To have a table twice in a query, give one another name: `.join(({ a }) => a.link().as('b2'))`.", has("as", "join"))
	add("values", p.values(), p.values() != "")
	if kept, shown := p.sealed(); len(kept)+len(shown) > 0 {
		open, marked := "", func(tags []string) string { return "[" + strings.Join(tags, "] or [") + "]" }
		if p.catalog[exo.RevealInterface] != nil {
			open = ", or opens one by `await reveal(x)`"
		}
		text := "Values of a column marked " + marked(append(slices.Clip(kept), shown...)) + " are sealed: return them, or pass them to methods marked [takes …]. Once a program looks at one, or compares, sorts or calculates with the column" + open + ", it can't return anything"
		switch {
		case len(kept) == 0:
			text = "Values of a column marked " + marked(shown) + " are sealed until they are returned, or passed to methods marked [takes …]. A program that compares, sorts or calculates with the column" + open + ", can call such methods alone"
		case len(shown) > 0:
			text += ", or, of " + marked(shown) + ", call methods that don't take it"
		}
		if p.catalog[exo.ComposeInterface] != nil {
			text += ". await text`Dear ${x}` is a sealed text"
		}
		if slices.ContainsFunc(append(slices.Clip(kept), shown...), func(tag string) bool { return strings.Contains(tag, "@") }) {
			text += ". One marked x@y belongs to whom its row names: pass it, as it was selected, to methods that send it to that one"
		}
		if p.declassifies() {
			text += ". What is marked [… tells N bits] answers about sealed values, or null, from a daily budget of bits"
		}
		add("labels", text+".", true)
	}
	if kept, shown := p.existenceTags(); len(kept)+len(shown) > 0 {
		text := ""
		if len(kept) > 0 {
			text = "A program that asks anything of what is marked [" + strings.Join(kept, "] or [") + "], itself or by a link to it, can't return anything. "
		}
		if len(shown) > 0 {
			text += "A program that asks anything of what is marked [" + strings.Join(shown, "] or [") + "], itself or by a link to it, can return it, and call no method that doesn't take it."
		}
		add("rowlabels", strings.TrimSpace(text), true)
	}
	if l := p.distrusted(); len(l) > 0 {
		add("untrusted", fmt.Sprintf("Outsiders write what is marked [%s]. A program that reads it, in a whole row too, can't call methods that act outside the database but for [takes %[1]s], nor call or give what is marked [trusted]: select without it, or do that in another program.", strings.Join(l, ", ")), true)
	}
	add("console", "console.log is captured and returned with the result. The clock stands still during a run; today and local time are those of "+p.zone+".", true)
	add("errors", "An error names the line and column and what would be right: correct the program and call again. A result that is too large is cut, and `notice` says how much is missing.", true)
	return rs
}

// values returns a text about values that are written as text, because JavaScript has no type for them.
func (p *prompt) values() string {
	var says []string
	for _, v := range []struct{ typ, text string }{
		{value.TypeTime, "Dates are ISO strings in results, and an ISO string or a Date in comparisons and arguments."},
		{value.TypeDate, "Days are '2024-01-31'; of a Date that is compared with a day, the local day counts."},
		{value.TypeDecimal, "Decimals calculate exactly, `a.total + b.total * 2`, and compare like numbers; `Decimal('0.1')` makes one, and it has round(places) and toFixed(places). What the program returns has them as strings. Comparisons and arguments take one, a number or a string."},
		{value.TypeInterval, "Lengths of time are ISO 8601, like 'P1DT2H30M'."},
		{value.TypeBytes, "Bytes are base64."},
		{value.TypeInt, "Whole numbers beyond 2^53 calculate exactly too, and are strings in what the program returns."},
	} {
		if p.types[v.typ] {
			says = append(says, v.text)
		}
	}
	return strings.Join(says, " ")
}

// advice returns a text on how to ask for less.
func (p *prompt) advice() string {
	var ways []string
	if q := p.query(); q != nil {
		for _, w := range []struct{ method, text string }{{"where", "fewer rows with where"}, {"limit", "pages with orderBy, limit and offset"}, {"select", "fewer columns with select"}, {"count", "numbers with count"}} {
			if q.methods[w.method] != nil {
				ways = append(ways, w.text)
			}
		}
	}
	return "To see less: " + strings.Join(append(ways, "shape the result in the program and return only what you need"), ", ") + "."
}

// acts reports whether a granted method sends without await: methods of services, and methods of
// queries that await does not call.
func (p *prompt) acts() bool {
	for _, g := range p.granted {
		if i := p.catalog[g.Type.Name]; i.Await == "" && slices.ContainsFunc(sorted(i.Methods), func(n string) bool { return i.Methods[n].Sends }) {
			return true
		}
	}
	return false
}

// sealed returns the secrecy tags of values that programs get sealed: kept has the tags that may not leave with the result, shown those that may.
func (p *prompt) sealed() (kept, shown []string) {
	var tags []string // each tag as it appears in its mark
	for _, i := range p.catalog {
		for _, f := range i.Fields {
			tags = append(tags, f.Label.Tags()...)
		}
		for _, m := range i.Methods {
			tags = append(tags, m.Shows().Tags()...)
		}
	}
	for _, tag := range value.NewLabel(tags...).Secrecy().Tags() {
		switch {
		case !value.NewLabel(tag).FlowsTo(p.admits):
			kept = append(kept, tag)
		case p.seals.HasExactly(tag):
			shown = append(shown, tag)
		}
	}
	return kept, shown
}

// measure returns the name of the first declared measure, or "".
func (p *prompt) measure() string {
	for _, name := range p.catalog.Names() {
		for _, n := range p.catalog[name].Names() {
			if m := p.catalog[name].Methods[n]; m != nil && m.Measure {
				return n
			}
		}
	}
	return ""
}

// declassifies reports whether programs can call a declassifier, a method that answers about sealed values.
func (p *prompt) declassifies() bool {
	for _, i := range p.catalog {
		for _, m := range i.Methods {
			if !m.Declassifies.Empty() {
				return true
			}
		}
	}
	return false
}

// existenceTags returns the secrecy tags on the existence of objects: kept has the tags that may not leave with the result, shown those that may.
func (p *prompt) existenceTags() (kept, shown []string) {
	var l value.Label
	for _, i := range p.catalog {
		l = l.Join(i.Label)
	}
	for _, tag := range l.Secrecy().Tags() {
		if value.NewLabel(tag).FlowsTo(p.admits) {
			shown = append(shown, tag)
		} else {
			kept = append(kept, tag)
		}
	}
	return kept, shown
}

// distrusted returns the tags of outsiders' words. It returns nil if every call is allowed after a program has read such words.
func (p *prompt) distrusted() []string {
	var l value.Label
	demands := false
	for _, i := range p.catalog {
		l = l.Join(i.Label.Integrity())
		for _, f := range i.Fields {
			l = l.Join(f.Label.Integrity())
		}
		for _, m := range i.Methods {
			l = l.Join(m.Label.Join(m.Reply).Join(m.Shows()).Integrity())
			demands = demands || m.Trusted || m.Effect == message.Held || m.Effect == message.Immediate || slices.ContainsFunc(m.Params, func(a message.Param) bool { return a.Want != nil && len(a.Want.Con.Trusting()) > 0 })
		}
	}
	if !demands {
		return nil
	}
	return l.Tags()
}

// query returns a granted query, preferably one with links, or nil.
func (p *prompt) query() *queryShape {
	var best *queryShape
	for _, g := range p.granted {
		if q := p.shape("api."+g.Name, g.Type); q != nil && (best == nil || q.linked && !best.linked) {
			best = q
		}
	}
	return best
}
