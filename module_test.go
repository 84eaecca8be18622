package exoagent_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// ours is the version that the tests publish. The modules of tests in cmd/exo have the same one, so what is compiled of it here serves them too.
const ours = "v0.0.0"

// publish writes the tree as a module proxy would serve it, as a version of the module, into a folder.
func publish(t *testing.T, proxy string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": ours + "\n", ours + ".info": `{"Version":"` + ours + `"}`, ours + ".mod": string(mod)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(dir, ours+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z := zip.NewWriter(out)
	err = walkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != "." && (err == nil || d.Name() == ".git") {
				return fs.SkipDir // a module of its own is not in the zip of this one
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.Create(module + "@" + ours + "/" + filepath.ToSlash(path))
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// consumer is a new module, with an empty module cache, that finds ours at a proxy of its own and what ours requires
// where this machine has it, or where it gets modules from.
type consumer struct{ dir, cache, proxy string }

func newConsumer(t *testing.T) *consumer {
	t.Helper()
	c := &consumer{dir: t.TempDir(), cache: filepath.Join(t.TempDir(), "mod"), proxy: t.TempDir()}
	publish(t, c.proxy)
	t.Cleanup(func() { // the files of a module cache are read-only
		if out, err := c.run("go", "clean", "-modcache"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	c.must(t, "go", "mod", "init", "example.com/app")
	return c
}

func (c *consumer) run(name string, args ...string) (string, error) {
	env, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return "", err
	}
	have, upstream, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOMODCACHE="+c.cache, "GOBIN="+c.dir, "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOWORK=off", "GONOSUMDB="+module,
		"GOPROXY=file://"+filepath.ToSlash(c.proxy)+",file://"+filepath.ToSlash(have)+"/cache/download,"+upstream)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c *consumer) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := c.run(name, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// downloaded are the modules whose code the consumer has.
func (c *consumer) downloaded(t *testing.T) (out []string) {
	t.Helper()
	root := filepath.Join(c.cache, "cache", "download")
	err := walkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, path); strings.HasSuffix(path, ".zip") {
			name, _, _ := strings.Cut(filepath.ToSlash(rel), "/@v/")
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readmeProgram is the program of README.md, and what it prints.
func readmeProgram(t *testing.T) (program, prints string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)<!-- test: program -->\n```go\n(.*?)```\n```text\n(.*?)```").FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("README.md has no program")
	}
	return m[1], m[2]
}

// TestGoGet: a new module has this one after one command, builds the program of README.md with it, and gets nothing
// for models, terminals, servers or tests. go install takes the command of a version, which it refuses to do for a
// module whose go.mod replaces or excludes anything.
func TestGoGet(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	c := newConsumer(t)
	c.must(t, "go", "get", module+"@"+ours)
	program, prints := readmeProgram(t)
	if err := os.WriteFile(filepath.Join(c.dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	c.must(t, "go", "build", "-o", "app.exe", ".")
	if out := c.must(t, filepath.Join(c.dir, "app.exe")); out != prints {
		t.Errorf("the program of README.md prints\n%s\nwant\n%s", out, prints)
	}
	got := c.downloaded(t)
	if len(got) < 10 || len(got) > 24 {
		t.Errorf("%d modules were downloaded: %s", len(got), got)
	}
	for _, other := range []string{"google/generative-ai-go", "google.golang.org", "cloud.google.com", "modelcontextprotocol", "reeflective", "rapid", "chromedp", "yaml"} {
		if i := slices.IndexFunc(got, func(m string) bool { return strings.Contains(m, other) }); i >= 0 {
			t.Errorf("%s was downloaded for a program that does not use it", got[i])
		}
	}
	c.must(t, "go", "install", module+"/cmd/exo@"+ours)
	if out := c.must(t, filepath.Join(c.dir, "exo"), "version"); !strings.Contains(out, " "+ours+" ") {
		t.Errorf("exo version says %s", out)
	}
}

// TestGoGetWithoutAVersion: where a proxy does not serve a version that go.mod names, the line of docs/start.md
// makes another one do.
func TestGoGetWithoutAVersion(t *testing.T) {
	testutil.NotQuick(t)
	text, err := os.ReadFile("docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`go mod edit -exclude=(\S+)@(\S+)`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("docs/start.md has no line that excludes a version")
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil || !strings.Contains(string(mod), fmt.Sprintf("\t%s %s ", m[1], m[2])) {
		t.Fatalf("go.mod does not name %s %s: the line of docs/start.md is of no use", m[1], m[2])
	}
	c := newConsumer(t)
	for _, kind := range []string{".info", ".mod", ".zip"} { // a folder where the file should be is an error, after which no other proxy is asked
		if err := os.MkdirAll(filepath.Join(c.proxy, filepath.FromSlash(m[1]), "@v", m[2]+kind), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := c.run("go", "get", module+"@"+ours); err == nil || !strings.Contains(out, m[2]) {
		t.Fatalf("go get does without %s: the line of docs/start.md is of no use: %v\n%s", m[2], err, out)
	}
	c.must(t, "go", "mod", "edit", "-exclude="+m[1]+"@"+m[2])
	c.must(t, "go", "get", module+"@"+ours)
	if out := c.must(t, "go", "list", "-m", m[1]); strings.Contains(out, m[2]) {
		t.Errorf("it still requires %s", out)
	}
}

// walkDir is filepath.WalkDir without the folders in which tests of other packages, which run beside these, build what they wrote.
func walkDir(root string, f fs.WalkDirFunc) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case d != nil && d.IsDir() && strings.HasPrefix(d.Name(), "tmp-"):
			return fs.SkipDir
		case errors.Is(err, fs.ErrNotExist):
			return nil
		}
		return f(path, d, err)
	})
}
