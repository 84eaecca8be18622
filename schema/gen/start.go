package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
)

// start writes the starting point of a facet, as a comment, so that a person decides about each line by copying it. It returns nil if no table can be
// granted.
func (p *pack) start(pkg string) *source {
	root := p.root()
	if root == nil {
		return nil
	}
	var code strings.Builder
	p.sketch(&code, root, pkg)
	s := &source{}
	s.body.WriteString(comment("Nothing here is visible to a program until you write a facet of it: the columns and links that exist for it. To begin, copy what follows to a file of your own, take the slashes off, and strike what a program must not see. Columns whose names speak of passwords and the like are struck already.", width) + "\n")
	for l := range strings.Lines(code.String()) {
		s.body.WriteString(strings.TrimRight("// "+l, " \n") + "\n")
	}
	return s
}

// owners are names of tables that rows often belong to, the most likely first.
var owners = []string{"organization", "organisation", "tenant", "workspace", "account", "company", "team", "customer", "user", "member", "person"}

// root returns the table that the starting point grants: one that rows belong to, by its name, or else the table with the most links to it.
func (p *pack) root() *table {
	var best *table
	most := 0
	score := func(t *table) int {
		n := 0
		for _, l := range t.links {
			if !l.one {
				n++
			}
		}
		if i := slices.Index(owners, strings.ToLower(naming.Singular(t.t.Name.Name))); i >= 0 {
			n += 1000 * (len(owners) - i)
		}
		return n
	}
	for _, t := range p.tables {
		if !t.grantable() {
			continue
		}
		if n := score(t); best == nil || n > most {
			best, most = t, n
		}
	}
	return best
}

func (t *table) grantable() bool {
	if t.grant == nil {
		ok := t.canGrant()
		t.grant = &ok
	}
	return *t.grant
}

func (t *table) canGrant() bool {
	return !t.keyless() && len(shown(t)) > 0 && !slices.ContainsFunc(t.cols, func(c *column) bool { return c.key && (c.typ == "time.Time" || t.t.RowID && c.c.Name == "rowid") })
}

// few is the number of links that the starting point follows. named is the number of further links that its comment lists.
const few, named = 3, 12

func (p *pack) sketch(b *strings.Builder, root *table, pkg string) {
	aliases := newScope()
	alias := func(t *table) string {
		a := naming.Lower(naming.Singular(t.t.Name.Name))
		return aliases.claim(func(s string) bool { return !scalar.ReservedName(s) && !scalar.Keyword(s) }, a, a+"Row")
	}
	fmt.Fprintf(b, "package %s\n\nimport (\n\t\"github.com/exoagent/exoagent/codemode\"\n\t\"github.com/exoagent/exoagent/exosql\"\n)\n\n", pkg)
	rootAlias := alias(root)
	var links []*link
	var facets, further []string
	for _, l := range root.links {
		switch {
		case !l.to.grantable():
		case len(links) == few || l.one || l.to == root || slices.ContainsFunc(links, func(m *link) bool { return m.to == l.to }):
			further = append(further, l.name)
		default:
			links = append(links, l)
		}
	}
	var params, conditions []string
	user := true // user: exo repl can pass the key
	for _, c := range root.cols {
		if c.key {
			n := "key"
			if len(params) > 0 {
				n = fmt.Sprintf("key%d", len(params)+1)
			}
			params = append(params, n+" "+c.goType())
			conditions = append(conditions, c.name+".Eq("+n+")")
			user = user && len(params) == 1 && (c.typ == "string" || c.typ == "int64" || c.typ == "[16]byte")
		}
	}
	// A table may be called grants, and then its variable has the name Grants.
	grants := p.names.claim(nil, "Grants", "GrantsOf"+root.row)
	about := grants + " is what a program gets on behalf of one " + rootAlias + ", whose key is given."
	switch {
	case !user:
		about += " exo repl can't give it one: for that, write a function that finds it by a text or a whole number."
	case grants == "Grants":
		about += " exo repl opens a terminal on it, with -user KEY."
	default:
		about += " exo repl opens a terminal on it, with -func " + grants + " -user KEY."
	}
	b.WriteString(comment(about, width))
	scope := strings.Join(conditions, ", ")
	if len(conditions) > 1 {
		scope = "exosql.And(" + scope + ")"
	}
	fmt.Fprintf(b, "func %s(db *exosql.DB, %s) codemode.Grants {\n", grants, strings.Join(params, ", "))
	rootFacet := facet(b, root, rootAlias)
	for _, l := range links {
		facets = append(facets, facet(b, l.to, alias(l.to)))
	}
	for i, l := range links {
		fmt.Fprintf(b, "\t%s.Add(exosql.Via(%s, %s))\n", rootFacet, l.name, facets[i])
	}
	if len(further) > 0 {
		more := "."
		if n := len(further) - named; n > 0 {
			further, more = further[:named], fmt.Sprintf(", and %d more.", n)
		}
		for l := range strings.Lines(comment("Further links: "+strings.Join(further, ", ")+more, width)) {
			b.WriteString("\t" + l)
		}
	}
	fmt.Fprintf(b, "\tmine := exosql.Grant(db, %s, %s", root.name, scope)
	for _, l := range links {
		fmt.Fprintf(b, ",\n\t\texosql.ScopeVia(%s)", l.name)
	}
	if len(links) > 0 {
		b.WriteString(",\n\t")
	}
	fmt.Fprintf(b, ")\n\treturn codemode.Grants{%s: %s.Of(mine)}\n}\n", lit(rootAlias), rootFacet)
}

// facet writes a facet with all columns but those that look like secrets, and returns its variable. The suffix keeps the variable from being a
// keyword of Go.
func facet(b *strings.Builder, t *table, alias string) string {
	variable := alias + "Facet"
	fmt.Fprintf(b, "\t%s := exosql.NewFacet(%s, %s", variable, t.name, lit(alias))
	at := width
	for _, c := range shown(t) {
		if at+len(c.name) > width {
			b.WriteString(",\n\t\t" + c.name)
			at = len(c.name)
			continue
		}
		b.WriteString(", " + c.name)
		at += len(c.name) + 2
	}
	b.WriteString(")\n")
	return variable
}

// secrets matches names of columns that hardly any program should see.
var secrets = scalar.Pattern(`(?i)passw|secret|token|hash|salt|digest|credential|encrypted|api_?key|private|ssn|iban|card`)

// shown returns the columns that a facet could start with. They are cached, since every link to the table needs them.
func shown(t *table) []*column {
	if t.shown == nil {
		t.shown = []*column{}
		for _, c := range t.cols {
			if !secrets().MatchString(c.c.Name) {
				t.shown = append(t.shown, c)
			}
		}
	}
	return t.shown
}
