package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Rights are what a program may change through a facet. The zero Rights allow nothing.
type Rights struct {
	Insert  []*Column // Insert has the columns that a new row may give; without any, no row may be inserted
	Update  []*Column
	Delete  bool
	Wary    bool         // Wary: a run that has read outsiders' words may not delete
	Admits  value.Label  // Admits are labels of values that may be written, and that may decide which rows exist
	Permits []Permission // Permits is what a write may do beyond the rows that it names

	Approvals []Approval // Approvals are the rules by which a person must approve a change before it is kept

	Undo UndoRuns // Undo has the runs that a person with the facet may undo; programs can undo none
}

// UndoRuns are the runs that a person may undo.
type UndoRuns uint8

const (
	UndoOwn UndoRuns = 1 + iota // UndoOwn: runs of their own
	UndoAny                     // UndoAny: runs of other principals, too
)

// Any reports whether the rights allow any change.
func (r Rights) Any() bool { return len(r.Insert)+len(r.Update) > 0 || r.Delete }

// Allow adds rights to the facet.
func (f *Facet) Allow(r Rights) error {
	for _, cols := range [][]*Column{r.Insert, r.Update} {
		for _, c := range cols {
			if c == nil {
				return fmt.Errorf("exosql: facet %s: a Column that was not declared can't be written: make it with NewColumn, NewKey or NewNullable", f.Alias)
			}
			if !slices.Contains(f.Cols, c) {
				return fmt.Errorf("exosql: facet %s does not show the column %s, so programs can't write it: add it to the facet first", f.Alias, c.Name)
			}
		}
	}
	for _, c := range r.Update {
		if c.Key {
			return fmt.Errorf("exosql: facet %s: rows are found by the key %s, so it can't be changed. Leave it out of what programs may update", f.Alias, c.Name)
		}
	}
	f.Rights.Insert = append(f.Rights.Insert, r.Insert...)
	f.Rights.Update = append(f.Rights.Update, r.Update...)
	if err := checkAdmits(r.Admits); err != nil {
		return fmt.Errorf("exosql: facet %s: %w", f.Alias, err)
	}
	f.Rights.Admits = f.Rights.Admits.Join(r.Admits)
	f.Rights.Delete, f.Rights.Wary = f.Rights.Delete || r.Delete, f.Rights.Wary || r.Wary
	f.Rights.Permits = append(f.Rights.Permits, r.Permits...)
	f.Rights.Undo = max(f.Rights.Undo, r.Undo)
	if err := f.approve(r.Approvals); err != nil {
		return err
	}
	if why := f.NotUndoable(); f.Rights.Undo != 0 && why != "" {
		return fmt.Errorf("exosql: facet %s lets persons undo runs, but %s", f.Alias, why)
	}
	return nil
}

// NotUndoable returns why no person may undo changes of the facet's table, or "".
func (f *Facet) NotUndoable() string {
	labelled := func(l value.Label) bool { return !l.Secrecy().Empty() }
	switch {
	case len(f.Rights.Approvals) > 0:
		return "changes of its table need a person's approval, and an undo asks nobody: leave out the approval or the undo"
	case labelled(f.Table.Label) || slices.ContainsFunc(f.Table.Cols, func(c *Column) bool { return labelled(c.Label) }):
		return "its table has labelled columns, and an undo would reveal which values a run has changed: let no person undo runs by this table"
	}
	return ""
}

// Writes reports whether a program can change something through the facet, or through facets that it reaches.
func (f *Facet) Writes() bool { return f.group().writes }

// writeMethods returns the methods of the facet's queries that change rows.
func (f *Facet) writeMethods(rows Rows) (out []*message.Method) {
	r, all := f.Rights, f.Table.Label.Secrecy() // all readers of a row have the label of the table's rows, which is all
	if len(r.Insert) > 0 {
		row := f.record(r.Insert, rows)
		for i, c := range r.Insert { // the label all applies to each row, since all readers of the table see that it exists. Only a column's readers see its value, so what the facet admits applies only to fields
			row.Fields[i].Needed, row.Fields[i].Admits = f.Table.expects(c), f.Table.filled(c.takes(r.Admits))
		}
		out = append(out, language.InsertMethod(row, all, f.foreign()), language.InsertManyMethod(row, all))
	}
	if len(r.Update) > 0 {
		values := f.record(r.Update, rows)
		for i, c := range r.Update {
			values.Fields[i].Admits = f.Table.admits(c, r.Admits)
		}
		out = append(out, language.UpdateMethod(values, all))
	}
	if r.Delete {
		m := language.DeleteMethod(all.Join(r.Admits))
		// For everything that relies on a trusted column, a deleted row is as bad as a changed one. So deletion needs trust if the table has such a column.
		m.Trusted = r.Wary || len(f.Table.Trusting()) > 0
		out = append(out, m)
	}
	if len(r.Update) > 0 || r.Delete {
		out = append(out, language.AllMethod(), language.IfUnchangedMethod())
	}
	return out
}

// foreign joins the integrity tags of those columns of a new row that others than the program may have written. These
// are columns that the program can't give, since a view or the database calculates them, and columns that the host's
// hooks fill. If a trigger, a rule, or a row that a conflict leaves may have written the row, these are all columns.
// A column that the program could give but leaves out is null or has the schema's default, so no outsider wrote it.
func (f *Facet) foreign() (l value.Label) {
	all := slices.ContainsFunc(f.Rights.Permits, func(p Permission) bool { return p.Acts() && p.Kind != PermitCascade })
	for _, c := range f.Cols {
		if all || !slices.Contains(f.Rights.Insert, c) || slices.Contains(f.Table.Fills, c) {
			l = l.Join(c.Label.Integrity())
		}
	}
	return l
}

// admits returns the labels that may be written to column c; of are the labels that its facet admits. A value with
// readers may not be written to a column with readers, since a program could copy it into another reader's row.
func (t *Table) admits(c *Column, of value.Label) value.Label {
	own := c.Label.Secrecy()
	if c.Readers != nil {
		own = value.Label{}
	}
	return t.filled(own.Join(c.takes(c.Admits.Join(of))))
}

// filled returns those labels of l that every column filled by hooks has or admits. A hook may choose its value by what is written, and so reveal it.
func (t *Table) filled(l value.Label) value.Label {
	return value.NewLabel(slices.DeleteFunc(l.Tags(), func(tag string) bool {
		return slices.ContainsFunc(t.Fills, func(other *Column) bool { return !other.Label.Join(other.Admits).HasExactly(tag) })
	})...)
}

// takes returns the part of l that may be written to the column. If the column names readers, takes leaves out those tags of the column's
// label that name readers.
func (c *Column) takes(l value.Label) value.Label {
	if c.Readers == nil {
		return l
	}
	about := c.Label.About()
	return value.NewLabel(slices.DeleteFunc(l.Tags(), func(tag string) bool { return about.HasExactly(tag) })...)
}

// Admit lets programs write values with these labels into the column.
func (c *Column) Admit(l value.Label) error {
	if err := checkAdmits(l); err != nil {
		return err
	}
	if both := c.Label.About().Meet(l); !both.Empty() {
		return fmt.Errorf("%s can't admit %s, the column's own label, so leave that label out. Such values may be written there anyway, unless the column names readers", c.Name, both.List())
	}
	c.Admits = c.Admits.Join(l)
	return nil
}

// checkAdmits refuses labels that no column can admit.
func checkAdmits(l value.Label) error {
	if err := l.Check(); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "exo: "))
	}
	if who := l.Integrity(); !who.Empty() {
		return fmt.Errorf("%s can't be admitted, so leave the label out. It marks outsiders' words, which every column accepts unless it demands trust", who.List())
	}
	for _, tag := range l.Tags() {
		if strings.Contains(tag, "@") {
			return fmt.Errorf("%s can't be admitted, since each row has readers of its own: admit %s if all readers of the rows may learn such values of every reader", tag, tag[:strings.IndexByte(tag, '@')])
		}
	}
	return nil
}

// Trusting returns the columns that demand trust, even if no facet shows them.
func (t *Table) Trusting() (out []*Column) {
	for _, c := range t.Cols {
		if c.Trust {
			out = append(out, c)
		}
	}
	return out
}

// record returns the type of a plain object with these columns.
func (f *Facet) record(cols []*Column, rows Rows) *message.Type {
	t := &message.Type{Name: value.TypeRecord}
	for _, c := range cols {
		t.Fields = append(t.Fields, message.TypeField{Name: c.Guest, Opt: true, Trusted: c.Trust, Label: f.linkLabels(c, rows), Doc: c.Doc, Type: c.storedType()})
	}
	return t
}

// linkLabels joins the labels of what a program learns by writing a column at the start of a link. A value that links to no row is refused,
// and the refusal reveals which rows exist. Package writing finds other rules of the database that reveal a labelled column.
func (f *Facet) linkLabels(c *Column, rows Rows) (l value.Label) {
	for _, x := range f.Links {
		if slices.ContainsFunc(x.L.Pairs, func(p Pair) bool { return p.From == c }) {
			l = l.Join(rows.label(x.L.To).Secrecy())
			for _, p := range x.L.Pairs {
				l = l.Join(p.To.Label.Secrecy())
			}
		}
	}
	return l
}

// storedType returns the type of the values that may be written to a column.
func (c *Column) storedType() *message.Type {
	t := &message.Type{Name: c.Kind, Null: c.Null, Enum: c.Enum}
	if c.Kind == value.TypeList {
		t.Args, t.Enum = map[string]*message.Type{"of": {Name: c.Elem, Null: c.Nulls, Enum: c.Enum}}, nil
	}
	return t
}

// Act reports whether the host permits a write to change further rows: by a cascade, a trigger, a rule or a conflict.
func (r Rights) Act() bool { return slices.ContainsFunc(r.Permits, Permission.Acts) }
