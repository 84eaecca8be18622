package worker_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// buildTo builds a program of this module into a new folder.
func buildTo(t testing.TB, source string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func copyTo(t *testing.T, from string, mode os.FileMode) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := errors.Join(os.WriteFile(to, b, mode), os.Chmod(to, mode)); err != nil {
		t.Fatal(err)
	}
	return to
}

// A host's workers are started from the program that it names, within the same walls, and
// from the file that was checked also when another one has taken its place.
func TestBinary(t *testing.T) {
	own, err := worker.Shared().Isolation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := closing(t)
	bin := buildTo(t, "./exo-worker")
	p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1, Binary: bin})
	walls, err := p.Isolation(t.Context())
	if err != nil || walls != own {
		t.Errorf("%v %v; of the host's own binary %v", walls, err, own)
	}
	if to, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.IdlePIDs()[0])); err != nil || to != bin {
		t.Errorf("a worker is %q, %v", to, err)
	}
	again := copyTo(t, bin, 0o755)
	if err := os.Rename(copyTo(t, "/bin/true", 0o755), bin); err != nil {
		t.Fatal(err)
	}
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	for range 5 {
		if r := run(t, e, "return (await shop.rows()).length + 1"); r.Err != nil || r.Value.Int() != 101 {
			t.Errorf("%v %v", r.Value, r.Err)
		}
	}
	p.Close()
	left()
	out, err := exec.Command(again).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "PoolOptions.Binary") {
		t.Errorf("started by hand: %v %q", err, out)
	}
}

// What is no worker of this host's version, or could be changed by somebody else, is not started.
func TestBinaryRefused(t *testing.T) {
	left := closing(t)
	bin := buildTo(t, "./exo-worker")
	ours, err := os.Stat(bin)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(here, bin)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+started+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := copyTo(t, bin, 0o755)
	if err := os.Chown(foreign, 12345, -1); err != nil {
		t.Logf("the owner is not tried: %v", err) // nobody but root may give a file away
		foreign = copyTo(t, bin, 0o777)
	}
	other := filepath.Join(dir, "main.go")
	if err := os.WriteFile(other, []byte(floor), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a relative path":            relative,
		"nothing":                    filepath.Join(dir, "nothing"),
		"a folder":                   dir,
		"a pipe":                     pipe,
		"somebody else's":            foreign,
		"writable by all":            copyTo(t, bin, 0o757),
		"writable by its group":      copyTo(t, bin, 0o775),
		"not executable":             copyTo(t, bin, ours.Mode().Perm()&^0o111),
		"a script":                   script,
		"a program of C":             copyTo(t, "/bin/true", 0o755),
		"another program of Go":      buildTo(t, other),
		"the frames of another time": buildTo(t, "./testdata/stranger"),
	} {
		p, err := worker.NewPool(worker.PoolOptions{Binary: path})
		if p != nil || !errors.Is(err, worker.ErrBinary) || fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the script ran")
	}
	left()
}

// TestBinarySum: a host that names the content of its workers' file starts no other one, which without the sum it would.
func TestBinarySum(t *testing.T) {
	bin := buildTo(t, "./exo-worker")
	body, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(body))
	other := copyTo(t, bin, 0o755)
	if err := os.WriteFile(other, append(body, 0), 0o755); err != nil { // a loader ignores what is behind a program
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, sum string
		ok        bool
	}{{bin, sum, true}, {other, sum, false}, {other, "", true}, {bin, strings.ToUpper(sum), true}} {
		p, err := worker.NewPool(worker.PoolOptions{Workers: 1, Binary: c.path, BinarySHA256: c.sum})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, worker.ErrBinary) {
			t.Errorf("%s with the sum %q: %v", c.path, c.sum, err)
		}
		if err == nil {
			p.Close()
		}
	}
}

// TestBinarySumRefused: a sum that NewPool can compare with no file is an error, since a host would believe that it chose the file.
func TestBinarySumRefused(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for _, c := range []struct{ path, sum, want string }{
		{"", sum, "Binary is not"},
		{"", "latest", `BinarySHA256 is "latest"`},
		{"/exo-worker", sum[:62], "64 hexadecimal digits"},
		{"/exo-worker", sum[:63], "64 hexadecimal digits"},
		{"/exo-worker", sum + "ab", "64 hexadecimal digits"},
		{"/exo-worker", "sha256:" + sum, "64 hexadecimal digits"},
	} {
		p, err := worker.NewPool(worker.PoolOptions{Binary: c.path, BinarySHA256: c.sum})
		// The error does not wrap ErrBinary, after which a host may go on without the file.
		if p != nil || fail.KindOf(err) != fail.Invalid || errors.Is(err, worker.ErrBinary) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Binary %q with the sum %q: %v, want an error with %s", c.path, c.sum, err, c.want)
		}
	}
}

// A worker of another version has the walls of another version.
func TestBinaryVersion(t *testing.T) {
	const exoagent, goja = "github.com/exoagent/exoagent", "github.com/dop251/goja"
	host := &debug.BuildInfo{Main: debug.Module{Path: "example.com/host"}, Deps: []*debug.Module{{Path: exoagent, Version: "v1.2.0", Sum: "h1:a"}, {Path: goja, Version: "v0.1.0", Sum: "h1:g"}}}
	program := func(version, sum, engine string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: exoagent, Version: version, Sum: sum}, Deps: []*debug.Module{{Path: goja, Version: engine, Sum: "h1:g"}}}
	}
	for name, c := range map[string]struct {
		theirs *debug.BuildInfo
		ok     bool
	}{
		"the same":               {program("v1.2.0", "h1:a", "v0.1.0"), true},
		"an older one":           {program("v1.1.0", "h1:b", "v0.1.0"), false},
		"another text":           {program("v1.2.0", "h1:b", "v0.1.0"), false},
		"another engine":         {program("v1.2.0", "h1:a", "v0.0.9"), false},
		"of a folder":            {program("(devel)", "", "v0.1.0"), false},
		"nothing of ours":        {&debug.BuildInfo{Main: debug.Module{Path: "example.com/host"}}, false},
		"an engine of their own": {&debug.BuildInfo{Main: program("v1.2.0", "h1:a", "").Main, Deps: []*debug.Module{{Path: goja, Version: "v0.1.0", Sum: "h1:g", Replace: &debug.Module{Path: "../goja"}}}}, false},
	} {
		if err := worker.SameModules(host, c.theirs); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The binary of this test says of what it is made, so TestBinaryRefused compares it.
	own, ok := debug.ReadBuildInfo()
	if !ok || worker.SameModules(own, &debug.BuildInfo{}) == nil {
		t.Errorf("%v", own)
	}
}
