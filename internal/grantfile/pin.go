package grantfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/schema"
)

// Digests returns, by the names of facets, the pins for the present tables.
func (d *Declared) Digests() map[string]string {
	out := map[string]string{}
	for i := range d.File.Facets {
		out[d.File.Facets[i].Text] = d.digest(&d.File.Facets[i])
	}
	return out
}

// Pinned is a facet that got a new pin.
type Pinned struct {
	Facet   string
	Changed []string // the changes since the last pin, also in columns that the file does not name; nil if there was no pin
}

// Pin writes the pins of all facets into the text of a file that was declared with Options.Unpinned. It changes nothing else.
func (d *Declared) Pin(text []byte) ([]byte, []Pinned, error) {
	whole := string(text)
	begins := []int{0} // the offset of each line
	for i := range whole {
		if whole[i] == '\n' {
			begins = append(begins, i+1)
		}
	}
	digests := d.Digests()
	var out []Pinned
	place := func(x Facet) Name {
		if x.Pin.Text != "" {
			return x.Pin
		}
		return x.Table
	}
	// Go from the end to the beginning, so that earlier places stay right.
	facets := slices.SortedFunc(slices.Values(d.File.Facets), func(a, b Facet) int {
		return cmp.Or(place(b).Line-place(a).Line, place(b).Column-place(a).Column)
	})
	for _, x := range facets {
		at, was, is := place(x), x.Pin.Text, digests[x.Text]
		if unfolded(was) == unfolded(is) {
			continue
		}
		from := min(begins[at.Line-1]+at.Column-1, len(whole))
		before, rest := whole[:from], whole[from:]
		after, ok := rest, true
		for _, part := range strings.Fields(at.Text) { // a long pin has several lines
			after, ok = strings.CutPrefix(strings.TrimLeft(after, " \r\n"), part)
			if !ok {
				break
			}
		}
		indent, block := strings.CutSuffix(before[begins[at.Line-1]:], "table: ")
		block = block && strings.TrimSpace(indent) == ""
		switch {
		case was == "" && block: // this also covers a quoted name
			line, next, _ := strings.Cut(rest, "\n")
			whole = before + line + "\n" + indent + "pin: " + Folded(is, indent+"  ") + "\n" + next
		case !ok || was == "" && len(strings.Fields(at.Text)) != 1:
			return nil, nil, fail.Errorf(fail.Invalid, "", "%s:%d:%d: no pin can be placed next to the text here: write `pin: %s` into the facet %s by hand", d.File.Name, at.Line, at.Column, is, x.Text)
		case was != "":
			whole = before + is + after
		default: // a map like {table: NAME, …}
			whole = before + at.Text + ", pin: " + is + after
		}
		p := Pinned{Facet: x.Text}
		if was != "" {
			p.Changed = d.changed(&x, true)
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	made := []byte(whole)
	if err := d.sameBut(made, digests); err != nil {
		return nil, nil, err
	}
	return made, out, nil
}

// sameBut reads a text, and returns an error if it differs from the file in anything but pins, or has other pins than the digests.
func (d *Declared) sameBut(made []byte, digests map[string]string) error {
	again, err := Parse(d.File.Name, made)
	if err != nil {
		return err
	}
	for i := range again.Facets {
		if unfolded(again.Facets[i].Pin.Text) != unfolded(digests[again.Facets[i].Text]) {
			return fail.Errorf(fail.Invalid, "", "no pin can be placed in the facet %s: write `pin: %s` into the facet by hand", again.Facets[i].Text, digests[again.Facets[i].Text])
		}
	}
	for i := range again.Facets { // the facets and their order are the same; otherwise Diff finds the difference
		if i < len(d.File.Facets) {
			again.Facets[i].Pin = d.File.Facets[i].Pin
		}
	}
	if changed := Diff(d.File, again); len(changed) > 0 {
		return fail.Errorf(fail.Invalid, "", "the pins can't be placed in %s without changing what the file grants, so none was written: write each facet on lines of its own, and run the command again", d.File.Name)
	}
	return nil
}

// pinForm begins a pin. A pin of an older form is refused: see Declared.declare.
const pinForm = "v2:"

const pinLine = 160 // the most characters of a pin in one line of a file

// Folded writes a pin in several lines of a file, which YAML reads as one text.
func Folded(pin, indent string) string { return strings.Join(strings.Fields(pin), "\n"+indent) }

// unfolded returns a pin without its line breaks.
func unfolded(pin string) string { return strings.Join(strings.Fields(pin), "") }

// pinPart is one fact of the database in a pin: 3 bytes for the subject and 3 bytes for the value. An attacker could find another type with
// the same bytes. But that needs the right to change a table, and then there are easier ways.
type pinPart struct {
	kind, name string // the subject: a column, "the key" or a link
	value      string
	other      string // the value that a column would have if NOT NULL were different
	now        string // the value as a text for people
}

const pinBytes = 3

func pinSum(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return string(sum[:pinBytes])
}

// parts returns the facts in a pin: all columns of a table with their types, also those that the file does not show, the key, and the columns
// of links by foreign keys.
func (d *Declared) parts(x *Facet) (out []pinPart) {
	t := d.liveTable(x)
	for i := range t.Columns {
		c := &t.Columns[i]
		nullable := map[bool]string{true: " NOT NULL"}
		out = append(out, pinPart{"column", c.Name, c.Type + nullable[c.NotNull], c.Type + nullable[!c.NotNull], c.Type})
	}
	if d.File.key(x) == nil { // the database has the key, because the file does not
		out = append(out, pinPart{kind: "key", value: strings.Join(t.RowKey(), "\x00"), now: strings.Join(t.RowKey(), ", ")})
	}
	link := func(kind, name string, of *Facet, l *Link) {
		if l == nil || len(l.Columns) > 0 {
			return
		}
		var value, now []string
		for _, k := range d.keys(of, l) {
			value = append(value, strings.Join(k.Columns, "\x00"), strings.Join(k.References, "\x00"), fmt.Sprint(k.One))
			now = append(now, fmt.Sprintf("(%s) with (%s)", strings.Join(k.Columns, ", "), strings.Join(k.References, ", ")))
		}
		if value != nil { // nil means that there is no such key or table, an error that is reported elsewhere
			out = append(out, pinPart{kind: kind, name: name, value: strings.Join(value, "\x01"), now: strings.Join(now, "; ")})
		}
	}
	for i := range x.Links {
		link("link", x.Links[i].Text, x, &x.Links[i])
	}
	if v := x.Scope.Via; v != nil {
		from := d.File.facet(v.Facet)
		link("via", v.Facet+"."+v.Link, from, from.link(v.Link))
	}
	return out
}

// digest returns the pin of a facet for its present table.
func (d *Declared) digest(x *Facet) string {
	var b strings.Builder
	for _, p := range d.parts(x) {
		b.WriteString(pinSum(p.kind, p.name) + pinSum(p.value))
	}
	text := pinForm + base64.RawURLEncoding.EncodeToString([]byte(b.String()))
	var lines []string
	for len(text) > pinLine {
		lines, text = append(lines, text[:pinLine]), text[pinLine:]
	}
	return strings.Join(append(lines, text), " ")
}

// pinned returns the facts in the pin of a facet, each value by its subject, or nil if the pin has another form.
func pinned(x *Facet) map[string]string {
	text, ok := strings.CutPrefix(unfolded(x.Pin.Text), pinForm)
	had, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(had)%(2*pinBytes) != 0 {
		return nil
	}
	was := map[string]string{}
	for ; len(had) > 0; had = had[2*pinBytes:] {
		was[string(had[:pinBytes])] = string(had[pinBytes : 2*pinBytes])
	}
	return was
}

// changed names the changes since a facet was pinned, in columns that the file uses, or in all. It leaves out links that were added to the
// file, because their author has looked at them.
func (d *Declared) changed(x *Facet, all bool) (out []string) {
	was := pinned(x)
	if was == nil {
		return []string{"the old pin can't be read"}
	}
	used := d.uses(x)
	gone := len(was)
	for _, p := range d.parts(x) {
		value, known := was[pinSum(p.kind, p.name)]
		if known {
			gone--
		}
		name := schema.Printable(p.name)
		switch {
		case value == pinSum(p.value) && known, p.kind == "column" && !all && !used[p.name]:
		case p.kind == "column" && !known:
			out = append(out, "the column "+name+" is new")
		case p.kind == "column" && value == pinSum(p.other):
			out = append(out, "the column "+name+map[bool]string{true: " is NOT NULL now", false: " may be NULL now"}[strings.HasSuffix(p.value, " NOT NULL")])
		case p.kind == "column":
			out = append(out, "the column "+name+" has another type, which is "+schema.Printable(cmp.Or(p.now, "none"))+" now")
		case p.kind == "key" && known:
			out = append(out, "its key is "+schema.Printable(cmp.Or(p.now, "none"))+" now")
		case known && p.kind == "via":
			out = append(out, "the link "+name+" of its scope compares "+schema.Printable(p.now)+" now")
		case known:
			out = append(out, "the link "+name+" compares "+schema.Printable(p.now)+" now")
		}
	}
	if all && gone > 0 {
		out = append(out, fmt.Sprintf("%d of its columns or links are gone", gone))
	}
	return out
}

// uses returns the columns of a facet's table that the file shows, compares or has in a key.
func (d *Declared) uses(x *Facet) map[string]bool {
	used := map[string]bool{}
	add := func(names []string) {
		for _, n := range names {
			used[n] = true
		}
	}
	add(texts(columnsOf(x)))
	compared := x.Scope.conditions()
	for _, g := range d.File.Grants {
		if g.Facet.Text == x.Text && g.Where != nil {
			compared = append(compared, g.Where.leaves()...)
		}
	}
	for _, e := range compared {
		used[e.Column.Text] = true
	}
	add(d.liveTable(x).RowKey())
	add(texts(d.File.key(x)))
	for i := range x.Links {
		for _, k := range d.keys(x, &x.Links[i]) {
			add(k.Columns)
		}
	}
	if v := x.Scope.Via; v != nil {
		from := d.File.facet(v.Facet)
		for _, k := range d.keys(from, from.link(v.Link)) {
			add(k.References)
		}
	}
	return used
}

// checkPin refuses a table that has changed since its facet was pinned. It collects pins of an older form, to refuse them together.
func (d *Declared) checkPin(x *Facet, p *problems) {
	switch {
	case x.Pin.Text == "" || d.unpinned:
	case !strings.HasPrefix(x.Pin.Text, pinForm):
		d.oldPins = append(d.oldPins, x)
	default:
		if was := pinned(x); was == nil {
			p.At(x.Pin.Pos, "the pin of the facet %s is not whole: put its text back, or check the table and let `exo validate -pin` write a new pin", x.Text)
		} else if changed := d.changed(x, false); len(changed) > 0 {
			p.At(x.Pin.Pos, "the table %s has changed since it was pinned: %s; check the change, then let `exo validate -pin` write a new pin", schema.Printable(x.Table.Text), strings.Join(changed, "; "))
		}
	}
}

// renew reports all pins of an older form in one line, with how to renew them.
func (d *Declared) renew(p *problems) {
	if len(d.oldPins) == 0 {
		return
	}
	others := ""
	if n := len(d.oldPins) - 1; n > 0 {
		others = fmt.Sprintf(" and %d more", n)
	}
	p.At(d.oldPins[0].Pin.Pos, "the pin of the facet %s%s does not begin with %s, so this version can't compare it: check the tables, then let `exo validate -pin` write new pins", d.oldPins[0].Text, others, pinForm)
}

func (s Scope) conditions() []*Expr {
	if s.Rows == nil {
		return nil
	}
	return s.Rows.leaves()
}
