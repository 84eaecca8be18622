package gen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema/gen"
)

var update = flag.Bool("update", false, "write what TestGolden got into testdata; read the difference before you keep it")

// TestGolden compares what is written with the packages in testdata, which are made
// of databases that ran the definitions there. A second time gives the same bytes, and
// so does another database of the same definitions.
func TestGolden(t *testing.T) {
	dirs := map[string]bool{}
	for _, d := range golden(t) {
		t.Run(d.String(), func(t *testing.T) {
			dirs[d.pack()] = true // first: without PostgreSQL the rest is skipped
			db, _ := d.live(t)
			want := d.declare(t, db)
			same(t, "a second time", want, d.declare(t, db))
			again, _ := d.live(t)
			same(t, "of another database", want, d.declare(t, again))
			compareDir(t, filepath.Join("testdata", d.pack()), want)
		})
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fuzz" && !dirs[e.Name()] && !t.Failed() && flag.Lookup("test.run").Value.String() == "" {
			t.Errorf("testdata/%s belongs to no schema", e.Name())
		}
	}
}

func same(t *testing.T, what string, want, got *gen.Package) {
	t.Helper()
	if !slices.Equal(want.LeftOut, got.LeftOut) {
		t.Errorf("%s: left out %q, want %q", what, got.LeftOut, want.LeftOut)
	}
	if len(want.Files) != len(got.Files) {
		t.Fatalf("%s: %d files, want %d", what, len(got.Files), len(want.Files))
	}
	for i, f := range want.Files {
		if g := got.Files[i]; g.Name != f.Name || !bytes.Equal(g.Text, f.Text) {
			t.Errorf("%s: %s differs:\n%s", what, f.Name, firstDifference(f.Text, g.Text))
		}
	}
}

func firstDifference(want, got []byte) string {
	w, g := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range w {
		if i >= len(g) || !bytes.Equal(w[i], g[i]) {
			got := "nothing"
			if i < len(g) {
				got = string(g[i])
			}
			return "want " + string(w[i]) + "\ngot  " + got
		}
	}
	return "more lines"
}

func compareDir(t *testing.T, dir string, p *gen.Package) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(p.Files) {
		t.Fatalf("%d files in %s, want %d: %v", len(entries), dir, len(p.Files), err)
	}
	for _, f := range p.Files {
		old, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(old, f.Text) {
			t.Errorf("%s/%s differs:\n%s", dir, f.Name, firstDifference(old, f.Text))
		}
	}
}

// The large schema has a file for each table, and is as stable.
func TestFiveHundredTables(t *testing.T) {
	tu.NotQuick(t)
	var first *gen.Package
	for _, d := range all(t, 500) {
		if d.name != "saas" {
			continue
		}
		db, _ := d.live(t)
		p := d.declare(t, db)
		if p.Tables != 500 || len(p.Files) != 502 || len(p.LeftOut) != 0 {
			t.Errorf("%s: %d tables in %d files, left out %q; want 500, their files, tables.go and facet_start.go", d, p.Tables, len(p.Files), p.LeftOut)
		}
		if first == nil {
			first = p
		}
		same(t, d.String(), first, p)
	}
}
