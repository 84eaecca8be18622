package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestPython runs the tests of the Python client on the binary of a release: over standard input and output, and over HTTP.
func TestPython(t *testing.T) {
	python := python3(t)
	bin := filepath.Join(t.TempDir(), "exo")
	if err := os.Symlink(filepath.Join(dist(t), "exo_v0.1.0_linux_"+runtime.GOARCH), bin); err != nil {
		t.Fatal(err)
	}
	tls, ca := overTLS(t)
	cmd := exec.Command(python, "-B", "-W", "error::ResourceWarning", "-m", "unittest", "-v")
	cmd.Dir = filepath.Join(testutil.Root(), "python")
	cmd.Env = append(os.Environ(), "EXO="+bin, "EXO_TLS_URL="+tls, "EXO_TLS_CA="+ca)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "skipped") {
		t.Errorf("%v\n%s", err, out)
	}
}

// overTLS is the URL of a server that answers as exo does, and the file of who vouches for it. At /slow it does not answer in time.
func overTLS(t *testing.T) (url, ca string) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     int
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/slow" {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		}
		result := `{"content": [{"text": "{\"result\": 1}"}]}`
		if m.Method == "tools/list" {
			result = `{"tools": [{"name": "execute", "description": "", "inputSchema": {}}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %d, "result": %s}`, m.ID, result)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that does not trust it is refused, as the test wants
	t.Cleanup(s.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o666); err != nil {
		t.Fatal(err)
	}
	return s.URL, ca
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
