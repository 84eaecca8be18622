package services_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// folderFile is a grant file of one folder, which has a file a.csv, and the folder.
func folderFile(t *testing.T, more string) (path, dir string) {
	t.Helper()
	at := t.TempDir()
	dir = filepath.Join(at, "inbox")
	path = filepath.Join(at, "exo.yaml")
	for p, text := range map[string]string{filepath.Join(dir, "in", "a.csv"): "id,name\n1,ann\n", filepath.Join(dir, "closed.csv"): "x", path: file("  inbox:\n    files: ./inbox\n" + more)} {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, dir
}

func openPath(t *testing.T, path string) (*grantfile.Declared, error) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := grantfile.Parse(path, text)
	if err != nil {
		return nil, err
	}
	d, _, err := f.Open(t.Context(), nil)
	if err == nil {
		t.Cleanup(func() { d.Close() })
	}
	return d, err
}

// TestFiles: a program reads and writes what the globs of the file name, beside the grant file, and nothing else.
func TestFiles(t *testing.T) {
	const both = "    read: [\"in/*.csv\", \"out/**\"]\n    write: [\"out/**\"]\n    journal: ./journal\n"
	for _, c := range []struct {
		program, more string
		kind          fail.Kind
		result        string
		wrote         string
	}{
		{"(await api.inbox.rows({ path: 'in/a.csv' }))[0].name", both, fail.Other, `"ann"`, ""},
		{"(await api.inbox.list()).map(f => f.path)", both, fail.Other, `["in/a.csv"]`, ""},
		{"await api.inbox.read({ path: 'closed.csv' })", both, fail.Invalid, "", ""},
		{"await api.inbox.write({ path: 'out/b.txt', text: 'b' }); return 1", both, fail.Other, "1", "b"},
		{"await api.inbox.write({ path: 'in/b.txt', text: 'b' })", both, fail.Invalid, "", ""},
		{"await api.inbox.write({ path: 'out/b.txt', text: 'b' }); throw new Error('no')", both, fail.Other, "error", ""},
		{"const t = await api.inbox.read({ path: 'in/a.csv' }); await api.inbox.write({ path: 'out/b.txt', text: t })", both, fail.Denied, "", ""},
		{"const t = await api.inbox.read({ path: 'in/a.csv' }); await api.inbox.write({ path: 'out/b.txt', text: t }); return 1", both + "    admits: [untrusted]\n", fail.Other, "1", "id,name\n1,ann\n"},
		{"const t = await api.inbox.read({ path: 'in/a.csv' }); await api.inbox.write({ path: 'out/b.txt', text: t }); return 1", both + "    trusted: true\n", fail.Other, "1", "id,name\n1,ann\n"},
		{"await api.inbox.read({ path: 'in/a.csv' })", "    read: [\"in/*\"]\n    label: [pii]\n    admits: [pii]\n", fail.Denied, "", ""},
		{"await api.inbox.write({ path: 'out/b.txt', text: 'b' })", "    read: [\"**\"]\n", fail.Denied, "", ""},
	} {
		path, dir := folderFile(t, c.more)
		d, err := openPath(t, path)
		if err != nil {
			t.Fatalf("%s: %v", c.more, err)
		}
		tool, _ := toolOf(t, d, nil)
		r := tool.Run(t.Context(), c.program)
		b, _ := os.ReadFile(filepath.Join(dir, "out", "b.txt"))
		if c.kind != fail.Other && fail.KindOf(r.Err) != c.kind || (c.kind != fail.Other || c.result == "error") != (r.Err != nil) || c.result != "" && c.result != "error" && string(r.JSON) != c.result || string(b) != c.wrote {
			t.Errorf("%s%s: %s, %v, wrote %q", c.more, c.program, r.JSON, r.Err, b)
		}
		if _, ok := d.ServiceObjects()["inbox"].(record.Resumer); !ok {
			t.Error("what a stopped process left would not be written")
		}
	}
}

// TestFilesShown: a reviewer sees what programs may do with a folder.
func TestFilesShown(t *testing.T) {
	path, _ := folderFile(t, "    read: [\"in/*.csv\"]\n    write: [\"out/**\"]\n    journal: ./journal\n    undo: 7d\n    label: [pii]\n    admits: [pii, untrusted]\n    answer: 1MiB\n")
	d, err := openPath(t, path)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, l := range d.File.Lines() {
		said = append(said, l.Of+" "+l.What+" "+l.How)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"the folder ./inbox", "reads the files in/*.csv", "writes the files out/**", "keeps unfinished writes in ./journal", "keeps the text before a write for 168h", "may read by list", "may act, once a program has ended well, by write", "answers are labelled pii"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	m, err := d.Manifest()
	if err != nil || len(m.Services) != 1 || fmt.Sprint(m.Services[0].Reads, m.Services[0].Acts) != "[list read rows] [write]" {
		t.Errorf("%+v, %v", m.Services, err)
	}
	if o, digest, err := d.File.Services[0].Offers(t.Context(), nil); len(o) != 4 || digest != "" || err != nil {
		t.Errorf("%v, %q, %v", o, digest, err)
	}
}

// TestFilesProblems: a folder that can't be meant is an error at its line.
func TestFilesProblems(t *testing.T) {
	const rw = "read: ['**'], write: ['**'], journal: j"
	for text, want := range map[string]string{
		"  a: {files: in}":                                                                                "want `read` or `write`: the files",
		"  a: {files: in, read: ['{a,b}']}":                                                               "one glob for each alternative",
		"  a: {files: in, read: ['../**']}":                                                               "an empty part, . or ..",
		"  a: {files: in, read: ['*'], reads: [read]}":                                                    "write `read` or `write` in place of `reads`",
		"  a: {files: in, read: ['*'], pin: x}":                                                           "leave out `secrets`",
		"  a: {files: in, read: ['*'], env: {A: b}}":                                                      "leave out `secrets`",
		"  a: {files: in, write: ['*']}":                                                                  "`write` needs `journal: FOLDER`",
		"  a: {files: in, read: ['*'], journal: j}":                                                       "`journal` is only for a service with `write`",
		"  a: {files: in, read: ['*'], undo: 7d}":                                                         "`undo` is only for a service with `write`",
		"  a: {files: ., read: ['*']}":                                                                    "the grant file itself is in the folder",
		"  a: {files: .., read: ['*']}":                                                                   "the grant file itself is in the folder",
		"  a: {files: in, write: ['*'], journal: in/j}":                                                   "the journal is in the folder of the files",
		"  a: {files: in, write: ['*'], journal: 'postgres://u:hunter2@h'}":                               "a URL may contain a password",
		"  a: {files: in, mcp: https://x.example.com, read: ['*']}":                                       "want exactly one of `mcp`",
		"  a: {mcp: https://x.example.com, reads: x, undo: 7d}":                                           "are only for a service with `files`",
		"  a: {files: in, read: ['*'], approve: [write]}":                                                 "want calls of `acts`, not `write`",
		"  a: {files: in, read: ['*'], label: [pii]}":                                                     "write `admits: [pii]` at the service as well",
		"  a: {files: in, " + rw + ", admits: [pii]}":                                                     "write `label: [pii]` at the service as well",
		"  a: {files: in, " + rw + ", trusted: true, admits: [untrusted]}":                                "are read as if no outsider wrote them",
		"  a: {files: in, " + rw + "}\npreset: read-only@1":                                               "the service a has calls that act",
		"  a: {files: in, read: ['**']}\n  b: {files: in/hr, read: ['*'], label: [pii], admits: [pii]}":   "the service a may read files of the service b, but lacks its label pii",
		"  a: {files: in/hr, read: ['*']}\n  b: {files: in, read: ['hr/*'], label: [pii], admits: [pii]}": "the service a may read files of the service b, but lacks its label pii",
		"  a: {files: in, read: ['a/*']}\n  b: {files: ./in, read: ['b/*'], label: [pii], admits: [pii]}": "the service a may read files of the service b",
		"  a: {files: in, read: ['**']}\n  b: {files: in/out, write: ['*'], journal: j, admits: [pii]}":   "the service a may read files of the service b, but lacks its label pii",
		"  a: {files: in, read: ['**'], trusted: true}\n  b: {files: in/mail, read: ['*']}":               "the service a has `trusted`, but may read files of the service b",
	} {
		_, err := grantfile.Parse(filepath.Join(t.TempDir(), "exo.yaml"), []byte(file(text+"\n")))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
	for _, text := range []string{
		"  a: {files: in, read: ['*']}\n  b: {files: in/hr, read: ['*'], label: [pii], admits: [pii]}",
		"  a: {files: in, read: ['pub/**']}\n  b: {files: in/hr, read: ['*'], label: [pii], admits: [pii]}",
		"  a: {files: in, read: ['**']}\n  b: {files: inn, read: ['*'], label: [pii], admits: [pii]}",
		"  a: {files: in, write: ['*'], journal: 'env:J', approve: [write]}\napprovals: {key: env:K, store: s}\nrecord: r",
	} {
		if _, err := grantfile.Parse(filepath.Join(t.TempDir(), "exo.yaml"), []byte(file(text+"\n"))); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}
