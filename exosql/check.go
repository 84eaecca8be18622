package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// Declared is something that [Check] compares with the database: a *Table, a Link, a
// *Facet with all that it reaches, a Relation with its scopes, a [Scope], and what
// [Granted] and [Written] make.
type Declared interface{ declared(*check.Checker) }

// Check compares declarations with the live database, and returns a *[CheckError]
// with all findings at once, or nil. A host calls it when it starts:
//
//	err := exosql.Check(ctx, db, exosql.Granted(grants["currentUser"]))
//
// Of what is granted, tables and columns must be there with their types; keys must
// tell rows apart; links and scopes must have indexes; virtual columns of SQLite must call only functions that are known to be
// cheap; policies must bind the role, which must be able to read; and PUBLIC may not
// create on the search path. What is only declared and not
// granted must be there with its types too; the rest is a warning then. Of tables
// that programs may write by what is granted, or that are [Written], triggers, rules and cascades must be known. Check fails for
// what is no warning; [Inspect] returns the warnings as well.
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
	live, err := db.pool.Catalog(ctx)
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
func gather(what []Declared) (*check.Checker, error) {
	c := check.NewChecker()
	for _, d := range what {
		if d == nil {
			return nil, errNilDeclared
		}
		d.declared(c)
	}
	return c, c.Ready()
}

var errNilDeclared = errors.New("exosql: Check was given nil")

func (t *Table[T]) declared(c *check.Checker) {
	switch {
	case t == nil:
		c.Fail(errNilDeclared)
	case t.t == nil:
		c.Fail(errors.New("exosql: Check was given a zero Table: NewTable makes one"))
	default:
		c.Use(t.t)
	}
}

func (l Link[A, B]) declared(c *check.Checker) {
	if l.l == nil {
		c.Fail(errors.New("exosql: Check was given a zero Link"))
		return
	}
	c.UseLink(l.l, false)
}

func (f *Facet[T]) declared(c *check.Checker) {
	switch {
	case f == nil:
		c.Fail(errNilDeclared)
	case f.f == nil:
		c.Fail(errors.New("exosql: Check was given a zero Facet: NewFacet makes one"))
	default:
		c.Facet(f.f)
	}
}

func (s Scope) declared(c *check.Checker) { c.ScopeOf(s.s) }

func (r Relation[T]) declared(c *check.Checker) {
	if c.Relation(r.r); r.r != nil && r.r.Err == nil {
		c.Reads(r.r.Table.Cols...) // its All reads whole rows
	}
}

// Granted is an object that [Facet.Of] made, for [Check]: with its facets, its
// scopes, and whatever is wrong with them together. Give it before it is attenuated: of
// what others wrapped, nothing can be said, and that is an error. A service is passed over.
func Granted(o exo.Object) Declared { return granted{o} }

type granted struct{ o exo.Object }

func (g granted) declared(c *check.Checker) {
	o, err := facetOf(g.o)
	if err != nil {
		c.Fail(fmt.Errorf("exosql: Granted: %w", err))
	}
	if o == nil {
		return
	}
	if err := o.check(); err != nil {
		c.Fail(err)
		return
	}
	c.Facet(o.facet)
	c.Relation(o.rel)
	if !o.facet.Writes() {
		return
	}
	reach, err := o.facet.Close()
	if err == nil {
		err = o.prepare()
	}
	if err != nil {
		c.Fail(err)
		return
	}
	through := map[*decl.Facet][]*decl.Link{} // to each facet
	for _, from := range reach {
		for _, m := range from.Links {
			if m.To.Rights.Any() && !m.L.One {
				through[m.To] = append(through[m.To], m.L)
			}
		}
	}
	for _, f := range reach {
		if !f.Rights.Any() {
			continue
		}
		w, err := writeOf(o.ready().grant.Scope(), f, o.ready().grant.Rows)
		if err != nil {
			c.Fail(err)
			return
		}
		w.Through = through[f]
		c.Write(w)
	}
}

// Written tells [Check] that rows of t may be inserted, changed or deleted: then
// triggers, rules and foreign keys that carry a change on to other rows must be
// named in known, or Check refuses them. A foreign key is named by its own table and columns: "comments(todo_id)". It is for
// Check alone: what lets a write through is [Facet.AllowEffects], or [Table.AllowEffects] for Go code.
func Written[T any](t *Table[T], known ...constant) Declared {
	w := writtenTable{}
	if t != nil {
		w.t = t.t
	}
	for _, k := range known {
		w.known = append(w.known, string(k))
	}
	return w
}

type writtenTable struct {
	t     *decl.Table
	known []string
}

func (w writtenTable) declared(c *check.Checker) {
	if w.t == nil {
		c.Fail(errors.New("exosql: Check was given Written of a nil or zero Table"))
		return
	}
	c.Writes(w.t, w.known)
}
