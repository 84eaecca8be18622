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

// The typed API writes as programs do: what follows makes of a chain of typed calls what a message is to the
// writer. The chain up to its last Grant or Follow is the scope, which holds of a row before and after; the steps behind it only
// say which of the rows are meant, like the calls of a program.

// TypedWrite is a write that Go code asks for.
type TypedWrite struct {
	Key  []byte
	Vals []value.Value
	M    *exo.Message // that says the same, but for the rows

	chain *decl.Relation
	grant *scope.Grant
	sets  [][]string
}

// NewTypedWrite is a write of the rows of a chain, by a method of language: update, say. What is given is said by Give.
func NewTypedWrite(r *decl.Relation, ss scope.Scopes, method string) *TypedWrite {
	g := &scope.Grant{Facet: trusted(r.Table)}
	w := &TypedWrite{grant: g}
	w.Key, w.chain, g.Scopes, w.Vals = shape.Chain(append([]byte("typed write "), method...), r, ss, g.Facet.Links)
	g.Rel, g.Chain = ownRows(w.chain), g.Scopes
	w.M = &exo.Message{Checked: message.Checked{Root: &message.Node{Op: message.OpCall, Name: method, Args: []*message.Node{{Op: message.OpLit}}}}}
	return w
}

// Give says which columns are given, once.
func (t *TypedWrite) Give(sets [][]string) { t.Key, t.sets = AppendSets(t.Key, sets), sets }

// Grant is the grant of the chain, to ask for its scopes.
func (t *TypedWrite) Grant() *scope.Grant { return t.grant }

// Compile plans it.
func (t *TypedWrite) Compile(d expr.Engine) (*Writing, error) {
	w := &writer{d: d, m: t.M, grants: []*scope.Grant{t.grant}, sets: t.sets, w: &Writing{}, chain: t.chain}
	return w.planned()
}

// trusted is a table as Go code sees it: all columns, with every right. Keys that are written are looked for in scope by
// all links that were declared.
func trusted(t *decl.Table) *decl.Facet {
	f := &decl.Facet{Table: t, Alias: t.Name, Cols: t.Cols, Rights: decl.Rights{Insert: t.Cols, Update: t.Cols, Delete: true, Permits: t.Permits}}
	for _, l := range t.Refers() {
		f.Links = append(f.Links, decl.LinkMember{L: l})
	}
	return f
}

// ownRows is the part of a chain that its scope is: without what narrows it further.
func ownRows(r *decl.Relation) *decl.Relation {
	for r.Kind != decl.StepGrant && r.Kind != decl.StepFollow {
		r = r.Prev
	}
	return r
}

// narrowed reports whether a chain says which of its rows are meant.
func narrowed(r *decl.Relation) bool {
	for own := ownRows(r); r != own; r = r.Prev {
		switch r.Kind {
		case decl.StepWhere, decl.StepLimit, decl.StepSearch:
			return true
		}
	}
	return false
}

// rows adds the query of the rows that are written.
func (w *writer) rows(s *compile.Statement) error {
	if w.chain == nil {
		return s.Find(w.m.Root.Recv)
	}
	return s.FindChain(w.chain, w.grants[0], w.grants[0].Facet)
}

// targetOfChain is target of the typed API: rows are inserted into what was granted, or through the link that was followed last.
func (w *writer) targetOfChain(*message.Node) (scope.Entry, []written, error) {
	g := w.grants[0]
	w.w.Table, w.w.Facet, w.w.Grant = w.chain.Table, g.Facet, g
	if w.chain != g.Rel {
		return scope.Entry{}, nil, fail.Errorf(fail.Invalid, "", "rows are inserted into what Grant or Follow gives, without Where, OrderBy and their like behind it")
	}
	l := g.Rel.Link
	if l == nil {
		e, err := g.Enter(g.Rel.Table, nil, nil)
		return e, nil, err
	}
	if l.One {
		return scope.Entry{}, nil, fail.Errorf(fail.Invalid, "", "the link %s leads to one row at most: insert into the table itself, or through a link to many", l.Name)
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

// Facet is the table of a typed write as Go code sees it.
func (t *TypedWrite) Facet() *decl.Facet { return t.grant.Facet }
