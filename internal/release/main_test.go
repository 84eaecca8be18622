package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// scratch is the folder of what the tests of this package share; "": none was needed.
var scratch string

func TestMain(m *testing.M) {
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

// made is a release of v0.1.0 from this tree: for the system of this machine, or with EXO_LONG for all and with the lists of modules.
var made = sync.OnceValues(func() (out string, err error) {
	if scratch, err = os.MkdirTemp("", "release"); err != nil {
		return "", err
	}
	out = filepath.Join(scratch, "dist")
	return out, release(context.Background(), testutil.Root(), out, "v0.1.0", ofTest(), testutil.Long())
})

// ofTest are the targets that tests build for.
func ofTest() []string {
	if testutil.Long() {
		return targets()
	}
	return []string{"linux/" + runtime.GOARCH}
}

// dist is the folder of the release.
func dist(t *testing.T) string {
	t.Helper()
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	dir, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestReproducible: the tree and a copy of it in another folder give the same files, each with its checksum. One
// target is built, on the machine's own cache; EXO_LONG builds all, the second time with an empty cache, and their
// lists of modules, for which a tool is downloaded.
func TestReproducible(t *testing.T) {
	first, long, of := dist(t), testutil.Long(), ofTest()
	there := filepath.Join(t.TempDir(), "another folder")
	for _, part := range []string{"LICENSE", "python", "go.mod", "go.sum", "doc.go", "cmd", "codemode", "exo", "exoeval", "exosql", "internal", "schema", "examples/saas/tracker"} {
		if err := copyTo(filepath.Join(there, part), filepath.Join(testutil.Root(), part)); err != nil {
			t.Fatal(err)
		}
	}
	second := filepath.Join(t.TempDir(), "second")
	if long {
		t.Setenv("GOCACHE", t.TempDir())
	}
	t.Setenv("GOFLAGS", "-race") // of another machine
	if err := release(context.Background(), there, second, "v0.1.0", of, long); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(first)
	want := 2 // SHA256SUMS, and the main package of npm
	for _, target := range of {
		want += 4 // the binary, for npm, for pip, for Claude Desktop
		if strings.HasPrefix(target, "linux/") {
			want += 2 // exo-worker, and for Debian
		}
		if long {
			want++ // what is in the binary
		}
		if long && strings.HasPrefix(target, "linux/") {
			want++ // and in its exo-worker
		}
	}
	if err != nil || len(files) != want {
		t.Fatalf("%d files, want %d: %v", len(files), want, err)
	}
	var sums string
	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(first, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(second, f.Name()))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same a second time: %v", f.Name(), err)
		}
		if f.Name() == "SHA256SUMS" {
			sums = string(a)
			continue
		}
		defer func() {
			if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(a), f.Name()); !strings.Contains(sums, line) {
				t.Errorf("SHA256SUMS lacks %s", line)
			}
		}()
		if strings.HasSuffix(f.Name(), ".cdx.json") {
			readSBOM(t, f.Name(), a)
		}
	}
	if out, err := exec.Command(filepath.Join(first, "exo_v0.1.0_linux_"+runtime.GOARCH), "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "exo v0.1.0 go") {
		t.Errorf("exo version says %s, %v", out, err)
	}
}

// readSBOM checks that a list of modules is of the form of CycloneDX and has what exo is built of.
func readSBOM(t *testing.T, name string, text []byte) {
	t.Helper()
	var bom struct {
		BOMFormat  string
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &bom); err != nil || bom.BOMFormat != "CycloneDX" {
		t.Fatalf("%s: %q, %v", name, bom.BOMFormat, err)
	}
	missing := map[string]bool{"github.com/dop251/goja": true, "std": true}
	if !strings.HasPrefix(name, "exo-worker") {
		missing["modernc.org/sqlite"], missing["github.com/jackc/pgx/v5"] = true, true
	}
	for _, c := range bom.Components {
		if c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:golang/") {
			t.Errorf("%s: %+v", name, c)
		}
		delete(missing, c.Name)
	}
	if len(missing) > 0 {
		t.Errorf("%s lacks %v", name, missing)
	}
}

// copyTo copies a file or a folder.
func copyTo(to, from string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	return err
}

// TestVersion: a file of another name than its tag would be a release of nothing.
func TestVersion(t *testing.T) {
	for _, version := range []string{"", "0.1.0", "v0.1", "v0.1.0 -X main.x=1", "../v0.1.0", "v0.1.0-x"} {
		if err := release(t.Context(), ".", filepath.Join(t.TempDir(), "dist"), version, nil, false); err == nil {
			t.Errorf("%q is taken", version)
		}
	}
}
