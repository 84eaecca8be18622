package exosql

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// WithoutScope is an object as a query compiler would have it that forgets every scope: its programs are compiled
// for a grant of all rows. What policies are told is still of the grant that the host made.
func WithoutScope(t *testing.T, x exo.Object) exo.Object {
	t.Helper()
	o := x.(*object)
	if err := o.prepare(); err != nil {
		t.Fatal(err)
	}
	reach, err := o.facet.Close()
	if err != nil {
		t.Fatal(err)
	}
	all := &decl.Relation{Kind: decl.StepGrant, Table: o.facet.Table, Pred: &decl.Pred{Op: "all"}}
	seen := map[*decl.Table]bool{o.facet.Table: true}
	for _, f := range reach {
		if !seen[f.Table] {
			seen[f.Table] = true
			all.Scopes = append(all.Scopes, &decl.Scope{Kind: decl.ScopeShared, Table: f.Table})
		}
	}
	b := &bound{rel: all, settings: o.ready().settings}
	if b.grant, err = shape.Prepare(o.facet, all); err != nil {
		t.Fatal(err)
	}
	broken := &object{offer: o.offer}
	broken.made.Store(b)
	return broken
}

// WithoutSettings is an object of which policies are told nothing.
func WithoutSettings(x exo.Object) exo.Object {
	o := x.(*object)
	if err := o.prepare(); err != nil {
		return o
	}
	o.ready().settings = nil
	return o
}
