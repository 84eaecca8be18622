package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
)

// at is a home with nothing on the PATH, where a client's file has a text; "": there is none, but its folder is there.
func at(t *testing.T, client, text string) (path string) {
	t.Helper()
	home := t.TempDir()
	for _, v := range []string{"CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
		t.Setenv(v, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("PATH", t.TempDir())
	path = filepath.Join(home, map[string]string{"claude": ".config/Claude/claude_desktop_config.json", "claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json"}[client])
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// installed adds an entry, and reads the file after it, in which the path of this program is EXO.
func installed(t *testing.T, e Entry, path string) (text, out, says string, err error) {
	t.Helper()
	var stdout, stderr strings.Builder
	err = e.Install(t.Context(), cli.Stdio{Out: &stdout, Err: &stderr})
	b, _ := os.ReadFile(path)
	self, _ := os.Executable()
	return strings.ReplaceAll(string(b), self, "EXO"), stdout.String(), stderr.String(), err
}

func notWindows(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of clients are those of Linux here")
	}
}

// TestInstall: what stands in a client's file stays, byte by byte, and the entry is behind it; a second time nothing changes.
func TestInstall(t *testing.T) {
	notWindows(t)
	for _, c := range []struct{ client, before, after string }{
		{"cursor", "", "{\n  \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  }\n}\n"},
		{"cursor", " \n", "{\n  \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  }\n}\n"},
		{"claude", "{\n\t// mine\n\t\"z\": 1e400, /* odd */ \"mcpServers\": {\n\t\t\"a\": {\"x\": 1} // about a\n\t}\n}",
			"{\n\t// mine\n\t\"z\": 1e400, /* odd */ \"mcpServers\": {\n\t\t\"a\": {\"x\": 1}, // about a\n\t\t\"exo\": {\n\t\t\t\"command\": \"EXO\",\n\t\t\t\"args\": [\n\t\t\t\t\"try\",\n\t\t\t\t\"a\\\"b\"\n\t\t\t]\n\t\t}\n\t}\n}"},
		{"vscode", "{\n    \"servers\": {\n        \"a\": {},\n        // the last\n    },\n    \"inputs\": []\n}\n",
			"{\n    \"servers\": {\n        \"a\": {},\n        // the last\n        \"exo\": {\n            \"type\": \"stdio\",\n            \"command\": \"EXO\",\n            \"args\": [\n                \"try\",\n                \"a\\\"b\"\n            ]\n        },\n    },\n    \"inputs\": []\n}\n"},
		{"claude-code", `{"a": "é", "mcpServers": {}}`, "{\"a\": \"é\", \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  }}"},
		{"cursor", "{\n  /* a */ \"a\": 1,\n}\n", "{\n  /* a */ \"a\": 1,\n  \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  },\n}\n"},
		{"cursor", "\ufeff{\"a\": 1} // the end", "\ufeff{\"a\": 1,\n  \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  }\n} // the end"},
		{"cursor", "\ufeff", "\ufeff{\n  \"mcpServers\": {\n    \"exo\": {\n      \"command\": \"EXO\",\n      \"args\": [\n        \"try\",\n        \"a\\\"b\"\n      ]\n    }\n  }\n}\n"},
		{"codex", "\ufeffmodel = \"x\"\n", "\ufeffmodel = \"x\"\n\n[mcp_servers.exo]\ncommand = \"EXO\"\nargs = [\"try\",\"a\\\"b\"]\n"},
		{"codex", "# mine\nmodel = \"x\" # why\n[mcp_servers.other]\ncommand = 'c'", "# mine\nmodel = \"x\" # why\n[mcp_servers.other]\ncommand = 'c'\n\n[mcp_servers.exo]\ncommand = \"EXO\"\nargs = [\"try\",\"a\\\"b\"]\n"},
		{"codex", "", "[mcp_servers.exo]\ncommand = \"EXO\"\nargs = [\"try\",\"a\\\"b\"]\n"},
	} {
		path := at(t, c.client, c.before)
		e := Entry{Client: c.client, Args: []string{"try", `a"b`}}
		text, out, says, err := installed(t, e, path)
		if err != nil || out != "" || text != c.after {
			t.Errorf("%s: %v %s\n%s\nwant\n%s", c.client, err, out, text, c.after)
			continue
		}
		info, err := os.Stat(path)
		backups, _ := filepath.Glob(path + ".before-exo-*")
		if c.before == "" {
			if info.Mode().Perm() != 0o600 || len(backups) != 0 {
				t.Errorf("%s: a new file has %v, and backups are %q", c.client, info.Mode(), backups)
			}
		} else if was, _ := os.ReadFile(backups[0]); err != nil || info.Mode().Perm() != 0o640 || string(was) != c.before || !strings.Contains(says, backups[0]) {
			t.Errorf("%s: %v, the backup is %q\n%s", c.client, info.Mode(), was, says)
		}
		if again, _, says, err := installed(t, e, path); err != nil || again != c.after || !strings.Contains(says, "has this entry already") {
			t.Errorf("%s a second time: %v %s\n%s", c.client, err, says, again)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-*")); len(left) != 0 {
			t.Errorf("%s: left behind: %q", c.client, left)
		}
	}
}

// TestInstallRefuses: a file that can't be kept as it is stays, and what to add by hand is on standard output.
func TestInstallRefuses(t *testing.T) {
	notWindows(t)
	for _, c := range []struct{ client, before, says string }{
		{"cursor", `{"mcpServers": {`, "unexpected EOF"},
		{"cursor", `[]`, "cannot unmarshal array"},
		{"cursor", `null`, "not a JSON object"},
		{"cursor", `{"mcpServers": []}`, "not a table of servers"},
		{"cursor", `{"mcpServers": null}`, "without changing the rest"},
		{"cursor", `{"mcpServers": [], "mcpServers": {}}`, "without changing the rest"},
		{"cursor", `{"mcpServers": {"exo": {"command": "exo", "args": ["serve"]}}}`, "another entry with the name exo"},
		{"cursor", `{"mcpServers": {"exo": {"url": "https://example.com"}}}`, "another entry with the name exo"},
		{"cursor", `{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}`, "without changing the rest"},
		{"codex", "model = ", "toml: "},
		{"codex", "mcp_servers = { a = { command = 'x' } }\n", "without changing the rest"},
		{"codex", "[mcp_servers.exo]\nurl = 'https://example.com'\n", "another entry with the name exo"},
		{"codex", "mcp_servers = 1\n", "not a table of servers"},
	} {
		path := at(t, c.client, c.before)
		text, out, _, err := installed(t, Entry{Client: c.client, Args: []string{"try"}}, path)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) || text != c.before || !strings.Contains(out, "exo") {
			t.Errorf("%s %s: %v, want %s\n%s\n%s", c.client, c.before, err, c.says, text, out)
		}
		if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
			t.Errorf("%s: files are left behind: %v", c.before, all)
		}
	}
	path := at(t, "cursor", "")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := installed(t, Entry{Client: "cursor"}, path); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder: %v", err)
	}
	path = at(t, "cursor", "")
	if err := os.Symlink(path+".gone", path); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := installed(t, Entry{Client: "cursor"}, path); err == nil {
		t.Error("a link to nowhere was replaced")
	}
	path = at(t, "cursor", "")
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, out, _, err := installed(t, Entry{Client: "cursor"}, path); err == nil || !strings.Contains(out, "mcpServers") {
		t.Errorf("no client is here: %v", err)
	}
}

// TestInstallLink: a link stays one, and what it leads to has the entry and the copy beside it.
func TestInstallLink(t *testing.T) {
	notWindows(t)
	path := at(t, "codex", "")
	real := filepath.Join(t.TempDir(), "dotfiles.toml")
	if err := os.WriteFile(real, []byte("a = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	if text, _, _, err := installed(t, Entry{Client: "codex", Args: []string{"try"}}, path); err != nil || !strings.HasPrefix(text, "a = 1\n\n[mcp_servers.exo]") {
		t.Errorf("%v\n%s", err, text)
	}
	info, err := os.Lstat(path)
	if backups, _ := filepath.Glob(real + ".before-exo-*"); err != nil || info.Mode()&os.ModeSymlink == 0 || len(backups) != 1 {
		t.Errorf("%v %v, backups %q", info.Mode(), err, backups)
	}
}

// TestInstallCommand: where the client's command is, it adds the entry, and the file stays; an entry of that name with other contents is
// refused before.
func TestInstallCommand(t *testing.T) {
	notWindows(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for client, c := range map[string]struct{ command, has, want string }{
		"claude-code": {"claude", "", "mcp\nadd\nexo\n-e\nURL=postgres://ann@db/shop\n--scope\nuser\n--\nEXO\ntry\nenv:URL\n"},
		"codex":       {"codex", "", "mcp\nadd\nexo\n--env\nURL=postgres://ann@db/shop\n--\nEXO\ntry\nenv:URL\n"},
		"vscode":      {"code", "", "--add-mcp\n{\"name\":\"exo\",\"type\":\"stdio\",\"command\":\"EXO\",\"args\":[\"try\",\"env:URL\"],\"env\":{\"URL\":\"postgres://ann@db/shop\"}}\n"},
	} {
		path := at(t, client, "")
		dir, ran := os.Getenv("PATH"), filepath.Join(t.TempDir(), "ran")
		e := Entry{Client: client, Args: []string{"try", "env:URL"}, Var: "URL", URL: "postgres://ann:sekret@db/shop"}
		self, _ := os.Executable()
		added, err := e.edit(nil, e.server(self, "postgres://ann@db/shop"))
		if err != nil {
			t.Fatal(err)
		}
		command := func(more string) {
			if err := os.WriteFile(filepath.Join(dir, c.command), []byte("#!"+sh+"\nprintf '%s\\n' \"$@\" > '"+ran+"'\n"+more), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		command("") // says that it is done
		if _, out, _, err := installed(t, e, path); (err == nil) != (client == "vscode") || err != nil && !strings.Contains(out, "exo") {
			t.Errorf("%s adds nothing: %v", client, err)
		}
		before := map[bool]string{true: "a = 1\n", false: "{}\n"}[client == "codex"]
		if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
			t.Fatal(err)
		}
		command("printf '%s' '" + string(added) + "' > '" + path + "'\n")
		if _, out, says, err := installed(t, e, path); err != nil || out != "" || !strings.Contains(says, c.command+" has added") || !strings.Contains(says, "contains no password") {
			t.Errorf("%s: %v %s %s", client, err, out, says)
		} else if backups, _ := filepath.Glob(path + ".before-exo-*"); len(backups) != 1 || !strings.Contains(says, "a copy from before is "+backups[0]) {
			t.Errorf("%s: backups are %q\n%s", client, backups, says)
		} else if was, _ := os.ReadFile(backups[0]); string(was) != before {
			t.Errorf("%s: the backup is %q", client, was)
		}
		if got, _ := os.ReadFile(ran); strings.ReplaceAll(strings.ReplaceAll(string(got), self, "EXO"), `: "`, `":"`) != c.want && strings.ReplaceAll(string(got), self, "EXO") != c.want {
			t.Errorf("%s ran with\n%s\nwant\n%s", client, got, c.want)
		}
		if err := os.WriteFile(path, []byte(map[bool]string{true: "[mcp_servers.exo]\ncommand = 'x'\n", false: `{"servers": {"exo": {}}, "mcpServers": {"exo": {}}}`}[client == "codex"]), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove(ran)
		if _, _, _, err := installed(t, e, path); err == nil || !strings.Contains(err.Error(), "another entry with the name") {
			t.Errorf("%s: %v", client, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s was run over another entry", client)
		}
		os.Remove(path)
		if err := os.WriteFile(filepath.Join(dir, c.command), []byte("#!"+sh+"\necho no; exit 3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, out, says, err := installed(t, e, path); err == nil || strings.Contains(out+says+err.Error(), "sekret") || !strings.Contains(out, "exo") {
			t.Errorf("%s that fails: %v %s", client, err, out)
		}
	}
}

func TestWithoutPassword(t *testing.T) {
	wd, _ := os.Getwd()
	for raw, want := range map[string]string{
		"postgres://ann:sekret@db:5432/shop?sslmode=require":                     "postgres://ann@db:5432/shop?sslmode=require",
		"postgres://db/shop?user=ann&password=sekret&sslmode=disable":            "postgres://db/shop?user=ann&sslmode=disable",
		"postgres://db/shop?password=sekret":                                     "postgres://db/shop",
		"postgres://db/shop?pass%77ord=sekret&a=1":                               "postgres://db/shop?a=1",
		"postgres://ann@db/shop?sslpassword=sekret&sslkey=k&PASSWORD=sekret&b=2": "postgres://ann@db/shop?sslkey=k&b=2",
		"postgres://ann:sekret@a:1,b:2/shop":                                     "postgres://ann@a:1,b:2/shop",
		"sqlite:shop.db":                                                         "sqlite:" + filepath.Join(wd, "shop.db"),
		"%zz":                                                                    "",
		// A password may be anywhere in these.
		"host=127.0.0.1 password=sekret":                       "",
		"Driver=x;Pwd=sekret":                                  "",
		"postgres://ann:12#sekret@db/shop":                     "",
		"postgres://ann:/sekret@db/shop":                       "",
		"postgres://db/shop?options=-c%20my.password%3Dsekret": "",
	} {
		if got, err := withoutPassword(raw); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v, want %s", raw, got, err, want)
		}
	}
}

// TestInstallSelf: the entry starts the program that ran, and not another of its name that comes first on PATH.
func TestInstallSelf(t *testing.T) {
	notWindows(t)
	path := at(t, "cursor", "")
	other := filepath.Join(os.Getenv("PATH"), "exo")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text, _, _, err := installed(t, Entry{Client: "cursor", Args: []string{"try"}}, path); err != nil || !strings.Contains(text, `"command": "EXO"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestInstallName: a second entry is beside the first, and one that starts something else is not written over.
func TestInstallName(t *testing.T) {
	notWindows(t)
	for _, client := range Names() {
		path := at(t, client, "")
		one, two := Entry{Client: client, Args: []string{"try", "one"}}, Entry{Client: client, Name: "shop-2", Args: []string{"try", "two"}}
		if !strings.Contains(two.Text(), "shop-2") {
			t.Errorf("%s: %s", client, two.Text())
		}
		if _, _, _, err := installed(t, one, path); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := installed(t, Entry{Client: client, Args: two.Args}, path); err == nil || !strings.Contains(err.Error(), "another entry with the name exo: give the new entry another name by -name NAME") {
			t.Errorf("%s: %v", client, err)
		}
		text, _, says, err := installed(t, two, path)
		if err != nil || !strings.Contains(says, "the entry shop-2 now") {
			t.Errorf("%s: %v %s", client, err, says)
		}
		all, err := one.read([]byte(text))
		if servers, _ := all[one.key()].(map[string]any); err != nil || len(servers) != 2 || servers["exo"] == nil || servers["shop-2"] == nil {
			t.Errorf("%s: %v\n%s", client, err, text)
		}
	}
	for name, want := range map[string]bool{"a": true, "shop-2_b": true, "": false, "-x": false, "a b": false, "a.b": false, "é": false, strings.Repeat("a", 65): false} {
		if IsName(name) != want {
			t.Errorf("%q", name)
		}
	}
}
