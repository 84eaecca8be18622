package dynamic

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// This file has the parts that many grants share: the scopes of their tables, and the checks of a grant that many principals have.

// Scopes has the scopes of several tables. Each further grant that uses the Scopes is cheap, even with many tables: Rows makes the relations.
type Scopes struct {
	set    *decl.ScopeSet
	tables map[*decl.Table]*Table
}

// NewScopes joins scopes, one for each table. It fails if a scope is wrong, or if the scopes of tables depend on each other in a circle.
func NewScopes(scopes ...Scope) (*Scopes, error) {
	if len(scopes) == 0 {
		return nil, wrong("dynamic.NewScopes", "no scopes are given: pass at least one")
	}
	s := &Scopes{tables: make(map[*decl.Table]*Table, len(scopes))}
	all := make([]*decl.Scope, len(scopes))
	for i, x := range scopes {
		d, err := x.declared()
		if err != nil {
			return nil, err
		}
		all[i] = d
		if s.tables[d.Table] = x.table; x.table == nil { // a scope by a link is for the table at the link's end
			s.tables[d.Table] = x.link.to
		}
	}
	var err error
	if s.set, err = decl.NewScopeSet(all); err != nil {
		return nil, wrap("dynamic.NewScopes", err)
	}
	return s, nil
}

// Rows returns the rows of a table that are in scope: those that a predicate matches, those that a link reaches from rows in scope, or all
// rows of a shared table.
func (s *Scopes) Rows(t *Table) Relation {
	if s == nil || s.set == nil {
		return Relation{err: undeclared("Scopes", "NewScopes")}
	}
	if t.zero() {
		return Relation{err: undeclared("Table", "Declarations.Table")}
	}
	var path []*decl.Link
	start := t.t
	for {
		x := s.set.Of(start)
		if x == nil {
			return Relation{err: wrong(t.t.Name, "table %s needs a scope: declare one", start.Name)}
		}
		if x.Kind != decl.ScopeVia {
			break
		}
		if len(path) > len(s.set.All()) {
			return Relation{err: wrong(t.t.Name, "the scope of the table leads by links back to itself: give one of these tables a condition as its scope")}
		}
		start, path = x.Link.From, append(path, x.Link)
	}
	r := &decl.Relation{Kind: decl.StepGrant, Table: start, Pred: &decl.Pred{Op: "all"}, Set: s.set}
	if x := s.set.Of(start); x.Kind == decl.ScopeRows {
		r.Pred = x.Pred
	}
	for i := len(path) - 1; i >= 0; i-- {
		r = &decl.Relation{Kind: decl.StepFollow, Table: path[i].To, Prev: r, Link: path[i]}
	}
	return Relation{t: t, r: r}
}

// Template is a grant that many principals have, each with its own values. Everything that does not depend on these values is checked once.
type Template struct {
	f       *Facet
	example exo.Object
	of      func(key any) exo.Object
}

// Binding makes the relation of one grant for one principal.
type Binding func(*Template) (Relation, error)

// Template checks a grant like Of. example is a relation of the same form, with values of the right types that belong to no principal.
func (f *Facet) Template(db *exosql.DB, example Relation) (*Template, error) {
	o, err := f.Of(db, example)
	if err != nil {
		return nil, err
	}
	t := &Template{f: f, example: o}
	t.of = bridge.Like(o, func(key any) (*decl.Relation, error) {
		bind, _ := key.(Binding)
		if bind == nil {
			return nil, wrong("dynamic.Template", "no function is given: pass one that returns the relation")
		}
		r, err := bind(t)
		if err == nil {
			err = f.grants(r)
		}
		return r.r, err
	})
	return t, nil
}

// Example returns the object of the example, for exosql.Granted and similar functions.
func (t *Template) Example() exo.Object {
	if t == nil {
		return nil
	}
	return t.example
}

// For makes the object of one principal. When a program first uses the object, bind makes its relation, which is checked as in Of. An error of bind
// or of the check is the error of that message. Objects of two principals share only declarations. Several goroutines may call bind, and it must
// return the same relation each time. Objects of one principal may share a bind.
func (t *Template) For(bind Binding) exo.Object {
	if t == nil || t.of == nil {
		return nil
	}
	return t.of(bind)
}

// grants returns an error unless the facet can show the rows of a relation.
func (f *Facet) grants(r Relation) error {
	switch {
	case r.err != nil:
		return r.err
	case r.r == nil:
		return undeclared("Relation", "Table.Rows")
	case r.t != f.t:
		return wrong(f.t.t.Name, "the facet %s is of this table, and the relation of table %s: pass a relation of this table", f.f.Alias, r.t.t.Name)
	}
	return nil
}
