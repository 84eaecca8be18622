package answer

// This file decides whether a write may run at all, given what else it would change or reveal: see writing.Writable.

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// keptWrite is a cached Writing. harmless is the number of the catalogue for which writable last allowed it, or 0.
type keptWrite struct {
	*writing.Writing
	harmless atomic.Uint64
}

// Keep implements lru.Kept.
func (w *keptWrite) Keep() (*keptWrite, int) {
	k, n := w.Writing.Keep()
	return &keptWrite{Writing: k}, n + 8
}

// others returns the objects of the same programs except the one with the written rows: those that the message names (TestBesideNamed), and `a.beside`.
func (a *asked) others(w *writing.Writing) (out []*Object) {
	for i, o := range a.objs {
		if i != int(w.Grant.Origin) {
			out = append(out, o)
		}
	}
	return append(out, a.beside...)
}

// writable refuses a table if writes to it would reveal or change rows out of scope: see writing.Writable. It checks w once for each
// catalogue. All else that the result depends on is the same for every message that uses w: the shapes, facets and tables of the grants.
func (db *DB) writable(ctx context.Context, w *keptWrite, a *asked) error {
	live, number, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	if w.harmless.Load() == number {
		return nil
	}
	of, err := a.objs[w.Grant.Origin].writeOf(w.Grant, w.Facet, w.Link, grantsOf(a.others(w.Writing)), append(a.labelled, a.objs...))
	if err != nil {
		return err
	}
	if err := writing.Writable(live, of); err != nil {
		return &fail.Error{Kind: fail.Denied, Msg: "the table can't be written: its host has to change or permit something first; ask the host, who has the reason", Err: err}
	}
	w.harmless.Store(number)
	return nil
}

// writeOf describes the writes that an object allows programs through facet f, for a message or for Check. g is the object's grant. link is the link that inserts
// rows, or nil. `beside` has the grants of the programs' other objects. labelled are the objects with labelled columns that a rule of the database may reveal.
func (o *Object) writeOf(g *scope.Grant, f *decl.Facet, link *decl.Link, beside []shape.Prepared, labelled []*Object) (writing.Write, error) {
	of, err := writeOf(g, f, o.Ready().Grant.Rows)
	if err != nil {
		return of, err
	}
	of.Facet = f
	if link != nil {
		of.Through = []*decl.Link{link}
	}
	of.Depends(g, beside)
	for _, x := range labelled {
		for _, c := range x.Ready().secrets {
			if !slices.Contains(of.Labelled, c) {
				of.Labelled = append(of.Labelled, c)
			}
		}
		for _, t := range x.Ready().hidden {
			if !slices.Contains(of.LabelledRows, t) {
				of.LabelledRows = append(of.LabelledRows, t)
			}
		}
	}
	return of, nil
}

// writeOf describes the writes that grant g allows programs through facet f.
func writeOf(g *scope.Grant, f *decl.Facet, rows decl.Rows) (writing.Write, error) {
	of := writing.Write{Reveals: rows[f.Table], Table: f.Table, Rights: f.Rights, Decided: true, Filled: f.Table.Fills}
	e, err := g.Enter(f.Table, nil, nil)
	if err != nil {
		return of, err
	}
	fixed, _ := e.Parts()
	for _, x := range fixed {
		if len(x.Slots) == 1 {
			of.Fixed = append(of.Fixed, x.Col)
		}
	}
	for _, c := range e.Conditions() {
		switch c.Kind {
		case scope.Holds:
			of.Scope = append(of.Scope, c.Pred.Columns()...)
		case scope.Linked, scope.Followed:
			of.By = append(of.By, c.Link)
			for _, p := range c.Link.Pairs {
				of.Scope = append(of.Scope, p.To)
			}
		default:
			of.Decided = false
		}
		if c.Kind == scope.Linked {
			of.Into = append(of.Into, c.Link)
		}
	}
	for _, m := range f.Links {
		if m.L.One {
			of.Links = append(of.Links, m.L)
		}
	}
	return of, nil
}

// typedWritable refuses, like writable, a write of Go code that would change rows out of scope. It allows a write that only reveals such rows.
func (db *DB) typedWritable(ctx context.Context, w *writing.Writing, sets [][]string) error {
	live, _, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	of, err := writeOf(w.Grant, w.Facet, nil)
	if err != nil {
		return err
	}
	of.Depends(w.Grant, nil)
	of.Trusted = true
	of.Rights = decl.Rights{Delete: w.Kind == writing.Deletes, Permits: w.Facet.Rights.Permits}
	cols := writing.HostColumns(w.Table, sets)
	if w.Kind == writing.Inserts {
		of.Rights.Insert = cols
	} else {
		of.Rights.Update = cols
	}
	if err := writing.Writable(live, of); err != nil {
		return &fail.Error{Kind: fail.Denied, Err: fmt.Errorf("%w; see exosql.Table.Permit", err)}
	}
	return nil
}

// Writes notes, for Check, each way in which programs write through the object. others are the
// programs' other objects. DB.writable calls the same function before each write.
func (o *Object) Writes(c *writing.Checker, others []*Object) error {
	if !o.Facet.Writes() {
		return nil
	}
	reach, err := o.Facet.Close()
	if err != nil {
		return err
	}
	through := map[*decl.Facet][]*decl.Link{} // through has, for each facet, the links through which programs insert its rows
	for _, from := range reach {
		for _, m := range from.Links {
			if len(m.To.Rights.Insert) > 0 && !m.L.One {
				through[m.To] = append(through[m.To], m.L)
			}
		}
	}
	beside, labelled := grantsOf(others), append([]*Object{o}, others...)
	for _, f := range reach {
		if !f.Rights.Any() {
			continue
		}
		for _, l := range append([]*decl.Link{nil}, through[f]...) {
			inserts := l != nil || f == o.Facet
			if l == nil && !inserts && len(f.Rights.Update) == 0 && !f.Rights.Delete {
				continue // the facet's rows are inserted only through a link
			}
			w, err := o.writeOf(o.Ready().Grant.Scope(), f, l, beside, labelled)
			if err != nil {
				return err
			}
			w.Inserts = inserts
			c.Write(w)
		}
	}
	return nil
}
