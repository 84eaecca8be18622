package main

import (
	"context"
	"crypto/rand"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// creator is the URL of the tests' server with a role that may make databases and
// nothing else, and counts the databases that it has.
func creator(t *testing.T) (url string, count func() int) {
	t.Helper()
	admin, role := tu.Admin(t, tu.Server(t)), "exo_creator_"+strings.ToLower(rand.Text()[:12])
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN CREATEDB"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	return strings.Replace(tu.Server(t), "postgres@", role+"@", 1), func() (n int) {
		if err := admin.QueryRow(`SELECT count(*) FROM pg_database WHERE datdba = $1::regrole`, role).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// TestScratch: definitions run in a database of their own, which is gone afterwards,
// whatever becomes of them.
func TestScratch(t *testing.T) {
	url, left := creator(t)
	const two = "CREATE SCHEMA sales; CREATE TABLE sales.t (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, a text); CREATE TABLE u (id int PRIMARY KEY);"
	for name, c := range map[string]struct {
		ddl  string
		more []string
		code int
		says string
	}{
		"the path":          {two + "SET search_path = public", nil, cli.ExitDone, "2 tables"},
		"the file's path":   {two + "SET search_path = sales", nil, cli.ExitDone, "1 tables"},
		"a dump's path":     {two + "SELECT pg_catalog.set_config('search_path', '', false);", nil, cli.ExitDone, "2 tables"},
		"-schema":           {two, []string{"-schema", "sales"}, cli.ExitDone, "1 tables"},
		"-schema, two":      {two, []string{"-schema", "sales,public"}, cli.ExitDone, "table public.t: a table of the same name comes before it in the search path"},
		"-schema, none":     {two, []string{"-schema", "nope"}, cli.ExitCannot, "there is no table"},
		"rows and rights":   {"\\restrict x1\nCREATE TABLE public.t (id int PRIMARY KEY, a text);\nALTER TABLE public.t OWNER TO nobody_here;\nCOPY public.t (id, a) FROM stdin;\n1\t;CREATE 'x\n2\ty\n\\.\n\nGRANT SELECT ON TABLE public.t TO nobody_here;\n\\unrestrict x1\n", nil, cli.ExitDone, "1 tables"},
		"bodies":            {"CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; CREATE FUNCTION g() RETURNS int LANGUAGE sql AS $x$ SELECT ';'::text::int; $x$; CREATE TABLE t (id int PRIMARY KEY); CREATE RULE r AS ON DELETE TO t DO ALSO (NOTIFY x; NOTIFY y); DO $$ BEGIN NULL; END $$; /* a /* nested; */ ; */ SELECT E'\\';'", nil, cli.ExitDone, "1 tables"},
		"a newer dump":      {"SET no_such_timeout = 0; CREATE TABLE t (id int PRIMARY KEY)", nil, cli.ExitDone, "1 tables"},
		"a transaction":     {"BEGIN; CREATE TABLE t (id int PRIMARY KEY); COMMIT", nil, cli.ExitDone, "1 tables"},
		"without an end":    {"BEGIN; CREATE TABLE t (id int PRIMARY KEY)", nil, cli.ExitCannot, "add COMMIT"},
		"a mistake":         {"CREATE TABLE t (id int PRIMARY KEY);\n\n-- the\nCREATE TABLE u (\n\tid int,\n\tx nope);", nil, cli.ExitCannot, `standard input:6: ERROR: type "nope" does not exist`},
		"there already":     {"CREATE TABLE t (id int);\nCREATE TABLE\n t (id int)", nil, cli.ExitCannot, `standard input:2: ERROR: relation "t" already exists`},
		"a role":            {"CREATE TABLE t (id int);\nCREATE ROLE exo_x", nil, cli.ExitCannot, "standard input:2: CREATE ROLE would change the whole server"},
		"a database":        {"DROP DATABASE postgres", nil, cli.ExitCannot, "DROP DATABASE would change the whole server"},
		"of psql":           {"CREATE TABLE t (id int);\n\\connect shop\n", nil, cli.ExitCannot, `standard input:2: \connect is a command of psql`},
		"no right to do it": {"CREATE TABLE t (id int)", []string{"-scratch", "postgres://exo_nobody@127.0.0.1:1/x?sslmode=disable"}, cli.ExitCannot, "-scratch: "},
	} {
		args := append([]string{"gen", "-ddl", "-", "-engine", "postgres", "-scratch", url, "-o", t.TempDir(), "-package", "shop"}, c.more...)
		if r := exo(t, c.ddl, args...); r.code != c.code || !strings.Contains(r.out+r.err, c.says) {
			t.Errorf("%s: %v, want %q", name, r, c.says)
		}
		if n := left(); n != 0 {
			t.Fatalf("%s: %d databases are left over", name, n)
		}
	}
}

// TestScratchOccupied: the database is dropped as soon as a connection is gone that its
// role may not end, as autovacuum's are.
func TestScratchOccupied(t *testing.T) {
	url, left := creator(t)
	server, err := postgresConfig("-scratch", url)
	if err != nil {
		t.Fatal(err)
	}
	const name = "exo_scratch_occupied"
	if err := execute(t.Context(), server, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	worker, err := pgx.Connect(t.Context(), strings.Replace(tu.Server(t), "/postgres?", "/"+name+"?", 1))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { worker.Close(context.Background()) })
	if err := drop(t.Context(), server, name); err != nil || left() != 0 {
		t.Errorf("%v, %d databases are left over", err, left())
	}
}

// TestScratchStopped: Ctrl-C in the middle of a statement leaves nothing over.
func TestScratchStopped(t *testing.T) {
	url, left := creator(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error)
	go func() {
		s := source{ddl: filepath.Join("testdata", "sleep.sql"), engine: "postgres", scratch: url}
		_, err := s.read(ctx, nil)
		done <- err
	}()
	running := func() (there bool) {
		if err := tu.Admin(t, tu.Server(t)).QueryRow(`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = $1 AND query LIKE '%pg_sleep%' AND state = 'active')`, url[len("postgres://"):strings.Index(url, "@")]).Scan(&there); err != nil {
			t.Error(err)
			return true
		}
		return there
	}
	for !running() {
		select {
		case err := <-done:
			t.Fatalf("the file came to its end: %v", err)
		default:
		}
	}
	stop()
	if err := <-done; err == nil {
		t.Error("nothing was stopped")
	}
	if n := left(); n != 0 {
		t.Errorf("%d databases are left over", n)
	}
}

// TestScratchGolden: the schemas of schema/gen/testdata, run by the command line, give
// the packages there.
func TestScratchGolden(t *testing.T) {
	all, err := filepath.Glob("../../schema/gen/testdata/*.sql")
	if err != nil || len(all) < 9 {
		t.Fatalf("%d schemas: %v", len(all), err)
	}
	for _, file := range all {
		name, engine, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".sql"), ".")
		dir := t.TempDir()
		args := []string{"gen", "-ddl", file, "-engine", engine, "-o", dir, "-package", name + engine}
		if engine == "postgres" {
			args = append(args, "-scratch", tu.Server(t))
		}
		if r := exo(t, "", args...); r.code != cli.ExitDone {
			t.Errorf("%s: %v", file, r)
			continue
		}
		got, want := files(t, dir), files(t, filepath.Join("../../schema/gen/testdata", name+engine))
		for _, all := range []map[string]string{got, want} {
			for f, text := range all { // the comment before it names the file
				_, all[f], _ = strings.Cut(text, "\npackage ")
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %s differs from what is there", file, names(got))
		}
	}
}
