package writes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWrites runs programs that write, and looks at what they leave.
func TestWrites(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		share := tu.OneIn(t, 3) // of PostgreSQL, where each world is a schema that is made
		for _, c := range kit.JobsCases {
			if drawn := share.Next(); e.Name == tu.Postgres.Name && !drawn {
				continue
			}
			db, look := kit.OpenJobs(t, e)
			tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(context.Background(), c.Program)
			got := ""
			if r.Err != nil {
				got = "!" + r.Err.Error()
			} else if b, err := r.Value.AppendJSON(nil); err != nil {
				t.Fatal(err)
			} else {
				got = string(b)
			}
			if want, failed := strings.CutPrefix(c.Want, "!"); got != c.Want && !(failed && strings.HasPrefix(got, "!") && strings.Contains(got, want)) {
				t.Errorf("%s\n gives %s\n want  %s", c.Program, got, c.Want)
			}
			want := c.Jobs
			if want == "" {
				want = kit.JobsBefore
			}
			if has := look(kit.Jobs); has != want {
				t.Errorf("%s\n leaves %s\n want   %s", c.Program, has, want)
			}
		}
	})
}
