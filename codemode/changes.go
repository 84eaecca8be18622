package codemode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// maxChanging is how many kinds of objects the rules name as changeable.
const maxChanging = 10

// changes lists, by interface, the methods that change something and are undone if the program fails. It returns "" if there are none.
func (p *prompt) changes() string {
	var says []string
	for _, name := range sorted(p.catalog) {
		i := p.catalog[name]
		var ops []string
		for _, n := range sorted(i.Methods) {
			if m := i.Methods[n]; m.Effect == message.InUnit && m.Name == n { // skip other names of the same method
				ops = append(ops, n)
			}
		}
		if len(ops) > 0 {
			says = append(says, fmt.Sprintf("`%s` has %s", name, strings.Join(ops, ", ")))
		}
	}
	if len(says) == 0 {
		return ""
	}
	if more := len(says) - maxChanging; more > 0 {
		says = append(says[:maxChanging], fmt.Sprintf("and %d more", more))
	}
	return "A program can change data: " + strings.Join(says, "; ") + ". Change only what was asked for. These act when called: await them. All that a program changes is kept if it ends well, and nothing if it fails. " +
		"Do not run a program again that ended well: it would change everything twice."
}

// maxWalk is how many links may lead to an object that an example changes.
const maxWalk = 4

// changed returns an example that changes rows of a query, with the query's own columns, preferably
// an update. No example inserts, because the catalogue does not show which values a new row needs.
func (p *prompt) changed() Example {
	var found [2]string
	seen, led := map[string]bool{}, map[string]bool{} // seen: the queries that were tried. led: the queries to which a link has led; a later link to one is skipped, since its path is not shorter
	var walk []*queryShape
	for _, g := range p.granted {
		if q := p.shape("api."+g.Name, g.Type); q != nil {
			walk = append(walk, q)
		}
	}
	for len(walk) > 0 {
		q := walk[0]
		walk = walk[1:]
		if seen[q.name] || strings.Count(q.path, ".") > maxWalk {
			continue
		}
		seen[q.name] = true
		for i, c := range []string{q.updated(), q.deleted()} {
			if found[i] == "" {
				found[i] = c
			}
		}
		for _, l := range q.links {
			if q.methods[l.name] == nil || led[l.to.Name] {
				continue
			}
			led[l.to.Name] = true
			if to := p.shape(q.path+"."+l.name+"()", l.to); to != nil {
				walk = append(walk, to)
			}
		}
	}
	for _, code := range found {
		if code != "" {
			return Example{"a change, which gives the number of rows", code}
		}
	}
	return Example{}
}

// picked returns the text for a query of a few rows, or "" if there is none. The parameter set names a column that its
// condition must not use, since the example changes that column.
func (q *queryShape) picked(set string) string {
	if q.methods["where"] == nil {
		return ""
	}
	other := *q
	other.columns = slices.DeleteFunc(slices.Clone(q.columns), func(c column) bool { return c.name == set })
	for _, c := range other.columns {
		if c.name == "id" && c.of.Name == value.TypeInt {
			return q.path + ".where({ id: 1 })"
		}
	}
	if f := other.filter(); f != "" {
		return q.path + ".where({ " + f + " })"
	}
	return ""
}

// updated returns a program that updates one column, or "" if the query allows none.
func (q *queryShape) updated() string {
	m := q.methods["update"]
	if m == nil || m.Effect != message.InUnit || len(m.Params) == 0 || m.Params[0].Want == nil || m.Params[0].Want.Con == nil {
		return ""
	}
	for _, test := range []func(message.TypeField) bool{
		func(f message.TypeField) bool { return len(f.Type.Enum) > 0 },
		func(f message.TypeField) bool { return written(f.Type) != "" },
	} {
		for _, f := range m.Params[0].Want.Con.Fields {
			from := q.picked(f.Name)
			if !test(f) || from == "" {
				continue
			}
			return fmt.Sprintf("async (api) => {\n  const changed = await %s.update({ %s: %s });\n  return { changed };\n}", from, f.Name, written(f.Type))
		}
	}
	return ""
}

// deleted returns a program that deletes a few rows, or "" if the query allows none.
func (q *queryShape) deleted() string {
	m := q.methods["delete"]
	from := q.picked("")
	if m == nil || m.Effect != message.InUnit || len(m.Params) > 0 || from == "" {
		return ""
	}
	return fmt.Sprintf("async (api) => ({ deleted: await %s.delete() })", from)
}

// written writes a value of a column's type in JavaScript. It returns "" if the type has no short value.
func written(t *message.Type) string {
	switch {
	case len(t.Enum) > 0:
		return quote(t.Enum[len(t.Enum)-1])
	case t.Name == value.TypeBool:
		return "true"
	case t.Name == value.TypeText:
		return quote("some text")
	case t.Name == value.TypeDate, t.Name == value.TypeTime:
		return quote("2024-01-31")
	case t.Name == value.TypeInt, t.Name == value.TypeFloat:
		return "1"
	}
	return ""
}
