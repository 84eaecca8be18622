package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A fileWriter writes the grant file of a case: the text, and the claims of the principal for whom it grants what the case does.
type fileWriter struct {
	c      *Case
	d      *draws
	claims map[string]any
	types  yaml.Node // of the claims
	scopes map[int]string
	helped map[int][]int // links that scopes lead through and that no facet of their table shows
	shown  []int         // facets that some grant reaches
}

// unsaid is why a grant file can't say what a case grants.
type unsaid string

func (u unsaid) Error() string { return string(u) }

// catalogued puts the keys of tables first: a file has columns in the order of the catalogue.
func (s *Schema) catalogued() {
	for i := range s.Tables {
		t := &s.Tables[i]
		cols := slices.Clone(t.Keys)
		for _, c := range t.Cols {
			if !has(t.Keys, c) {
				cols = append(cols, c)
			}
		}
		t.Cols = cols
	}
}

// grantFile writes what a case grants. Some values become claims of the principal. The error is an unsaid.
func (c *Case) grantFile(d *draws) (text []byte, claims map[string]any, err error) {
	w := &fileWriter{c: c, d: d, claims: map[string]any{}, types: yaml.Node{Kind: yaml.MappingNode}, scopes: map[int]string{}, helped: map[int][]int{}}
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(unsaid)
			if !ok {
				panic(p)
			}
			err = u
		}
	}()
	grants := yaml.Node{Kind: yaml.MappingNode}
	for i := range c.Grants {
		put(&grants, grantNames[i], w.grant(&c.Grants[i], i == 0))
	}
	facets := yaml.Node{Kind: yaml.MappingNode}
	for _, f := range w.shown {
		put(&facets, aliases[c.Schema.Facets[f].Alias], w.facet(f))
	}
	for t := range c.Schema.Tables {
		if w.scopes[t] != "" {
			put(&facets, helper(t), w.helper(t))
		}
	}
	file := yaml.Node{Kind: yaml.MappingNode}
	put(&file, "exo", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "1"})
	put(&file, "databases", mapping("d", str("env:D")))
	put(&file, "principal", &w.types)
	put(&file, "facets", &facets)
	put(&file, "grants", &grants)
	text, err = yaml.Marshal(&file)
	return text, w.claims, err
}

// helper is the facet of a table that no grant reaches: it says the types of columns, and has the links that scopes lead through.
func helper(t int) string { return fmt.Sprintf("helper%d", t) }

func (w *fileWriter) grant(g *Grant, first bool) *yaml.Node {
	s := &w.c.Schema
	var where *Pred
	var links []int
	for i, x := range g.Steps {
		switch {
		case x.Kind == "follow":
			links = append(links, x.Link)
		case x.Kind == "where" && i == len(g.Steps)-1:
			where = x.Pred
		default:
			panic(unsaid("the host's " + x.Kind))
		}
	}
	if first { // the scopes of further grants are the same
		w.rules(g, links)
	}
	for _, f := range s.reach(g.Facet) {
		if !has(w.shown, f) {
			w.shown = append(w.shown, f)
		}
	}
	alias := aliases[s.Facets[g.Facet].Alias]
	if where == nil {
		return str(alias)
	}
	return mapping("facet", str(alias), "where", str(w.pred(where)))
}

// rules says the scope of every table that a grant reaches or that a scope leads through. The host's own steps are links of scopes.
func (w *fileWriter) rules(g *Grant, links []int) {
	s := &w.c.Schema
	rules, chain, _ := g.rules(s)
	for t, r := range chain {
		if _, known := rules[t]; !known {
			rules[t] = r
		}
	}
	seen := []int{g.Root}
	for _, l := range links {
		to := s.Links[l].To
		if r := rules[to]; has(seen, to) || r.kind != "start" && (r.kind != "via" || r.link != l) {
			panic(unsaid("steps to a table with another scope"))
		}
		rules[to], seen = scopeRule{kind: "via", link: l}, append(seen, to)
	}
	for t, r := range rules {
		if r.kind == "via" && !w.shows(g, r.link) && !has(w.helped[s.Links[r.link].From], r.link) {
			w.helped[s.Links[r.link].From] = append(w.helped[s.Links[r.link].From], r.link)
		}
		w.scopes[t] = "shared"
	}
	for t := range s.Tables { // in one order, since claims are drawn
		switch r := rules[t]; {
		case r.kind == "via":
			w.scopes[t] = "via " + w.through(g, r.link)
		case r.pred != nil && r.pred.Op != "all":
			w.scopes[t] = w.pred(r.pred)
		}
	}
}

func (w *fileWriter) shows(g *Grant, link int) bool { return w.c.Schema.reaches(g.Facet, link) }

// through is a link, of a facet that shows it.
func (w *fileWriter) through(g *Grant, link int) string {
	s := &w.c.Schema
	for _, f := range s.reach(g.Facet) {
		for _, v := range s.Facets[f].Links {
			if v.Link == link {
				return aliases[s.Facets[f].Alias] + "." + linkNames[s.Links[link].Name]
			}
		}
	}
	return helper(s.Links[link].From) + "." + linkNames[s.Links[link].Name]
}

func (w *fileWriter) facet(i int) *yaml.Node {
	s := &w.c.Schema
	f := &s.Facets[i]
	columns := &yaml.Node{Kind: yaml.SequenceNode}
	for _, c := range f.Cols {
		columns.Content = append(columns.Content, str(slots[c].db))
	}
	out := mapping("table", str(tableNames[s.Tables[f.Table].Name]), "scope", str(w.scopes[f.Table]), "columns", columns)
	links := &yaml.Node{Kind: yaml.MappingNode}
	for _, v := range f.Links {
		put(links, linkNames[s.Links[v.Link].Name], w.link(v.Link, aliases[s.Facets[v.Facet].Alias]))
	}
	if len(f.Links) > 0 {
		put(out, "links", links)
	}
	if cols := f.searched(); len(cols) > 0 {
		search := &yaml.Node{Kind: yaml.SequenceNode}
		for _, c := range cols {
			search.Content = append(search.Content, str(slots[c].db))
		}
		put(out, "search", search)
	}
	return out
}

func (w *fileWriter) helper(t int) *yaml.Node {
	s := &w.c.Schema
	columns := &yaml.Node{Kind: yaml.MappingNode}
	for _, c := range s.Tables[t].Cols {
		put(columns, slots[c].db, columnSpec(c, s.Tables[t].ISO))
	}
	out := mapping("table", str(tableNames[s.Tables[t].Name]), "scope", str(w.scopes[t]), "columns", columns)
	links := &yaml.Node{Kind: yaml.MappingNode}
	for _, l := range w.helped[t] {
		put(links, linkNames[s.Links[l].Name], w.link(l, helper(s.Links[l].To)))
	}
	if len(w.helped[t]) > 0 {
		put(out, "links", links)
	}
	return out
}

// columnSpec says of a column what the catalogue of SQLite, which has few types, does not.
func columnSpec(c int, iso bool) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	if slots[c].db == "name" {
		put(out, "as", str(slots[c].guest))
	}
	switch k := slots[c].kind; k {
	case Int, Text, Float, Bool:
	case Tags, Nums:
		put(out, "type", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{str(map[Kind]string{Tags: "text", Nums: "int"}[k])}})
	default:
		put(out, "type", str(map[Kind]string{Time: "time", Decimal: "decimal", Day: "date", Span: "interval", UUID: "uuid", Bytes: "bytes", JSON: "json"}[k]))
	}
	if iso && slots[c].kind == Time {
		put(out, "iso", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	return out
}

func (w *fileWriter) link(i int, to string) *yaml.Node {
	l := w.c.Schema.Links[i]
	columns, references := &yaml.Node{Kind: yaml.SequenceNode}, &yaml.Node{Kind: yaml.SequenceNode}
	for _, p := range l.Pairs {
		columns.Content = append(columns.Content, str(slots[p[0]].db))
		references.Content = append(references.Content, str(slots[p[1]].db))
	}
	return mapping("to", str(to), "columns", columns, "references", references, "one", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(l.One)})
}

var fileOps = map[string]string{"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

// pred is a condition as a file writes it, whose parts stand in parentheses: the same tree.
func (w *fileWriter) pred(p *Pred) string {
	column := slots[p.Slot].db
	if w.d.oneIn(4) {
		column = strconv.Quote(column)
	}
	switch p.Op {
	case "and", "or":
		return "(" + w.pred(p.Subs[0]) + ") " + p.Op + " (" + w.pred(p.Subs[1]) + ")"
	case "not":
		return "not (" + w.pred(p.Subs[0]) + ")"
	case "all":
		panic(unsaid("every row within a condition"))
	case "isNull":
		return column + " is null"
	case "isNotNull":
		return column + " is not null"
	case "in":
		if claim := w.claim(p, true); claim != "" {
			return column + " in " + claim
		}
		if len(p.Vals) == 0 {
			panic(unsaid("in an empty list"))
		}
		var values []string
		for _, v := range p.Vals {
			values = append(values, fileValue(v))
		}
		return column + " in (" + strings.Join(values, ", ") + ")"
	}
	if claim := w.claim(p, false); claim != "" {
		return column + " " + fileOps[p.Op] + " " + claim
	}
	return column + " " + fileOps[p.Op] + " " + fileValue(p.Vals[0])
}

// claim makes a claim of what a column is compared with, or of some that can be one: "" means none.
func (w *fileWriter) claim(p *Pred, list bool) string {
	k := slots[p.Slot].kind
	typ := map[Kind]string{Int: "int", Text: "text", UUID: "uuid", Bool: "bool"}[k]
	if typ == "" || len(p.Vals) > 0 && !w.d.oneIn(3) {
		return ""
	}
	values := []any{}
	for _, v := range p.Vals {
		switch {
		case k == Int:
			values = append(values, json.Number(strconv.FormatInt(v.I, 10)))
		case k == Bool:
			values = append(values, v.B)
		case v.S == "":
			return "" // no claim is empty
		default:
			values = append(values, v.S)
		}
	}
	name := fmt.Sprintf("c%d", len(w.claims))
	of := str(typ)
	if list {
		w.claims[name], of = values, &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{of}}
	} else {
		w.claims[name] = values[0]
	}
	put(&w.types, name, of)
	return "$principal." + name
}

func fileValue(v Value) string {
	switch v.Kind {
	case Int:
		return strconv.FormatInt(v.I, 10)
	case Float:
		return strconv.FormatFloat(v.F, 'f', -1, 64)
	case Bool:
		return strconv.FormatBool(v.B)
	case Time:
		return "'" + timeText(v.I) + "'"
	case Bytes:
		panic(unsaid("bytes"))
	}
	return "'" + strings.ReplaceAll(v.S, "'", "''") + "'"
}

func str(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func put(m *yaml.Node, name string, value *yaml.Node) {
	m.Content = append(m.Content, str(name), value)
}

func mapping(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		put(m, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return m
}

// unsaidWhy is "" for another error.
func unsaidWhy(err error) string {
	u, _ := errors.AsType[unsaid](err)
	return string(u)
}
