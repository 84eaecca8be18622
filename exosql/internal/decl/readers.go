package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Readers are the principals who may read a labelled value. Their ids are in columns of the value's row.
type Readers struct {
	Kind string // Kind is the kind of the principals, like "member"
	Cols []*Column
}

// String returns the kind and the columns.
func (r *Readers) String() string {
	if r == nil {
		return ""
	}
	names := make([]string, len(r.Cols))
	for i, c := range r.Cols {
		names[i] = c.Name
	}
	slices.Sort(names)
	return r.Kind + " in " + strings.Join(names, ", ")
}

// ReadBy makes the column's tags name readers: see exosql.Column.ReadBy.
func (c *Column) ReadBy(kind string, cols []*Column) error {
	at, r := c.Table.Name+"."+c.Name, c.Table.Reader
	by := r.Readers()
	switch {
	case c.Readers != nil:
		return fmt.Errorf("exosql: %s: %s is given twice: give it once, with all the columns", at, by)
	case c.Label.Secrecy().Empty():
		return fmt.Errorf("exosql: %s: %s names the readers of a labelled value, and the column has no label: give the column %s first", at, by, r.LabelName())
	case len(cols) == 0:
		return fmt.Errorf("exosql: %s: %s needs the column that holds the reader's id", at, by)
	case kind == "" || strings.ContainsAny(kind, "@:|%"):
		return fmt.Errorf("exosql: %s: %s can't have the kind %q: want the kind of principals that the ids belong to, like \"member\", without the characters @ : | and %%", at, by, kind)
	}
	for i, r := range cols {
		switch {
		case r == nil || r.Table != c.Table:
			return fmt.Errorf("exosql: %s: %s needs columns of the same table", at, by)
		case r == c:
			return fmt.Errorf("exosql: %s: %s can't have %s, since a column can't hold its own readers: name another column", at, by, r.Name)
		case slices.Contains(cols[:i], r):
			return fmt.Errorf("exosql: %s: %s has %s twice: name the column once", at, by, r.Name)
		case r.Kind != value.TypeInt && r.Kind != value.TypeText && r.Kind != value.TypeUUID:
			return fmt.Errorf("exosql: %s: %s can't have %s: an id is a whole number, a text or a UUID, and the column is %s", at, by, r.Name, r.Kind)
		}
	}
	tags := c.Label.Tags()
	for i, t := range tags {
		if value.NewLabel(t).Secrecy().Empty() {
			continue // this tag marks who wrote the value, not who reads it
		}
		if strings.Contains(t, "@") {
			return fmt.Errorf("exosql: %s: %s can't be given, since the tag %q names readers already. Leave one of the two out", at, by, t)
		}
		tags[i] = t + "@" + kind
	}
	c.Label, c.Readers = value.NewLabel(tags...), &Readers{kind, cols}
	return nil
}

// About returns the column's tags that name readers, but without the readers.
func (r *Readers) About(l value.Label) (tags []string) {
	for _, t := range l.Secrecy().Tags() {
		if base, ok := strings.CutSuffix(t, "@"+r.Kind); ok {
			tags = append(tags, base)
		}
	}
	return tags
}

// readable refuses a facet if a refused effect, such as a mail, would reveal who may read a value, or if programs could choose the readers.
func (f *Facet) readable() error {
	for _, c := range f.Cols {
		if c.Readers == nil {
			continue
		}
		for _, r := range c.Readers.Cols {
			if !slices.Contains(f.Cols, r) || !r.Label.Secrecy().Empty() {
				// An effect that is refused, such as a mail, reveals who may read the value. So programs must be allowed to see that anyway.
				return fmt.Errorf("exosql: facet %s: the readers of %s are in the column %s, and the error of a refused call reveals them: add that column to the facet, without a label", f.Alias, c.Name, r.Name)
			}
		}
	}
	for _, c := range f.Table.Cols {
		if c.Readers == nil {
			continue
		}
		for _, r := range c.Readers.Cols {
			if slices.Contains(f.Rights.Update, r) {
				// Otherwise a program could make itself the reader, and mail the value to itself.
				return fmt.Errorf("exosql: facet %s: programs can't change %s, which decides who may read %s. Leave it out of what programs may update", f.Alias, r.Name, c.Name)
			}
		}
	}
	return nil
}
