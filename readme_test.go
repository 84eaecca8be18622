package exoagent_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
)

// The schema that the README's example uses, and a database for it.
type readmeUser struct {
	ID   int64
	Name string
}

type readmeTodo struct {
	ID, UserID int64
	Title      string
	Done       bool
}

var (
	Users     = exosql.NewTable[readmeUser]("users")
	UserID    = exosql.NewKey(Users, "id", func(u *readmeUser) *int64 { return &u.ID })
	UserName  = exosql.NewColumn(Users, "name", func(u *readmeUser) *string { return &u.Name })
	Todos     = exosql.NewTable[readmeTodo]("todos")
	TodoID    = exosql.NewKey(Todos, "id", func(t *readmeTodo) *int64 { return &t.ID })
	TodoUser  = exosql.NewColumn(Todos, "user_id", func(t *readmeTodo) *int64 { return &t.UserID })
	TodoTitle = exosql.NewColumn(Todos, "title", func(t *readmeTodo) *string { return &t.Title })
	TodoDone  = exosql.NewColumn(Todos, "done", func(t *readmeTodo) *bool { return &t.Done })
	UserTodos = exosql.Many("todos", UserID, TodoUser)
)

// TestReadme compiles the README's Go block as it stands there, inside a copy of
// this file's package, and runs it.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)<!-- TestReadme[^>]*-->\n```go\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatal("the README has no example")
	}
	self, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	decls := string(self[strings.Index(string(self), "type readmeUser"):strings.Index(string(self), "// TestReadme compiles")])
	setup := string(self[strings.LastIndex(string(self), "func readme"+"DB"):])
	dir, err := os.MkdirTemp(".", "readme-example-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	src := "package main\n\nimport (\n\"context\"\n\"database/sql\"\n\"encoding/json\"\n\"fmt\"\n\n\"github.com/exoagent/exoagent/codemode\"\n\"github.com/exoagent/exoagent/exosql\"\n)\n\n" +
		decls + string(m[1]) + setup + `
func main() {
	ctx := context.Background()
	db, err := readmeDB(ctx)
	if err != nil { panic(err) }
	defer db.Close()
	for id := int64(1); id <= 2; id++ {
		out, err := openTodos(ctx, db, id)
		fmt.Println(out, err)
	}
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "{\"result\":2} <nil>\n{\"result\":1} <nil>\n"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// TestReadmeLinks checks that every relative link leads somewhere.
func TestReadmeLinks(t *testing.T) {
	for _, file := range []string{"README.md", "RATIONALE.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`\]\(([^)#]+)`).FindAllSubmatch(text, -1)
		if file == "README.md" && len(links) == 0 {
			t.Fatal("no links found")
		}
		for _, l := range links {
			if p := string(l[1]); !strings.Contains(p, "://") {
				if _, err := os.Stat(p); err != nil {
					t.Errorf("%s links to %s: %v", file, p, err)
				}
			}
		}
	}
}

func readmeDB(ctx context.Context) (*exosql.DB, error) {
	return exosql.Open(ctx, "sqlite::memory:", &exosql.Options{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
			CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL);
			INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob');
			INSERT INTO todos VALUES (1, 1, 'write', 0), (2, 1, 'read', 0), (3, 1, 'sleep', 1), (4, 2, 'secret', 0)`)
		return err
	}})
}
