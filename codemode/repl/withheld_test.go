package repl

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus/withheld"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWithheldScreen: the screen shows the same of a run whose result may not leave, whatever the program did by the secret: under a refusal, and
// by .sql and .trace.
func TestWithheldScreen(t *testing.T) {
	took := regexp.MustCompile(`[0-9.]+ ms`)
	told := withheld.Pairs(t, tu.SQLite, func(t *testing.T, w *withheld.World, program string) string {
		s := &session{app: App{Options: w.Options}, db: w.DB, granted: func(context.Context, *exosql.DB, string, string) (codemode.Grants, error) { return w.Grants, nil }}
		if err := s.become(t.Context(), "1", ""); err != nil {
			t.Fatal(err)
		}
		s.run(t.Context(), program)
		var out strings.Builder
		screen.Screen{}.Show(&out, s.last, true)
		out.WriteString(screen.Screen{}.Traced(s.last.Events))
		return took.ReplaceAllString(out.String(), "n ms")
	})
	if len(told) < 20 { // the twin: where the secret may be shown, nearly all of them show
		t.Errorf("only these show: %q", told)
	}
}
