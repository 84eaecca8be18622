package grantfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// Digests are those of the facets, by their names, as Facet.Pin has them.
func (d *Declared) Digests() map[string]string {
	out := map[string]string{}
	for i := range d.File.Facets {
		out[d.File.Facets[i].Text] = d.digest(&d.File.Facets[i])
	}
	return out
}

// Pinned is the digest that a facet has got.
type Pinned struct{ Facet, Was, Is string } // Was "": it was not pinned

// Pin writes the digests of all facets into the text of the file that was declared with Options.Unpinned, and changes nothing else in it.
func (d *Declared) Pin(text []byte) ([]byte, []Pinned, error) {
	lines := strings.SplitAfter(string(text), "\n")
	digests := d.Digests()
	var out []Pinned
	place := func(x Facet) Name {
		if x.Pin.Text != "" {
			return x.Pin
		}
		return x.Table
	}
	// From the end, so that the places of the others stay.
	facets := slices.SortedFunc(slices.Values(d.File.Facets), func(a, b Facet) int {
		return cmp.Or(place(b).Line-place(a).Line, place(b).Column-place(a).Column)
	})
	for _, x := range facets {
		at, was, is := place(x), x.Pin.Text, digests[x.Text]
		if was == is {
			continue
		}
		line := lines[at.Line-1]
		before, rest := line[:min(at.Column-1, len(line))], line[min(at.Column-1, len(line)):]
		after, ok := strings.CutPrefix(rest, at.Text)
		switch {
		case !ok:
			return nil, nil, exo.Errorf(exo.Invalid, "", "%s:%d:%d: this text is quoted, and pins are written beside plain ones only: write `pin: %s` into the facet %s", d.File.Name, at.Line, at.Column, is, x.Text)
		case was != "":
			lines[at.Line-1] = before + is + after
		case strings.TrimSpace(before) == "table:":
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines[at.Line-1] = strings.TrimSuffix(line, "\n") + "\n" + indent + "pin: " + is + "\n"
		default: // {table: NAME, …}
			lines[at.Line-1] = before + at.Text + ", pin: " + is + after
		}
		out = append(out, Pinned{x.Text, was, is})
	}
	slices.Reverse(out)
	made := []byte(strings.Join(lines, ""))
	// What is written is read again: a text that means something else is not given out.
	again, err := Parse(d.File.Name, made)
	if err != nil {
		return nil, nil, err
	}
	for i := range again.Facets {
		if again.Facets[i].Pin.Text != digests[again.Facets[i].Text] {
			return nil, nil, exo.Errorf(exo.Invalid, "", "the facet %s can't be pinned where it stands: write `pin: %s` into it", again.Facets[i].Text, digests[again.Facets[i].Text])
		}
	}
	for i := range again.Facets { // they are those of before, in their order, or Diff finds it
		if i < len(d.File.Facets) {
			again.Facets[i].Pin = d.File.Facets[i].Pin
		}
	}
	if changed := Diff(d.File, again); len(changed) > 0 {
		return nil, nil, exo.Errorf(exo.Invalid, "", "pins can't be written into %s: it would grant something else", d.File.Name)
	}
	return made, out, nil
}

// digest is of all that a facet takes from the catalogue: the table's key, the foreign keys and the columns that it shows, and those that its
// scope, its grants and its links compare. A column that is added changes nothing, since it does not show. One that is dropped and
// made anew with another type does, and a link that would compare other columns, since another foreign key is the only one now.
func (d *Declared) digest(x *Facet) string {
	t := d.liveTable(x)
	var names []string
	for _, c := range x.Columns {
		names = append(names, c.Text)
	}
	compared := x.Scope.conditions()
	for _, g := range d.File.Grants {
		if g.Facet.Text == x.Text && g.Where != nil {
			compared = append(compared, g.Where.leaves()...)
		}
	}
	for _, e := range compared {
		names = append(names, e.Column.Text)
	}
	if t.PrimaryKey != nil {
		names = append(names, t.PrimaryKey.Columns...)
	}
	names = append(names, texts(d.File.key(x))...)
	type column struct {
		Name, Type string
		NotNull    bool
	}
	var seen struct {
		Columns []column
		Key     []string
		Foreign [][]string
		Links   map[string][]LinkKeys
	}
	seen.Links = map[string][]LinkKeys{}
	for i := range x.Links {
		keys := d.keys(x, &x.Links[i])
		seen.Links[x.Links[i].Text] = keys
		for _, k := range keys {
			names = append(names, k.Columns...)
		}
	}
	if v := x.Scope.Via; v != nil {
		from := d.File.facet(v.Facet)
		keys := d.keys(from, from.link(v.Link))
		seen.Links["via "+v.Facet+"."+v.Link] = keys
		for _, k := range keys {
			names = append(names, k.References...)
		}
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if c := t.Column(n); c != nil {
			seen.Columns = append(seen.Columns, column{c.Name, c.Type, c.NotNull})
		}
	}
	if t.PrimaryKey != nil {
		seen.Key = t.PrimaryKey.Columns
	}
	for _, k := range t.ForeignKeys {
		if slices.ContainsFunc(k.Columns, func(c string) bool { return slices.Contains(names, c) }) {
			seen.Foreign = append(seen.Foreign, slices.Concat(k.Columns, []string{k.Table.Name}, k.References))
		}
	}
	b, _ := json.Marshal(seen) // texts and bools, and maps in the order of their keys
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:12])
}

func (s Scope) conditions() []*Expr {
	if s.Rows == nil {
		return nil
	}
	return s.Rows.leaves()
}
