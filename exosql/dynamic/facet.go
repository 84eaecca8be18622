package dynamic

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet is what a program may see of a table: the columns listed and the links added.
type Facet struct {
	t *Table
	f *decl.Facet
}

// Facet begins a facet of the table. alias is what programs call one row of it.
func (t *Table) Facet(alias string, columns ...string) (*Facet, error) {
	f, err := decl.NewFacet(t.t, alias)
	if err != nil {
		return nil, wrap(t.t.Name, err)
	}
	for _, name := range columns {
		c, err := t.col(name)
		if err != nil {
			return nil, err
		}
		if err := f.AddColumn(c); err != nil {
			return nil, wrap(t.t.Name+"."+name, err)
		}
	}
	return &Facet{t, f}, nil
}

// Add shows a link from the table. Programs follow it to the rows that to shows.
func (f *Facet) Add(l *Relationship, to *Facet) error {
	if l == nil || to == nil {
		return wrong(f.t.t.Name, "facet %s: a link to nothing", f.f.Alias)
	}
	at := f.t.t.Name + "." + l.l.Name
	if l.l.From != f.t.t {
		return wrong(at, "the link is from table %s", l.l.From.Name)
	}
	if l.l.To != to.t.t {
		return wrong(at, "the link leads to table %s, and the facet %s is of table %s", l.l.To.Name, to.f.Alias, to.t.t.Name)
	}
	if err := f.f.Change(func() error { return f.f.AddLink(l.l, to.f) }); err != nil {
		return wrap(at, err)
	}
	return nil
}

// Scope fixes which rows of one table a grant reaches; see exosql.Scope. The zero Scope is an error.
type Scope struct {
	table *Table
	cond  Cond
	link  *Relationship
	kind  decl.ScopeKind
}

// Rows limits a table to the rows for which a condition holds.
func Rows(t *Table, c Cond) Scope { return Scope{table: t, cond: c, kind: decl.ScopeRows} }

// Via limits the link's target to rows that the link reaches from a row in scope.
func Via(l *Relationship) Scope { return Scope{link: l, kind: decl.ScopeVia} }

// Shared opens every row of a table to everybody.
func Shared(t *Table) Scope { return Scope{table: t, kind: decl.ScopeShared} }

func (s Scope) declared() (*decl.Scope, error) {
	switch {
	case s.kind == decl.ScopeVia && s.link != nil:
		return &decl.Scope{Kind: s.kind, Table: s.link.l.To, Link: s.link.l}, nil
	case s.kind == decl.ScopeShared && s.table != nil:
		return &decl.Scope{Kind: s.kind, Table: s.table.t}, nil
	case s.kind == decl.ScopeRows && s.table != nil:
		p, err := s.cond.pred(s.table)
		return &decl.Scope{Kind: s.kind, Table: s.table.t, Pred: p}, err
	}
	return nil, wrong("", "a zero Scope, or one of no table; want Rows, Via or Shared")
}

// Grant makes the object by which a program reaches the rows of the facet's table for which the
// condition holds. others fix the scopes of further tables. A table that the links reach in more
// than one way needs one: the error names it.
func (f *Facet) Grant(db *exosql.DB, c Cond, others ...Scope) (exo.Object, error) {
	if db == nil {
		return nil, wrong(f.t.t.Name, "granted of no database")
	}
	p, err := c.pred(f.t)
	if err != nil {
		return nil, err
	}
	r := &decl.Relation{Kind: decl.StepGrant, Table: f.t.t, Pred: p}
	for _, o := range others {
		s, err := o.declared()
		if err != nil {
			return nil, err
		}
		r.Scopes = append(r.Scopes, s)
	}
	o := exosql.ObjectOf(db, f.f, r)
	if _, err := o.Describe(); err != nil {
		return nil, wrap(f.t.t.Name, err)
	}
	return o, nil
}
