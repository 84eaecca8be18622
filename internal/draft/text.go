package draft

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/schema"
)

func asError(err error, to **exo.Error) bool { return errors.As(err, to) }

// Text is the file. pins are the digests of the facets' tables, by their names; nil: none yet.
func (d *Draft) Text(pins map[string]string) string {
	w := &writer{}
	w.line("# yaml-language-server: $schema=%s", grantfile.SchemaURL)
	w.line("# Drafted by exo init from %s. It grants what is not behind a #. Read it all, change it, then", comment(d.opt.About))
	w.line("# write `reviewed: true`. exo validate says what is wrong, and exo show what is granted.")
	w.line("exo: %d", grantfile.Version)
	w.line("reviewed: false # nothing is served before a person has read this")
	w.line("preset: read-only@1")
	w.line("")
	w.line("databases:")
	if len(d.opt.Schemas) > 0 {
		w.line("  %s: { url: %s, schema: [%s] }", scalar(d.opt.Name), scalar(d.opt.URL), scalars(d.opt.Schemas))
	} else {
		w.line("  %s: %s", scalar(d.opt.Name), scalar(d.opt.URL))
	}
	d.aboutPolicies(w)
	w.line("")
	d.aboutTenant(w)
	if t := d.Tenant; t != nil {
		w.line("principal: # what has to be known of whoever asks")
		w.line("  %s: %s # %s.%s", t.Claim, t.Type, comment(t.Table), comment(t.Column))
	}
	w.line("")
	w.line("grants: # the names that a program begins with")
	for _, f := range d.Facets {
		if f.Out == "" {
			w.line("  %s: %s", f.grant, f.Alias)
		}
	}
	w.line("")
	w.line("facets: # what programs see of a table, and the rows that they reach")
	for _, f := range d.Facets {
		if f.Out == "" {
			f.write(w, pins[f.Alias], d.opt.Tenant == None, d.unbound(f) != "")
		}
	}
	if slices.ContainsFunc(d.Facets, func(f *Facet) bool { return f.Out != "" }) {
		w.line("")
		w.line("  # Left out. Where every principal may see every row of a table, take out the # before its lines.")
		for _, f := range d.Facets {
			if f.Out != "" {
				f.writeOut(w)
			}
		}
	}
	return w.b.String()
}

// TableAt is the table that a line of Text(nil) is about, by its facet or by the grant of it; "" if it is about none.
func (d *Draft) TableAt(line int) (table string) {
	begins := map[string]string{}
	for _, f := range d.Facets {
		if f.Out == "" {
			begins["  "+f.Alias+":"], begins["  "+f.grant+": "+f.Alias] = f.Table, f.Table
		}
	}
	for i, l := range strings.Split(d.Text(nil), "\n") {
		if i == line {
			break
		}
		if !strings.HasPrefix(l, "   ") {
			table = begins[l]
		}
	}
	return table
}

func (d *Draft) aboutTenant(w *writer) {
	t := d.Tenant
	switch {
	case d.opt.Tenant == None:
		w.line("# There is one tenant: every principal may see every row of what is granted.")
		return
	case t == nil:
		w.line("# No table was found to whose rows those of the others belong: say which with -tenant TABLE, or write scopes.")
		return
	}
	w.line("# Whose a row is: that of %s. %s lead to it:", comment(t.Table), comment(strings.Join(t.Direct, ", ")))
	w.line("# with those that lead there through these, %d of %d tables. How sure: %s.", len(t.Direct)+t.Through, t.Of, t.Sure)
	var others []string
	for _, o := range d.Tenants {
		if o.Table != t.Table && len(others) < 4 {
			others = append(others, o.Table)
		}
	}
	if len(others) > 0 {
		w.line("# It could also be %s: exo init -tenant TABLE.", comment(strings.Join(others, ", ")))
	}
}

// aboutPolicies says what row-level security does for a role to which it does not apply, and offers another role.
func (d *Draft) aboutPolicies(w *writer) {
	i := slices.IndexFunc(d.Facets, func(f *Facet) bool { return f.Out == "" && d.unbound(f) != "" })
	if i < 0 {
		return
	}
	w.line("  # The tables have row-level security, and the role %s %s.", comment(d.live.Role.Name), d.unbound(d.Facets[i]))
	w.line("  # So the scopes of this file alone decide which rows are read. To have policies as a second wall, make a role that they bind:")
	w.line("  #   CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS;")
	w.line("  # with GRANT SELECT on what is granted below and policies of its own (docs/operate.md, Row-level security); then use its URL.")
}

type writer struct{ b strings.Builder }

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (f *Facet) write(w *writer, pin string, shared, unbound bool) {
	w.line("  %s:", f.Alias)
	w.line("    table: %s", scalar(f.Table))
	if unbound {
		w.line("    # It has row-level security, whose policies do not apply to this role: the scope here has to say the same rows.")
	}
	note := ""
	if f.note != "" {
		note = " # " + comment(f.note)
	}
	switch {
	case f.rows != "":
		w.line("    scope: %s%s", scope(f.rows), note)
	case f.via != nil:
		w.line("    scope: via %s.%s%s", f.via.to.Alias, f.via.back, note)
	case shared:
		w.line("    scope: shared")
	}
	if pin != "" {
		w.line("    pin: %s # of the table as it is now; after a change exo validate -pin writes the new one", scalar(pin))
	}
	f.writeColumns(w, "    ", "")
	if len(f.links) > 0 {
		w.line("    links:")
		for _, l := range f.links {
			w.line("      %s: %s", l.name, l.text)
		}
	}
}

func (f *Facet) writeColumns(w *writer, indent, before string) {
	w.line("%s%scolumns:", indent, before)
	for _, c := range f.columns {
		var fields []string
		if c.doc != "" && c.out == "" {
			fields = append(fields, "doc: "+quoted(short(c.doc)))
		}
		if of := scalars(c.oneOf); c.out == "" && of != "" && len(of) <= longestList { // of a longer enum the model knows the values all the same
			fields = append(fields, "one_of: ["+of+"]")
		}
		switch {
		case c.out != "":
			w.line("%s%s  # %s:%s # %s", indent, before, comment(scalar(c.name)), labels[c.out], comment(c.out))
		case len(fields) > 0:
			w.line("%s%s  %s: { %s }", indent, before, scalar(c.name), strings.Join(fields, ", "))
		default:
			w.line("%s%s  %s:", indent, before, scalar(c.name))
		}
	}
}

// longestList is how long a list of values may be in the file.
const longestList = 120

// writeOut writes a facet that is left out: as comments, so that nothing of it counts.
func (f *Facet) writeOut(w *writer) {
	w.line("")
	w.line("  # %s: %s", comment(f.Table), comment(f.Out))
	if len(f.columns) == 0 {
		return
	}
	w.line("  # %s:", f.Alias)
	w.line("  #   table: %s", scalar(f.Table))
	w.line("  #   scope: shared")
	f.writeColumns(w, "  #   ", "")
}

// comment is a text for a comment. A line break in a name of the database would end the comment, and what stands after it would be
// part of the file.
func comment(s string) string { return schema.Printable(s) }

func short(s string) string {
	s = schema.Printable(s)
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

var (
	plainScalar = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	plainURL    = regexp.MustCompile(`^(env|file|sqlite|sha256):[A-Za-z0-9_./-]+$`)
	plainScope  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]* = \$principal\.[A-Za-z0-9_]+$`)
	yamlWords   = set("y yes n no on off true false null")
)

// scalar is a text as YAML reads it back: plain only where it can't be taken for anything else.
func scalar(s string) string {
	if plainScalar.MatchString(s) && !yamlWords[strings.ToLower(s)] || plainURL.MatchString(s) {
		return s
	}
	return quoted(s)
}

func scope(s string) string {
	if plainScope.MatchString(s) {
		return s
	}
	return quoted(s)
}

// quoted is a text in double quotes. Whatever is not printable is escaped: YAML reads some of it as another name (U+0085 as a space), a
// terminal acts on some, and a reader sees none of it (TestQuoted).
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func scalars(ss []string) string {
	var out []string
	for _, s := range ss {
		out = append(out, scalar(s))
	}
	return strings.Join(out, ", ")
}
