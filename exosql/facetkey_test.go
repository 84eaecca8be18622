package exosql_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Facets are built anew for each request, and two that differ must never share a
// plan, whatever address the garbage collector gives them.
func TestFacetsNeverShareAPlan(t *testing.T) {
	db := tu.Open(t)
	wide := func() *exosql.Facet[tu.Org] { return exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName) }
	narrow := func() *exosql.Facet[tu.Org] { return exosql.NewFacet(tu.Orgs, "org", tu.OrgID) }
	show := func(f *exosql.Facet[tu.Org]) string {
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"org": f.Of(exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme)))}})
		if err != nil {
			t.Fatal(err)
		}
		s := g.NewSession(t.Context(), "")
		defer s.Finish(t.Context(), true)
		c := s.Checker()
		ref, _ := c.MakeRef(0)
		call, _ := c.MakeCall(ref, "execute", nil)
		if err := s.Submit(exo.Call{ID: 1, Expr: exo.Flatten(call)}); err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Next(t.Context())
		if err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
		return r.Value.String()
	}
	for i := range 300 {
		if got := show(wide()); !strings.Contains(got, "name") {
			t.Fatalf("round %d: the wide facet shows %s", i, got)
		}
		if got := show(narrow()); strings.Contains(got, "name") {
			t.Fatalf("round %d: the narrow facet shows %s", i, got)
		}
		if i%10 == 0 {
			runtime.GC()
		}
	}
	if n := exosql.Plans(db); n != 2 {
		t.Errorf("%d plans for two facets built again and again", n)
	}
}

// Close closes: no connection stays, and no query is answered afterwards.
func TestClose(t *testing.T) {
	db := tu.Open(t)
	r := exosql.Grant(db, tu.Orgs, exosql.AllRows[tu.Org]())
	if n, err := r.Count(t.Context()); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Count(t.Context()); err == nil {
		t.Errorf("a closed database counted %d", n)
	}
	if n := exosql.OpenConnections(db); n != 0 {
		t.Errorf("%d connections are open after Close", n)
	}
	if err := db.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
