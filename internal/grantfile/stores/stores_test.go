package stores_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/stores"
)

const file = `exo: 1
databases: { shop: env:STORES_TEST_DB }
principal: { org: int }
access: { store: access }
budgets: { store: used, principal: { day: { calls: 1 } } }
approvals: { key: env:STORES_TEST_KEY, store: waiting }
grants: { items: item }
facets:
  item: { scope: org = $principal.org, columns: { id: {}, org: {}, n: {} }, update: [n], approve: { always: true } }
`

// TestInto: the tools of a file get all of its stores, and those of a file without any get none.
func TestInto(t *testing.T) {
	t.Setenv("STORES_TEST_KEY", strings.Repeat("k", 32))
	text, short := file, file[:strings.Index(file, "access:")]+"grants: { items: item }\nfacets: { item: { scope: org = $principal.org, columns: { id: {}, org: {} } } }\n"
	for _, c := range []struct {
		text string
		has  bool
	}{{text, true}, {short, false}} {
		f, err := grantfile.Parse(filepath.Join(t.TempDir(), "exo.yaml"), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := stores.Open(t.Context(), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		var o codemode.Options
		s.Into(&o)
		if (o.Review != nil) != c.has || (o.Budgets != nil) != c.has || (o.Revoked != nil) != c.has {
			t.Errorf("has stores: %v; the tools have %v, %v and %v", c.has, o.Review, o.Budgets, o.Revoked)
		}
		if c.has {
			_, end, err := o.Revoked.Begin(t.Context(), "org=1")
			if err != nil {
				t.Fatal(err)
			}
			end()
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := (*stores.Stores)(nil).Close(); err != nil {
		t.Error(err)
	}
}
