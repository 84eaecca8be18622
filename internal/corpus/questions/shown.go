package questions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Shown checks a row of docs/models.md: the size of the texts that a model reads about the app.
func Shown(t *testing.T, app corpus.App) {
	db, ids := app.Open(t, tu.SQLite)
	grants := app.Grants(db, ids[0])
	for _, o := range grants { // descriptions show which columns an insert needs only after Check
		if err := exosql.Check(t.Context(), db, exosql.Granted(o)); err != nil && !errors.Is(err, exosql.ErrNoFacet) {
			t.Fatal(err)
		}
	}
	tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	InPage(t, fmt.Sprintf("[examples/%s](../examples/%[1]s), %d tables", app.Name, len(tool.Size().Interfaces)), tool.Size())
}

// InPage checks that docs/models.md has a row with this size.
func InPage(t *testing.T, what string, s codemode.Size) {
	t.Helper()
	var each []string
	for k, i := range s.Interfaces {
		if k < 6 {
			each = append(each, fmt.Sprintf("%s %d", i.Name, i.Tokens))
		}
	}
	row := fmt.Sprintf("| %s | %d | %d | %s |\n", what, s.Description, s.Declarations, strings.Join(each, ", "))
	page, err := os.ReadFile(filepath.Join(tu.Root(), "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+row) {
		t.Errorf("docs/models.md does not have the row\n%s", row)
	}
}
