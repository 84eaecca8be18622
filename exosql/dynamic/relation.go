package dynamic

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Relation is a set of rows in scope: see exosql.Relation. Table.Rows makes one, and Where and Follow narrow it. A zero Relation, and one that was
// made with an error, can't be granted.
type Relation struct {
	t   *Table
	r   *decl.Relation
	err error
}

// Rows returns the rows of the table that the predicate matches. others fix the scopes of further tables.
func (t *Table) Rows(scope Predicate, others ...Scope) Relation {
	if t.zero() {
		return Relation{err: undeclared("Table", "Declarations.Table")}
	}
	p, err := scope.on(t)
	if err != nil {
		return Relation{err: err}
	}
	r := &decl.Relation{Kind: decl.StepGrant, Table: t.t, Pred: p}
	for _, o := range others {
		s, err := o.declared()
		if err != nil {
			return Relation{err: err}
		}
		r.Scopes = append(r.Scopes, s)
	}
	return Relation{t: t, r: r}
}

// Where keeps the rows that the predicate matches. It narrows only this relation: links to the table still reach all rows in its scope.
func (r Relation) Where(p Predicate) Relation {
	if r.err != nil || r.r == nil {
		return r
	}
	pred, err := p.on(r.t)
	if err != nil {
		return Relation{err: err}
	}
	return Relation{t: r.t, r: &decl.Relation{Kind: decl.StepWhere, Table: r.t.t, Prev: r.r, Pred: pred}}
}

// Follow returns the rows that a link reaches from rows of the relation, each once.
func (r Relation) Follow(l *Link) Relation {
	switch {
	case r.err != nil || r.r == nil:
		return r
	case l.zero():
		return Relation{err: undeclared("Link", "Table.Link")}
	case l.l.From != r.t.t:
		return Relation{err: wrong(r.t.t.Name+"."+l.l.Name, "the link leads from table %s: want a link from this table", l.l.From.Name)}
	}
	return Relation{t: r.t.d.tables[l.l.To.Name], r: &decl.Relation{Kind: decl.StepFollow, Table: l.l.To, Prev: r.r, Link: l.l}}
}

// Of makes the object that gives a program the relation's rows, with the facet's columns and links. The facet, and all facets that it links
// to, can't be changed any more.
func (f *Facet) Of(db *exosql.DB, r Relation) (exo.Object, error) {
	if f.zero() {
		return nil, undeclared("Facet", "Table.Facet")
	}
	if err := f.grants(r); err != nil {
		return nil, err
	}
	o, err := bridge.Object(db, f.f, r.r)
	if err == nil {
		_, err = o.Describe()
	}
	if err != nil {
		return nil, wrap(f.t.t.Name, err)
	}
	return o, nil
}
