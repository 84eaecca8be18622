package exosql

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/schema"
)

// Declared is something that [Check] compares with the database: a *Table, a Link, a
// *Facet with all that it reaches, a Relation with its scopes, a [Scope], and what
// [Granted] and [Written] make.
type Declared interface{ declared(*checker) }

// Check compares declarations with the live database, and returns a *[CheckError]
// with all findings at once, or nil. A host calls it when it starts:
//
//	err := exosql.Check(ctx, db, exosql.Granted(grants["currentUser"]))
//
// Of what is granted, tables and columns must be there with their types; keys must
// tell rows apart; links and scopes must have indexes; texts must be equal only to
// themselves; virtual columns of SQLite must call only functions that are known to be
// cheap; policies must bind the role, which must be able to read; and PUBLIC may not
// create on the search path. What is only declared and not
// granted must be there with its types too; the rest is a warning then. Of tables
// that are [Written], triggers, rules and cascades must be known. Check fails for
// what is no warning; [Inspect] returns the warnings as well.
func Check(ctx context.Context, db *DB, what ...Declared) error {
	found, err := Inspect(ctx, db, what...)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return !f.Warning }) {
		return &CheckError{found}
	}
	return nil
}

// Inspect is Check for whoever wants the warnings too. The error is that nothing
// could be compared: no connection, or a grant that is wrong in itself.
func Inspect(ctx context.Context, db *DB, what ...Declared) ([]Finding, error) {
	if db == nil || db.engine == nil {
		return nil, errClosed
	}
	c := &checker{uses: map[*table]*use{}, links: map[*link]bool{}}
	for _, d := range what {
		if d == nil {
			return nil, errNilDeclared
		}
		d.declared(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	if len(c.tables) == 0 {
		return nil, errors.New("exosql: Check was given nothing to compare: give it what is granted")
	}
	select {
	case <-db.closed:
		return nil, errClosed
	default:
	}
	var err error
	if c.live, err = db.engine.catalog(ctx); err != nil {
		return nil, err
	}
	for _, t := range c.tables {
		c.table(t)
	}
	for _, l := range c.order {
		c.link(l)
		c.pairs(l)
	}
	c.path()
	c.role()
	return c.found, nil
}

var errNilDeclared = errors.New("exosql: Check was given nil")

// checker gathers what is declared, and then what is found.
type checker struct {
	live   *schema.Database
	tables []*table // in the order in which they were given
	uses   map[*table]*use
	order  []*link
	links  map[*link]bool // whether it is granted
	found  []Finding
	err    error
}

// use is how a table is used.
type use struct {
	granted bool
	reads   map[*column]bool // that queries of what is granted use
	scopes  []*pred          // that its rows must satisfy
	written bool             // its rows may be changed
	known   []string         // triggers, rules and cascades that may act then
}

func (c *checker) use(t *table) *use {
	u := c.uses[t]
	if u == nil {
		u = &use{reads: map[*column]bool{}}
		c.uses[t] = u
		c.tables = append(c.tables, t)
	}
	return u
}

func (c *checker) useLink(l *link, granted bool) {
	if _, ok := c.links[l]; !ok {
		c.order = append(c.order, l)
	}
	c.links[l] = c.links[l] || granted
	for _, t := range []*table{l.from, l.to} {
		u := c.use(t)
		u.granted = u.granted || granted
	}
	for _, p := range l.pairs {
		if granted {
			c.reads(p.from, p.to)
		}
	}
}

// reads notes columns that queries of what is granted use.
func (c *checker) reads(cols ...*column) {
	for _, col := range cols {
		c.use(col.table).reads[col] = true
	}
}

// scoped notes a predicate that rows of t must satisfy.
func (c *checker) scoped(t *table, p *pred) {
	u := c.use(t)
	u.granted, u.scopes = true, append(u.scopes, p)
	c.reads(predColumns(p)...)
}

func predColumns(p *pred) (out []*column) {
	if p == nil {
		return nil
	}
	if p.col != nil {
		out = append(out, p.col)
	}
	for _, s := range p.subs {
		out = append(out, predColumns(s)...)
	}
	return out
}

func (c *checker) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (t *Table[T]) declared(c *checker) {
	switch {
	case t == nil:
		c.fail(errNilDeclared)
	case t.t == nil:
		c.fail(errors.New("exosql: Check was given a zero Table: NewTable makes one"))
	default:
		c.use(t.t)
	}
}

func (l Link[A, B]) declared(c *checker) {
	if l.l == nil {
		c.fail(errors.New("exosql: Check was given a zero Link"))
		return
	}
	c.useLink(l.l, false)
}

func (f *Facet[T]) declared(c *checker) {
	switch {
	case f == nil:
		c.fail(errNilDeclared)
	case f.f == nil:
		c.fail(errors.New("exosql: Check was given a zero Facet: NewFacet makes one"))
	default:
		c.facet(f.f, map[*facet]bool{})
	}
}

// facet walks all that a facet reaches, without freezing it.
func (c *checker) facet(f *facet, seen map[*facet]bool) {
	if seen[f] {
		return
	}
	seen[f] = true
	c.use(f.table).granted = true
	c.reads(f.table.keys...) // by which rows are ordered
	f.mu.Lock()
	c.reads(f.cols...)
	links := slices.Clone(f.links)
	f.mu.Unlock()
	for _, l := range links {
		c.useLink(l.l, true)
		c.facet(l.to, seen)
	}
}

func (s Scope) declared(c *checker) {
	switch {
	case s.s == nil:
		c.fail(errors.New("exosql: Check was given a zero Scope"))
	case s.s.link != nil:
		c.useLink(s.s.link, true)
	default:
		c.use(s.s.table).granted = true
		if s.s.kind == scopeRows {
			c.scoped(s.s.table, s.s.pred)
		}
	}
}

func (r Relation[T]) declared(c *checker) {
	if c.relation(r.r); r.r != nil && r.r.err == nil {
		c.reads(r.r.table.cols...) // its All reads whole rows
	}
}

func (c *checker) relation(r *relation) {
	switch {
	case r == nil:
		c.fail(errZeroRelation)
		return
	case r.err != nil:
		c.fail(r.err)
		return
	}
	for s := r; s != nil; s = s.prev {
		c.use(s.table).granted = true
		if s.kind == stepFollow {
			c.useLink(s.link, true)
		}
		for _, o := range s.order {
			c.reads(o.col)
		}
		c.reads(predColumns(s.pred)...)
	}
	root := r.grant()
	c.scoped(root.table, root.pred)
	for _, s := range root.scopes {
		s.declared(c)
	}
}

// Granted is an object that [Facet.Of] made, for [Check]: with its facets, its
// scopes, and whatever is wrong with them together. Give it before it is attenuated: of
// what others wrapped, nothing can be said.
func Granted(o exo.Object) Declared { return granted{o} }

type granted struct{ o exo.Object }

func (g granted) declared(c *checker) {
	o, ok := g.o.(*object)
	if !ok || o == nil {
		c.fail(errors.New("exosql: Granted takes what Facet.Of made, before it is attenuated"))
		return
	}
	if err := o.prepare(); err != nil {
		c.fail(err)
		return
	}
	c.facet(o.facet, map[*facet]bool{})
	c.relation(o.rel)
}

// Written tells [Check] that rows of t may be inserted, changed or deleted: then
// triggers, rules and foreign keys that carry a change on to other rows must be
// named in known, or Check refuses them. A foreign key is named by its own table and columns: "comments(todo_id)".
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
	t     *table
	known []string
}

func (w writtenTable) declared(c *checker) {
	if w.t == nil {
		c.fail(errors.New("exosql: Check was given Written of a nil or zero Table"))
		return
	}
	u := c.use(w.t)
	u.written = true
	u.known = append(u.known, w.known...)
}

// add notes a finding, once. What it says is made of names that a database chose,
// of types, triggers and collations too, and goes to terminals and logs: no name may
// move the cursor there, or begin a line of its own.
func (c *checker) add(f Finding) {
	f.Problem, f.Fix = schema.Printable(f.Problem), schema.Printable(f.Fix)
	if !slices.Contains(c.found, f) {
		c.found = append(c.found, f)
	}
}

// byName sorts names for a message.
func byName(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(a, b) })
	return names
}
