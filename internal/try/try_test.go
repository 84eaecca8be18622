package try_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/try"
)

// TestChoose: of few tenants the one with rows in most tables is chosen, and where the time is over nothing is read. What the
// command shows of it is tested in cmd/exo.
func TestChoose(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE shops (id {int} PRIMARY KEY, title VARCHAR(9))", "CREATE TABLE goods (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id))",
			"CREATE TABLE sales (id {int} PRIMARY KEY, good_id {int} NOT NULL REFERENCES goods (id))", "INSERT INTO shops VALUES (1, 'a'), (2, 'b'), (3, 'c')", "INSERT INTO goods VALUES (1, 2), (2, 2), (3, 3)", "INSERT INTO sales VALUES (1, 3)")})
		h := host(t, db)
		who, err := h.Choose(t.Context())
		if err != nil || who.Claims != "shop=3" || who.Name != "c" || who.Tables != 2 || who.Filled != 2 {
			t.Errorf("%+v %v", who, err)
		}
		if got := h.Questions(t.Context(), who); len(got) < 2 || got[0].Program != "goods.count()" {
			t.Errorf("%q", got)
		}
		for _, q := range h.Questions(t.Context(), who) {
			if strings.Contains(q.Program, "shop()") {
				t.Errorf("%q groups by the tenant: its rows make one group", q)
			}
		}
		late, stop := context.WithCancel(t.Context())
		stop()
		if who, err := h.Choose(late); !errors.Is(err, try.ErrNobody) {
			t.Errorf("%+v %v", who, err)
		}
		if got := h.Questions(late, who); len(got) > 0 {
			t.Errorf("%q", got)
		}
	})
}

// TestChooseBehindEmptyTables: a tenant is found although more tables than are sampled have no rows, and come before the tenant's.
func TestChooseBehindEmptyTables(t *testing.T) {
	setup := []string{"CREATE TABLE shops (id {int} PRIMARY KEY, title VARCHAR(9))", "INSERT INTO shops VALUES (7, 'a')"}
	for k := range 9 {
		setup = append(setup, fmt.Sprintf("CREATE TABLE a%d (id {int} PRIMARY KEY, shop_id {int} NOT NULL REFERENCES shops (id))", k))
	}
	db := testutil.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: testutil.SQLite.Exec(setup...)})
	if who, err := host(t, db).Choose(t.Context()); err != nil || who.Claims != "shop=7" || who.Tables != 9 {
		t.Errorf("%+v %v", who, err)
	}
}

// host drafts the grants of a database.
func host(t *testing.T, db *exosql.DB) try.Host {
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := draft.New(live, draft.Options{Name: "shop", URL: "env:SHOP_URL"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := grantfile.Parse("exo.yaml", []byte(d.Text(nil)))
	if err != nil {
		t.Fatal(err)
	}
	open, _, err := f.Open(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
	if err != nil {
		t.Fatal(err)
	}
	return try.Host{DB: db, Live: live, Draft: d, Open: open}
}
