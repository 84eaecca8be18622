package grantfile_test

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// sized is a file of n tables, each linked with up to three before it, both ways, and its database.
func sized(t *testing.T, n int) (*grantfile.File, map[string]*exosql.DB) {
	t.Helper()
	var ddl []string
	var grants, facets strings.Builder
	links := make([][]string, n)
	for i := range n {
		cols := "id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, title TEXT"
		for _, j := range []int{i - 1, i / 2, i / 3} {
			if name := fmt.Sprintf("up%d: t%[1]d", j); j >= 0 && j < i && !strings.Contains(strings.Join(links[i], ";")+";", name+";") {
				cols += fmt.Sprintf(", t%d_id INTEGER REFERENCES t%[1]d(id)", j)
				links[i] = append(links[i], name)
				links[j] = append(links[j], fmt.Sprintf("down%d: {to: t%[1]d, one: false}", i))
			}
		}
		ddl = append(ddl, fmt.Sprintf("CREATE TABLE t%d (%s)", i, cols), fmt.Sprintf("INSERT INTO t%d (id, org_id, title) VALUES (1, 1, 'one'), (2, 2, 'two')", i))
	}
	for i := range n {
		fmt.Fprintf(&grants, "  g%d: t%[1]d\n", i)
		fmt.Fprintf(&facets, "  t%d:\n    scope: org_id = $principal.org\n    columns: [id, title]\n    links: {%s}\n", i, strings.Join(links[i], ", "))
	}
	f, err := grantfile.Parse("exo.yaml", []byte("exo: 1\nreviewed: true\ndatabases: {shop: sqlite:none.db}\nprincipal: {org: int}\ngrants:\n"+grants.String()+"facets:\n"+facets.String()))
	if err != nil {
		t.Fatal(err)
	}
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, strings.Join(ddl, ";"))
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return f, map[string]*exosql.DB{"shop": db}
}

func userOf(t *testing.T, d *grantfile.Declared, org int) (codemode.Grants, *codemode.Tool) {
	t.Helper()
	p, err := d.File.ParseClaims(fmt.Sprint("org=", org))
	if err != nil {
		t.Fatal(err)
	}
	grants, err := d.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	return grants, tool
}

// allocated is how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestSizeIsLinear: twice as many tables take about twice the memory, from the declaration to the tool of the first user and the check
// of the file. With a catalogue for each grant, they took four times as much.
func TestSizeIsLinear(t *testing.T) {
	of := func(n int) int {
		f, dbs := sized(t, n)
		return allocated(func() {
			d, err := f.Declare(t.Context(), &grantfile.Options{Databases: dbs})
			if err != nil {
				t.Fatal(err)
			}
			userOf(t, d, 1)
			if _, err := d.Check(); err != nil {
				t.Fatal(err)
			}
		})
	}
	of(20) // what is made once for the process
	small, large := of(80), of(240)
	if large > small*9/2 {
		t.Errorf("80 tables take %d bytes, and 240 take %d: more than in proportion", small, large)
	}
}

// TestFurtherUser: one more user costs a few small objects for each grant, and no interface, scope or plan.
func TestFurtherUser(t *testing.T) {
	const n = 100
	f, dbs := sized(t, n)
	d, err := f.Declare(t.Context(), &grantfile.Options{Databases: dbs})
	if err != nil {
		t.Fatal(err)
	}
	userOf(t, d, 1)
	org := 1
	if got := testing.AllocsPerRun(20, func() { org++; userOf(t, d, org) }); got > 3*n+300 {
		t.Errorf("one more user takes %v allocations for %d grants", got, n)
	}
	if got := allocated(func() { userOf(t, d, 9999) }); got > 1000*n+60_000 {
		t.Errorf("one more user takes %d bytes for %d grants", got, n)
	}
}

// TestInterfacesAreShared: all grants of facets that lead to each other, of all users, have the same interfaces, by their address.
func TestInterfacesAreShared(t *testing.T) {
	f, dbs := sized(t, 12)
	d, err := f.Declare(t.Context(), &grantfile.Options{Databases: dbs})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := userOf(t, d, 1)
	second, _ := userOf(t, d, 2)
	want, err := first["g0"].Describe()
	if err != nil {
		t.Fatal(err)
	}
	gate, err := exo.NewGate(exo.Config{Grants: second})
	if err != nil {
		t.Fatal(err)
	}
	for _, grants := range []codemode.Grants{first, second} {
		for name, o := range grants {
			got, err := o.Describe()
			if err != nil || len(got.Interfaces) == 0 || &got.Interfaces[0] != &want.Interfaces[0] {
				t.Errorf("%s has a list of interfaces of its own: %v", name, err)
			}
		}
	}
	for _, i := range want.Interfaces {
		if gate.Catalog()[i.Name] != i {
			t.Errorf("the gate has a copy of %s", i.Name)
		}
	}
}

// TestLateBinding: what users share has no rows of any of them: each reads its own, whoever asked first, and at once.
func TestLateBinding(t *testing.T) {
	f, dbs := sized(t, 12)
	d, err := f.Declare(t.Context(), &grantfile.Options{Databases: dbs})
	if err != nil {
		t.Fatal(err)
	}
	_, one := userOf(t, d, 1)
	_, two := userOf(t, d, 2)
	_, other := userOf(t, d, 3)
	for _, program := range []string{"g5.select(r => r.title)", "g11.up5().select(r => r.title)"} {
		t.Run(program, func(t *testing.T) {
			for tool, want := range map[*codemode.Tool]string{two: `["two"]`, one: `["one"]`, other: `[]`} {
				if program[:2] == "g1" { // no row leads to another one
					want = `[]`
				}
				done := make(chan string, 4)
				for range cap(done) {
					go func() {
						r := tool.Run(t.Context(), program)
						done <- fmt.Sprint(string(r.JSON), r.Err)
					}()
				}
				for range cap(done) {
					if got := <-done; got != want+"<nil>" {
						t.Errorf("%s, want %s", got, want)
					}
				}
			}
		})
	}
}

// TestClaimsAreChecked: a claim that a column can't hold is refused when a user comes, before any program asks.
func TestClaimsAreChecked(t *testing.T) {
	const text = "exo: 1\nreviewed: true\ndatabases: {shop: sqlite:none.db}\nprincipal: {kind: text}\ngrants: {things: thing}\nfacets:\n  thing:\n    table: things\n    scope: kind = $principal.kind\n    columns: [id, {kind: {one_of: [a, b]}}]\n"
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT NOT NULL)")
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
	if err != nil {
		t.Fatal(err)
	}
	for kind, ok := range map[string]bool{"a": true, "b": true, "c": false} {
		p, err := f.ParseClaims("kind=" + kind)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Grants(p); (err == nil) != ok {
			t.Errorf("kind %s: %v", kind, err)
		}
	}
}
