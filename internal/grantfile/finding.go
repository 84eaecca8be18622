package grantfile

// This file finds where a grant file and its databases disagree, and the line of each finding.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/schema"
)

// Finding is a finding of exosql about a file's grants, with its place in the file.
type Finding struct {
	At string `json:"at"` // the place, like "exo.yaml:12:5"
	exosql.Finding
}

// at writes a place in the file, for a finding.
func (f *File) at(p Pos) string { return fmt.Sprintf("%s:%d:%d", f.Name, p.Line, p.Column) }

// String writes the finding as a line of a report. The Kind comes last, so that scripts find it.
func (f Finding) String() string {
	return schema.Printable(fmt.Sprintf("%s: %s [%s]", f.At, f.Finding, f.Kind))
}

// FindingsOf returns the problems of a file as findings, for a report that lists both.
func FindingsOf(e *Errors) (out []Finding) {
	for _, p := range e.Problems {
		out = append(out, Finding{fmt.Sprintf("%s:%d:%d", e.File, p.Line, p.Column), exosql.Finding{Kind: p.Code(), Problem: schema.Printable(p.Msg)}})
	}
	return out
}

// place returns the place in the file that a finding concerns.
func (d *Declared) place(database string, f exosql.Finding) Pos {
	file := d.File
	if x := file.facet(f.Facet); x != nil && f.Facet != "" {
		switch {
		case f.Kind == exosql.NeededColumn && len(x.Insert) > 0:
			return x.Insert[0].Pos
		case len(x.Update) > 0 && (len(x.Insert) == 0 || !x.Update[0].After(x.Insert[0].Pos)):
			return x.Update[0].Pos
		case len(x.Insert) > 0:
			return x.Insert[0].Pos
		case x.Delete != nil:
			return *x.Delete
		}
		return x.Pos
	}
	if from, name, ok := strings.Cut(f.Link, "."); ok {
		for _, x := range file.places[[2]string{database, from}] {
			if l := x.link(name); l != nil {
				return l.Pos
			}
		}
	}
	facets := file.places[[2]string{database, f.Table}]
	for _, x := range facets {
		for _, c := range x.Columns {
			if c.Text == f.Column && (!c.bare() || file.described(x, c).bare()) {
				return c.Pos
			}
		}
	}
	for _, x := range facets {
		for _, k := range x.Key {
			if k.Text == f.Column {
				return k.Pos
			}
		}
		for _, e := range x.Scope.conditions() {
			if e.Column.Text == f.Column {
				return e.Column.Pos
			}
		}
	}
	if len(facets) > 0 {
		return facets[0].Table.Pos
	}
	for _, x := range file.Databases {
		if x.Text == database {
			return x.Pos
		}
	}
	return Pos{Line: 1, Column: 1}
}

// Effects returns, as YAML to paste into the file, the permissions that facets need before programs write through them. Each facet has its old
// and its new permissions, the new ones with reasons. Effects is "" if no facet needs any. It changes no file, because a person decides about
// each.
func (d *Declared) Effects(findings []Finding) string {
	var b strings.Builder
	for i := range d.File.Facets {
		x := &d.File.Facets[i]
		var more []Finding
		for _, f := range findings {
			if f.Facet == x.Text && f.Effect != "" && !f.Warning && !slices.ContainsFunc(more, func(o Finding) bool { return o.Effect == f.Effect }) {
				more = append(more, f)
			}
		}
		if len(more) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("facets:\n")
		}
		fmt.Fprintf(&b, "  %s: # line %d\n    effects:\n", plainKey(x.Text), x.Line)
		for _, e := range x.Effects {
			fmt.Fprintf(&b, "      - %s\n", strconv.Quote(e.Text))
		}
		for _, f := range more {
			fmt.Fprintf(&b, "      # %s\n      - %s\n", f.Problem, strconv.Quote(f.Effect))
		}
	}
	return b.String()
}

// plainKey writes a name as a key of YAML.
func plainKey(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return strconv.Quote(name)
	}
	return name
}
