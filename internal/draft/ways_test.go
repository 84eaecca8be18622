package draft_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestTwoWays: where a row leads to the tenants by two ways, the draft says so, because the two owners may differ.
func TestTwoWays(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE shops (id {int} PRIMARY KEY)", "CREATE TABLE buyers (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id))",
			"CREATE TABLE orders (id {int} PRIMARY KEY, buyer_id {int} NOT NULL REFERENCES buyers (id))", "CREATE TABLE goods (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id))",
			"CREATE TABLE items (id {int} PRIMARY KEY, order_id {int} NOT NULL REFERENCES orders (id), good_id {int} NOT NULL REFERENCES goods (id), first_id {int} REFERENCES items (id))",
			"CREATE TABLE parts (id {int} PRIMARY KEY, item_id {int} NOT NULL REFERENCES items (id))")})
		_, text, _ := drafted(t, db, draft.Options{Tenant: "shops"})
		if !strings.Contains(text, "scope: via good.items # by good_id; order_id would lead to shops too: choose the one that says who owns a row") || strings.Count(text, "would lead to") != 1 {
			t.Error(text)
		}
	})
}
