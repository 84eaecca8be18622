package gen

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/naming"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What exosql refuses as the name of a link must be known here, and nothing else: a
// generated package would panic when it starts, or have uglier names than it needs.
func TestLinkNames(t *testing.T) {
	known := map[string]bool{}
	described, err := exosql.NewFacet(tu.Orgs, "org", tu.OrgID).Of(exosql.Grant(tu.Open(t), tu.Orgs, exosql.AllRows[tu.Org]())).Describe()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range described.Interfaces {
		if i.Name == "Query" {
			for m := range i.Methods {
				known[m] = true
				if !naming.QueryWords[m] {
					t.Errorf("%s is a method of queries", m)
				}
			}
		}
	}
	if len(known) < 10 {
		t.Fatalf("queries have %d methods", len(known))
	}
	for w := range naming.QueryWords {
		if !known[w] {
			t.Errorf("%s is no method of queries", w)
		}
	}
}
