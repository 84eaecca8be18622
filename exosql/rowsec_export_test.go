package exosql

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// WithoutScope is an object as a query compiler would have it that forgets every scope: its programs are compiled
// for a grant of all rows. What policies are told is still of the grant that the host made.
func WithoutScope(t *testing.T, x exo.Object) exo.Object {
	t.Helper()
	o := x.(*answer.Object)
	if err := o.Prepare(); err != nil {
		t.Fatal(err)
	}
	reach, err := o.Facet.Close()
	if err != nil {
		t.Fatal(err)
	}
	all := &decl.Relation{Kind: decl.StepGrant, Table: o.Facet.Table, Pred: &decl.Pred{Op: "all"}}
	seen := map[*decl.Table]bool{o.Facet.Table: true}
	for _, f := range reach {
		if !seen[f.Table] {
			seen[f.Table] = true
			all.Scopes = append(all.Scopes, &decl.Scope{Kind: decl.ScopeShared, Table: f.Table})
		}
	}
	broken := answer.NewObject(o.DB, o.Facet, all)
	if err := broken.Prepare(); err != nil {
		t.Fatal(err)
	}
	broken.Ready().Settings = o.Ready().Settings
	return broken
}

// WithoutSettings is an object of which policies are told nothing.
func WithoutSettings(x exo.Object) exo.Object {
	o := x.(*answer.Object)
	if err := o.Prepare(); err != nil {
		return o
	}
	o.Ready().Settings = nil
	return o
}
