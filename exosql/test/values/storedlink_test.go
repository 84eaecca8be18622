package values_test

// This file follows links whose two columns hold the same moment in different forms.

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestLinkOfStoredForms: two cells of the same moment are one key, and two of different moments are not, in whatever forms they are stored.
func TestLinkOfStoredForms(t *testing.T) {
	forms := []struct {
		form             exosql.StoredForm
		typ, cell, other string
	}{
		{"unix", "INTEGER", "1704164645", "1704164"}, {"unix-ms", "INTEGER", "1704164645000", "1704164645"}, {"iso", "TEXT", "'2024-01-02T03:04:05.000Z'", "'2024-01-02T03:04:06.000Z'"},
		{"sql", "TEXT", "'2024-01-02 03:04:05'", "'2024-01-02 03:04:06'"}, {"sql-fraction", "TEXT", "'2024-01-02 03:04:05'", "'2024-01-02 03:04:06'"},
	}
	for _, a := range forms {
		for _, b := range forms {
			t.Run(fmt.Sprint(a.form, " to ", b.form), func(t *testing.T) {
				db, _ := kit.File(t, tu.SQLite, fmt.Sprintf("CREATE TABLE slots (id INTEGER PRIMARY KEY, at %s)", a.typ), fmt.Sprintf("CREATE TABLE visits (id INTEGER PRIMARY KEY, at %s)", b.typ),
					fmt.Sprintf("INSERT INTO slots VALUES (1, %s), (2, %s)", a.cell, a.other), fmt.Sprintf("INSERT INTO visits VALUES (7, %s), (8, %s)", b.cell, b.other))
				live, err := db.Catalog(t.Context())
				must := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				must(err)
				d := dynamic.New(live)
				slots, err := d.Table("slots", dynamic.ColumnSpec{Name: "at", Type: "time", Stored: a.form})
				must(err)
				visits, err := d.Table("visits", dynamic.ColumnSpec{Name: "at", Type: "time", Stored: b.form})
				must(err)
				link, err := slots.Link(dynamic.LinkSpec{Name: "visits", Columns: []string{"at"}, To: visits, References: []string{"at"}})
				must(err)
				from, err := slots.Facet("slot", "id", "at")
				must(err)
				to, err := visits.Facet("visit", "id", "at")
				must(err)
				must(from.Add(link, to))
				granted, err := from.Grant(db, dynamic.AllRows())
				must(err)
				tool, err := codemode.New(codemode.Grants{"slots": granted}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				must(err)
				r := tool.Run(t.Context(), "return [await slots.where({ id: 1 }).visits().select(v => v.id), await slots.join(({ slot }) => slot.visits()).where(({ slot }) => slot.id === 1).select(({ visit }) => visit.id), "+
					"await slots.where({ id: 1 }).select(s => s.visits().count())]")
				if want := `[[7],[7],[1]]`; r.Err != nil || string(r.JSON) != want {
					t.Errorf("%s %v, want %s", r.JSON, r.Err, want)
				}
			})
		}
	}
}
