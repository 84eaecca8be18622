package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestPython runs the tests of the Python client on the binary of a release: over standard input and output, and over HTTP.
func TestPython(t *testing.T) {
	python := python3(t)
	bin := filepath.Join(t.TempDir(), "exo")
	if err := os.Symlink(filepath.Join(dist(t), "exo_v0.1.0_linux_"+runtime.GOARCH), bin); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-B", "-W", "error::ResourceWarning", "-m", "unittest", "-v")
	cmd.Dir = filepath.Join(testutil.Root(), "python")
	cmd.Env = append(os.Environ(), "EXO="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// python3 is Debian's Python, or else the one on PATH.
func python3(t *testing.T) string {
	t.Helper()
	testutil.NotQuick(t)
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there: run ./test.sh, which installs it")
	}
	return path
}
