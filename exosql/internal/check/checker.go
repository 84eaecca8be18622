package check

import (
	"cmp"
	"errors"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

func NewChecker() *Checker {
	return &Checker{uses: map[*decl.Table]*use{}, links: map[*decl.Link]bool{}, walked: map[*decl.Facet]bool{}, sets: map[*decl.ScopeSet]bool{}}
}

// Ready returns the first error in the declarations that shows without a database.
func (c *Checker) Ready() error {
	if c.err == nil && len(c.tables)+c.Services == 0 {
		return errors.New("exosql: Check got nothing to compare: pass it the granted objects")
	}
	return c.err
}

// Compare compares the declarations with a catalogue, and returns the findings.
func (c *Checker) Compare(live *schema.Database) []Finding {
	c.Live = live
	for _, t := range c.tables {
		c.table(t)
	}
	c.alike()
	if c.Writes != nil {
		c.Writes.Moved()
	}
	c.generated()
	for _, l := range c.order {
		c.link(l)
		c.pairs(l)
	}
	if c.Writes != nil {
		c.Writes.Writable()
	}
	c.path()
	c.role()
	return c.found
}

// Checker collects declarations, and then the findings about them.
type Checker struct {
	Live   *schema.Database
	tables []*decl.Table // tables are in the order in which they were given
	uses   map[*decl.Table]*use
	order  []*decl.Link
	links  map[*decl.Link]bool  // links has the declared links, with true for a granted one
	walked map[*decl.Facet]bool // walked has the facets that the method Facet has noted, with true if programs may write by the facet
	sets   map[*decl.ScopeSet]bool

	look     func(schema.Name) *schema.Table // look finds a table in Live (see TableOf)
	families map[*schema.Table]*schema.Table // families leads from a table one step closer to the table that represents its family: see family
	found    []Finding
	err      error

	Writes   Writes // Writes adds the rules of writes; nil if nothing is written
	Secured  bool   // Secured: the host opened the database with RowSecurity, so policies bind the role
	Services int    // Services counts the granted objects that need no check against a database
}

// Writes is what package writing adds to a Checker, which itself has no rules for writes.
type Writes interface {
	Declared(f *decl.Facet)                  // Declared notes that programs may write through f
	Needs(t *decl.Table, live *schema.Table) // Needs marks the columns that an insert must give: see decl.Column.Needed
	Table(t *decl.Table, live *schema.Table) // Table finds the triggers, rules and cascades that writes of t start, as far as they are known without a grant
	Moved()                                  // Moved finds declarations through which a program could change who may read a value of another declaration
	Rights() []string                        // Rights returns the SQL that gives a role all rights for the granted writes, each statement without the role
	Writable()                               // Writable finds what granted writes reveal or change
}

// Tables returns all declared tables in the order in which they were given.
func (c *Checker) Tables() []*decl.Table { return c.tables }

// Written notes that rows of a table may be changed.
func (c *Checker) Written(t *decl.Table) { c.Use(t).written = true }

// use records how a table is used.
type use struct {
	granted bool
	reads   map[*decl.Column]bool // reads has the columns that queries of granted objects use
	scopes  []*decl.Pred          // scopes are the conditions that rows in scope meet
	written bool                  // written means that rows of the table may be changed
}

// TableOf returns a table of the database. It uses an index of names, since TableOf is called for each link and a search through all tables would be
// quadratic.
func (c *Checker) TableOf(n schema.Name) *schema.Table {
	if c.look == nil {
		c.look = c.Live.Finder()
	}
	return c.look(n)
}

func (c *Checker) Use(t *decl.Table) *use {
	u := c.uses[t]
	if u == nil {
		u = &use{reads: map[*decl.Column]bool{}}
		c.uses[t] = u
		c.tables = append(c.tables, t)
	}
	return u
}

func (c *Checker) UseLink(l *decl.Link, granted bool) {
	if _, ok := c.links[l]; !ok {
		c.order = append(c.order, l)
	}
	c.links[l] = c.links[l] || granted
	for _, t := range []*decl.Table{l.From, l.To} {
		u := c.Use(t)
		u.granted = u.granted || granted
	}
	for _, p := range l.Pairs {
		if granted {
			c.Reads(p.From, p.To)
		}
	}
}

// Reads notes columns that queries of granted objects use.
func (c *Checker) Reads(cols ...*decl.Column) {
	for _, col := range cols {
		c.Use(col.Table).reads[col] = true
	}
}

// Read returns the columns that queries of granted objects use.
func (c *Checker) Read() (out []*decl.Column) {
	for _, t := range c.tables {
		for _, col := range t.Cols {
			if c.uses[t].reads[col] {
				out = append(out, col)
			}
		}
	}
	return out
}

// scoped notes a predicate that the rows of t in scope meet.
func (c *Checker) scoped(t *decl.Table, p *decl.Pred) {
	u := c.Use(t)
	u.granted, u.scopes = true, append(u.scopes, p)
	c.Reads(p.Columns()...)
}

func (c *Checker) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Facet notes everything that a facet reaches, without freezing it. If writes is set, programs may use the facet's rights to write.
func (c *Checker) Facet(f *decl.Facet, writes bool) {
	if wrote, walked := c.walked[f]; walked && (wrote || !writes) {
		return
	}
	c.walked[f] = writes
	c.Use(f.Table).granted = true
	c.Reads(f.Table.Keys...) // queries sort rows by their keys
	if writes && f.Rights.Any() {
		c.Written(f.Table)
		if c.Writes != nil {
			c.Writes.Declared(f)
		}
	}
	cols, links := f.Members()
	c.Reads(cols...)
	for _, l := range links {
		c.UseLink(l.L, true)
		c.Facet(l.To, writes)
	}
}

func (c *Checker) ScopeOf(s *decl.Scope) {
	switch {
	case s == nil:
		c.Fail(errors.New("exosql: Check got a zero Scope, or one of a nil or zero Table or Link: make it with ScopeRows, ScopeVia or ScopeShared"))
	case s.Link != nil:
		c.UseLink(s.Link, true)
	default:
		c.Use(s.Table).granted = true
		if s.Kind == decl.ScopeRows {
			c.scoped(s.Table, s.Pred)
		}
	}
}

func (c *Checker) Relation(r *decl.Relation) {
	switch {
	case r == nil:
		c.Fail(decl.ErrZeroRelation)
		return
	case r.Err != nil:
		c.Fail(r.Err)
		return
	}
	for s := r; s != nil; s = s.Prev {
		c.Use(s.Table).granted = true
		if s.Kind == decl.StepFollow {
			c.UseLink(s.Link, true)
		}
		for _, o := range s.Order {
			c.Reads(o.Col)
		}
		c.Reads(s.Pred.Columns()...)
	}
	root := r.Grant()
	c.scoped(root.Table, root.Pred)
	if root.Set != nil {
		if c.sets[root.Set] {
			return
		}
		c.sets[root.Set] = true
	}
	for _, s := range r.Declared() {
		c.ScopeOf(s)
	}
}

// Found returns the findings so far.
func (c *Checker) Found() []Finding { return c.found }

// Add notes a finding once. Findings contain names from the database and appear in terminals and
// logs. Add escapes these names, so that none can move the cursor or begin a new line.
func (c *Checker) Add(f Finding) {
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
