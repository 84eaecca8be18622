package codemode

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
)

// entry is something that search can find: a table, with its row and its query, or a service.
type entry struct {
	name    string   // the declared name; for a table, the name of its row
	query   string   // the declared name of a table's query; "": there is none
	aliases []string // the names in programs
	paths   []string // the ways to it from api, shortest first
	doc     string
	text    string // the declarations of the entry
	members []entryMember
}

// entryMember is a column, a link or a method.
type entryMember struct {
	name, line, doc string
	more            string // further words with which it is found: values of an enum, parameters and result of a method
}

// entries returns the declared tables and services. It reads only the declarations and their catalogue, which leave out all that is hidden, so search
// can't find anything hidden (TestSearchHidden).
func (d *declarer) entries(all *declarations) []entry {
	paths := d.paths()
	aliases := map[string][]string{}
	queries := map[string]string{} // the names of the tables' queries, by the names of their rows
	for _, name := range d.order {
		for _, t := range d.args[name] {
			if ns := t.Args["ns"]; ns != nil && len(ns.Fields) == 1 && ns.Fields[0].Type != nil {
				row := ns.Fields[0].Type.Name
				aliases[row] = append(aliases[row], ns.Fields[0].Name)
				if queries[row] == "" && (d.closed(name) != nil || len(d.cat[name].Is) > 0) { // a tree's query has several types
					queries[row] = name
				}
			}
		}
	}
	for _, g := range d.granted {
		aliases[g.Type.Name] = append(aliases[g.Type.Name], g.Name)
	}
	text := map[string]string{}
	for _, x := range slices.Concat(all.own, all.shared) {
		text[x.of] = x.text
	}
	isQuery := map[string]bool{}
	for _, q := range queries {
		isQuery[q] = true
	}
	var out []entry
	for _, x := range all.own {
		if isQuery[x.of] {
			continue // a query is left out here, since it is found together with its row
		}
		i := d.cat[x.of]
		e := entry{name: x.name, paths: paths[x.of], doc: line(docOf(i)), aliases: aliases[x.of], text: x.text}
		if trivial(i) && i.Label.Empty() {
			e.doc = ""
		}
		if q := queries[x.of]; q != "" && text[q] != "" {
			e.query, e.text = d.shown[q], e.text+"\n"+text[q]
			e.aliases = append(slices.Clone(e.aliases), aliases[q]...)
			if len(paths[q]) > 0 {
				e.paths = paths[q]
			}
		}
		slices.Sort(e.aliases)
		e.aliases = slices.Compact(e.aliases)
		e.members = d.membersOf(i)
		if q := d.cat[queries[x.of]]; q != nil {
			e.members = append(e.members, slices.DeleteFunc(d.membersOf(q), func(m entryMember) bool { return q.Methods[m.name] == nil || !q.Methods[m.name].Measure })...)
		}
		out = append(out, e)
	}
	return out
}

// membersOf returns the members of an interface as they are declared.
func (d *declarer) membersOf(i *message.Interface) []entryMember {
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
		m := d.methodOf(i, n, sc)
		out = append(out, entryMember{n, m.text, line(m.doc), strings.TrimPrefix(m.text, property(n))})
	}
	return out
}

// maxPaths is how many ways to one interface are shown. Each way leads to other rows.
const maxPaths = 3

// way is a way from api to an interface. The field from is the same way without its last link; nil for a grant.
type way struct {
	path string
	from *way
	to   string
}

// passes reports whether a way leads through an interface.
func (w *way) passes(name string) bool {
	for ; w != nil; w = w.from {
		if w.to == name {
			return true
		}
	}
	return false
}

// paths returns ways to the interfaces, shortest first. Each way is the shortest way to some
// interface, followed by one of its links. No way visits an interface twice.
func (d *declarer) paths() map[string][]string {
	paths := map[string][]string{}
	short := map[string]*way{}
	var next []*way
	reach := func(w *way) {
		if d.cat[w.to] == nil || w.from.passes(w.to) {
			return
		}
		if short[w.to] == nil {
			short[w.to] = w
			next = append(next, w)
		}
		if len(paths[w.to]) < maxPaths {
			paths[w.to] = append(paths[w.to], w.path)
		}
	}
	for _, g := range d.granted {
		reach(&way{path: "api." + g.Name, to: g.Type.Name})
	}
	for k := 0; k < len(next); k++ {
		from := next[k]
		i := d.cat[from.to]
		for _, n := range i.Names() {
			m := i.Methods[n]
			if m == nil || m.Result == nil || m.Result.Con == nil {
				continue
			}
			path, args := from.path+access(n), "()"
			if len(m.Params) > 0 {
				args = "(…)"
			}
			if path += args; m.Sends {
				path = "(await " + path + ")"
			}
			reach(&way{path, from, m.Result.Con.Name})
		}
	}
	return paths
}
