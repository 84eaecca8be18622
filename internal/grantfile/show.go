package grantfile

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Line is a line of the list of a file's grants: its subject, its key and its value.
type Line struct{ Of, What, How string }

// Lines lists all that the file declares, with what its preset adds: each grant with its facet, each facet with its rows, columns, links and
// rights, where the databases are, who is served, and the limits. Two files that grant the same have the same lines: order and comments do not
// matter. Each key of a file has a line, on which reviewers of a change rely (TestLinesOfKeys). No line contains a URL, because no file does.
func (f *File) Lines() (out []Line) {
	add := func(of, what, format string, args ...any) {
		out = append(out, Line{of, what, fmt.Sprintf(format, args...)})
	}
	for _, g := range f.Grants {
		how := "the facet " + g.Facet.Text
		if g.Where != nil {
			how += " where " + g.Where.String()
		}
		add("grant "+g.Text, "", "%s", how)
	}
	for i := range f.Facets {
		f.facetLines(&f.Facets[i], add)
	}
	for i := range f.Services {
		f.Services[i].Lines(add)
	}
	for _, d := range f.Databases {
		add("database "+d.Text, "", "%s", shown(", ", d.keys(&reader{})...))
	}
	for _, c := range f.Claims {
		add("principal", c.Text, "%s", c.String())
	}
	f.labelLines(add)
	add("chats", "are wary of outsiders for", "%s", cmp.Or(f.Distrust, Distrusts[0]))
	if f.Models == nil {
		add("models", "any", "with a key in the environment")
	}
	for _, m := range f.Models {
		add("models", m.Text, "")
	}
	f.Serve.lines(add)
	f.Approvals.lines(add)
	if f.Wall != WallKernel {
		add("serve", "wall", "%s", f.Wall)
	}
	f.recordLines(add)
	if f.Zone != "" {
		add("zone", "", "%s", f.Zone)
	}
	if !f.Reviewed {
		add("reviewed", "", "no: nothing is served before the file says reviewed: true")
	}
	f.Budgets.Lines(add)
	f.Access.Lines(add)
	used := File{Limits: f.Limits.OrDefault(), Bounds: f.Bounds.OrDefault()}
	keyLines("limits", used.limitKeys(&reader{}), add)
	return out
}

// adding adds a line: its subject, its key and its value as a format with arguments.
type adding = func(of, what, format string, args ...any)

// keyLines adds a line for each key that has one.
func keyLines(of string, keys []strict.Key, add adding) {
	for _, k := range keys {
		if how := shown("", k); how != "" {
			add(of, k.Name, "%s", how)
		}
	}
}

func (f *File) facetLines(x *Facet, add adding) {
	of := "facet " + x.Text
	add(of, "rows", "of %s: %s", x.Table.Text, x.Scope)
	if len(f.Databases) > 1 {
		add(of, "database", "%s", x.Database.Text)
	}
	if x.Pin.Text != "" {
		add(of, "pinned", "%x", sha256.Sum256([]byte(x.Pin.Text)))
	}
	if l := f.rowLabel(x); l != nil {
		add(of, "rows are labelled", "%s", listed(texts(l)))
	}
	if len(x.Admits) > 0 {
		add(of, "rows take", "what was read of %s", listed(texts(x.Admits)))
	}
	for _, c := range x.Columns {
		add(of, "column "+c.Text, "%s", f.described(x, c).how())
	}
	for _, l := range x.Links {
		how := "to " + l.To.Text
		if len(l.Columns) > 0 {
			how += fmt.Sprintf(" by %s = %s", listed(texts(l.Columns)), listed(texts(l.References)))
		}
		if l.One != nil {
			how += fmt.Sprintf(", one row: %t", *l.One)
		}
		add(of, "link "+l.Text, "%s%s", how, doc("; ", l.Doc))
	}
	for _, m := range x.Measures {
		add(of, "measure "+m.Text, "%s%s", m, doc("; ", m.Doc))
	}
	for _, r := range []struct {
		what string
		cols []Name
	}{{"insert", x.Insert}, {"update", x.Update}, {"search", x.Search}, {"effects", x.Effects}} {
		for _, c := range r.cols {
			add(of, "may "+r.what+" "+c.Text, "")
		}
	}
	if x.Delete != nil {
		how := ""
		if x.Wary {
			how = "trusted programs only"
		}
		add(of, "may delete", "%s", how)
	}
	if x.Undo.Text != "" {
		add(of, "a person may undo "+x.Undo.Text+" runs", "")
	}
	if x.Approve != nil {
		add(of, "a person agrees", "%s", x.Approve)
	}
	if len(x.Key) > 0 {
		add(of, "key", "%s", listed(texts(x.Key)))
	}
}

// labelLines adds the declared tags, what results may carry, and for each used tag whether they may carry it.
func (f *File) labelLines(add adding) {
	for _, tag := range slices.Sorted(maps.Keys(f.declared)) {
		how := SecretTag
		if value.OfIntegrity(f.declared[tag]) {
			how = UntrustedTag
		}
		add("label "+tag, "", "%s", how)
	}
	for _, a := range f.Admits {
		add("results", "may carry "+a.Text, "")
	}
	admits := f.admits(func(claim string) string { return "principal." + claim })
	for _, tag := range f.tags() {
		how, label := "to results: no", value.NewLabel(tag)
		if label.Secrecy().FlowsTo(admits) {
			how = "to results: yes"
		} else if of := slices.DeleteFunc(admits.Tags(), func(a string) bool { return !value.NewLabel(a).FlowsTo(label) }); len(of) > 0 {
			how = "to results: yes, of " + listed(of)
		}
		add("flows", tag, "%s", how)
	}
}

func (f *File) recordLines(add adding) {
	if f.record != "" || f.RecordDB.Kind != "" {
		add("record", "", "%s", cmp.Or(f.record, f.RecordDB.String()))
		keyLines("record", f.recordKeys(&reader{}), add)
	}
}

// tags returns the tags of all rows and columns, sorted.
func (f *File) tags() (out []string) {
	for i := range f.Facets {
		out = append(out, texts(f.Facets[i].Label)...)
		for _, c := range f.Facets[i].Columns {
			says := f.described(&f.Facets[i], c)
			for _, tag := range texts(says.Label) {
				if says.Readers.Kind.Text != "" && !value.NewLabel(tag).Secrecy().Empty() {
					tag += "@" + says.Readers.Kind.Text
				}
				out = append(out, tag)
			}
		}
	}
	for _, s := range f.Services {
		out = append(append(out, texts(s.Label)...), value.Untrusted)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c Column) how() string { return shown("; ", c.keys(&reader{})...) }

// doc writes a line for the model, in quotes, because the line could look like another part of the output.
func doc(before, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%sdescribed as %q", before, text)
}

// Change is a line that only one of two files has, or that has different values in them.
type Change struct {
	Line
	Was  string // the old value; "" for a new line
	Kind string // one of "added", "removed" and "changed"
}

// Diff lists the differences between the grants of an old and a new file.
func Diff(before, after *File) (out []Change) {
	key := func(l Line) string { return l.Of + "\x00" + l.What }
	was := map[string]Line{}
	for _, l := range before.Lines() {
		was[key(l)] = l
	}
	seen := map[string]bool{}
	for _, l := range after.Lines() {
		seen[key(l)] = true
		old, had := was[key(l)]
		switch {
		case !had:
			out = append(out, Change{l, "", "added"})
		case old.How != l.How:
			out = append(out, Change{l, old.How, "changed"})
		}
	}
	for _, l := range before.Lines() {
		if !seen[key(l)] {
			out = append(out, Change{l, l.How, "removed"})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(a.Of, b.Of) })
	return out
}
