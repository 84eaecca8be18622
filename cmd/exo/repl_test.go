package main

import (
	"bytes"
	"database/sql"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/codemode"
	replmain "github.com/exoagent/exoagent/codemode/repl"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

const accessSource = `package access

import (
	"github.com/exoagent/exoagent/codemode"
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

func Grants(db *exosql.DB, id int64) codemode.Grants {
	return codemode.Grants{"me": exosql.NewFacet(users, "user", userID, name).Of(exosql.Grant(db, users, userID.Eq(id)))}
}

func Everybody(db *exosql.DB) codemode.Grants {
	return codemode.Grants{"all": exosql.NewFacet(users, "user", userID, name).Of(exosql.Grant(db, users, exosql.AllRows[user]()))}
}

func Wrong() {}

type T struct{}

func (T) Method(db *exosql.DB) codemode.Grants { return nil }
`

// accessModule is a module that uses ours, with a package of grants that only it may import,
// and a database. Its go.sum has what the package needs, and not what a terminal does.
func accessModule(t *testing.T) (db string) {
	t.Helper()
	ours, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("CGO_ENABLED", "0") // what is compiled of ours is the same for TestPageCommands
	mod, err := os.ReadFile(filepath.Join(ours, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(ours, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/exoagent/exoagent\n", "module example.com/shop\n", 1)
	var kept []string
	for line := range strings.Lines(text) {
		if !terminalOnly(line) {
			kept = append(kept, line)
		}
	}
	text = strings.Join(kept, "") + "\nrequire github.com/exoagent/exoagent v0.0.0\n\nreplace github.com/exoagent/exoagent => " + ours + "\n"
	var sums []string
	for line := range strings.Lines(string(sum)) {
		if !terminalOnly(line) || strings.Contains(line, "/go.mod ") {
			sums = append(sums, line)
		}
	}
	for name, content := range map[string]string{
		"go.mod": text, "go.sum": strings.Join(sums, ""),
		"internal/access/access.go":   accessSource,
		"cmd/shop/main.go":            "package main\n\nfunc main() {}\n",
		"empty/empty.go":              "package empty\n",
		"taken/taken.go":              "package taken\n\nfunc Grants() {}\n",
		"taken/exo_repl_main/main.go": "package main\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Exec("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO users VALUES (1, 'ann'), (2, 'bob')"); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + filepath.Join(dir, "shop.db")
}

func terminalOnly(line string) bool {
	return strings.Contains(line, "reeflective/readline") || strings.Contains(line, "rivo/uniseg") || strings.Contains(line, "golang.org/x/term ")
}

func TestRepl(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	db := accessModule(t)
	before := moduleFiles(t)
	const program = "api.me.select(u => ({ name: u.name }))"
	// Each of these builds a program: what can be told apart in one is one.
	for _, tc := range []struct {
		name, stdin, out, errs string
		args                   []string
		code                   int
	}{
		{"a program, by import path", "", `[{"name":"bob"}]` + "\n", "", []string{"example.com/shop/internal/access", "-db", db, "-user", "2", "-e", program}, 0},
		{"piped", "api.me.count()\n.user 2\napi.me.first()\n", "1\n{\"id\":2,\"name\":\"bob\"}\n", "", []string{"./internal/access", "-db", db, "-user", "1"}, 0},
		{"another function, with =, a flag without value, flags first", "", "2\n", "{", []string{"--func=Everybody", "-db", db, "-trace", "-e", "api.all.count()", "./internal/access"}, 0},
		{"a failure of another function", "", `{"error":{"kind":"program","message":"x","line":1,"column":7}}` + "\n", "", []string{"./internal/access", "-func", "Everybody", "-db", db, "-e", "throw new Error('x')"}, 1},
		{"wrong of the terminal", "", "", "exo repl ./internal/access: -e and -f are both given: give one program\nrun exo repl ./internal/access -help for help\n", []string{"./internal/access", "-db", db, "-e", "1", "-f", "x"}, 2},
		{"wrong form", "", "", "exo repl ./internal/access -func Wrong: the function of grants is a func(); want func(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error), where ctx, user and error may be left out and user may be an integer or a UUID, [16]byte\n", []string{"./internal/access", "-func", "Wrong", "-db", db}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := exo(t, tc.stdin, append([]string{"repl"}, tc.args...)...)
			said := r.err == tc.errs || tc.errs == "{" && strings.HasPrefix(r.err, `{"v":3,`)
			if r.out != tc.out || !said || r.code != tc.code {
				t.Errorf("out %q, err %q, code %d", r.out, r.err, r.code)
			}
		})
	}
	if after := moduleFiles(t); after != before {
		t.Errorf("the module was\n%s\nand is\n%s", before, after)
	}
}

func TestReplRefuses(t *testing.T) {
	accessModule(t)
	for _, tc := range []struct {
		says string
		args []string
	}{
		{"has no function Nothing: name another with -func", []string{"./internal/access", "-func", "Nothing"}},
		{"has no function Method: name another with -func", []string{"./internal/access", "-func", "Method"}},
		{"has no function Grants: name another with -func", []string{"./empty"}},
		{`-func "x(); func init"`, []string{"./internal/access", "-func", "x(); func init"}},
		{`-func "grants"`, []string{"./internal/access", "-func", "grants"}},
		{"is a package main, which can't be imported", []string{"./cmd/shop"}},
		{"more than one package", []string{"./..."}},
		{"nowhere", []string{"./nowhere"}},
		{"is in no module", []string{"fmt"}},
		{"exo_repl_main/main.go exists, and exo needs this name", []string{"./taken"}},
	} {
		r := exo(t, "", append([]string{"repl", "-db", "sqlite:shop.db"}, tc.args...)...)
		if r.code != cli.ExitCannot && r.code != cli.ExitUsage || !strings.Contains(r.err, tc.says) || !strings.HasPrefix(r.err, "exo repl: ") || r.out != "" {
			t.Errorf("%q: %+v", tc.args, r)
		}
	}
}

// TestReplFlags: the flags that are declared here are those of the terminal.
func TestReplFlags(t *testing.T) {
	var help, errs bytes.Buffer
	if code := (replmain.App{Name: "x", Grants: func(*exosql.DB) codemode.Grants { return nil }}).Run([]string{"-help"}, strings.NewReader(""), &help, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	theirs := map[string]bool{"func": true, "as": true} // as: what the terminal calls user, of a grant file
	for _, m := range regexp.MustCompile(`(?m)^  -(\S+) `).FindAllStringSubmatch(help.String(), -1) {
		theirs[m[1]] = true
	}
	ours := map[string]bool{}
	c := replCommand()
	fs := c.FlagSet()
	c.Flags(fs)
	fs.VisitAll(func(f *flag.Flag) { ours[f.Name] = true })
	if !maps.Equal(theirs, ours) {
		t.Errorf("exo repl has the flags %v, its terminal %v", ours, theirs)
	}
}

// moduleFiles lists the module's files with what is in them.
func moduleFiles(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			b.WriteString(path + "\n" + string(text) + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
