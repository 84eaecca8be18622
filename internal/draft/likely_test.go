package draft_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestScopesOfWhatIsLeftOut: what is left out is offered as shared only where no column says who owns its rows: no column, and no table that it
// leads to, is a part of, or reads as a view. A scope that is not known is none: the file is refused until one is written.
func TestScopesOfWhatIsLeftOut(t *testing.T) {
	const base = "CREATE TABLE tenants (id {int} PRIMARY KEY, n {int}); CREATE TABLE users (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id), n {int}); "
	const tenant, unknown = "tenant_id = $principal.tenant", "# write whose its rows are"
	for name, c := range map[string]struct {
		on, ddl, table, want string
	}{
		"nobody's":              {"", "CREATE TABLE left_out (id {int} PRIMARY KEY, n {int})", "", "shared"},
		"nobody's, with a key":  {"", "CREATE TABLE regions (id {int} PRIMARY KEY, n {int}); CREATE TABLE left_out (id {int} PRIMARY KEY, region_id {int} REFERENCES regions (id))", "", "shared"},
		"two columns":           {"", "CREATE TABLE left_out (id {int} PRIMARY KEY, tenant_id {int} REFERENCES tenants (id), from_id {int} REFERENCES tenants (id))", "", tenant},
		"of what is left out":   {"", "CREATE TABLE moves (id {int} PRIMARY KEY, tenant_id {int} REFERENCES tenants (id), from_id {int} REFERENCES tenants (id)); CREATE TABLE left_out (id {int} PRIMARY KEY, move_id {int} REFERENCES moves (id))", "", unknown},
		"a view":                {"", "CREATE VIEW left_out AS SELECT id, n FROM users", "", unknown},
		"a view of a view":      {"", "CREATE VIEW w AS SELECT id, n FROM users; CREATE VIEW left_out AS SELECT * FROM w", "", unknown},
		"a view of nobody's":    {"", "CREATE TABLE regions (id {int} PRIMARY KEY, n {int}); CREATE VIEW left_out AS SELECT id FROM regions", "", "shared"},
		"a view with a tenant":  {"", "CREATE VIEW left_out AS SELECT id, tenant_id FROM users", "", tenant},
		"a partition":           {"postgres", "CREATE TABLE events (id bigint, tenant_id bigint NOT NULL REFERENCES tenants (id), PRIMARY KEY (id)) PARTITION BY RANGE (id); CREATE TABLE left_out PARTITION OF events DEFAULT", "", tenant},
		"a partition of a link": {"postgres", "CREATE TABLE events (id bigint, user_id bigint NOT NULL REFERENCES users (id), PRIMARY KEY (id)) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF events DEFAULT PARTITION BY RANGE (id); CREATE TABLE left_out PARTITION OF part DEFAULT", "", unknown},
		"a partition of nobody": {"postgres", "CREATE TABLE days (id bigint PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE left_out PARTITION OF days DEFAULT", "", "shared"},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				if c.on != "" && c.on != e.Name {
					return
				}
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(base + c.ddl)})
				_, text, _ := drafted(t, db, draft.Options{})
				before, out, ok := strings.Cut(text, "\n  #   table: left_out\n")
				if scope, _, _ := strings.Cut(out, "\n"); !ok || !strings.HasPrefix(scope, "  #   scope: "+c.want) {
					t.Fatalf("%s, want %s in\n%s", scope, c.want, text)
				}
				lines, _, _ := strings.Cut("  #   table: left_out\n"+out, "\n\n")
				bare := text + before[strings.LastIndex(before, "\n")+5:] + "\n" + strings.ReplaceAll("\n"+lines, "\n  # ", "\n  ")[1:]
				bare = strings.Replace(bare, "\nleftOut", "\n  leftOut", 1)
				if _, err := grantfile.Parse("exo.yaml", []byte(bare)); (err != nil) != (c.want == unknown) || err != nil && !strings.Contains(err.Error(), "scope") {
					t.Errorf("uncommented: %v\n%s", err, bare)
				}
			})
		})
	}
	for _, ddl := range []string{"CREATE TABLE left_out (id {int} PRIMARY KEY, account_id {int}, token VARCHAR(9))", "CREATE TABLE left_out (id {int} PRIMARY KEY, user_id {int}, n {int})"} {
		db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(ddl)})
		if live, err := db.Catalog(t.Context()); err != nil {
			t.Error(err)
		} else if d, err := draft.New(live, draft.Options{Name: "shop", URL: "env:SHOP"}); err != nil || strings.Contains(d.Text(nil), "scope: shared") {
			t.Errorf("%s without a tenant is shared: %v", ddl, err)
		}
	}
}
