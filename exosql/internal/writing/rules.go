package writing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file asks all rules of writes of one write and one catalogue. The rules in other files come before it, run.go after it.

// Writable returns all reasons for which no program may write a table, or nil. What it refuses would let a program
// change, or have confirmed, a row out of its scope: it is asked before the first write, and
// Check says the same beforehand.
func Writable(live *schema.Database, w Write) error {
	c := rulesOf(live)
	c.writable(w)
	var all []error
	for _, f := range c.Found() {
		all = append(all, fmt.Errorf("exosql: %s: %s. Right would be: %s", w.Table.Name, f.Problem, f.Fix))
	}
	return errors.Join(all...)
}

// writable finds all for which no program may write a table.
func (c *rules) writable(w Write) {
	refuse := refusing{c, w}
	t := c.TableOf(schema.Name{Name: w.Table.Name})
	if t == nil {
		refuse.because(check.MissingTable, "a facet of it that only reads", "is no table of the database, or a view: programs can't write it")
		return
	}
	if t.Inherited {
		refuse.because(check.NoKey, c.Disinherit(t), "other tables inherit from it, and no key of it spans them: programs can't write it")
	}
	if w.Table.Keyless {
		refuse.because(check.NoKey, fmt.Sprintf("a key for %s, in the database and in the declaration, or a facet of it that only reads", sqlname.Plain(t.Name.Name)), "nothing makes its rows unique: programs can't write it")
	} else if !identified(c.Live, t, w.Table) {
		refuse.because(check.NoKey, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", sqlname.Plain(check.FreeName(c.Live, t.Name.Name+"_key")), check.InFull(t), sqlname.List(names(w.Table.Keys))),
			"the declared key (%s) is no primary key and no unique one, or one that is DEFERRABLE: a write could find rows out of scope by it", strings.Join(names(w.Table.Keys), ", "))
	}
	for _, what := range t.OnConflict {
		name := "ON CONFLICT " + what
		refuse.unless(decl.Permission{Kind: decl.PermitConflict, On: what}, check.HiddenEffect, "the rules of the table without "+name, "",
			"programs may write to it, and a rule of it says %s: a row that breaks it would delete others, be left out without an error, or leave what came before it", name)
	}
	c.effects(t, w, refuse)
	for _, k := range c.uniques(t) {
		if w.Trusted || !confirms(c.Live, t, k, w) {
			continue
		}
		refuse.unless(k.permission(), check.SpanningUnique, c.fixUnique(k, w), ", if programs may learn what others have", "programs may write to it, and %s is unique among everybody's rows: that a value is taken would tell of rows out of scope", k.said())
	}
	c.labelled(t, w, refuse)
	c.scopedBy(w, refuse)
	for _, o := range w.Beside {
		if c.Shows(o, t) {
			refuse.unless(decl.Permission{Kind: decl.PermitRows, On: o.Name}, check.HiddenEffect, "one declaration for both", ", if no row comes into scope there by what is written here",
				"programs may write to it, and %s may show the same rows, of which a grant tells by that other declaration which may be seen: what is written could bring rows into its scope", o.Name)
		}
	}
	for _, l := range slices.Concat(w.Leading, w.Links, w.Into, w.Through) {
		if why := c.Unlike(l); why != "" {
			refuse.unless(decl.Permission{Kind: decl.PermitTypes, On: l.From.Name, Of: l.Name}, check.LooseEquality, "one type for both", ", if no row is meant by a value that another one has in another form",
				"programs may write to it, and it is linked by %s, where %s: what is written could belong to a row of anybody's", l.Name, why)
		}
	}
	c.widely(t, w, refuse)
	c.calculated(t, w, refuse)
	written := append(names(w.Rights.Insert), names(w.Rights.Update)...)
	for _, fk := range c.foreignKeys(t) {
		if shares(c.Live, fk.Columns, written) && !w.looks(c.Live, fk) {
			if w.Trusted {
				refuse.because(check.HiddenEffect, w.Table.Reader.LinkOver(fk.Table.Name),
					"(%s) is written, which refers to %s, and no link is declared by it: a row of anybody's could be meant", strings.Join(fk.Columns, ", "), fk.Table.Name)
				continue
			}
			refuse.because(check.HiddenEffect, w.Table.Reader.Link(fk.Table.Name),
				"programs may write (%s), which refers to %s, and the facet has no link by it: a row of anybody's would be confirmed", strings.Join(fk.Columns, ", "), fk.Table.Name)
		}
	}
	if len(w.Rights.Insert) > 0 {
		c.defaulted(t, w, refuse)
		c.waiting(t, w, refuse)
		c.through(t, w, refuse)
	}
}

// defaulted refuses inserts by which the database itself makes a row lead to another one, by a default or a number: nobody looks for
// that row in scope, and with numbers a program would learn which there are. A key that has a column of the scope leads to the same tenant.
func (c *rules) defaulted(t *schema.Table, w Write, refuse refusing) {
	always := names(w.Fixed)
	for _, l := range slices.Concat(w.Into, w.Through) {
		for _, p := range l.Pairs {
			always = append(always, p.To.Name)
		}
	}
	for _, of := range c.Parts(t) {
		for _, fk := range of.ForeignKeys {
			p := decl.Permission{Kind: decl.PermitDefault, On: strings.Join(fk.Columns, ", ")}
			if shares(c.Live, fk.Columns, always) || !slices.ContainsFunc(of.Columns, func(col schema.Column) bool {
				return fillsIn(c.Live, &col) && shares(c.Live, []string{col.Name}, fk.Columns)
			}) {
				continue
			}
			refuse.unless(p, check.HiddenEffect, "no default for it", fmt.Sprintf(", if rows may lead to the rows of %s that it means, whoever's they are", fk.Table.Name),
				"programs may add rows to it, and the database fills in (%s), which refers to %s: a row could lead to one out of scope, and tell that it is there", strings.Join(fk.Columns, ", "), fk.Table.Name)
		}
	}
}

// through refuses foreign keys to other rows than those that rows are inserted through, by what the link to them fills in: of which row in
// scope that is, is the program's to say, and a row of anybody's would be confirmed.
func (c *rules) through(t *schema.Table, w Write, refuse refusing) {
	for _, l := range w.Through {
		for _, fk := range c.foreignKeys(t) {
			if !slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool {
				return shares(c.Live, fk.Columns, []string{p.To.Name}) && !slices.Contains(w.Fixed, p.To)
			}) || along(c.Live, reversed(l.Pairs), l.From, fk) || c.passes(l, fk) || w.looks(c.Live, fk) {
				continue
			}
			refuse.because(check.HiddenEffect, w.Table.Reader.Link(fk.Table.Name),
				"rows are inserted through the link %s, which fills in what refers to %s, and the facet has no link by it: a row of anybody's would be confirmed", l.Name, fk.Table.Name)
		}
	}
}

// passes reports whether the row that rows are inserted through refers to the same row as they do: then it is there.
func (c *rules) passes(l *decl.Link, fk schema.ForeignKey) bool {
	from, is := c.TableOf(schema.Name{Name: l.From.Name}), c.Live.Engine.Is
	return from != nil && slices.ContainsFunc(from.ForeignKeys, func(o schema.ForeignKey) bool {
		if o.NotValid || len(o.Columns) != len(fk.Columns) || len(o.References) != len(fk.References) || !is(o.Table.Name, fk.Table.Name) || !is(o.Table.Schema, fk.Table.Schema) {
			return false
		}
		for i, col := range fk.Columns {
			if !slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool {
				j := slices.IndexFunc(o.Columns, func(x string) bool { return is(x, p.From.Name) })
				return is(col, p.To.Name) && j >= 0 && (i >= len(fk.References) || is(fk.References[i], o.References[j]))
			}) {
				return false
			}
		}
		return true
	})
}

// calculated refuses writes of what the database calculates another column from by which rows are told: nobody sees its value
// before it is written, so a row would leave its scope, and a key lead to a row of anybody's.
func (c *rules) calculated(t *schema.Table, w Write, refuse refusing) {
	told := slices.Concat(names(w.Scope), names(w.Told))
	for _, l := range slices.Concat(w.Leading, w.Links) {
		for _, p := range l.Pairs {
			told = append(told, p.From.Name)
		}
	}
	for _, fk := range c.foreignKeys(t) {
		told = append(told, fk.Columns...)
	}
	for i := range t.Columns {
		if col := &t.Columns[i]; shares(c.Live, told, []string{col.Name}) && w.calculates(c.Live, t, col) {
			refuse.because(check.HiddenEffect, fmt.Sprintf("no right to write what %s is calculated from", col.Name),
				"a write changes the generated column %s, by which rows are told that may be seen or that it leads to", col.Name)
		}
	}
	for _, of := range w.Table.Cols {
		if of.Readers == nil || len(w.Rights.Update) == 0 {
			continue
		}
		for i := range t.Columns {
			if col := &t.Columns[i]; shares(c.Live, names(of.Readers.Cols), []string{col.Name}) && t.Calculates(col, func(name string) bool {
				return shares(c.Live, slices.Concat(names(w.Rights.Update), names(w.Filled)), []string{name})
			}) { // a program would make itself the reader of what is there
				refuse.because(check.HiddenEffect, fmt.Sprintf("no right to write what %s is calculated from", col.Name),
					"a write changes the generated column %s, which says who may read %s", col.Name, of.Name)
			}
		}
	}
}

// looks reports whether what a foreign key refers to is looked for in scope before it is written.
func (w Write) looks(live *schema.Database, fk schema.ForeignKey) bool {
	return slices.ContainsFunc(w.Links, func(l *decl.Link) bool { return along(live, l.Pairs, l.To, fk) }) ||
		slices.ContainsFunc(w.Into, func(l *decl.Link) bool { return along(live, reversed(l.Pairs), l.From, fk) })
}

// waiting refuses inserts where rows of others may wait for a row with a key that no row has yet, or has no more: they would come into
// scope with it. A foreign key sees to it that there are none.
func (c *rules) waiting(t *schema.Table, w Write, refuse refusing) {
	for _, l := range w.Leading {
		of, cols, by := c.TableOf(schema.Name{Name: l.To.Name}), []string(nil), []string(nil)
		for _, p := range l.Pairs {
			cols, by = append(cols, p.To.Name), append(by, p.From.Name)
		}
		p := decl.Permission{Kind: decl.PermitWaiting, On: l.To.Name, Of: strings.Join(cols, ", ")}
		if of == nil {
			continue
		}
		if held := slices.ContainsFunc(of.ForeignKeys, func(fk schema.ForeignKey) bool { return !fk.NotValid && along(c.Live, reversed(l.Pairs), l.From, fk) }); held {
			continue
		}
		if decided := l.ToKey() && !slices.ContainsFunc(t.Columns, func(col schema.Column) bool {
			return fillsIn(c.Live, &col) && shares(c.Live, []string{col.Name}, by)
		}); decided {
			continue // what is given is looked for in scope
		}
		refuse.unless(p, check.HiddenEffect, fmt.Sprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)", check.InFull(of), sqlname.List(cols), check.InFull(t), sqlname.List(by)), fmt.Sprintf(", if no row of %s refers to a row that is not there", l.To.Name),
			"programs may add rows to it, and rows of %s are in scope by (%s) without a foreign key that holds for all: rows that refer to none would come into scope with a new one", l.To.Name, strings.Join(cols, ", "))
	}
}

// identified reports whether no two rows have the same declared key, as a statement compares it: by the columns' own collations.
func identified(live *schema.Database, t *schema.Table, declared *decl.Table) bool {
	c := rulesOf(live)
	if t.RowID && slices.Contains(names(declared.Keys), "rowid") {
		return true
	}
	return len(declared.Keys) > 0 && slices.ContainsFunc(uniquesOf(t), func(u unique) bool {
		// Until a deferred key is looked at, two rows have it: one of a program's own, and by it a foreign one that it deletes before the commit.
		return u.exclusion == nil && u.where == "" && !u.broken && !u.late && len(u.equal()) == len(u.Parts) && c.Within(u.equal(), names(declared.Keys))
	})
}
