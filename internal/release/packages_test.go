package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// host is the platform of this machine.
func host(t *testing.T) platform {
	t.Helper()
	for _, p := range platforms {
		if p.target == runtime.GOOS+"/"+runtime.GOARCH {
			return p
		}
	}
	t.Skip("there are no packages for this machine")
	return platform{}
}

// tool is a program that a test needs, which test.sh installs.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not there: run ./test.sh, which installs it")
	}
	return path
}

// run runs a command in a folder and returns what it wrote to both outputs.
func run(t *testing.T, dir string, env []string, command ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must is run where nothing may fail.
func must(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	out, err := run(t, dir, env, command...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return out
}

// isRelease checks that a command is exo v0.1.0, and that the file is the binary of the release, byte for byte.
func isRelease(t *testing.T, file string, env []string, command ...string) {
	t.Helper()
	if out := must(t, t.TempDir(), env, command...); !strings.HasPrefix(out, "exo v0.1.0 go") {
		t.Errorf("%v prints %s", command, out)
	}
	sameAsRelease(t, file)
}

// sameAsRelease checks that a file is the binary of the release with its name, byte for byte.
func sameAsRelease(t *testing.T, file string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dist(t), filepath.Base(file)+"_v0.1.0_linux_"+runtime.GOARCH))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the binary of the release: %v", file, err)
	}
}

// TestNPM: npm installs the two packages from files, without a network, and the launcher starts the binary with its arguments, its input, its code
// and its signals. Without the package of the platform it says which one is missing.
func TestNPM(t *testing.T) {
	npm, p, out := tool(t, "npm"), host(t), dist(t)
	dir := t.TempDir()
	env := []string{"npm_config_cache=" + filepath.Join(dir, "cache"), "HOME=" + dir, "npm_config_offline=true", "npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false"}
	main, own := filepath.Join(out, "exoagent-0.1.0.tgz"), filepath.Join(out, "exoagent-exo-"+p.node+"-0.1.0.tgz")
	must(t, dir, env, npm, "init", "-y")
	must(t, dir, env, npm, "install", main, own)
	bin := filepath.Join(dir, "node_modules", ".bin")
	isRelease(t, filepath.Join(dir, "node_modules", "@exoagent", "exo-"+p.node, "bin", "exo"), nil, filepath.Join(bin, "exo"), "version")
	sameAsRelease(t, filepath.Join(dir, "node_modules", "@exoagent", "exo-"+p.node, "bin", "exo-worker"))
	if out := must(t, dir, env, "npx", "--no-install", "exoagent", "version"); !strings.HasPrefix(out, "exo v0.1.0 go") {
		t.Errorf("npx exoagent version prints %s", out)
	}
	if out, err := run(t, dir, env, filepath.Join(bin, "exoagent"), "nope"); err == nil || err.Error() != "exit status 2" || !strings.Contains(out, `there is no command "nope"`) {
		t.Errorf("%v: %s", err, out)
	}
	prefix := filepath.Join(dir, "prefix")
	must(t, dir, env, npm, "install", "--global", "--prefix", prefix, main, own)
	if out := must(t, dir, env, filepath.Join(prefix, "bin", "exo"), "version"); !strings.HasPrefix(out, "exo v0.1.0 go") {
		t.Errorf("installed for all it prints %s", out)
	}
	alone := t.TempDir()
	must(t, alone, env, npm, "init", "-y")
	must(t, alone, env, npm, "install", "--omit=optional", main)
	if out, err := run(t, alone, env, filepath.Join(alone, "node_modules", ".bin", "exo"), "version"); err == nil || !strings.Contains(out, "the package @exoagent/exo-"+p.node+" is not installed") {
		t.Errorf("without its binary: %v, %s", err, out)
	}
}

// TestNPMSignal: a launcher that is ended ends exo, and what exo reads and writes goes past the launcher.
func TestNPMSignal(t *testing.T) {
	node, out := tool(t, "node"), dist(t)
	dir := t.TempDir()
	at := filepath.Join(dir, "node_modules", "@exoagent", "exo-"+host(t).node, "bin")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(out, "exo_v0.1.0_linux_"+runtime.GOARCH), filepath.Join(at, "exo")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "exo.js")
	if err := os.WriteFile(script, launcher, 0o666); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "shop.db")
	grants := "exo: 1\nreviewed: true\ndatabases: {shop: \"sqlite:" + db + "\"}\nprincipal: {org: int}\ngrants: {items: item}\nfacets: {item: {table: items, scope: org = $principal.org, columns: [id]}}\n"
	if err := os.WriteFile(filepath.Join(dir, "exo.yaml"), []byte(grants), 0o666); err != nil {
		t.Fatal(err)
	}
	fill(t, "sqlite:"+db, "CREATE TABLE items (id INTEGER PRIMARY KEY, org INTEGER NOT NULL)", "CREATE INDEX items_by_org ON items (org)")
	cmd := exec.CommandContext(t.Context(), node, script, "serve", "exo.yaml", "-as", "org=1")
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
	if err := cmd.Process.Signal(os.Interrupt); err != nil { // exo decides, and the test sends it to the launcher alone
		t.Fatal(err)
	}
	if text, failed := call(t, client, "items.count()"); text != `{"result":0}` || failed {
		t.Error(text)
	}
	if err := client.Close(); err != nil {
		t.Errorf("at the end of its input: %v, %s", err, said.String())
	}
}

// fill runs statements on a database of SQLite.
func fill(t *testing.T, url string, statements ...string) {
	t.Helper()
	raw := testutil.SQLite.SQLDB(t, url)
	for _, s := range statements {
		if _, err := raw.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

// call runs a program over MCP.
func call(t *testing.T, c *mcp.ClientSession, code string) (string, bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": code}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// TestWheel: pip installs the wheel from a folder into an environment of its own, with the command and the client, which finds the command.
func TestWheel(t *testing.T) {
	python, out := python3(t), dist(t)
	env := filepath.Join(t.TempDir(), "env")
	if text, err := run(t, out, nil, python, "-m", "venv", env); err != nil {
		t.Skipf("Python makes no environments: run ./test.sh, which installs python3-venv: %s", text)
	}
	bin := filepath.Join(env, "bin")
	must(t, t.TempDir(), []string{"PIP_CONFIG_FILE=/dev/null"}, filepath.Join(bin, "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--find-links", out, "exoagent")
	isRelease(t, filepath.Join(bin, "exo"), nil, filepath.Join(bin, "exo"), "version")
	isRelease(t, filepath.Join(bin, "exo"), nil, filepath.Join(bin, "exoagent"), "version") // as uvx and pipx run it
	sameAsRelease(t, filepath.Join(bin, "exo-worker"))
	code := "import exoagent, importlib.metadata as m; print(exoagent.find(), m.version('exoagent'))"
	if got, want := must(t, t.TempDir(), []string{"PATH=/none"}, filepath.Join(bin, "python"), "-c", code), filepath.Join(bin, "exo")+" 0.1.0\n"; got != want {
		t.Errorf("the client finds %s, want %s", got, want)
	}
	if text := must(t, t.TempDir(), nil, filepath.Join(bin, "python"), "-m", "pip", "check"); !strings.Contains(text, "No broken requirements") {
		t.Error(text)
	}
}

// TestWheelRecord: each file of a wheel has its checksum in RECORD, and the name of the wheel says what WHEEL says.
func TestWheelRecord(t *testing.T) {
	name := filepath.Join(dist(t), "exoagent-0.1.0-py3-none-"+host(t).wheel+".whl")
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if f.Modified.Year() != 1980 { // of two releases in one test, a clock could give the same
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	const info = "exoagent-0.1.0.dist-info/"
	want := 0
	for name, body := range files {
		line := fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum(body)), len(body))
		if name == info+"RECORD" {
			line = name + ",,\n"
		}
		if !strings.Contains(string(files[info+"RECORD"]), line) {
			t.Errorf("RECORD lacks %s", line)
		}
		want += len(line)
	}
	if len(files[info+"RECORD"]) != want || files["exoagent/__init__.py"] == nil || files["exoagent/py.typed"] == nil {
		t.Errorf("RECORD:\n%s", files[info+"RECORD"])
	}
	for tag := range strings.SplitSeq(host(t).wheel, ".") {
		if !strings.Contains(string(files[info+"WHEEL"]), "Tag: py3-none-"+tag+"\n") {
			t.Errorf("WHEEL:\n%s", files[info+"WHEEL"])
		}
	}
	if page := string(files[info+"METADATA"]); strings.Contains(page, "](../") || strings.Contains(page, "](exoagent/") {
		t.Errorf("links that lead nowhere from an index:\n%s", page)
	}
}

func sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }

// TestStatic: a binary that needs a library of C gets no tag that says that it runs everywhere.
func TestStatic(t *testing.T) {
	exe, err := os.ReadFile(filepath.Join(dist(t), "exo_v0.1.0_linux_"+runtime.GOARCH))
	if err != nil || static(exe) != nil {
		t.Errorf("the release: %v, %v", err, static(exe))
	}
	self, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip("there is no /bin/sh to try: ", err)
	}
	if f, err := elf.NewFile(bytes.NewReader(self)); err != nil || len(f.Progs) == 0 {
		t.Skip("/bin/sh is no binary of this system")
	}
	if err := static(self); err == nil || !strings.Contains(err.Error(), "libc") {
		t.Errorf("/bin/sh: %v", err)
	}
}

// TestPythonVersion: a version of a tag as Python writes it, or none.
func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{"0.1.0": "0.1.0", "1.2.3-rc.1": "1.2.3rc1", "1.2.3-beta2": "1.2.3b2", "1.2.3-alpha.0": "1.2.3a0", "1.2.3-rc": "", "1.2.3-x.1": "", "1.2": ""} {
		if got, err := pythonVersion(version); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
}

// TestDeb: dpkg takes the package into a system of its own, with the pages and completions, and removes it again.
func TestDeb(t *testing.T) {
	dpkg, p := tool(t, "dpkg"), host(t)
	file := filepath.Join(dist(t), "exoagent_0.1.0_"+p.debian+".deb")
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"var/lib/dpkg/status", "var/lib/dpkg/available"} {
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	apart := []string{dpkg, "--root=" + root, "--force-not-root", "--force-bad-path", "--log=/dev/null"}
	must(t, root, nil, append(apart, "--install", file)...)
	isRelease(t, filepath.Join(root, "usr/bin/exo"), nil, filepath.Join(root, "usr/bin/exo"), "version")
	sameAsRelease(t, filepath.Join(root, "usr/bin/exo-worker"))
	files := must(t, root, nil, append(apart, "--listfiles", "exoagent")...)
	for _, want := range []string{"/usr/share/man/man1/exo.1.gz", "/usr/share/man/man1/exo-serve.1.gz", "/usr/share/bash-completion/completions/exo", "/usr/share/fish/vendor_completions.d/exo.fish", "/usr/share/zsh/vendor-completions/_exo", "/usr/share/doc/exoagent/copyright"} {
		if !strings.Contains(files, want+"\n") {
			t.Errorf("it lacks %s:\n%s", want, files)
		}
	}
	if status := must(t, root, nil, append(apart, "--status", "exoagent")...); !strings.Contains(status, "Status: install ok installed\n") || !strings.Contains(status, "Version: 0.1.0\n") {
		t.Error(status)
	}
	for l := range strings.Lines(must(t, root, []string{"TZ=UTC"}, "dpkg-deb", "--contents", file)) {
		if !strings.Contains(l, " root/root ") && !strings.Contains(l, " 0/0 ") || !strings.Contains(l, " 1980-01-01 00:00 ") {
			t.Errorf("an entry with an owner or a time of its own: %s", l)
		}
	}
	must(t, root, nil, append(apart, "--purge", "exoagent")...)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/exo")); err == nil {
		t.Error("it stays when it is removed")
	}
	if pages := must(t, root, nil, "sh", "-c", "dpkg-deb --fsys-tarfile "+file+" | tar -xO ./usr/share/man/man1/exo-try.1.gz | gunzip"); !strings.Contains(pages, "EXO\\-TRY") {
		t.Errorf("the page of exo try: %.200s", pages)
	}
}

// TestMCPB: the bundle is what the tools of its makers take, and what its manifest starts says what to do until somebody has agreed, and then serves.
func TestMCPB(t *testing.T) {
	node, p := tool(t, "node"), host(t)
	bundle := filepath.Join(dist(t), "exo-0.1.0-"+p.node+".mcpb")
	dir := filepath.Join(t.TempDir(), "bundle")
	if err := os.CopyFS(dir, unzipped(t, bundle)); err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cli := filepath.Join(cache, "exoagent-tools", "mcpb-2.1.2", "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	if _, err := os.Stat(cli); err != nil {
		t.Skip("the tools of MCPB are not there: run ./test.sh, which installs them")
	}
	if out := must(t, dir, nil, node, cli, "validate", filepath.Join(dir, "manifest.json")); !strings.Contains(out, "Manifest schema validation passes!") {
		t.Error(out)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	must(t, dir, nil, node, cli, "unpack", bundle, theirs)
	isRelease(t, filepath.Join(theirs, "server", "exo"), nil, filepath.Join(theirs, "server", "exo"), "version")

	var manifest struct {
		Server struct {
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command string
				Args    []string
				Env     map[string]string
			} `json:"mcp_config"`
		}
		Fields map[string]struct{ Required, Sensitive bool } `json:"user_config"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f := manifest.Fields["database_url"]; !f.Required || !f.Sensitive || len(manifest.Fields) != 2 {
		t.Errorf("what a person fills in: %+v", manifest.Fields)
	}
	url, config := "sqlite:"+filepath.Join(t.TempDir(), "shop.db"), t.TempDir()
	fill(t, url, "CREATE TABLE orgs (id INTEGER PRIMARY KEY, name TEXT NOT NULL)", "CREATE TABLE items (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL REFERENCES orgs (id), size INTEGER NOT NULL)",
		"CREATE INDEX items_by_org ON items (org_id)", "INSERT INTO orgs VALUES (1, 'Acme'), (2, 'Other')", "INSERT INTO items VALUES (1, 1, 5), (2, 2, 6)")
	filled := strings.NewReplacer("${__dirname}", dir, "${user_config.database_url}", url, "${user_config.who}", "org=1")
	start := func() *mcp.ClientSession {
		var args []string
		for _, a := range manifest.Server.Config.Args {
			args = append(args, filled.Replace(a))
		}
		cmd := exec.CommandContext(t.Context(), filled.Replace(manifest.Server.Config.Command), args...)
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+config)
		for name, value := range manifest.Server.Config.Env {
			cmd.Env = append(cmd.Env, name+"="+filled.Replace(value))
		}
		var said bytes.Buffer
		cmd.Stderr = &said
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err, said.String())
		}
		return c
	}
	if cmd := filled.Replace(manifest.Server.Config.Command); cmd != filepath.Join(dir, manifest.Server.EntryPoint) {
		t.Errorf("it starts %s and names %s", cmd, manifest.Server.EntryPoint)
	}
	c := start()
	tools, err := c.ListTools(t.Context(), nil)
	want := filepath.Join(dir, "server", "exo") + " try env:EXO_DATABASE_URL -as org=1 -client claude"
	if err != nil || len(tools.Tools) != 1 || !strings.Contains(tools.Tools[0].Description, want) {
		t.Fatalf("before somebody has agreed: %v, %v", tools, err)
	}
	if says, failed := call(t, c, "items.count()"); !failed || !strings.Contains(says, want) || strings.Contains(says, url) {
		t.Errorf("before somebody has agreed it says %s", says)
	}
	c.Close()
	x := ttytest.Start(t, append(os.Environ(), "XDG_CONFIG_HOME="+config, "EXO_DATABASE_URL="+url), filepath.Join(dir, "server", "exo"), "try", "env:EXO_DATABASE_URL", "-as", "org=1", "-client", "claude")
	x.Ends("Type Acme to agree:")
	x.Send("Acme\r")
	if code := x.Exit(); code != 0 {
		t.Fatal(code, x.Screen())
	}
	c = start()
	if text, failed := call(t, c, "items.select(i => i.size)"); failed || text != `{"result":[5]}` {
		t.Errorf("once somebody has agreed: %s", text)
	}
	c.Close()
}

// unzipped is what a zip holds, with its modes.
func unzipped(t *testing.T, name string) *zip.Reader {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}
