package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Text returns the text of the file. The argument pins has the digests of the facets' tables, by name; it is nil if there are none yet.
func (d *Draft) Text(pins map[string]string) string {
	w := &writer{}
	w.line("# yaml-language-server: $schema=%s", grantfile.SchemaURL)
	w.about("", "Drafted by exo init from %s. It grants what is not behind a #. Read it all, change it, then write `reviewed: true`. exo validate says what is wrong, and exo show what is granted.", d.opt.About)
	d.summary(w)
	w.line("exo: %d", grantfile.Version)
	w.line("reviewed: false # nothing is served before a person has read this")
	w.line("preset: read-only@1")
	w.line("")
	w.line("databases:")
	if len(d.opt.Schemas) > 0 {
		w.line("  %s:", yamlText(d.opt.Name))
		w.line("    url: %s", yamlText(d.opt.URL))
		w.list("    schema: ", "", d.opt.Schemas)
	} else {
		w.line("  %s: %s", yamlText(d.opt.Name), yamlText(d.opt.URL))
	}
	d.aboutPolicies(w)
	w.line("")
	d.aboutTenant(w)
	if t := d.Tenant; t != nil {
		w.line("principal: # the claims that a user must have")
		w.noted("", "  "+t.Claim+": "+t.Type, strings.TrimSuffix(t.Table+"."+t.Column, "."))
	}
	w.line("")
	w.line("grants: # the names that a program begins with")
	for _, f := range d.Facets {
		if f.Out == "" {
			w.line("  %s: %s", f.grant, f.Alias)
		}
	}
	w.line("")
	if tags := d.declared(); tags != "" {
		w.line("%s", tags)
		w.line("")
	}
	w.line("facets: # what programs see of a table, and the rows that they reach")
	for _, f := range d.Facets {
		if f.Out == "" {
			f.write(w, pins[f.Alias], d.opt.Tenant == None, d.unbound(f) != "")
		}
	}
	// The summary only counts tables of other schemas, because a server may have very many.
	if slices.ContainsFunc(d.Facets, func(f *Facet) bool { return f.Out != "" && f.Kind != otherSchemas }) {
		w.line("")
		w.line("  # Left out. To grant a table after all, take out the # before its lines, write or check its scope (shared: every principal may see every row),")
		w.line("  # and add it to the grants.")
		for _, f := range d.Facets {
			if f.Out != "" && f.Kind != otherSchemas {
				f.writeOut(w, d.likelyScope(f))
			}
		}
	}
	return w.b.String()
}

// Summary returns lines about what is left out, by reason: the number of tables, and of columns in granted tables.
func (d *Draft) Summary() (lines []string) {
	tables, columns := map[string]int{}, map[string]int{}
	out := 0
	for _, f := range d.Facets {
		if f.Out != "" {
			tables[f.Kind]++
			out++
			continue
		}
		for _, c := range f.columns {
			if c.out != "" {
				columns[cmp.Or(columnKind(c.out), "something is wrong in them")]++
			}
		}
	}
	text := func(counts map[string]int) string {
		var out []string
		for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
			out = append(out, fmt.Sprintf("%s (%d)", k, counts[k]))
		}
		return strings.Join(out, ", ")
	}
	if out > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d tables and views are left out: %s.", out, len(d.Facets), text(tables)))
	}
	if len(columns) > 0 {
		lines = append(lines, fmt.Sprintf("Columns that are left out of the tables granted: %s.", text(columns)))
	}
	return lines
}

// columnKinds are the reasons to leave a column out, without the text after a colon.
var columnKinds = reasonKinds(secretReason, tableReason, personReason, freeReason, "bytes", "JSON", unreadable, "the database gives the column no type")

// columnKind returns the reason in columnKinds why a column is left out, or "".
func columnKind(why string) string {
	kind, _, _ := strings.Cut(why, ":")
	if !columnKinds[kind] {
		return ""
	}
	return kind
}

// reasonKinds returns the set of the reasons, each without its text after a colon.
func reasonKinds(reasons ...string) map[string]bool {
	out := map[string]bool{}
	for _, r := range reasons {
		kind, _, _ := strings.Cut(r, ":")
		out[kind] = true
	}
	return out
}

func (d *Draft) summary(w *writer) {
	lines := d.Summary()
	if len(lines) > 0 {
		w.line("#")
	}
	for _, l := range lines {
		w.about("", "%s", l)
	}
	if in := d.Elsewhere(); len(in) > 0 {
		w.about("", "exo init with -force -schema %s drafts those of other schemas, too.", strings.Join(in, ","))
	}
	if len(lines) > 0 {
		w.about("", "The reason is beside each. Search for # to find them.")
	}
}

// TableAt returns the table of a line of Text(nil), if the line belongs to the table's facet or grant. For other lines it returns "".
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
		w.about("", "No table of tenants was found: no table to which others refer. Name it: exo init with -force -tenant TABLE or COLUMN, or -tenant none where everybody may see every row; or write scopes by hand.")
		return
	}
	whose := "a row of " + t.Table
	if t.facet == nil {
		whose = "the one in its column " + t.Table + ", of which there is no table"
	}
	some := t.Direct[:min(5, len(t.Direct))]
	more := ""
	if n := len(t.Direct) - len(some); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	w.about("", "A row belongs to %s. Columns that say so: %s%s. With the tables that refer to these, that covers %d of %d tables. How sure: %s.", whose, strings.Join(some, ", "), more, len(t.Direct)+t.Through, t.Of, t.Sure)
	if t.ByName > 0 {
		w.about("", "%d of these columns are no foreign keys and were chosen by their names: check that they hold the tenant.", t.ByName)
	}
	var others []string
	for _, o := range d.Tenants {
		if o.Table != t.Table && len(others) < 4 {
			others = append(others, o.Table)
		}
	}
	text := "If that is wrong: exo init with -force -tenant TABLE or COLUMN, or -tenant none where everybody may see every row."
	if len(others) > 0 {
		text = "It could also be " + strings.Join(others, ", ") + ". " + text
	}
	w.about("", "%s", text)
}

// widest is the number of characters in a line of a draft, so that a draft fits next to another file.
const widest = 200

// aboutPolicies writes a comment if row-level security does not apply to the role. The comment suggests another role.
func (d *Draft) aboutPolicies(w *writer) {
	i := slices.IndexFunc(d.Facets, func(f *Facet) bool { return f.Out == "" && d.unbound(f) != "" })
	if i < 0 {
		return
	}
	w.about("  ", "The tables have row-level security, and the role %s %s.", comment(d.live.Role.Name), d.unbound(d.Facets[i]))
	w.line("  # So the scopes of this file alone decide which rows are read. To have policies as a second wall, make a role that they bind:")
	w.line("  #   CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS;")
	w.line("  # with GRANT SELECT on what is granted below and policies of its own (docs/roles.md, Row-level security); then use its URL.")
}

type writer struct{ b strings.Builder }

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// about writes a comment, in several lines if it is long.
func (w *writer) about(indent, format string, args ...any) {
	line := indent + "#"
	for _, word := range strings.Fields(comment(fmt.Sprintf(format, args...))) {
		for r := []rune(word); len(r) > widest/2; r = []rune(word) { // break a longer word, which only a hostile database has
			line, word = line+" "+string(r[:widest/2]), string(r[widest/2:])
			w.line("%s", line)
			line = indent + "#"
		}
		if utf8.RuneCountInString(line)+utf8.RuneCountInString(word) >= 120 && line != indent+"#" {
			w.line("%s", line)
			line = indent + "#"
		}
		line += " " + word
	}
	w.line("%s", line)
}

// noted writes a text with a comment after it. If a line can't have both, the comment comes first. Each line begins with the text before.
func (w *writer) noted(before, text, note string) {
	switch {
	case note == "":
		w.line("%s%s", before, text)
	case utf8.RuneCountInString(before+text+note)+3 > widest:
		w.about(before+text[:len(text)-len(strings.TrimLeft(text, " "))], "%s", note)
		w.line("%s%s", before, text)
	default:
		w.line("%s%s # %s", before, text, comment(note))
	}
}

// list writes texts in brackets, and breaks lines that would be too long.
func (w *writer) list(before, after string, texts []string) {
	line := before + "["
	for i, s := range texts {
		s = yamlText(s)
		if i < len(texts)-1 {
			s += ","
		}
		if utf8.RuneCountInString(line)+utf8.RuneCountInString(s)+len(after) > widest-2 && i > 0 {
			w.line("%s", line)
			line = strings.Repeat(" ", len(before)-len(strings.TrimLeft(before, " "))+2)
		} else if i > 0 {
			line += " "
		}
		line += s
	}
	w.line("%s]%s", line, after)
}

func (f *Facet) write(w *writer, pin string, shared, unbound bool) {
	w.line("  %s:", f.Alias)
	w.line("    table: %s", yamlText(f.Table))
	if unbound {
		w.line("    # It has row-level security, whose policies do not apply to this role: the scope here has to say the same rows.")
	}
	switch {
	case f.rows != "":
		w.noted("", "    scope: "+scope(f.rows), f.note)
	case f.via != nil:
		w.noted("", "    scope: via "+f.via.to.Alias+"."+f.via.back, f.note)
	case shared:
		w.line("    scope: shared")
	}
	if pin != "" {
		w.line("    pin: %s", grantfile.Folded(pin, "      "))
	}
	f.writeColumns(w, "    ", "")
	if len(f.links) > 0 {
		w.line("    links:")
		for _, l := range f.links {
			l.write(w)
		}
	}
}

// write writes a link, in one line if it fits.
func (l link) write(w *writer) {
	note := ""
	if l.guess {
		note = "no foreign key"
	}
	text := fmt.Sprintf("{ to: %s, columns: [%s], references: [%s], one: %t }", l.to, scalars(l.columns), scalars(l.references), l.one)
	switch {
	case l.columns == nil && l.usual:
		w.noted("", "      "+l.name+": "+l.to, note)
	case l.columns == nil:
		w.noted("", fmt.Sprintf("      %s: { to: %s, one: %t }", l.name, l.to, l.one), note)
	case utf8.RuneCountInString(l.name+text)+8 <= widest:
		w.noted("", "      "+l.name+": "+text, note)
	default:
		w.noted("", "      "+l.name+":", note)
		w.line("        to: %s", l.to)
		w.list("        columns: ", "", l.columns)
		w.list("        references: ", "", l.references)
		w.line("        one: %t", l.one)
	}
}

func (f *Facet) writeColumns(w *writer, indent, before string) {
	w.line("%s%scolumns:", indent, before)
	for _, c := range f.columns {
		var fields []string
		if c.as != "" {
			fields = append(fields, "as: "+c.as)
		}
		if c.doc != "" && c.out == "" {
			fields = append(fields, "doc: "+quoted(short(c.doc)))
		}
		if of := scalars(c.oneOf); c.out == "" && of != "" && len(of) <= longestList { // the file lists few values; the database gives the model the values of a longer enum
			fields = append(fields, "one_of: ["+of+"]")
		}
		if c.typ != "" {
			fields = append(fields, "type: "+c.typ)
		}
		if c.stored != "" {
			fields = append(fields, "stored: "+c.stored)
		}
		if label := labels[c.out]; label != "" {
			fields = append(fields, "label: ["+label+"]")
		}
		text := yamlText(c.name) + ":"
		if len(fields) > 0 {
			text += " { " + strings.Join(fields, ", ") + " }"
		}
		switch {
		case c.out != "":
			w.noted(indent+before, "  # "+comment(text), c.out)
		case utf8.RuneCountInString(indent+before+text)+2 > widest: // one line can't have both, because the name and the comment are long
			w.noted(indent+before, "  "+yamlText(c.name)+":", c.note)
			for _, f := range fields {
				w.line("%s%s    %s", indent, before, f)
			}
		default:
			w.noted(indent+before, "  "+text, c.note)
		}
	}
}

// longestList is the length of the longest list of values in the file.
const longestList = 120

// writeOut writes a facet that is left out as comments, so that it has no effect.
func (f *Facet) writeOut(w *writer, rows string) {
	w.line("")
	w.about("  ", "%s: %s", f.Table, f.Out)
	if len(f.columns) == 0 {
		return
	}
	w.line("  # %s:", f.Alias)
	w.line("  #   table: %s", yamlText(f.Table))
	w.line("  #   scope: %s", rows)
	f.writeColumns(w, "  #   ", "")
}

// comment makes a text safe for a comment. A line break in a database's name would end the comment, and what follows would become a part of
// the file.
func comment(s string) string { return schema.Printable(s) }

func short(s string) string {
	s = schema.Printable(s)
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

var (
	plainScalar = scalar.Pattern(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)
	plainURL    = scalar.Pattern(`^(env|file|sqlite|sha256):[A-Za-z0-9_./-]+$`)
	plainScope  = scalar.Pattern(`^[A-Za-z_][A-Za-z0-9_]* = \$principal\.[A-Za-z0-9_]+$`)
	yamlWords   = scalar.Words("y yes n no on off true false null")
)

// yamlText writes a text so that YAML reads the same text back. It leaves quotes out only if YAML can't read the text as anything else.
func yamlText(s string) string {
	if plainScalar().MatchString(s) && !yamlWords[strings.ToLower(s)] || plainURL().MatchString(s) {
		return s
	}
	return quoted(s)
}

func scope(s string) string {
	if plainScope().MatchString(s) {
		return s
	}
	return quoted(s)
}

// quoted writes a text in double quotes and escapes all that is not printable. YAML reads some of these characters as another name (U+0085 as
// a space), terminals obey some, and readers see none (TestQuoted).
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

func scalars(ss []string) string { return strings.Join(scalar.Each(ss, yamlText), ", ") }
