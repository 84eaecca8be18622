// Package clients knows how clients of the Model Context Protocol start a server: what a person copies, and how exo adds it without losing
// anything else of a client's file.
package clients

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Names are the clients that are known.
func Names() []string { return []string{"claude", "claude-code", "codex", "cursor", "vscode"} }

// Entry is how a client starts exo.
type Entry struct {
	Client   string // one of Names
	Args     []string
	Var, URL string // of the database: exo finds the URL in the variable; "": in the arguments
}

// name is what clients call the server.
const name = "exo"

// server is an entry as clients write it.
type server struct {
	Name    string            `json:"name,omitempty"`
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// server is the entry with a command and a URL.
func (e Entry) server(command, url string) server {
	s := server{Command: command, Args: e.Args}
	if e.Var != "" {
		s.Env = map[string]string{e.Var: url}
	}
	if e.Client == "vscode" {
		s.Type = "stdio"
	}
	return s
}

// Text is what a person copies into the client's file, or types. It has no URL: that may hold a password.
func (e Entry) Text() string {
	s := e.server(cli.ProgramName, "the URL of the database")
	where := map[string]string{"claude": "claude_desktop_config.json, or .mcp.json of Claude Code", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json"}
	switch e.Client {
	case "claude-code":
		return Line(s.words("claude", "-e")) + "\n"
	case "codex":
		return "# ~/.codex/config.toml\n" + s.toml()
	}
	return "// " + where[e.Client] + "\n" + asJSON(map[string]any{e.key(): map[string]any{name: s}}, "", "  ") + "\n"
}

// key is the member of a client's file that has its servers.
func (e Entry) key() string {
	return cmp.Or(map[string]string{"vscode": "servers", "codex": "mcp_servers"}[e.Client], "mcpServers")
}

// words add the server by a client's own command. flag is the one for a variable.
func (s server) words(client, flag string, more ...string) []string {
	words := []string{client, "mcp", "add", name}
	for v, url := range s.Env { // of one
		words = append(words, flag, v+"="+url)
	}
	return slices.Concat(words, more, []string{"--", s.Command}, s.Args)
}

// toml is the table of a server.
func (s server) toml() string {
	text := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, asJSON(s.Command, "", ""), asJSON(s.Args, "", ""))
	for v, url := range s.Env {
		text += fmt.Sprintf("env = { %s = %s }\n", v, asJSON(url, "", ""))
	}
	return text
}

// asJSON is a value as JSON, which TOML reads as well where it is a text or a list of texts.
func asJSON(v any, prefix, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	if err := enc.Encode(v); err != nil {
		panic("clients: " + err.Error()) // texts, lists and maps of them
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+-]+$`)

// Line is a command as a shell takes it.
func Line(words []string) string { return strings.Join(scalar.Each(words, shellWord), " ") }

// shellWord is a word as a shell takes it.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var (
	passwordParam = regexp.MustCompile(`(?i)(^|&)[^=&]*(password|%)[^=&]*=[^&]*`) // a name with escapes may be any
	// plainURL is a URL of which every part is known, so that no password hides in another one.
	plainURL = regexp.MustCompile(`^postgres(ql)?://([\w.%+~-]+@)?[\w.,:\[\]-]*(/[\w.%+~-]*)?(\?[\w.%&=+~,:/-]*)?$`)
	secretly = regexp.MustCompile(`(?i)pass|pwd|secret`)
)

// withoutPassword is the URL of a database as a client's file may hold it. A file of SQLite gets its whole path, since a client starts exo in
// a folder of its own choice. It is an error of a URL that may hold a password elsewhere than where one belongs.
func withoutPassword(raw string) (string, error) {
	if path, ok := strings.CutPrefix(raw, "sqlite:"); ok {
		if full, err := filepath.Abs(path); err == nil {
			return "sqlite:" + full, nil
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("the URL of the database can't be read")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery = strings.TrimPrefix(passwordParam.ReplaceAllString(u.RawQuery, ""), "&")
	query, err := url.QueryUnescape(u.RawQuery)
	if text := u.String(); err == nil && plainURL.MatchString(text) && !secretly.MatchString(query) {
		return text, nil
	}
	return "", errors.New("the URL of the database has a form of which exo can't be sure that no password is in it: put it into a file, and give that as file:PATH")
}

// Install adds the entry for whoever runs exo: by the client's own command where there is one, else in the client's own file. Where it can't,
// nothing is changed, and what to add by hand is written to std.Out. Passwords are left out.
func (e Entry) Install(ctx context.Context, std cli.Stdio) error {
	home, err := os.UserHomeDir()
	config, wrong := os.UserConfigDir()
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	path := map[string]string{
		"claude":      filepath.Join(config, "Claude", "claude_desktop_config.json"),
		"claude-code": filepath.Join(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), home), ".claude.json"),
		"codex":       filepath.Join(cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "config.toml"),
		"cursor":      filepath.Join(home, ".cursor", "mcp.json"),
		"vscode":      filepath.Join(config, "Code", "User", "mcp.json"),
	}[e.Client]
	self, _ := os.Executable()                                                             // a client may have another PATH than a shell
	if found, err := exec.LookPath(cli.ProgramName); err == nil && sameFile(found, self) { // the name that an update keeps
		self, _ = filepath.Abs(found)
	}
	if strings.Contains(self, "go-build") && !strings.HasSuffix(self, ".test") || strings.Contains(self, "_npx") {
		return fmt.Errorf("%s is gone once this command has ended or its cache is cleared: install exo first, as by go install ./cmd/exo", self)
	}
	url := ""
	if e.Var != "" {
		if url, err = withoutPassword(e.URL); err != nil {
			return err
		}
	}
	did, err := e.add(ctx, std, e.server(cmp.Or(self, cli.ProgramName), url), path)
	if err != nil {
		fmt.Fprint(std.Out, e.Text())
		return fmt.Errorf("%w; standard output has what to add by hand to %s", err, path)
	}
	if url != e.URL && e.Var != "" && !strings.HasPrefix(url, "sqlite:") {
		did += "\nno password is in it: put it into ~/.pgpass, or name a file that holds the whole URL, as file:PATH"
	}
	_, err = fmt.Fprintln(std.Err, did)
	return err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, wrong := os.Stat(b)
	return err == nil && wrong == nil && os.SameFile(x, y)
}

// add adds a server to the client whose file is at path. Some of the clients' commands write over an entry without a word, so the file is
// looked at in any case.
func (e Entry) add(ctx context.Context, std cli.Stdio, s server, path string) (did string, err error) {
	real, mode, text := path, fs.FileMode(0o600), []byte(nil)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // behind all links
		mode = info.Mode().Perm()
		if real, err = filepath.EvalSymlinks(path); err == nil {
			text, err = os.ReadFile(real)
		}
		if err != nil {
			return "", err
		}
	} else if _, there := os.Lstat(path); there == nil {
		return "", errors.New("it is no regular file that can be read")
	}
	after, err := e.edit(text, s)
	if after == nil {
		return path + " has this entry already", err
	}
	words := []string{""}
	switch e.Client {
	case "claude-code":
		words = s.words("claude", "-e", "--scope", "user")
	case "codex":
		words = s.words("codex", "--env")
	case "vscode":
		s.Name = name
		words = []string{"code", "--add-mcp", asJSON(s, "", "")}
	}
	if at, err := exec.LookPath(words[0]); err == nil {
		cmd := exec.CommandContext(ctx, at, words[1:]...)
		cmd.Stdout, cmd.Stderr = std.Err, std.Err
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s has added no entry, or only a part: %w", words[0], err)
		}
		if e.Client != "vscode" { // which may write later
			text, _ = os.ReadFile(path)
			if left, err := e.edit(text, s); left != nil || err != nil {
				return "", fmt.Errorf("%s said that it is done, and %s has no entry %s", words[0], path, name)
			}
		}
		return words[0] + " has added the entry " + name, nil
	}
	if _, err := os.Stat(filepath.Dir(real)); err != nil {
		return "", fmt.Errorf("there is no folder %s: is %s installed?", filepath.Dir(real), e.Client)
	}
	out, err := os.CreateTemp(filepath.Dir(real), "."+filepath.Base(real)+"-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(out.Name()) // of no effect once it has the file's name
	_, err = out.Write(after)
	if err = errors.Join(err, out.Chmod(mode), out.Sync(), out.Close()); err != nil {
		return "", err
	}
	if now, _ := os.ReadFile(real); !bytes.Equal(now, text) {
		return "", errors.New("something else has changed it meanwhile")
	}
	did = path + " has the entry " + name + " now"
	if text != nil {
		backup := real + ".before-exo-" + time.Now().UTC().Format("20060102T150405.000")
		did += "; as it was it is " + backup
		if err := os.Link(real, backup); err != nil { // the file itself, whose name the new one takes
			return "", err
		}
	}
	return did, os.Rename(out.Name(), real)
}

// edit is the text of the client's file with a server added; nil: it is there already, or there is an error.
func (e Entry) edit(text []byte, s server) ([]byte, error) {
	if e.Client != "codex" && len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	before, err := e.read(text)
	servers, ok := before[e.key()].(map[string]any)
	if err == nil && !ok && before[e.key()] != nil {
		err = fmt.Errorf("its %s is no table of servers", e.key())
	}
	if err != nil {
		return nil, err
	}
	if v, has := servers[name]; has {
		var is server
		if json.Unmarshal([]byte(asJSON(v, "", "")), &is) == nil && is.Command == s.Command && slices.Equal(is.Args, s.Args) && maps.Equal(is.Env, s.Env) {
			return nil, nil
		}
		return nil, fmt.Errorf("it has another entry %s: take that out, or give it another name", name)
	}
	out := []byte(strings.TrimPrefix(strings.TrimSuffix(string(text), "\n")+"\n\n", "\n\n") + s.toml())
	if e.Client != "codex" {
		out = addJSON(text, e.key(), s)
	}
	if !ok {
		servers = map[string]any{}
		before[e.key()] = servers
	}
	var entry any
	_ = json.Unmarshal([]byte(asJSON(s, "", "")), &entry)
	servers[name] = entry
	if after, err := e.read(out); err != nil || !reflect.DeepEqual(before, after) {
		return nil, errors.Join(errors.New("exo can't add to it and keep the rest as it is"), err)
	}
	return out, nil
}

// read is what the text of the client's file says: TOML, or JSON with comments.
func (e Entry) read(text []byte) (all map[string]any, err error) {
	if e.Client == "codex" {
		all = map[string]any{}
		return all, toml.Unmarshal(text, &all)
	}
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err = d.Decode(&all); err == nil && all == nil {
		err = errors.New("it holds no object")
	}
	return all, err
}

// addJSON adds a server behind the last member of the object under key, and else that object behind the last member of all. The text is one
// that read took.
func addJSON(text []byte, key string, s server) []byte {
	root, _ := hujson.Parse(text)
	o, unit := root.Value.(*hujson.Object), "  "
	if len(o.Members) > 0 {
		if at := string(o.Members[0].Name.BeforeExtra); strings.Contains(at, "\n") {
			at = at[strings.LastIndexByte(at, '\n')+1:]
			unit = at[:len(at)-len(strings.TrimLeft(at, " \t"))]
		}
	}
	put := func(o *hujson.Object, depth int, member string, value any) {
		pad := strings.Repeat(unit, depth)
		v, _ := hujson.Parse([]byte(" " + asJSON(value, pad, unit)))
		if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
			v.AfterExtra = hujson.Extra{} // the last member has a comma behind it, so this one has one
		}
		name := hujson.Value{BeforeExtra: hujson.Extra(string(bytes.TrimRight(o.AfterExtra, " \t\r\n")) + "\n" + pad), Value: hujson.String(member)}
		o.Members = append(o.Members, hujson.ObjectMember{Name: name, Value: v})
		o.AfterExtra = hujson.Extra("\n" + strings.Repeat(unit, depth-1))
	}
	if at := root.Find("/" + key); at == nil {
		put(o, 1, key, map[string]any{name: s})
	} else if o, ok := at.Value.(*hujson.Object); ok {
		put(o, 2, name, s)
	}
	return root.Pack()
}
