package kit

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// NewRole makes a role without rights, and drops it at the end with everything that it was given.
func NewRole(t *testing.T) string {
	t.Helper()
	admin, role := tu.Admin(t, tu.Server(t)), "exo_role_"+strings.ToLower(rand.Text()[:12])
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	return role
}

// Change runs statements as the superuser, with the search path of a URL.
func Change(t *testing.T, url string, statements ...string) {
	t.Helper()
	tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(statements...)}).Close()
}
