package exoagent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme compiles the README's Go block as it stands there and runs it.
func TestReadme(t *testing.T) {
	readme(t, "TestReadme", "testdata/readme/main.go.txt", "{\"result\":2}\n{\"result\":1}\n2\n")
}

// TestReadmeModel does so with the block of models.
func TestReadmeModel(t *testing.T) {
	readme(t, "TestReadmeModel", "testdata/readme/model.go.txt", "There are 2.\n2 steps, 36 tokens\n")
}

// readme runs the block that the mark is at in the frame, which has a line for it.
func readme(t *testing.T, mark, frame, want string) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)<!-- " + mark + " [^>]*-->\n```go\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the README has no such example")
	}
	program, err := os.ReadFile(frame)
	if err != nil {
		t.Fatal(err)
	}
	src := strings.Replace(string(program), "// EXAMPLE\n", string(m[1]), 1)
	dir, err := os.MkdirTemp(".", "readme-example-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// TestReadmeCheck runs the README's block about Check, and compares what it prints.
func TestReadmeCheck(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)<!-- TestReadmeCheck[^>]*-->\n```go\n(.*?)```\n```text\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatal("the README has no block about Check")
	}
	frame, err := os.ReadFile("testdata/readme/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(frame), "type User struct")
	declarations, _, ok := strings.Cut(rest, "// EXAMPLE")
	if !ok {
		t.Fatal("main.go.txt has no declarations")
	}
	src := `package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/exosql"
)

type User struct` + declarations + string(m[1]) + `
func main() {
	ctx := context.Background()
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.Options{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT COLLATE NOCASE, done BOOLEAN NOT NULL)")
		return err
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(checked(ctx, db))
}
`
	prints(t, src, string(m[2]))
}

// TestReadmeEffects runs the README's block about effects, and compares what it prints.
func TestReadmeEffects(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)<!-- TestReadmeEffects[^>]*-->\n```go\n(.*?)```\n```text\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatal("the README has no block about effects")
	}
	prints(t, `package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
)

`+string(m[1])+`
func main() {
	if err := notify(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
`, string(m[2]))
}

// TestReadmeRecord runs the README's block about keeping a record against a file with a run
// that was interrupted.
func TestReadmeRecord(t *testing.T) {
	readme(t, "TestReadmeRecord", "testdata/readme/record.go.txt", "begun\nended record: the process ended before the run did\nbegun\nreleased\nended <nil>\nin use: true\n")
}

// prints runs a program and compares what it prints.
func prints(t *testing.T, src, want string) {
	t.Helper()
	dir, err := os.MkdirTemp(".", "readme-example-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if string(out) != want {
		t.Errorf("it prints\n%s\nand the README says\n%s", out, want)
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
