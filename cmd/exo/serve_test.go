package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

const servedShop = "reviewed: true\n" + grantsOfShop

// grantFileOf writes a grant file for a database of the shop, and returns its path.
func grantFileOf(t *testing.T, text string) string {
	t.Helper()
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann'), (2, 'bob'), (3, char(27) || ']0;x' || char(7) || char(155) || char(8238))")
	t.Setenv("GRANTS_TEST_DB", url)
	path := filepath.Join(t.TempDir(), "exo.yaml")
	write(t, path, text)
	return path
}

// child is the command line as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

func callText(t *testing.T, c *mcp.ClientSession, code string) (string, bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": code}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// TestServeStdio: the SDK's own client, in each revision, drives a child process; only frames are on its standard output, nothing
// that a terminal acts on is on either, and it ends when the client goes.
func TestServeStdio(t *testing.T) {
	path := grantFileOf(t, servedShop)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		cmd := child(t, "serve", path, "-as", "customer=3")
		var said bytes.Buffer
		cmd.Stderr = &said
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(version, err, said.String())
		}
		if got := c.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("it speaks %s, want %s", got, version)
		}
		if text, failed := callText(t, c, "me.select(c => c.id)"); text != `{"result":[3]}` || failed {
			t.Errorf("%s: %s", version, text)
		}
		if text, failed := callText(t, c, "me.where(c => c.id === 1 || true).count()"); text != `{"result":1}` || failed {
			t.Errorf("%s: another's row: %s", version, text)
		}
		if text, failed := callText(t, c, "throw new Error('\\u001b]0;x\\u0007')"); !failed {
			t.Errorf("%s: %q", version, text)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: the server ended with %v", version, err)
		}
		if strings.ContainsAny(said.String(), "\x1b\x07\u009b\u202e") || !strings.Contains(said.String(), "exo serve: ") {
			t.Errorf("%s: it said %q", version, said.String())
		}
	}
}

// TestServeFrames: standard output is lines of JSON-RPC and nothing else, in bytes that a terminal can show; what is no message
// of the protocol gets no program run.
func TestServeFrames(t *testing.T) {
	path := grantFileOf(t, servedShop)
	call := func(id int, code string) string {
		b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": "execute", "arguments": map[string]any{"code": code},
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
		return string(b) + "\n"
	}
	cmd := child(t, "serve", path, "-as", "customer=3")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, call(1, "me")+call(2, "console.log('\\u001b[2J'); 1"))
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var frame struct{ JSONRPC string }
		if err := json.Unmarshal(lines.Bytes(), &frame); err != nil || frame.JSONRPC != "2.0" {
			t.Errorf("%q on standard output: %v", lines.Text(), err)
		}
		if strings.ContainsAny(lines.Text(), "\x1b\x07\u009b\u202e") || !strings.Contains(lines.Text(), `"result"`) {
			t.Errorf("a terminal would act on it, or it failed: %q", lines.Text())
		}
		if n == 1 {
			in.Close()
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServeEnds: SIGTERM ends it as the end of its input does, a program that runs too.
func TestServeEnds(t *testing.T) {
	path := grantFileOf(t, servedShop)
	cmd := child(t, "serve", path, "-as", "customer=1")
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": "for (;;) {}"}})
		ended <- err
	}()
	if _, err := c.ListTools(t.Context(), nil); err != nil { // it has read the call
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the program had a result")
	}
	c.Close()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitDone {
		t.Errorf("it ended with %d", code)
	}
}

// TestServeRefuses: no file that nobody reviewed, no principal, and no address of others without authentication.
func TestServeRefuses(t *testing.T) {
	path := grantFileOf(t, servedShop)
	for text, want := range map[string]int{"": cli.ExitDone, "reviewed: false\n": cli.ExitFound, "-": cli.ExitFound} {
		write(t, path, strings.Replace(servedShop, "reviewed: true\n", strings.TrimPrefix(text, "-"), 1))
		if text == "" {
			write(t, path, servedShop)
		}
		r := exo(t, "", "serve", path, "-as", "customer=1")
		if r.code != want || r.out != "" || want == cli.ExitFound && !strings.Contains(r.err, "reviewed: true") {
			t.Errorf("%q: code %d, want %d: %s", text, r.code, want, r.err)
		}
		if v := exo(t, "", "validate", path); v.code != cli.ExitDone || strings.Contains(v.out, "nobody has reviewed") != (want == cli.ExitFound) {
			t.Errorf("validate: %+v", v)
		}
	}
	write(t, path, servedShop)
	for args, want := range map[string]string{
		"":                                    "the claim `customer` is missing",
		"-as customer=":                       "want a whole number",
		"-as customer=1+2":                    "want a whole number",
		"-as org=1":                           "has no claim `org`",
		"-http 0.0.0.0:0 -as customer=1":      "add `issuers` or `tokens` under `serve`",
		"-http :0 -as customer=1":             "add `issuers` or `tokens` under `serve`",
		"-http shop.example:0 -as customer=1": "add `issuers` or `tokens` under `serve`",
		"-http 127.0.0.1:0":                   "the claim `customer` is missing",
		"-http 127.0.0.1 -as customer=1":      "want an address with a port",
	} {
		r := exo(t, "", append([]string{"serve", path}, strings.Fields(args)...)...)
		if r.code != cli.ExitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: code %d: %s", args, r.code, r.err)
		}
	}
	if r := exo(t, "", "serve", path+".none", "-as", "customer=1"); r.code != cli.ExitCannot {
		t.Errorf("%+v", r)
	}
}

// TestServePage: what docs/mcp.md says to write is read as it is meant.
func TestServePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile("(?s)```(json|toml|yaml)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		n++
		args := regexp.MustCompile(`args"? ?[:=] \[(.*?)\]`).FindStringSubmatch(m[2])
		switch {
		case m[1] == "yaml":
			path := grantFileOf(t, strings.Replace(servedShop, "{customer: int}", "{customer: int, org: int}", 1)+strings.Replace(m[2], "{ org: 1 }", "{ org: 1, customer: 1 }", 1))
			if r := exo(t, "", "validate", path); r.code != cli.ExitDone {
				t.Errorf("%s\n%s", m[2], r.err)
			}
		case m[1] == "json" && !json.Valid([]byte(m[2])):
			t.Errorf("no JSON: %s", m[2])
		case args == nil || args[1] != `"serve", "/home/ann/exo.yaml", "-as", "org=1"`:
			t.Errorf("the arguments are %v", args)
		}
	}
	if n != 4 {
		t.Errorf("there are %d blocks", n)
	}
}

// TestServeClient: -client prints what starts exo serve with this file and -as, and -install adds it; a client that reads the entry is served.
func TestServeClient(t *testing.T) {
	path := grantFileOf(t, servedShop)
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	for args, says := range map[string]string{
		"":                                      "-client needs -as",
		"-as customer=3 -http x":                "without -http and -label-store",
		"-as shop=3":                            "has no claim",
		"-as customer=3 -install -client emacs": "-client: want one of",
		"-as customer=3 -distrust never":        "-distrust: ",
		"-as customer=3 -name a.b":              "-name: want letters",
	} {
		if r := exo(t, "", append([]string{"serve", path, "-client", "cursor"}, strings.Fields(args)...)...); r.code != cli.ExitUsage || r.out != "" || !strings.Contains(r.err, says) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if r := exo(t, "", "serve", path, "-as", "customer=3", "-client", "vscode"); r.code != cli.ExitDone || !strings.Contains(r.out, `"-as"`) || !strings.Contains(r.out, path) {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "serve", path, "-as", "customer=3", "-client", "cursor", "-install"); r.code != cli.ExitDone || r.out != "" {
		t.Fatalf("%+v", r)
	}
	other := []string{"serve", path, "-as", "customer=4", "-distrust", "nothing", "-client", "cursor", "-install"}
	if r := exo(t, "", other...); r.code == cli.ExitDone || !strings.Contains(r.err, "-name NAME") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", append(other, "-name", "other")...); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	var had struct {
		McpServers map[string]struct {
			Args []string
			Env  map[string]string
		}
	}
	text, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil || json.Unmarshal(text, &had) != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if args := strings.Join(had.McpServers["other"].Args, " "); !strings.Contains(args, "-as customer=4") || !strings.HasSuffix(args, "-distrust nothing") {
		t.Errorf("%s", text)
	}
	t.Setenv("GRANTS_TEST_DB", had.McpServers["exo"].Env["GRANTS_TEST_DB"]) // what the client gives it
	if text, failed := callText(t, started(t, child(t, had.McpServers["exo"].Args...)), "me.count()"); failed {
		t.Error(text)
	}
}

// TestServeKeepsLabels: what a client was shown is kept beside the record, or else the grant file, for its principal; where that is no folder nothing is
// served, and where nothing that is labelled is shown there is no file.
func TestServeKeepsLabels(t *testing.T) {
	labelled := strings.Replace(servedShop, "    table: customers\n", "    table: customers\n    label: [medical]\n", 1) + "labels: {medical: secret}\n"
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, file, flag string }{
		"nothing admitted":     {servedShop, "", ""},
		"beside the file":      {labelled + "admits: [medical]\n", "exo.yaml.labels", ""},
		"beside the record":    {labelled + "admits: [medical]\nrecord: runs.jsonl\n", "runs.jsonl.labels", ""},
		"where a flag says so": {labelled + "admits: [medical]\n", filepath.Join(dir, "kept"), filepath.Join(dir, "kept")},
	} {
		path := grantFileOf(t, c.text)
		args := []string{"serve", path, "-as", "customer=3"}
		if c.flag != "" {
			args = append(args, "-label-store", c.flag)
		}
		cmd := child(t, args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(name, err, said.String())
		}
		if text, failed := callText(t, client, "me.count()"); failed {
			t.Errorf("%s: %s", name, text)
		}
		if err := client.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.file == "" {
			if all, err := filepath.Glob(filepath.Dir(path) + "/*label*"); err != nil || len(all) > 0 {
				t.Errorf("%s: %v, %v", name, all, err)
			}
			continue
		}
		file := c.file
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(path), file)
		}
		entries, err := filepath.Glob(filepath.Join(file, "*.json"))
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", name, entries, err)
			continue
		}
		text, err := os.ReadFile(entries[0])
		if err != nil || !strings.Contains(string(text), `"medical"`) || !strings.Contains(string(text), "customer=3") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		write(t, file, "{") // as an earlier version did
		if r := exo(t, "", args...); r.code != cli.ExitCannot || !strings.Contains(r.err, "a store needs a folder") || !strings.Contains(r.err, "remove it") {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// TestServeLogsReasons: the reason that no client reads is on standard error, for the operator: of an internal error, and of a table that
// the host has to look at.
func TestServeLogsReasons(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann')")
	t.Setenv("GRANTS_TEST_DB", url)
	path := filepath.Join(t.TempDir(), "exo.yaml")
	write(t, path, strings.Replace(servedShop, "columns: [id, name]", "columns: [id, name]\n    update: [name]", 1))
	cmd := child(t, "serve", path, "-as", "customer=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	change("CREATE TRIGGER audit AFTER UPDATE ON customers BEGIN INSERT INTO logs (line) VALUES (new.name); END")
	if text, failed := callText(t, c, "me.all().update({ name: 'eve' })"); !failed || !strings.Contains(text, "host has to change") || strings.Contains(text, "audit") {
		t.Errorf("the client reads %s", text)
	}
	if text, failed := callText(t, c, "me.count()"); failed {
		t.Error(text)
	}
	if text, failed := callText(t, c, "throw new Error('mine')"); !failed || strings.Contains(text, "internal") {
		t.Error(text)
	}
	change("DROP TABLE orders; ALTER TABLE customers RENAME TO gone")
	text, failed := callText(t, c, "me.count()")
	if !failed || !strings.Contains(text, "internal") || strings.Contains(text, "customers") {
		t.Errorf("the client reads %s", text)
	}
	c.Close()
	if got := said.String(); strings.Count(got, "\nexo serve: time=") != 2 || strings.Count(got, " reason=") != 2 || !strings.Contains(got, "no such table: ") || !strings.Contains(got, "the trigger audit") || strings.Contains(got, "mine") {
		t.Errorf("the operator reads %s", got)
	}
}

// TestPoolNote: the note on a refused exo-worker has the reason alone. The twin without the file has no note.
func TestPoolNote(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	was := buildinfo.Worker
	buildinfo.Worker = strings.Repeat("ab", 32)
	t.Cleanup(func() { buildinfo.Worker = was })
	file := filepath.Join(filepath.Dir(self), "exo-worker")
	for _, c := range []struct {
		exists bool
		want   string
	}{{true, "exo-worker is not used: the file's SHA-256 is "}, {false, ""}} {
		if c.exists {
			write(t, file, "another release")
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		p, note, err := poolOf(worker.Process)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		if !strings.Contains(note, c.want) || c.want == "" && note != "" || strings.Contains(note, "worker: ") {
			t.Errorf("the note is %q, want %q", note, c.want)
		}
	}
}
