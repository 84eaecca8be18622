package grantfile

// This file reads the labels that a grant file declares, and compares the used tags with them.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile/services"
)

// A tag is declared with one of these kinds.
const (
	SecretTag    = "secret"    // bounds who may read a value
	UntrustedTag = "untrusted" // marks a value that outsiders write
)

// Distrusts are the values of `distrust`. Package agent reads them.
var Distrusts = []string{"answer", "chat", "nothing"}

// labels reads the tags of the file, each with its kind.
func (f *File) labels(r *reader, n *yaml.Node) {
	f.declared = map[string]string{}
	for _, e := range r.Entries(n, "labels") {
		core := e.Name
		switch kind := r.Text(e.Value, "labels."+e.Name); {
		case kind == UntrustedTag && !value.OfIntegrity(core):
			core = value.Untrusted + ":" + core // package value recognises the kind by this spelling
		case kind == SecretTag && value.OfIntegrity(core):
			r.At(posOf(e.Value), "labels.%s: the name is reserved for what outsiders write: write `%[1]s: %s`, or give the secret another name", e.Name, UntrustedTag)
		case kind != "" && kind != SecretTag && kind != UntrustedTag:
			r.At(posOf(e.Value), "labels.%s: want `%s` (only some may read the value) or `%s` (outsiders write the value), not `%s`", e.Name, SecretTag, UntrustedTag, kind)
		}
		if err := value.NewLabel(core).Check(); err != nil {
			r.At(e.Pos(), "%s", strings.TrimPrefix(err.Error(), "exo: "))
		} else if strings.Contains(core, "@") {
			r.At(e.Pos(), "labels.%s: a tag is declared without its reader, so write `%s` here, and `readers` at the column", e.Name, core[:strings.IndexByte(core, '@')])
		}
		f.declared[e.Name] = core
	}
}

// checkTags refuses undeclared tags at their places. It gives all others the spelling that package value knows.
func (f *File) checkTags(r *reader) {
	t := &tagCheck{f: f, r: r, undeclared: map[string]string{}, kinds: f.readerKinds()}
	t.all(f.Admits, "results")
	for _, s := range f.Services {
		t.all(s.Label, "answers")
		for k, a := range s.Admits {
			use := "service"
			if s.Own(a.Text) {
				use = "own"
			}
			t.check(&s.Admits[k], use)
		}
	}
	for i := range f.Services {
		f.Services[i].CheckLabels(&r.Reader)
	}
	services.CheckFolders(&r.Reader, f.Services)
	for _, x := range f.Facets {
		t.all(x.Label, "")
		t.all(x.Admits, "writes")
		for _, c := range x.Columns {
			t.all(c.Label, "")
			t.all(c.Admits, "writes")
		}
	}
	if len(t.undeclared) > 0 {
		var all []string
		for _, tag := range slices.Sorted(maps.Keys(t.undeclared)) {
			if strings.Contains(tag, ":") {
				all = append(all, fmt.Sprintf("%q: %s", tag, t.undeclared[tag]))
			} else {
				all = append(all, tag+": "+t.undeclared[tag])
			}
		}
		r.At(t.first, "the file has no `labels`: add the line `labels: { %s }` above `facets`, and check which tags are `secret` (only some may read the value) or `untrusted` (outsiders write the value)", strings.Join(all, ", "))
	}
}

// tagCheck checks the tags of a file.
type tagCheck struct {
	f          *File
	r          *reader
	kinds      []string          // the kinds of readers that columns have
	undeclared map[string]string // the used tags of a file without `labels`, each with its kind
	first      Pos               // the place of the first of them
}

func (t *tagCheck) all(names []Name, use string) {
	for i := range names {
		t.check(&names[i], use)
	}
}

// check checks a tag, and spells it as package value does. In `admits` of results a tag may also name a reader, by an id or a claim.
func (t *tagCheck) check(n *Name, use string) {
	admits := use == "results"
	about, readers, some := strings.Cut(n.Text, "@")
	if value.OfIntegrity(n.Text) {
		about, readers, some = n.Text, "", false
	}
	text := n.Text
	if kind, name, ok := strings.Cut(text, ":$principal."); ok && (admits || use == "own") {
		switch c := t.f.claim(name); {
		case c == nil:
			t.r.At(n.Pos, "`principal` has no claim `%s`: add it there with its type%s", name, or(name, t.f.claimNames()))
			return
		case c.List || c.Type == value.TypeBool:
			t.r.At(n.Pos, "the claim %s can't be the id of a reader: want a claim of the type int, text or uuid, and no list", name)
			return
		}
		text = kind + ":x"
	} else if ok && use == "service" {
		t.r.At(n.Pos, "admits: here only a `mail` with a recipient from a claim, like `to: { me: $principal.email }`, can have a tag with $principal: write `%s`", about)
		return
	}
	if err := value.NewLabel(text).Check(); err != nil {
		t.r.At(n.Pos, "%s", strings.TrimPrefix(err.Error(), "exo: "))
		return
	}
	switch unnamed := len(value.NewLabel(text).Unnamed()) > 0; {
	case some && use == "answers":
		t.r.At(n.Pos, "label: the answers of a service have no single reader: write `%s` without what follows @", about)
		return
	case unnamed && !admits:
		t.r.At(n.Pos, "the tag %q has a kind of reader, but no id: write `label: [%s]` and `readers: { %s: COLUMN }`, with the column of the reader's id", text, about, readers)
		return
	}
	core, declared := t.f.declared[about]
	kind, _, _ := strings.Cut(readers, ":")
	switch {
	case t.f.declared == nil:
		if len(t.undeclared) == 0 {
			t.first = n.Pos
		}
		if t.undeclared[about] = SecretTag; value.OfIntegrity(about) {
			t.undeclared[about] = UntrustedTag
		}
	case !declared:
		t.r.At(n.Pos, "`labels` has no tag `%s`: add it there with its kind%s", about, or(about, slices.Sorted(maps.Keys(t.f.declared))))
	case admits && value.OfIntegrity(core):
		t.r.At(n.Pos, "admits: take `%s` out: it marks what outsiders write, which every result may carry, and `admits` is for secrets", about)
	case use == "writes" && value.OfIntegrity(core):
		t.r.At(n.Pos, "admits: take `%s` out: programs that have read what outsiders write may write every column that is not `trusted`, and `admits` is for secrets", about)
	case (use == "writes" || use == "service") && some:
		t.r.At(n.Pos, "admits: what programs write may have many readers: write `%s`, without what follows @, if each of them may learn the secret", about)
	case some && !slices.Contains(t.kinds, kind):
		t.r.At(n.Pos, "admits: no column has `readers` of the kind `%s`, so no value has this tag: correct the kind, or add `readers: { %[1]s: COLUMN }` to a column%s", kind, or(kind, t.kinds))
	case some:
		n.Text = core + "@" + readers
	default:
		n.Text = core
	}
}

// readerKinds returns the kinds of principals that columns have as readers.
func (f *File) readerKinds() (kinds []string) {
	for i := range f.Facets {
		for _, c := range f.Facets[i].Columns {
			if kind := c.Readers.Kind.Text; kind != "" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// labelDoubts returns warnings, each with its place, about labels that may not mean what the author expects.
func (f *File) labelDoubts() (out []Finding) {
	warn := func(x *Facet, at Pos, column, problem, fix string) {
		finding := exosql.Finding{Kind: exosql.LabelMismatch, Column: column, Problem: problem, Fix: fix, Warning: true}
		if x != nil {
			finding.Table = x.Table.Text
		}
		out = append(out, Finding{f.at(at), finding})
	}
	admitted := func(tag string, alone bool) bool { // alone asks for a tag that admits all readers
		return slices.ContainsFunc(f.Admits, func(a Name) bool {
			about, of, _ := strings.Cut(a.Text, "@")
			return about == tag && (of == "" || !alone)
		})
	}
	owned, trusted := map[string]string{}, false
	for i := range f.Facets {
		x := &f.Facets[i]
		for _, l := range x.Label {
			if !value.OfIntegrity(l.Text) && !admitted(l.Text, true) {
				warn(x, l.Pos, "", "its rows are labelled "+l.Text+", which results may not contain, so every program that queries it gets an error", "the line `admits: ["+l.Text+"]` above `facets`, or no label here")
			}
		}
		for _, l := range x.Admits {
			if !admitted(l.Text, false) {
				warn(x, l.Pos, "", "a program that has read "+l.Text+" can't return a result, so no such program can add or delete rows here", "the line `admits: ["+l.Text+"]` above `facets` as well")
			}
		}
		for _, c := range x.Columns {
			for _, l := range c.Label {
				if c.Readers.Kind.Text != "" {
					owned[l.Text] = c.Readers.Kind.Text
				}
			}
			for _, l := range c.Admits {
				if !admitted(l.Text, false) {
					warn(x, l.Pos, c.Text, "a program that has read "+l.Text+" can't return a result, so no such program can write this column", "the line `admits: ["+l.Text+"]` above `facets` as well")
				}
			}
			trusted = trusted || c.Trusted
		}
	}
	for _, a := range f.Admits {
		about, of, _ := strings.Cut(a.Text, "@")
		if kind := owned[about]; kind != "" && !strings.Contains(of, ":") {
			warn(nil, a.Pos, "", "`"+a.Text+"` alone shows each reader's values to all users, although the columns have `readers`", "\""+about+"@"+kind+":$principal.CLAIM\", with the claim that holds the reader's id")
		}
	}
	for i := range f.Facets {
		x := &f.Facets[i]
		copies := f.copies(x)
		if trusted && f.Wary() && copies != nil {
			warn(x, slices.Concat(x.Update, x.Insert)[0].Pos, "", "a program that has read outsiders' texts may write "+strings.Join(copies, ", ")+", and what it writes counts as trusted: another program may set a `trusted` column by it", "`label: [untrusted]` or `trusted: true` at each of these columns that may hold such a text, or a choice made by one")
		}
	}
	return out
}

// copies returns the columns that programs may write and that have no label for what outsiders wrote.
func (f *File) copies(x *Facet) (out []string) {
	for _, n := range slices.Concat(x.Update, x.Insert) {
		at := slices.IndexFunc(x.Columns, func(c Column) bool { return c.Text == n.Text })
		if at < 0 || slices.Contains(out, n.Text) {
			continue
		}
		if c := f.described(x, x.Columns[at]); !c.Trusted && !slices.ContainsFunc(texts(c.Label), value.OfIntegrity) {
			out = append(out, n.Text)
		}
	}
	return out
}

// admits returns the label that results may carry for a principal with these claims.
func (f *File) admits(claim func(name string) string) value.Label {
	tags := make([]string, len(f.Admits))
	for i, a := range f.Admits {
		tags[i] = a.Text
		if kind, name, ok := strings.Cut(a.Text, ":$principal."); ok {
			about, kind, _ := strings.Cut(kind, "@")
			tags[i], _ = value.ReaderTag(about, kind, claim(name)) // an empty claim names no reader and admits nothing
		}
	}
	return value.NewLabel(tags...)
}

// Wary reports whether the file marks texts that outsiders write.
func (f *File) Wary() bool { return slices.ContainsFunc(f.tags(), value.OfIntegrity) }
