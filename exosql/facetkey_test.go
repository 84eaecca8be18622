package exosql_test

import (
	"crypto/rand"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Facets are built anew for each request, and two that differ must never share a
// plan, whatever address the garbage collector gives them.
func TestFacetsNeverShareAPlan(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		wide := func() *exosql.Facet[tu.Org] { return exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName) }
		narrow := func() *exosql.Facet[tu.Org] { return exosql.NewFacet(tu.Orgs, "org", tu.OrgID) }
		show := func(f *exosql.Facet[tu.Org]) string {
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"org": f.Of(exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme)))}})
			if err != nil {
				t.Fatal(err)
			}
			s, err := g.Begin(t.Context(), exo.Run{}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Finish(t.Context(), value.Null(), nil)
			c := s.Checker()
			ref, _ := c.MakeRef(0)
			call, _ := c.MakeCall(ref, "execute", nil)
			if err := s.Submit(exo.Call{ID: 1, Expr: call.Expr()}); err != nil {
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
	})
}

// Close closes: no connection stays, and no query is answered afterwards.
func TestClose(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url, open := named(t, e)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Fill()})
		r := exosql.Grant(db, tu.Orgs, exosql.AllRows[tu.Org]())
		if n, err := r.Count(t.Context()); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		if n := open(db); n == 0 {
			t.Error("the twin: no connection is seen")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := r.Count(t.Context()); err == nil {
			t.Errorf("a closed database counted %d", n)
		}
		eventually(t, func() bool { return open(db) == 0 })
		if err := db.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
}

// named is the URL of a fresh database, and how many connections to it are open.
func named(t *testing.T, e tu.Engine) (url string, open func(*exosql.DB) int) {
	t.Helper()
	url = e.URL(t)
	if e.Name == tu.SQLite.Name {
		return url, exosql.OpenConnections
	}
	name := "exo-" + rand.Text()
	return tu.WithParam(t, url, "application_name", name), func(*exosql.DB) (n int) {
		if err := tu.Admin(t, tu.Server(t)).QueryRow("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// eventually waits for what another process does: it fails when that takes
// longer than anything here could.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}
