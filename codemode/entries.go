package codemode

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// entry is one thing that can be found: a table, which is its row and the query
// of it, or a service.
type entry struct {
	name    string   // the declared name, of a table that of its row
	query   string   // the declared name of a table's query, or ""
	aliases []string // what programs call it
	path    string   // the shortest way to it from api
	doc     string
	text    string // its declarations
	members []entryMember
}

// entryMember is a column, a link or a method.
type entryMember struct {
	name, line, doc string
	more            string // what else it can be found by: the values of an enum, what a method takes and gives
}

// entries are what is declared for tables and services. They are made of the
// declarations and of the catalogue from which these were made: what is hidden is
// in neither, so it can't be found (TestSearchHidden).
func (d *declarer) entries(all *declarations) []entry {
	paths := d.paths()
	aliases := map[string][]string{}
	queries := map[string]string{} // the query of a row
	for _, name := range d.order {
		for _, t := range d.args[name] {
			if ns := t.Args["ns"]; ns != nil && len(ns.Fields) == 1 && ns.Fields[0].Type != nil {
				row := ns.Fields[0].Type.Name
				aliases[row] = append(aliases[row], ns.Fields[0].Name)
				if queries[row] == "" && d.closed(name) != nil {
					queries[row] = name
				}
			}
		}
	}
	for _, g := range d.granted {
		aliases[g.Type.Name] = append(aliases[g.Type.Name], g.Name)
	}
	text := map[string]string{}
	for _, x := range all.own {
		text[x.of] = x.text
	}
	isQuery := map[string]bool{}
	for _, q := range queries {
		isQuery[q] = true
	}
	var out []entry
	for _, x := range all.own {
		if isQuery[x.of] {
			continue // found with its row
		}
		i := d.cat[x.of]
		e := entry{name: x.name, path: paths[x.of], doc: line(i.Doc), aliases: aliases[x.of], text: x.text}
		if trivial(i) {
			e.doc = ""
		}
		if q := queries[x.of]; q != "" && text[q] != "" {
			e.query, e.text = d.shown[q], e.text+"\n"+text[q]
			e.aliases = append(slices.Clone(e.aliases), aliases[q]...)
			e.path = or(paths[q], e.path)
		}
		slices.Sort(e.aliases)
		e.aliases = slices.Compact(e.aliases)
		e.members = d.membersOf(i)
		out = append(out, e)
	}
	return out
}

// membersOf are the members of an interface, each as it is declared.
func (d *declarer) membersOf(i *exo.Interface) []entryMember {
	sc := d.scope(i)
	var out []entryMember
	for _, n := range i.Names() {
		if f := i.Fields[n]; f != nil {
			m := entryMember{name: n, line: property(n) + ": " + d.typ(f.Type, asIs), doc: strings.TrimSpace(tags("", f.Label) + " " + line(f.Doc))}
			if of := f.Type.Args["of"]; of != nil {
				m.more = strings.Join(of.Enum, " ")
			}
			out = append(out, m)
			continue
		}
		m := d.method(i.Methods[n], sc)
		out = append(out, entryMember{n, m.text, line(m.doc), strings.TrimPrefix(m.text, property(n))})
	}
	return out
}

// paths are the shortest ways to the interfaces, in calls without arguments.
func (d *declarer) paths() map[string]string {
	paths := map[string]string{}
	var next []string
	reach := func(name, path string) {
		if d.cat[name] != nil && paths[name] == "" {
			paths[name] = path
			next = append(next, name)
		}
	}
	for _, g := range d.granted {
		reach(g.Type.Name, "api."+g.Name)
	}
	for k := 0; k < len(next); k++ {
		i := d.cat[next[k]]
		for _, n := range i.Names() {
			m := i.Methods[n]
			if m == nil || m.Result == nil || m.Result.Con == nil {
				continue
			}
			path := paths[next[k]] + access(n)
			switch {
			case m.Sends && len(m.Params) > 0:
				path = "(await " + path + "(…))"
			case m.Sends:
				path = "(await " + path + "())"
			case len(m.Params) > 0:
				path += "(…)"
			default:
				path += "()"
			}
			reach(m.Result.Con.Name, path)
		}
	}
	return paths
}
