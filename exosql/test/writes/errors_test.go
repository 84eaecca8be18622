package writes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestErrors: what a host acts on can be asked for with errors.Is.
func TestErrors(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.OpenJobs(t, e)
		if _, err := db.Committed(t.Context(), exo.RunID{}); !errors.Is(err, exosql.ErrNoWitness) {
			t.Errorf("Committed without a witness: %v", err)
		}
		tool := wrTool(t, db, 1)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for _, program := range []string{`return jobs.count()`, `return jobs.where({ id: 1 }).update({ points: 1 })`} {
			if r := tool.Run(t.Context(), program); !errors.Is(r.Err, exosql.ErrClosed) || !errors.Is(r.Err, fail.ErrRevoked) || !strings.HasSuffix(fail.GuestText(r.Err), "the host has closed the database: no program can use it any more") {
				t.Errorf("%s after Close: %v", program, r.Err)
			}
		}
	})
}
