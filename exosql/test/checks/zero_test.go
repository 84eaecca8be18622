package checks_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestZeroDB: a DB that was not opened refuses, to Go code and to programs, and can be closed.
func TestZeroDB(t *testing.T) {
	for name, db := range map[string]*exosql.DB{"nil": nil, "zero": {}} {
		if err := db.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if _, err := db.Catalog(t.Context()); err == nil || !strings.Contains(err.Error(), "was not opened") {
			t.Errorf("%s: Catalog: %v", name, err)
		}
		if db == nil {
			continue // Grant makes a relation of it that was never granted
		}
		if _, err := exosql.Grant(db, kit.Items, kit.ItemOwner.Eq(1)).All(t.Context()); err == nil || !strings.Contains(err.Error(), "was not opened") {
			t.Errorf("%s: All: %v", name, err)
		}
		facet := exosql.NewFacet(kit.Items, "item", kit.ItemID)
		r := tu.NewRunner(t, map[string]exo.Object{"items": facet.Of(exosql.Grant(db, kit.Items, kit.ItemOwner.Eq(1)))}, exo.Limits{})
		o := r.Run(t, "return await items.count()")
		if o.Kind != fail.Internal || !strings.Contains(o.Result.Err.Error(), "was not opened") || strings.Contains(o.Message, "opened") {
			t.Errorf("%s: a program: %v, %v", name, o, o.Result.Err)
		}
	}
}
