package exoagent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/record"
)

// built are the commands of which the pages show flags and programs, by their directory; blocks is the program of all Go
// blocks, which runs the one that its first argument names. One command compiles them.
var (
	built  = map[string]string{}
	blocks string
)

// buildGo compiles the Go blocks, in the frames that complete them, and the commands of
// which other blocks show flags and programs. The compiler reads the blocks from elsewhere:
// nothing is written to the tree. Linking takes longest, so each block is a package of one program.
func buildGo(t *testing.T, all []*block) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	var imports, cases strings.Builder
	put := func(name, src string) {
		file := filepath.Join(dir, name+".go")
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, name, "main.go")] = file
	}
	packages := map[string]string{"examples/saas": "./examples/saas", "cmd/exo": "./cmd/exo", "challenge": "./challenge", "internal/bench": "./internal/bench", "internal/release": "./internal/release"}
	for i, b := range all {
		if b.language != "go" {
			continue
		}
		src, err := source(b, all)
		if err != nil {
			t.Errorf("%s: %v", b, err)
			continue
		}
		if strings.Count("\n"+src, "\npackage main\n") != 1 || strings.Count(src, "\nfunc main() {\n") != 1 {
			t.Errorf("%s is no program", b)
			continue
		}
		name := fmt.Sprintf("docsblock%d", i)
		src = strings.Replace(strings.Replace(src, "package main\n", "package "+name+"\n", 1), "\nfunc main() {\n", "\nfunc Main() {\n", 1)
		if begins := "\nfunc init() {\n"; strings.Contains(src, begins) { // of this block, and not of the others
			src = strings.NewReplacer(begins, "\nfunc begin() {\n", "\nfunc Main() {\n", "\nfunc Main() {\nbegin()\n").Replace(src)
		}
		put(name, src)
		fmt.Fprintf(&imports, "%q\n", module+"/"+name)
		fmt.Fprintf(&cases, "case %q:\n%s.Main()\n", b, name)
	}
	put("docsblocks", "package main\n\nimport (\n\"os\"\n"+imports.String()+")\n\nfunc main() {\nblock := os.Args[1]\nos.Args = os.Args[:1]\nswitch block {\n"+cases.String()+"default:\nos.Exit(9)\n}\n}\n")
	packages["blocks"] = "./docsblocks"
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"build", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir + "/bin/"}, slices.Sorted(maps.Values(packages))...)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, path := range packages {
		built[name] = filepath.Join(dir, "bin", filepath.Base(path))
	}
	blocks = built["blocks"]
}

// source is the program of a Go block: the block itself, or the block within the frame
// that its mark names, with the declarations of docs/start.md where the frame wants them.
func source(b *block, all []*block) (string, error) {
	if b.mark == "program" {
		return b.text, nil
	}
	name, ok := strings.CutPrefix(b.mark, "frame ")
	if !ok {
		return "", fmt.Errorf("the mark of a Go block is program, or frame NAME, not %q", b.mark)
	}
	frame, err := os.ReadFile("testdata/docs/" + name + ".go.txt")
	if err == nil && strings.Count(string(frame), "// EXAMPLE\n") != 1 {
		err = fmt.Errorf("%s has no line for the example", name)
	}
	src := strings.Replace(string(frame), "// EXAMPLE\n", b.text, 1)
	for _, d := range all {
		if d.mark == "frame declare" {
			src = strings.Replace(src, "// DECLARATIONS\n", d.text, 1)
		}
	}
	return src, err
}

// checkGo runs a Go block. It prints what the text block behind it says, or else what the
// file beside its frame says.
func checkGo(t *testing.T, b *block) {
	out, err := exec.Command(blocks, b.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var want string
	if b.next != nil && b.next.language == "text" {
		want = b.next.text
	} else {
		text, err := os.ReadFile("testdata/docs/" + strings.TrimPrefix(b.mark, "frame ") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		want = string(text)
	}
	if string(out) != want {
		t.Errorf("it prints\n%s\nwant\n%s", out, want)
	}
}

// checkProgram runs a program of a model as it would be run in an example, and compares its
// result, and its statement, with the blocks behind it.
func checkProgram(t *testing.T, b *block) {
	app, ok := strings.CutPrefix(b.mark, "run ")
	if built[app] == "" || !ok {
		t.Fatalf("the mark of a program says which example runs it, as in run examples/saas, not %q", b.mark)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(built[app], "-trace", "-e", b.text)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, t.TempDir() // what an example sends is a file there
	err := cmd.Run()
	if b.next == nil && (err != nil || len(stdout.Bytes()) < 4) {
		t.Fatalf("%v\n%s%s", err, stdout.Bytes(), stderr.Bytes())
	}
	var statements []string
	var failure string
	for line := range strings.Lines(stderr.String()) {
		if !strings.HasPrefix(line, "{") {
			failure += line
		}
	}
	for e, err := range record.Read(strings.NewReader(strings.Replace(stderr.String(), failure, "", 1))) {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range e.Details {
			var q struct{ SQL string }
			if json.Unmarshal(d.(json.RawMessage), &q) == nil && q.SQL != "" {
				statements = append(statements, q.SQL)
			}
		}
	}
	for n := b.next; n != nil && n.mark == ""; n = n.next {
		got := map[string]string{"json": stdout.String(), "text": failure, "sql": strings.Join(statements, "\n")}[n.language]
		if squeeze(got) != squeeze(n.text) {
			t.Errorf("%s: got\n%s\nwant\n%s", n, got, n.text)
		}
	}
}

// squeeze makes texts equal that differ in where their lines end.
func squeeze(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "( ", "(")
}
