package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestWorkerOfRelease: exo serve starts its programs' processes from the exo-worker in its folder, if that is the one of its release. Any other file there is
// not started, and exo says so once; nor is one that PATH names.
func TestWorkerOfRelease(t *testing.T) {
	out := dist(t)
	binary := func(name string) []byte {
		body, err := os.ReadFile(filepath.Join(out, name+"_v0.1.0_linux_"+runtime.GOARCH))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	exo, small := binary("exo"), binary("exo-worker")
	on := t.TempDir() // is on PATH
	put(t, filepath.Join(on, "exo-worker"), small, 0o755)
	t.Setenv("PATH", on+":"+os.Getenv("PATH"))
	for name, c := range map[string]struct {
		worker []byte
		mode   os.FileMode
		used   bool
		log    string
	}{
		"the one of the release": {small, 0o755, true, ""},
		"none":                   {nil, 0, false, ""},
		"another version":        {append(bytes.Clone(small), 0), 0o755, false, "use the unchanged file of this release"},
		"another program":        {[]byte("#!/bin/sh\ntouch started\n"), 0o755, false, "use the unchanged file of this release"},
		"others may write it":    {small, 0o757, false, "so other users could change the file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "exo"), exo, 0o755)
			if c.worker != nil {
				put(t, filepath.Join(dir, "exo-worker"), c.worker, c.mode)
			}
			fill(t, "sqlite:"+filepath.Join(dir, "shop.db"), "CREATE TABLE items (id INTEGER PRIMARY KEY, org INTEGER NOT NULL)", "CREATE INDEX items_by_org ON items (org)")
			put(t, filepath.Join(dir, "exo.yaml"), []byte("exo: 1\nreviewed: true\ndatabases: {shop: \"sqlite:shop.db\"}\nprincipal: {org: int}\ngrants: {items: item}\nfacets: {item: {table: items, scope: org = $principal.org, columns: [id]}}\n"), 0o644)
			cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "exo"), "serve", "exo.yaml", "-as", "org=1")
			cmd.Dir = dir
			var said bytes.Buffer
			cmd.Stderr = &said
			client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Fatal(err, said.String())
			}
			if text, failed := call(t, client, "items.count()"); text != `{"result":0}` || failed {
				t.Error(text)
			}
			want := filepath.Join(dir, map[bool]string{true: "exo-worker", false: "exo"}[c.used])
			if got := childrenOf(t, cmd.Process.Pid); len(got) == 0 || slices.ContainsFunc(got, func(file string) bool { return file != want }) {
				t.Errorf("the processes of programs are %q, want %s", got, want)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if log := said.String(); strings.Count(log, "processes of exo itself") != min(1, len(c.log)) || !strings.Contains(log, c.log) {
				t.Errorf("it says %q, want %q once", log, c.log)
			}
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
				t.Error("another program was started")
			}
		})
	}
}

func put(t *testing.T, path string, body []byte, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, body, mode), os.Chmod(path, mode)); err != nil { // without the umask
		t.Fatal(err)
	}
}

// childrenOf returns the files from which the child processes of a process were started.
func childrenOf(t *testing.T, pid int) (files []string) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil { // the thread has ended
			continue
		}
		for child := range strings.FieldsSeq(string(text)) {
			if file, err := os.Readlink("/proc/" + child + "/exe"); err == nil {
				files = append(files, file)
			}
		}
	}
	return files
}
