package draft_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestMadeByViews: a column that a view makes of a sensitive one is left out of its draft, or marked, as the column is; what is passed on under
// its own name is judged by the table that it comes from, and a truth value shows little.
func TestMadeByViews(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE members (id {int} PRIMARY KEY, email TEXT, salary {int}, state TEXT)", "CREATE TABLE api_keys (id {int} PRIMARY KEY, value TEXT)", "CREATE TABLE days (id {int} PRIMARY KEY, title TEXT)",
			"CREATE VIEW people AS SELECT id, state, upper(email) AS shout, salary * 12 AS yearly, email IS NOT NULL AS known FROM members", "CREATE VIEW openers AS SELECT id, value FROM api_keys", "CREATE VIEW plain AS SELECT id, title, upper(title) AS loud FROM days")})
		_, text, _ := drafted(t, db, draft.Options{Tenant: "none"})
		_, views, _ := strings.Cut(text, "# Left out.")
		for line, want := range map[string]bool{"# value: { label: [secret] }": true, "# shout: { ": true, "# yearly: { ": true, "label: [pii] } # its name sounds like a fact about a person": true,
			"# state:": false, "# title:": false, "#     title:": true, "#     state:": true, "loud: { type: text, label": false} {
			if strings.Contains(views, line) != want {
				t.Errorf("%q: want %v in\n%s", line, want, views)
			}
		}
	})
}
