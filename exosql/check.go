package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// Declared is something that [Check] compares with the database: a *Table, a Link, a
// *Facet with all that it reaches, a Relation with its scopes, a [Scope], and what
// [Granted] and [Written] make.
type Declared interface{ declared(*writing.Checker) }

// Check compares declarations with the live database, and returns a *[CheckError]
// with all findings at once, or nil. A host calls it when it starts:
//
//	err := exosql.Check(ctx, db, exosql.Granted(grants["currentUser"]))
//
// Of what is granted, tables and columns must be there with their types; keys must
// tell rows apart; links and scopes must have indexes; virtual columns of SQLite must call only functions that are known to be
// cheap; the role must be able to read, and policies must bind it where OpenOptions.RowSecurity says that they
// are there; and PUBLIC may not create on the search path. What is only declared and not
// granted must be there with its types too; the rest is a warning then. Of tables
// that programs may write by what is granted, or that are [Written], triggers, rules and cascades must be known that such a write
// sets off, and all else must hold that is looked at before the first write (TestCheckedAsWritten). Check fails for
// what is no warning; [Inspect] returns the warnings as well.
//
// Descriptions that are made after a Check show which columns an insert needs: call it before codemode.New.
func Check(ctx context.Context, db *DB, what ...Declared) error {
	found, err := Inspect(ctx, db, what...)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return !f.Warning }) {
		return &CheckError{Findings: found}
	}
	return nil
}

// Inspect compares as [Check] does and returns all findings, warnings too. It returns an
// error only where nothing could be compared: without a connection, or for a grant that no
// query could use.
func Inspect(ctx context.Context, db *DB, what ...Declared) ([]Finding, error) {
	if err := db.ready(); err != nil {
		return nil, err
	}
	c, err := gather(what)
	if err != nil {
		return nil, err
	}
	c.Secured = db.secured
	live, err := db.pool.Catalog(ctx, true)
	if err != nil {
		return nil, err
	}
	db.liveMu.Lock()
	db.learn(live)
	db.liveMu.Unlock()
	return findings(c.Inspect(live)), nil
}

// InspectCatalog compares as [Inspect] does, with a catalogue that [DB.Catalog] has read: for a host that declares from it, and would
// have it read twice.
func InspectCatalog(live *schema.Database, what ...Declared) ([]Finding, error) {
	if live == nil {
		return nil, errors.New("exosql: InspectCatalog was given no catalogue: DB.Catalog reads one")
	}
	c, err := gather(what)
	if err != nil {
		return nil, err
	}
	return findings(c.Inspect(live)), nil
}

// gather collects what is declared.
func gather(what []Declared) (*writing.Checker, error) {
	c := writing.NewChecker()
	var objs []*object
	for _, d := range what {
		if d == nil {
			return nil, errNilDeclared
		}
		d.declared(c)
		if g, ok := d.(granted); ok && c.Ready() == nil {
			if o, _ := facetOf(g.o); o != nil && !onlyReads(g.o) {
				objs = append(objs, o)
			}
		}
	}
	if !slices.ContainsFunc(objs, func(o *object) bool { return o.facet.Writes() }) {
		objs = nil
	}
	for _, o := range objs {
		if err := o.prepare(); err != nil {
			return nil, err
		}
	}
	for i, o := range objs { // what is granted together is held against each other, as before a write
		others := slices.DeleteFunc(slices.Clone(objs), func(x *object) bool { return x == objs[i] || x.db != o.db })
		if err := o.writes(c, others); err != nil {
			return nil, err
		}
	}
	return c, c.Ready()
}

var errNilDeclared = errors.New("exosql: Check was given nil")

func (t *Table[T]) declared(c *writing.Checker) {
	switch {
	case t == nil:
		c.Fail(errNilDeclared)
	case t.t == nil:
		c.Fail(errors.New("exosql: Check was given a zero Table: NewTable makes one"))
	default:
		c.Use(t.t)
	}
}

func (l Link[A, B]) declared(c *writing.Checker) {
	if l.l == nil {
		c.Fail(errors.New("exosql: Check was given a zero Link"))
		return
	}
	c.UseLink(l.l, false)
}

func (f *Facet[T]) declared(c *writing.Checker) {
	switch {
	case f == nil:
		c.Fail(errNilDeclared)
	case f.f == nil:
		c.Fail(errors.New("exosql: Check was given a zero Facet: NewFacet makes one"))
	default:
		c.Facet(f.f, true)
	}
}

func (s Scope) declared(c *writing.Checker) { c.ScopeOf(s.s) }

func (r Relation[T]) declared(c *writing.Checker) {
	if c.Relation(r.r); r.r != nil && r.r.Err == nil {
		c.Reads(r.r.Table.Cols...) // its All reads whole rows
	}
}

// Granted is an object that [Facet.Of] made, for [Check]: with its facets, its
// scopes, and whatever is wrong with them together. The grants of one call of Check count as those of the same programs:
// rows that they write through one could come into the scope of another. Where [exo.Wrap] attenuated it, the object itself is checked,
// without its rights to write if no method is left that writes. A service is passed over.
func Granted(o exo.Object) Declared { return granted{o} }

type granted struct{ o exo.Object }

func (g granted) declared(c *writing.Checker) {
	o, err := facetOf(g.o)
	if err != nil {
		c.Fail(fmt.Errorf("exosql: Granted: %w", err))
	}
	if o == nil {
		c.Services++
		return
	}
	if err := o.check(); err != nil {
		c.Fail(err)
		return
	}
	c.Facet(o.facet, !onlyReads(g.o))
	c.Relation(o.rel)
}

// writes notes each way in which programs write by the object. others are those that they have as well. The messages of programs are
// asked the same before they write, by the same function: see DB.writable.
func (o *object) writes(c *writing.Checker, others []*object) error {
	if !o.facet.Writes() {
		return nil
	}
	reach, err := o.facet.Close()
	if err != nil {
		return err
	}
	through := map[*decl.Facet][]*decl.Link{} // by which rows of each facet are inserted
	for _, from := range reach {
		for _, m := range from.Links {
			if len(m.To.Rights.Insert) > 0 && !m.L.One {
				through[m.To] = append(through[m.To], m.L)
			}
		}
	}
	beside, labelled := grantsOf(others), append([]*object{o}, others...)
	for _, f := range reach {
		if !f.Rights.Any() {
			continue
		}
		for _, l := range append([]*decl.Link{nil}, through[f]...) {
			inserts := l != nil || f == o.facet
			if l == nil && !inserts && len(f.Rights.Update) == 0 && !f.Rights.Delete {
				continue // rows of it are inserted through a link alone
			}
			w, err := o.writeOf(o.ready().grant.Scope(), f, l, beside, labelled)
			if err != nil {
				return err
			}
			w.Inserts = inserts
			c.Write(w)
		}
	}
	return nil
}

// Written tells [Check] that rows of t may be inserted, changed or deleted: then
// triggers, rules and foreign keys that carry a change on to other rows must be
// permitted in known, or Check refuses them. It is for Check alone: what lets a write through is [Facet.Permit], or [Table.Permit] for Go code.
func Written[T any](t *Table[T], known ...Permission) Declared {
	w := writtenTable{known: permissions(known)}
	if t != nil {
		w.t = t.t
	}
	return w
}

type writtenTable struct {
	t     *decl.Table
	known []decl.Permission
}

func (w writtenTable) declared(c *writing.Checker) {
	if w.t == nil {
		c.Fail(errors.New("exosql: Check was given Written of a nil or zero Table"))
		return
	}
	c.Declare(writing.Write{Table: w.t, Rights: decl.Rights{Insert: w.t.Cols, Update: w.t.Cols, Delete: true, Permits: w.known}})
}
