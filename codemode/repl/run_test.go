package repl_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

type user struct {
	ID   int64
	Name string
}

var (
	users  = exosql.NewTable[user]("users")
	userID = exosql.NewKey(users, "id", func(u *user) *int64 { return &u.ID })
	name   = exosql.NewColumn(users, "name", func(u *user) *string { return &u.Name })
)

func byID(db *exosql.DB, id int64) codemode.Grants {
	return codemode.Grants{"me": exosql.NewFacet(users, "user", userID, name).Of(exosql.Grant(db, users, userID.Eq(id)))}
}

func byName(ctx context.Context, db *exosql.DB, who string) (codemode.Grants, error) {
	u, err := exosql.Grant(db, users, name.Eq(who)).All(ctx)
	if err != nil || len(u) != 1 {
		return nil, errors.Join(errors.New("there is no user of that name"), err)
	}
	return byID(db, u[0].ID), nil
}

func database(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO users VALUES (1, 'ann'), (2, 'bob')"); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

type id uint16

type uid [16]byte

// byUID grants the user whose number is in the last byte.
func byUID(db *exosql.DB, u uid) codemode.Grants { return byID(db, int64(u[15])) }

func TestRun(t *testing.T) {
	db := database(t)
	type outcome struct {
		out, err string
		code     int
	}
	const all = "api.me.select(u => ({ name: u.name }))"
	bob := outcome{`[{"name":"bob"}]` + "\n", "", 0}
	for _, tc := range []struct {
		name   string
		grants any
		args   []string
		want   outcome
	}{
		{"by name", byName, []string{"-db", db, "-user", "bob", "-e", all}, bob},
		{"by number", byID, []string{"-db", db, "-user", "2", "-e", all}, bob},
		{"by a number of its own", func(_ context.Context, db *exosql.DB, u id) map[string]exo.Object { return byID(db, int64(u)) }, []string{"-db", db, "-user", "2", "-e", all}, bob},
		{"by UUID", byUID, []string{"-db", db, "-user", "A0000000-0000-0000-0000-000000000002", "-e", all}, bob},
		{"no UUID", byUID, []string{"-db", db, "-user", "02", "-e", all}, outcome{"", "exo repl ./access: -user \"02\": want a UUID, 32 hexadecimal digits\n", 2}},
		{"no hexadecimal", byUID, []string{"-db", db, "-user", "g0000000-0000-0000-0000-000000000002", "-e", all}, outcome{"", "exo repl ./access: -user \"g0000000-0000-0000-0000-000000000002\": want a UUID, 32 hexadecimal digits\n", 2}},
		{"no user, by UUID", byUID, []string{"-db", db, "-e", all}, outcome{"", "exo repl ./access: for whom should programs run? give -user\n", 2}},
		{"without user", func(db *exosql.DB) (codemode.Grants, error) { return byID(db, 2), nil }, []string{"-db", db, "-e", all}, bob},
		{"a user too many", func(db *exosql.DB) codemode.Grants { return byID(db, 2) }, []string{"-db", db, "-user", "1", "-e", all}, outcome{"", "exo repl ./access: the function of grants takes no user; leave out -user\n", 2}},
		{"nobody", byName, []string{"-db", db, "-user", "eve", "-e", all}, outcome{"", "exo repl ./access: there is no user of that name\n", 2}},
		{"no number", byID, []string{"-db", db, "-user", "bob", "-e", all}, outcome{"", "exo repl ./access: -user \"bob\": want a whole number\n", 2}},
		{"negative", func(db *exosql.DB, u id) codemode.Grants { return nil }, []string{"-db", db, "-user", "-1", "-e", all}, outcome{"", "exo repl ./access: -user \"-1\": want a whole number that is not negative\n", 2}},
		{"too large", func(db *exosql.DB, u id) codemode.Grants { return nil }, []string{"-db", db, "-user", "70000", "-e", all}, outcome{"", "exo repl ./access: -user \"70000\": want a whole number that is not negative\n", 2}},
		{"no user", byID, []string{"-db", db, "-e", all}, outcome{"", "exo repl ./access: for whom should programs run? give -user\n", 2}},
		{"no database", byID, []string{"-user", "1", "-e", all}, outcome{"", "exo repl ./access: which database? give -db sqlite:PATH or -db postgres://user@host/database\nrun exo repl ./access -help for help\n", 2}},
		{"database that is not there", byID, []string{"-db", db + ".x", "-user", "1", "-e", all}, outcome{"", "", 2}},
		{"nothing granted", func(db *exosql.DB) codemode.Grants { return nil }, []string{"-db", db, "-e", all}, outcome{"", "exo repl ./access: codemode: nothing is granted: pass at least one object in Grants\n", 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := repl.App{Name: "exo repl ./access", Package: "example.com/shop/access", Grants: tc.grants}.Run(tc.args, strings.NewReader(""), &out, &errs)
			got := outcome{out.String(), errs.String(), code}
			if tc.want.out == "" && tc.want.err == "" {
				got.err = ""
			}
			if got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
	if out, _ := filepath.Glob(strings.TrimPrefix(db, "sqlite:") + ".x*"); len(out) > 0 {
		t.Errorf("a database was made: %v", out)
	}
}

func TestWrongForm(t *testing.T) {
	for _, f := range []any{
		nil, 1, (func(*exosql.DB) codemode.Grants)(nil),
		func() codemode.Grants { return nil },
		func(*exosql.DB) {},
		func(*exosql.DB) error { return nil },
		func(*exosql.DB) map[string]any { return nil },
		func(*exosql.DB) []exo.Object { return nil },
		func(*exosql.DB) (codemode.Grants, int) { return nil, 0 },
		func(*exosql.DB) (codemode.Grants, error, error) { return nil, nil, nil },
		func(*exosql.DB, float64) codemode.Grants { return nil },
		func(*exosql.DB, []byte) codemode.Grants { return nil },
		func(*exosql.DB, [15]byte) codemode.Grants { return nil },
		func(*exosql.DB, string, string) codemode.Grants { return nil },
		func(*exosql.DB, ...string) codemode.Grants { return nil },
		func(string, *exosql.DB) codemode.Grants { return nil },
		func(context.Context) codemode.Grants { return nil },
	} {
		var errs bytes.Buffer
		if code := (repl.App{Name: "x", Grants: f}).Run(nil, strings.NewReader(""), &errs, &errs); code != 2 || !strings.Contains(errs.String(), "want func(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)") {
			t.Errorf("%T: %d %s", f, code, errs.String())
		}
	}
}
