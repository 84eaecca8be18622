package writing

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// The typed API writes by the same rules as programs. This file turns a chain of typed calls into a message and a grant. The chain up to its last
// Grant or Follow is the scope: a row must match it before and after the write. Later steps only choose rows of the scope, like a program's calls.

// TypedWrite is a write that Go code asks for.
type TypedWrite struct {
	Key  []byte
	Vals []value.Value
	M    *exo.Message // M is a message that does the same write, but lacks the query for the rows

	chain *decl.Relation
	grant *scope.Grant
	sets  [][]string
}

// NewTypedWrite describes a write to the rows of a chain, by a method such as language.Update. Give sets the given columns.
func NewTypedWrite(r *decl.Relation, ss scope.Scopes, method string) *TypedWrite {
	g := &scope.Grant{Facet: trusted(r.Table)}
	w := &TypedWrite{grant: g}
	w.Key, w.chain, g.Scopes, w.Vals = shape.Chain(append([]byte("typed write "), method...), r, ss, g.Facet.Links)
	g.Rel, g.Chain = ownRows(w.chain), g.Scopes
	w.M = &exo.Message{Checked: message.Checked{Root: &message.Node{Op: message.OpCall, Name: method, Args: []*message.Node{{Op: message.OpLit}}}}}
	return w
}

// Give sets the columns that the write gives. It is called once.
func (t *TypedWrite) Give(sets [][]string) { t.Key, t.sets = AppendSets(t.Key, sets), sets }

// Grant returns the chain's grant, which can be asked for its scopes.
func (t *TypedWrite) Grant() *scope.Grant { return t.grant }

// Compile plans the write.
func (t *TypedWrite) Compile(d expr.Engine) (*Writing, error) {
	w := &writer{d: d, m: t.M, grants: []*scope.Grant{t.grant}, sets: t.sets, w: &Writing{}, chain: t.chain}
	return w.planned()
}

// trusted returns the facet for Go code of table t: it has all columns and every right. It also has all links from t, so that checks look in scope
// for the rows that written keys lead to.
func trusted(t *decl.Table) *decl.Facet {
	f := &decl.Facet{Table: t, Alias: t.Name, Cols: t.Cols, Rights: decl.Rights{Insert: t.Cols, Update: t.Cols, Delete: true, Permits: t.Permits}}
	for _, l := range t.Refers() {
		f.Links = append(f.Links, decl.LinkMember{L: l})
	}
	return f
}

// ownRows returns the part of a chain that is its scope: the steps up to its last Grant or Follow.
func ownRows(r *decl.Relation) *decl.Relation {
	for r.Kind != decl.StepGrant && r.Kind != decl.StepFollow {
		r = r.Prev
	}
	return r
}

// narrowed reports whether a chain has a step that chooses among the rows of its scope.
func narrowed(r *decl.Relation) bool {
	for own := ownRows(r); r != own; r = r.Prev {
		switch r.Kind {
		case decl.StepWhere, decl.StepLimit, decl.StepSearch:
			return true
		}
	}
	return false
}

// rows adds the query that finds the rows to write.
func (w *writer) rows(s *compile.Statement) error {
	if w.chain == nil {
		return s.Find(w.m.Root.Recv)
	}
	return s.FindChain(w.chain, w.grants[0], w.grants[0].Facet)
}

// targetOfChain does the work of the method target for the typed API: rows are inserted into what was granted, or through the link of the last Follow.
func (w *writer) targetOfChain(*message.Node) (scope.Entry, []written, error) {
	g := w.grants[0]
	w.w.Table, w.w.Facet, w.w.Grant = w.chain.Table, g.Facet, g
	if w.chain != g.Rel {
		return scope.Entry{}, nil, fail.Errorf(fail.Invalid, "", "insert into the result of Grant or Follow itself, without Where, OrderBy and similar calls after it")
	}
	l := g.Rel.Link
	if l == nil {
		e, err := g.Enter(g.Rel.Table, nil, nil)
		return e, nil, err
	}
	if l.One {
		return scope.Entry{}, nil, fail.Errorf(fail.Invalid, "", "the link %s leads to one row at most: insert into the table itself, or through a link to many rows", l.Name)
	}
	base := g.Base()
	e, err := base.Enter(l.To, l, base)
	if err != nil {
		return scope.Entry{}, nil, err
	}
	s := w.statement()
	if err := s.FindChain(g.Rel.Prev, g, nil); err != nil {
		return scope.Entry{}, nil, err
	}
	w.w.Through = l.From.Name
	filled, err := w.through(s, l, e)
	return e, filled, err
}

// Facet returns the facet of the write's table for Go code: see trusted.
func (t *TypedWrite) Facet() *decl.Facet { return t.grant.Facet }
