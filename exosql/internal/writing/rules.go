package writing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file applies the law (law.go) to one write and one catalogue. It has the longer discharges: for the key, for foreign keys, for
// generated columns, and for rows that wait for a new row.

// Writable returns all reasons why no program may do this write, or nil if there are none. A write that it refuses could change a row out of scope,
// or confirm that such a row exists. It is called before the first write; Check reports the same reasons earlier.
func Writable(live *schema.Database, w Write) error {
	c := rulesOf(live)
	c.writable(w)
	var all []error
	for _, f := range c.Found() {
		all = append(all, fail.Named("exosql: %s: %s. Right would be: %s", w.Table.Name, f.Problem, f.Fix))
	}
	return errors.Join(all...)
}

// writable adds all reasons why no program may write the table of w.
func (c *rules) writable(w Write) {
	r := refusing{c: c, w: w, t: c.TableOf(schema.Name{Name: w.Table.Name})}
	if r.t == nil {
		r.because(check.MissingTable, "a facet without rights to write", "is a view, or no table of the database, so programs can't write it")
		return
	}
	for _, d := range w.dependants() {
		r.discharge(change{}, d)
	}
	r.changes(func(kind) bool { return true })
}

// changes judges everything that depends on rows that a write changes: the rows that it names, and those that the database changes along with them.
func (r refusing) changes(asks func(kind) bool) {
	r.parts, r.kin = r.c.Parts(r.t), r.c.Kin(r.t)
	for _, a := range r.c.allCarried(r.w.alters(r.t, r.kin, r.parts)) {
		x := r.change(a)
		for _, d := range r.c.dependantsOn(a.table) {
			if asks(d.kind) {
				r.discharge(x, d)
			}
		}
	}
}

// key refuses a table in which the declared key could find other rows than the statement means.
func (r refusing) key() {
	c, t, declared := r.c, r.t, r.w.Table
	if t.Inherited {
		r.because(check.NoKey, c.Disinherit(t), "other tables inherit from this one, and no key covers them all, so programs can't write it")
	}
	if declared.Keyless {
		r.because(check.NoKey, fmt.Sprintf("a key for %s, in the database and in the declaration, or a facet without rights to write", sqlname.Plain(t.Name.Name)), "nothing makes its rows unique, so programs can't write it")
	} else if !identified(c.Live, t, declared) {
		r.because(check.NoKey, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", sqlname.Plain(check.FreeName(c.Live, t.Name.Name+"_key")), check.InFull(t), sqlname.List(decl.Names(declared.Keys))),
			"the declared key (%s) is not unique in the database, or is DEFERRABLE: a write by this key could reach rows out of scope", strings.Join(decl.Names(declared.Keys), ", "))
	}
}

// refers refuses writes that could refer to a row that no check looks for in scope, by a foreign key of the table or a part. The key's value
// may come from the program, the database, or the row through which rows are inserted.
func (r refusing) refers(of *schema.Table, fk schema.ForeignKey) {
	c, w, live := r.c, r.w, r.c.Live
	if shares(live, fk.Columns, append(decl.Names(w.Rights.Insert), decl.Names(w.Rights.Update)...)) && !w.looks(live, fk) {
		if w.Trusted {
			r.because(check.HiddenEffect, w.Table.Reader.LinkOver(fk.Table.Name),
				"writes set (%s), which refers to %s, and no link for this reference is declared: a row could refer to another tenant's row", strings.Join(fk.Columns, ", "), fk.Table.Name)
		} else {
			r.because(check.HiddenEffect, w.Table.Reader.Link(fk.Table.Name),
				"programs may write (%s), which refers to %s, and the facet has no link for this reference: a write would reveal whether another tenant's row exists", strings.Join(fk.Columns, ", "), fk.Table.Name)
		}
	}
	if len(w.Rights.Insert) == 0 {
		return
	}
	always := decl.Names(w.Fixed) // a key that includes a column of the scope leads to the same tenant
	for _, l := range slices.Concat(w.Into, w.Through) {
		always = append(always, decl.Names(l.Ends())...)
	}
	if !shares(live, fk.Columns, always) && slices.ContainsFunc(of.Columns, func(col schema.Column) bool {
		return fillsIn(live, &col) && shares(live, []string{col.Name}, fk.Columns)
	}) { // a number from the database could be the key of a row, and would reveal that the row exists
		r.unless(decl.Permission{Kind: decl.PermitDefault, On: strings.Join(fk.Columns, ", ")}, check.HiddenEffect, "no default for these columns", fmt.Sprintf(", if new rows may refer to any row of %s that the default names", fk.Table.Name),
			"programs may insert rows, and the database fills in (%s), which refers to %s: a new row could refer to a row out of scope and reveal that it exists", strings.Join(fk.Columns, ", "), fk.Table.Name)
	}
	for _, l := range w.Through { // the program chooses the parent row through which it inserts
		if slices.ContainsFunc(l.Ends(), func(col *decl.Column) bool {
			return shares(live, fk.Columns, []string{col.Name}) && !slices.Contains(w.Fixed, col)
		}) && !along(live, reversed(l.Pairs), l.From, fk) && !c.passes(l, fk) && !w.looks(live, fk) {
			r.because(check.HiddenEffect, w.Table.Reader.Link(fk.Table.Name),
				"programs insert rows through the link %s, which fills in a reference to %s, and the facet has no link for that reference: a write would reveal whether another tenant's row exists", l.Name, fk.Table.Name)
		}
	}
}

// passes reports whether the parent row of l has the same foreign key to the same row as the new row. Then the row that it refers to exists
// already, and the insert confirms nothing new.
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

// calculated refuses writes to columns from which the database calculates a column that decides scopes, links or readers. The calculated value
// is unknown before the write, so a row could leave its scope, and a key could lead to another tenant's row.
func (r refusing) calculated(d dependant) {
	c, w := r.c, r.w
	col, is := r.t.Column(d.name), []string{d.name}
	decided := slices.Concat(decl.Names(w.Scope), decl.Names(w.Told))
	for _, l := range slices.Concat(w.Leading, w.Links) {
		decided = append(decided, decl.Names(l.Starts())...)
	}
	for _, of := range r.parts {
		for _, fk := range of.ForeignKeys {
			decided = append(decided, fk.Columns...)
		}
	}
	fix := fmt.Sprintf("no right to write the columns from which %s is calculated", d.name)
	if shares(c.Live, decided, is) && w.calculates(c.Live, r.t, col) {
		r.because(check.HiddenEffect, fix, "a write changes the generated column %s, which decides which rows are in scope or where a link leads", d.name)
	}
	for _, of := range w.Table.Cols {
		if of.Readers != nil && len(w.Rights.Update) > 0 && shares(c.Live, decl.Names(of.Readers.Cols), is) && d.reads(columns{c.Live, decl.Names(slices.Concat(w.Rights.Update, w.Filled))}.has) {
			r.because(check.HiddenEffect, fix, "a write changes the generated column %s, which decides who may read %s", d.name, of.Name) // otherwise a program could make its user a reader of existing values
		}
	}
}

// looks reports whether a check looks in scope for the row that a foreign key refers to, before the key is written.
func (w Write) looks(live *schema.Database, fk schema.ForeignKey) bool {
	return slices.ContainsFunc(w.Links, func(l *decl.Link) bool { return along(live, l.Pairs, l.To, fk) }) ||
		slices.ContainsFunc(w.Into, func(l *decl.Link) bool { return along(live, reversed(l.Pairs), l.From, fk) })
}

// awaited refuses inserts if another tenant's rows may refer to a key that no row has. A program could insert a row with that key and so bring
// them into scope. A valid foreign key rules such rows out.
func (r refusing) awaited(l *decl.Link) {
	c := r.c
	of, cols, by := c.TableOf(schema.Name{Name: l.To.Name}), decl.Names(l.Ends()), decl.Names(l.Starts())
	if of == nil || slices.ContainsFunc(of.ForeignKeys, func(fk schema.ForeignKey) bool { return !fk.NotValid && along(c.Live, reversed(l.Pairs), l.From, fk) }) ||
		l.ToKey() && !slices.ContainsFunc(r.t.Columns, func(col schema.Column) bool { // a check looks in scope for a key that the program gives
			return fillsIn(c.Live, &col) && shares(c.Live, []string{col.Name}, by)
		}) {
		return
	}
	fix := fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s)", sqlname.List(cols), check.InFull(r.t), sqlname.List(by))
	if c.Live.Engine == schema.SQLite {
		fix += " in the definition of " + check.InFull(of) + " (SQLite can't add one later)"
	} else {
		fix = "ALTER TABLE " + check.InFull(of) + " ADD " + fix
	}
	r.unless(decl.Permission{Kind: decl.PermitWaiting, On: l.To.Name, Of: strings.Join(cols, ", ")}, check.HiddenEffect, fix, fmt.Sprintf(", if each row of %s refers to a row that exists", l.To.Name),
		"programs may insert rows, which bring rows of %s into scope by (%s), and no valid foreign key covers these columns: rows that refer to no row yet would come into scope with a new row", l.To.Name, strings.Join(cols, ", "))
}

// identified reports whether a unique rule gives each row its own declared key. Keys are compared as statements compare them: by the columns' own
// collations.
func identified(live *schema.Database, t *schema.Table, declared *decl.Table) bool {
	c := rulesOf(live)
	if t.RowID && slices.Contains(decl.Names(declared.Keys), "rowid") {
		return true
	}
	return len(declared.Keys) > 0 && slices.ContainsFunc(uniquesOf(t), func(u unique) bool {
		// A deferred key allows two equal keys until the commit. A program could give its own row another tenant's key, and delete both rows by it.
		return u.exclusion == nil && u.where == "" && !u.broken && !u.late && len(u.equal()) == len(u.Parts) && c.Within(u.equal(), decl.Names(declared.Keys))
	})
}
