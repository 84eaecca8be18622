package exosql_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkReaders answers with 5,000 sealed values of which each has a reader, and with the same ones under the label alone, in turns.
func BenchmarkReaders(b *testing.B) {
	db := tu.SQLite.Open(b, "CREATE TABLE notes (id INTEGER PRIMARY KEY, secret TEXT NOT NULL); INSERT INTO notes WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, 'secret ' || i FROM n")
	live, err := db.Catalog(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var tools [2]*codemode.Tool
	for i, readers := range []dynamic.Readers{{Kind: "user", Columns: []string{"id"}}, {}} {
		table, err := dynamic.New(live).Table("notes", dynamic.ColumnSpec{Name: "secret", Label: []string{"s"}, MaxBytes: 40, Readers: readers})
		if err != nil {
			b.Fatal(err)
		}
		f, err := table.Facet("note", "id", "secret")
		if err != nil {
			b.Fatal(err)
		}
		o, err := f.Grant(db, dynamic.AllRows())
		if err != nil {
			b.Fatal(err)
		}
		if tools[i], err = codemode.New(codemode.Grants{"notes": o}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}); err != nil {
			b.Fatal(err)
		}
	}
	var took [2]time.Duration
	for b.Loop() {
		for i, tool := range tools {
			start := time.Now()
			if r := tool.Run(b.Context(), "return notes.select(n => n.secret)"); r.Err != nil {
				b.Fatal(r.Err)
			}
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "x/label")
}
