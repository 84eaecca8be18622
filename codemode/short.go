package codemode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// This file writes the parts that only a short description has. Each table is a line, and sentences explain what queries can do, instead of
// TypeScript declarations, for about three fifths of the tokens. A method or operator that no sentence names is listed with its doc, so
// nothing is left out.

// shortRules replaces rules of the long description that have the same id. "" leaves a rule out.
var shortRules = map[string]string{
	"form":      "A program is `async (api) => { …; return value }` or `(api) => query`. There is no import, fetch or timer.",
	"order":     "Rows have no order without orderBy. Put where and orderBy before limit: where after limit filters only the rows that limit kept.",
	"unordered": "",
	"columns":   "Callbacks get the tables of the query by their names in callbacks, `({ todo }) => …`; with one table also `t => t.column`. A column there is an expression of the database: JavaScript's operators and the methods below work on it; `if`, loops and other functions do not. A null part makes a sum or a text null: use ??. Dividing by 0 gives null.",
	"link":      "`query.link()` has only the rows that the link leads to; `.join(({ a }) => a.link())` has the columns of both tables, and leftJoin keeps rows without a match, with nulls; `.join(other, ({ a, b }) => a.x === b.y)` joins any other query.",
	"links":     "In a callback a link to at most one row is that row, `a.link().x`; of a link to many ask count(), sum(b => b.x), min, max, some(b => b.x > 1), every, none or exists(), after where if need be.",
	"row":       "select makes a row of columns, `({ a, b }) => ({ x: a.x, y: b.y })`; without it a row has the columns of the first table. where takes also an object, `{ column: value }`.",
	"console":   "console.log is captured. The clock stands still during a run; today and local time are those of ",
	"group":     "`groupBy(({ a }) => ({ name: a.name })).select(g => ({ name: g.name, n: g.count(), total: g.sum(({ a }) => a.x) }))`: where and orderBy after groupBy are of groups, `.orderBy(g => g.count().desc())`; `g.where(t => t.x > 1).count()` counts some of the rows of a group. distinctBy keeps the first row of each key.",
}

// shorter returns the rules for a short description, made from those for a long one.
func (p *prompt) shorter(rules []rule) (out []rule) {
	for _, r := range rules {
		if text, is := shortRules[r.id]; is {
			r.text = text
		}
		switch r.id {
		case "await":
			r.text = p.sending()
		case "changes": // left out, since each table shows its methods
			_, rest, _ := strings.Cut(r.text, ". ")
			r.text = "A program can change data, by what is marked (changes something). " + rest
		case "console":
			r.text += p.zone + "."
		}
		if r.text != "" {
			out = append(out, r)
		}
		if r.id == "row" && p.query().methods["groupBy"] != nil {
			out = append(out, rule{"group", shortRules["group"]})
		}
	}
	return out
}

// sending explains which methods of a query send it, and which only describe.
func (p *prompt) sending() string {
	q := p.query()
	var asks, describes []string
	for _, n := range p.catalog[q.name].Names() {
		m := q.methods[n]
		switch {
		case m == nil || m.Effect != message.NoEffect:
		case m.Sends && len(m.Params) == 0:
			asks = append(asks, n+"()")
		case m.Sends:
			asks = append(asks, n)
		case m.Result.Var == "self" || m.Result.App != "":
			describes = append(describes, n)
		}
	}
	return fmt.Sprintf("A query only describes until it is awaited or returned, which is `.%s()`, or until a method asks. Describing: %s. Asking, each a Promise: %s. Results are plain data: arrays and objects.",
		q.await, strings.Join(describes, ", "), strings.Join(asks, ", "))
}

// tables lists the granted names, each table with its columns and links, and all other declarations. The map each has the text of each table.
func (d *declarer) tables(all *declarations) (text string, each map[string]string) {
	queries, alias, of := d.ofRows()
	var lines, others []string
	said := map[string]bool{}
	each = map[string]string{}
	for _, x := range all.own {
		i := d.cat[x.of]
		if q := queries[x.of]; q != nil {
			line := d.tableLine(i, q, alias[x.of], of, said)
			lines, each[x.name] = append(lines, line), line
		} else if of[x.of] == "" {
			others = append(others, x.text)
		}
	}
	var starts []string
	var rest []member
	for k, g := range d.granted {
		to := d.shown[of[g.Type.Name]]
		if to == "" {
			rest = append(rest, all.api[k])
			continue
		}
		starts = append(starts, strings.TrimSpace("api."+g.Name+" → "+to+" "+parenthesized(all.api[k].doc)))
	}
	if len(lines) > 0 {
		text = "Tables, as `column Type` (`?`: may be null), `link() → Table` (at most one row) and `link() →* Table` (any number of rows):\n" + strings.Join(lines, "\n") + "\nStart from " + strings.Join(starts, ", ") + ". Each of them, and each link, is a query.\n"
	}
	if len(rest) > 0 {
		others = append(others, block("declare const api:", rest)+";")
	}
	if len(others) > 0 {
		text += "```ts\n" + strings.Join(others, "\n") + "\n```\n"
	}
	return text, each
}

// ofRows returns for each row its query and its name in callbacks, and for each such query its row.
func (d *declarer) ofRows() (queries map[string]*message.Interface, alias, of map[string]string) {
	queries, alias, of = map[string]*message.Interface{}, map[string]string{}, map[string]string{}
	for _, name := range d.order {
		for _, t := range d.args[name] {
			if ns := t.Args["ns"]; ns != nil && len(ns.Fields) == 1 && ns.Fields[0].Type != nil {
				row := ns.Fields[0].Type.Name
				if x := d.cat[row]; queries[row] == nil && x != nil && slices.Contains(x.Is, value.TypeRow) && !d.cat[name].Expr {
					queries[row], alias[row], of[name] = d.cat[name], ns.Fields[0].Name, row
				}
			}
		}
	}
	return queries, alias, of
}

// tableLine lists the columns and links of a row, and the methods that only its query has. The map said has the docs that an earlier table already lists.
func (d *declarer) tableLine(i, q *message.Interface, alias string, of map[string]string, said map[string]bool) string {
	var parts, under []string
	for _, n := range i.Names() {
		if f := i.Fields[n]; f != nil {
			parts = append(parts, strings.TrimSpace(property(n)+" "+strings.ReplaceAll(d.typ(f.Type, asIs), " | null", "?")+" "+parenthesized(tags("", f.Label)+" "+f.Doc)))
			continue
		}
		m := d.methodOf(i, n, d.scope(i))
		arrow, to := " →* ", ""
		if r := i.Methods[n].Result; r != nil && r.Con != nil {
			to = d.shown[of[r.Con.Name]]
		}
		if d.row(i, i.Methods[n]) != "" {
			arrow = " → "
		}
		if to == "" || len(i.Methods[n].Params) > 0 {
			parts = append(parts, strings.TrimSpace(m.text+" "+parenthesized(m.doc)))
			continue
		}
		parts = append(parts, strings.TrimSpace(property(n)+"()"+arrow+to+" "+parenthesized(m.doc)))
	}
	inherited := map[string]bool{}
	for _, n := range q.Is {
		if b := d.cat[n]; b != nil && d.covers(b, q) {
			for _, m := range b.Names() {
				inherited[m] = true
			}
		}
	}
	for _, n := range q.Names() {
		if m := q.Methods[n]; m != nil && !inherited[n] && (i.Methods[n] == nil || i.Methods[n].Result == nil || m.Measure) {
			m := d.methodOf(q, n, d.scope(q))
			if key := n + m.doc; said[key] {
				m.doc = strings.TrimSpace(changing[q.Methods[n].Effect])
			} else {
				said[key] = true
			}
			under = append(under, "\n  - "+m.text+comment(m.doc))
		}
	}
	doc := ""
	if !trivial(i) || !i.Label.Empty() {
		doc = " " + parenthesized(docOf(i))
	}
	return fmt.Sprintf("- %s (`%s` in callbacks)%s: %s", d.shown[i.Name], alias, doc, strings.Join(parts, ", ")) + strings.Join(under, "")
}

// parenthesized puts a doc into parentheses, after its mark [tag].
func parenthesized(doc string) string {
	mark := ""
	if doc = line(doc); strings.HasPrefix(doc, "[") {
		if end := strings.IndexByte(doc, ']') + 1; end > 0 {
			mark, doc = doc[:end], strings.TrimSpace(doc[end:])
		}
	}
	if doc == "" {
		return mark
	}
	return strings.TrimSpace(mark + " (" + doc + ")")
}

// listed lists what a program can do with columns, and each member of queries and groups that no rule names.
func (d *declarer) listed(all *declarations, rules []rule) string {
	var out []string
	list := func(title, note string, i *message.Interface, sc scope, names []string, all bool) {
		var parts []string
		for _, n := range names {
			if all || !slices.ContainsFunc(rules, func(r rule) bool { return named(r.text, n) }) {
				parts = append(parts, strings.TrimSpace(plain(i, n)+" "+parenthesized(d.columnMember(i, n, sc).doc)))
			}
		}
		if parts != nil || note != "" && all {
			out = append(out, strings.TrimSpace("  - "+title+": "+strings.TrimSpace(note+" "+strings.Join(parts, ", "))))
		}
	}
	for n, s := range d.shared {
		title, k := s.name+" ("+d.names(s.of)+")", s.of[0]
		if n == 0 {
			title = "all columns"
		}
		names := scalar.Each(s.lines, func(l member) string { return k.names[slices.Index(k.lines, l)] })
		list(title, strings.Join(s.signs, " "), k.Interface, d.columnScope(k.Interface, "V"), names, true)
	}
	for _, k := range d.kinds {
		names, signs := d.ownOf(k)
		list(d.shown[k.Name], strings.TrimSpace(strings.Join(signs, " ")+" "+parenthesized(notations[d.valueType(k.Interface)])), k.Interface, d.columnScope(k.Interface, "V"), names, true)
	}
	_, _, of := d.ofRows()
	for _, x := range all.shared {
		if i := d.cat[x.of]; of[x.of] == "" && !memberless(i) {
			_, alike := d.like(i)
			names := slices.DeleteFunc(slices.Clone(i.Names()), func(n string) bool { return i.Methods[n] == nil || slices.Contains(alike, n) })
			list(x.name, "", i, d.scope(i), names, false)
		}
	}
	if out == nil {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

// named reports whether a text contains a name as a whole word.
func named(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name)
}

func (d *declarer) names(kinds []*kind) string {
	names := scalar.Each(kinds, func(k *kind) string { return d.shown[k.Name] })
	return strings.Join(names, ", ")
}

// plain returns a member's name and the names of its parameters. For a parameter with a list of allowed texts, it returns these.
func plain(i *message.Interface, name string) string {
	m := i.Methods[name]
	if m == nil {
		return name
	}
	var params []string
	for _, p := range m.Params {
		text := cmp.Or(p.Bind, paramName(p.Name))
		if p.Opt {
			text += "?"
		}
		if p.Want != nil && p.Want.Con != nil && len(p.Want.Con.Enum) > 0 {
			text = union(p.Want.Con.Enum)
		}
		params = append(params, text)
	}
	return name + "(" + strings.Join(params, ", ") + ")"
}
