package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// Write is what a grant lets programs change in one table.
type Write struct {
	Table  *decl.Table
	Rights decl.Rights
	Fixed  []*decl.Column // of the scope: each row in scope has one value in them
	Links  []*decl.Link   // whose far end is looked for in scope before a key that points to it is written: from the table, or to it
}

// Writable is why no program may write a table, or nil. What it refuses would let a program
// change, or have confirmed, a row out of its scope: it is asked before the first write, and
// Check says the same beforehand.
func Writable(live *schema.Database, w Write) error {
	t := live.Table(schema.Name{Name: w.Table.Name})
	if t == nil {
		return fmt.Errorf("exosql: %s is no table of the database, or a view: programs can't write it", w.Table.Name)
	}
	if t.Inherited {
		return fmt.Errorf("exosql: other tables inherit from %s, and no key of it spans them: programs can't write it", w.Table.Name)
	}
	if !identified(live, t, w.Table) {
		return fmt.Errorf("exosql: table %s: the declared key (%s) is no primary key and no unique one: a write could find rows out of scope by it", w.Table.Name, strings.Join(names(w.Table.Keys), ", "))
	}
	c := NewChecker()
	c.live = live
	c.Writes(w.Table, w.Rights.Effects)
	c.effects(w.Table, t)
	if len(c.found) > 0 {
		return fmt.Errorf("exosql: table %s: %s; name it in AllowEffects if it may act", w.Table.Name, c.found[0].Problem)
	}
	written := append(names(w.Rights.Insert), names(w.Rights.Update)...)
	if err := confirming(live, t, w, written); err != nil {
		return err
	}
	for _, fk := range t.ForeignKeys {
		if shares(live, fk.Columns, written) && !slices.ContainsFunc(w.Links, func(l *decl.Link) bool { return along(live, l, w.Table, fk) }) {
			return fmt.Errorf("exosql: table %s: programs may write (%s), which refers to %s, and the facet has no link by it: a row of anybody's would be confirmed. Give the facet the link, by Via", w.Table.Name, strings.Join(fk.Columns, ", "), fk.Table.Name)
		}
	}
	return nil
}

// identified reports whether no two rows have the same declared key.
func identified(live *schema.Database, t *schema.Table, declared *decl.Table) bool {
	c := &Checker{live: live}
	return len(declared.Keys) > 0 && slices.ContainsFunc(t.Keys(), func(k []string) bool { return c.within(k, names(declared.Keys)) })
}

// shares reports whether two lists of columns have one in common.
func shares(live *schema.Database, a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return live.Engine.Is(x, y) })
	})
}

// confirming refuses a unique key of rows out of scope too: a write that it refuses says that somebody has
// the value. Columns that the scope fixes, and keys of rows in scope, keep it within the scope.
func confirming(live *schema.Database, t *schema.Table, w Write, written []string) error {
	within := names(w.Fixed)
	for _, l := range w.Links {
		for _, p := range l.Pairs {
			if l.From == w.Table {
				within = append(within, p.From.Name)
			}
			if l.To == w.Table {
				within = append(within, p.To.Name)
			}
		}
	}
	for _, k := range uniques(t) {
		name := "unique(" + strings.Join(k, ", ") + ")"
		if (shares(live, k, written) || slices.Contains(k, "")) && !shares(live, k, within) && !slices.Contains(w.Rights.Effects, name) {
			return fmt.Errorf("exosql: table %s: programs may write (%s), which is unique among everybody's rows: that a value is taken would tell of rows out of scope. Make it unique within the tenant, or say AllowEffects(%q)", w.Table.Name, strings.Join(k, ", "), name)
		}
	}
	return nil
}

// uniques are the columns of all that is unique, of some rows only too; "" stands for an expression.
func uniques(t *schema.Table) [][]string {
	var out [][]string
	if t.PrimaryKey != nil {
		out = append(out, t.PrimaryKey.Columns)
	}
	for _, k := range t.Uniques {
		out = append(out, k.Columns)
	}
	for _, x := range t.Indexes {
		if !x.Unique {
			continue
		}
		var cols []string
		for _, p := range x.Parts {
			cols = append(cols, p.Column)
		}
		out = append(out, cols)
	}
	return out
}

// along reports whether a link is by a foreign key.
func along(live *schema.Database, l *decl.Link, t *decl.Table, fk schema.ForeignKey) bool {
	is := live.Engine.Is
	by := func(ours, theirs *decl.Column) bool {
		i := slices.IndexFunc(fk.Columns, func(col string) bool { return is(col, ours.Name) })
		return i >= 0 && ours.Table == t && is(theirs.Table.Name, fk.Table.Name) && (i >= len(fk.References) || is(fk.References[i], theirs.Name))
	}
	for _, p := range l.Pairs {
		if !by(p.From, p.To) && !by(p.To, p.From) {
			return false
		}
	}
	return len(l.Pairs) == len(fk.Columns)
}

func names(cols []*decl.Column) (out []string) {
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return out
}
