package exosql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWriterWall breaks the plans of a unit on purpose: the engine's own wall lets none write what it
// does not say that it writes. The plan as it was made is the twin that succeeds.
func TestWriterWall(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		const change = "UPDATE jobs SET points = 9 WHERE id = 1"
		for _, c := range []struct {
			name string
			plan exosql.RawWrite
			ok   bool
			only string // an engine; "": both
		}{
			{"as it is", exosql.RawWrite{Text: change, Table: "jobs", Update: []string{"points"}, Reads: "id"}, true, ""},
			{"by what only reads", exosql.RawWrite{Text: change, Reads: "id"}, false, ""},
			{"another column", exosql.RawWrite{Text: change, Table: "jobs", Update: []string{"title"}, Reads: "id"}, false, tu.SQLite.Name},
			{"another table", exosql.RawWrite{Text: change, Table: "notes", Update: []string{"points"}, Reads: "id"}, false, tu.SQLite.Name},
			{"a delete", exosql.RawWrite{Text: "DELETE FROM notes WHERE id = 1", Table: "notes", Update: []string{"body"}, Reads: "id"}, false, tu.SQLite.Name},
			{"an insert", exosql.RawWrite{Text: "INSERT INTO notes (job_id, body) VALUES (1, 'x')", Table: "notes", Update: []string{"body"}}, false, tu.SQLite.Name},
			{"a commit", exosql.RawWrite{Text: "COMMIT", Table: "notes", Update: []string{"body"}}, false, tu.SQLite.Name},
			{"a savepoint", exosql.RawWrite{Text: "SAVEPOINT a", Table: "notes", Update: []string{"body"}}, false, tu.SQLite.Name},
			{"a setting", exosql.RawWrite{Text: e.Pick("PRAGMA foreign_keys = OFF", "SET TRANSACTION READ WRITE")}, false, ""},
		} {
			if c.only != "" && c.only != e.Name {
				continue
			}
			before := look(kit.Jobs)
			err := exosql.RunRawWrite(context.Background(), db, c.plan)
			if c.ok != (err == nil) {
				t.Errorf("%s: %v", c.name, err)
			}
			if c.ok {
				continue
			}
			if e.Name == tu.SQLite.Name && !strings.Contains(err.Error(), "authoriz") && !strings.Contains(err.Error(), "prohibited") {
				t.Errorf("%s: refused for another reason: %v", c.name, err)
			}
			if after := look(kit.Jobs); after != before {
				t.Errorf("%s: it leaves %s", c.name, after)
			}
		}
	})
}
