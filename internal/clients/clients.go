// Package clients has the ways in which clients of the Model Context Protocol start a server. It returns the text that a person copies, and
// adds exo to a client's file without losing the rest.
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
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Names lists the known clients.
func Names() []string { return []string{"claude", "claude-code", "codex", "cursor", "vscode"} }

// Entry is the entry in a client's file by which the client starts exo.
type Entry struct {
	Client   string // a name from Names
	Name     string // the client's name for exo; "" means exo
	Args     []string
	Var, URL string // Var is the name of the variable that has the URL of the database; if Var is "", the URL is in Args
}

// IsName reports whether all clients accept the text as an entry's name.
func IsName(s string) bool { return nameForm().MatchString(s) }

var nameForm = scalar.Pattern(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// server is an entry in the form that clients write.
type server struct {
	Name    string            `json:"-"` // the key of the entry
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// server returns the entry with a command and a URL.
func (e Entry) server(command, url string) server {
	s := server{Name: cmp.Or(e.Name, cli.ProgramName), Command: command, Args: e.Args}
	if e.Var != "" {
		s.Env = map[string]string{e.Var: url}
	}
	if e.Client == "vscode" {
		s.Type = "stdio"
	}
	return s
}

// Text returns what a person types, or copies into the client's file. It leaves out the URL, which may contain a password.
func (e Entry) Text() string {
	s := e.server(cli.ProgramName, "the URL of the database")
	where := map[string]string{"claude": "claude_desktop_config.json, or .mcp.json of Claude Code", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json"}
	switch e.Client {
	case "claude-code":
		return Line(s.words("claude", "-e")) + "\n"
	case "codex":
		return "# ~/.codex/config.toml\n" + s.toml()
	}
	return "// " + where[e.Client] + "\n" + indented(map[string]any{e.key(): map[string]any{s.Name: s}}, "", "  ") + "\n"
}

// key returns the name of the member of a client's file that lists its servers.
func (e Entry) key() string {
	return cmp.Or(map[string]string{"vscode": "servers", "codex": "mcp_servers"}[e.Client], "mcpServers")
}

// words returns the command line of the client's own command that adds the server. The argument flag is the command's flag for a variable.
func (s server) words(client, flag string, more ...string) []string {
	words := []string{client, "mcp", "add", s.Name}
	for v, url := range s.Env { // there is at most one variable
		words = append(words, flag, v+"="+url)
	}
	return slices.Concat(words, more, []string{"--", s.Command}, s.Args)
}

// toml returns the server as a table in TOML.
func (s server) toml() string {
	text := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", s.Name, printable.Marshal(s.Command), printable.Marshal(s.Args)) // TOML reads Go's quoted texts, too
	for v, url := range s.Env {
		text += fmt.Sprintf("env = { %s = %s }\n", v, printable.Marshal(url))
	}
	return text
}

func indented(v any, prefix, indent string) string {
	return string(printable.MarshalIndent(v, prefix, indent))
}

var plainWord = scalar.Pattern(`^[A-Za-z0-9_./:=@%+-]+$`)

// Line returns a command in a form that a shell reads.
func Line(words []string) string { return strings.Join(scalar.Each(words, shellWord), " ") }

// shellWord returns a word in a form that a shell reads.
func shellWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var (
	passwordParam = scalar.Pattern(`(?i)(^|&)[^=&]*(password|%)[^=&]*=[^&]*`) // a name with escapes may mean any name
	// plainURL matches a URL whose parts all have known forms, so that no part hides a password.
	plainURL = scalar.Pattern(`^postgres(ql)?://([\w.%+~-]+@)?[\w.,:\[\]-]*(/[\w.%+~-]*)?(\?[\w.%&=+~,:/-]*)?$`)
	secretly = scalar.Pattern(`(?i)pass|pwd|secret`)
)

// withoutPassword returns a database's URL without its password, for a client's file. An SQLite file gets its absolute path, because a client
// starts exo in another folder. It is an error if another part of the URL may contain a password.
func withoutPassword(raw string) (string, error) {
	if path, ok := strings.CutPrefix(raw, "sqlite:"); ok {
		if full, err := filepath.Abs(path); err == nil {
			return "sqlite:" + full, nil
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("the URL of the database can't be read: want sqlite:PATH or postgres://user@host/database")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery = strings.TrimPrefix(passwordParam().ReplaceAllString(u.RawQuery, ""), "&")
	query, err := url.QueryUnescape(u.RawQuery)
	if text := u.String(); err == nil && plainURL().MatchString(text) && !secretly().MatchString(query) {
		return text, nil
	}
	return "", errors.New("the URL of the database may contain a password, which must not be in a client's configuration: put the URL into a file, and write file:PATH in place of the URL")
}

// Install adds the entry for the user who runs exo: with the client's own command if there is one, else in the client's file. If it can't add the
// entry, std.Out gets the text to add by hand. Passwords are left out.
func (e Entry) Install(ctx context.Context, std cli.Stdio) error {
	home, err := os.UserHomeDir()
	config, wrong := os.UserConfigDir()
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	path := map[string]string{
		"claude":      filepath.Join(config, "Claude", "claude_desktop_config.json"),
		"claude-code": filepath.Join(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), home), ".claude.json"),
		"codex":       filepath.Join(cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex")), "config.toml"),
		"cursor":      filepath.Join(home, ".cursor", "mcp.json"),
		"vscode":      filepath.Join(config, "Code", "User", "mcp.json"),
	}[e.Client]
	self, _ := os.Executable()                                                             // an absolute path, because a client may have another PATH than a shell
	if found, err := exec.LookPath(cli.ProgramName); err == nil && sameFile(found, self) { // prefer the name on the PATH, which stays the same after an update
		self, _ = filepath.Abs(found)
	}
	if strings.Contains(self, "go-build") && !strings.HasSuffix(self, ".test") || strings.Contains(self, "_npx") {
		return fmt.Errorf("this exo, %s, is temporary, so a client could not start it later: install exo first, for example by go install ./cmd/exo", self)
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
		return fmt.Errorf("%w. To add the entry by hand, copy what this command printed into %s", err, path)
	}
	if url != e.URL && e.Var != "" && !strings.HasPrefix(url, "sqlite:") {
		did += "\nthe entry contains no password: put it into ~/.pgpass, or put the whole URL into a file and pass file:PATH"
	}
	_, err = fmt.Fprintln(std.Err, did)
	return err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, wrong := os.Stat(b)
	return err == nil && wrong == nil && os.SameFile(x, y)
}

// add adds a server to the client with the file at path. It reads the file first, because some clients' commands overwrite an entry without a
// warning.
func (e Entry) add(ctx context.Context, std cli.Stdio, s server, path string) (did string, err error) {
	real, mode, text := path, fs.FileMode(0o600), []byte(nil)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // follow all links to the file itself
		mode = info.Mode().Perm()
		if real, err = filepath.EvalSymlinks(path); err == nil {
			text, err = os.ReadFile(real)
		}
		if err != nil {
			return "", err
		}
	} else if _, there := os.Lstat(path); there == nil {
		return "", fmt.Errorf("%s is no regular file, so exo can't write an entry into it: remove it", path)
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
		words = []string{"code", "--add-mcp", string(printable.Marshal(struct {
			Name string `json:"name"`
			server
		}{s.Name, s}))}
	}
	if at, err := exec.LookPath(words[0]); err == nil {
		if did, err = keep(real, text, mode); err != nil {
			return "", err
		}
		cmd := exec.CommandContext(ctx, at, words[1:]...)
		cmd.Stdout, cmd.Stderr = std.Err, std.Err
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s failed, and may have changed %s%s: %w", words[0], path, did, err)
		}
		if e.Client != "vscode" { // vscode may write the file a little later
			text, _ = os.ReadFile(path)
			if left, err := e.edit(text, s); left != nil || err != nil {
				return "", fmt.Errorf("%s reported success, but %s does not have the entry %s: run this command without -install, which prints the entry, and add it by hand%s", words[0], path, s.Name, did)
			}
		}
		return words[0] + " has added the entry " + s.Name + did, nil
	}
	if _, err := os.Stat(filepath.Dir(real)); err != nil {
		return "", fmt.Errorf("there is no folder %s: install %s and start it once, and then run this command again", filepath.Dir(real), e.Client)
	}
	if now, _ := os.ReadFile(real); !bytes.Equal(now, text) {
		return "", fmt.Errorf("another program has changed %s meanwhile: run this command again", path)
	}
	if did, err = keep(real, text, mode); err != nil {
		return "", err
	}
	return path + " has the entry " + s.Name + " now" + did, atomicfile.Replace(real, after, mode)
}

// keep copies a client's file in the same folder, and returns a text about the copy. It does nothing if text is nil: then there is no file yet.
func keep(path string, text []byte, mode fs.FileMode) (did string, err error) {
	if text == nil {
		return "", nil
	}
	backup := path + ".before-exo-" + time.Now().UTC().Format("20060102T150405.000")
	return "; a copy from before is " + backup, atomicfile.Create(backup, text, mode)
}

// edit returns the text of the client's file with a server added. It returns nil if the file already has the server.
func (e Entry) edit(text []byte, s server) ([]byte, error) {
	if mark, rest := cutMark(text); e.Client != "codex" && len(bytes.TrimSpace(rest)) == 0 {
		text = append(mark, "{}\n"...)
	}
	before, err := e.read(text)
	servers, ok := before[e.key()].(map[string]any)
	if err == nil && !ok && before[e.key()] != nil {
		err = fmt.Errorf("%s in the client's configuration is not a table of servers: correct it there", e.key())
	}
	if err != nil {
		return nil, err
	}
	if v, has := servers[s.Name]; has {
		var is server
		if json.Unmarshal(printable.Marshal(v), &is) == nil && is.Command == s.Command && slices.Equal(is.Args, s.Args) && maps.Equal(is.Env, s.Env) {
			return nil, nil
		}
		return nil, fmt.Errorf("the client has another entry with the name %s: give the new entry another name by -name NAME", s.Name)
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
	_ = json.Unmarshal(printable.Marshal(s), &entry)
	servers[s.Name] = entry
	if after, err := e.read(out); err != nil || !reflect.DeepEqual(before, after) {
		return nil, errors.New("exo can't add an entry without changing the rest of the client's configuration")
	}
	return out, nil
}

// read parses the text of the client's file: TOML, or JSON with comments.
func (e Entry) read(text []byte) (all map[string]any, err error) {
	_, text = cutMark(text)
	if e.Client == "codex" {
		all = map[string]any{}
		return all, toml.Unmarshal(text, &all)
	}
	plain, err := hujson.Standardize(append(bytes.Clone(text), '\n'))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err = d.Decode(&all); err == nil && all == nil {
		err = errors.New("the client's configuration is not a JSON object: correct the file")
	}
	return all, err
}

// cutMark separates a byte order mark, which editors on Windows write, from the text.
func cutMark(text []byte) (mark, rest []byte) {
	n := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	return text[:n:n], text[n:]
}

// addJSON adds a server as the last member of the object under key. If there is no such object, addJSON adds it as the last member of the
// file. The method read must have accepted the text.
func addJSON(text []byte, key string, s server) []byte {
	mark, text := cutMark(text)
	root, _ := hujson.Parse(append(bytes.Clone(text), '\n')) // the line end ends a comment on the last line
	o, unit := root.Value.(*hujson.Object), "  "
	if len(o.Members) > 0 {
		if at := string(o.Members[0].Name.BeforeExtra); strings.Contains(at, "\n") {
			at = at[strings.LastIndexByte(at, '\n')+1:]
			unit = at[:len(at)-len(strings.TrimLeft(at, " \t"))]
		}
	}
	put := func(o *hujson.Object, depth int, member string, value any) {
		pad := strings.Repeat(unit, depth)
		v, _ := hujson.Parse([]byte(" " + indented(value, pad, unit)))
		if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
			v.AfterExtra = hujson.Extra{} // the last member has a trailing comma, so the new one gets one, too
		}
		name := hujson.Value{BeforeExtra: hujson.Extra(string(bytes.TrimRight(o.AfterExtra, " \t\r\n")) + "\n" + pad), Value: hujson.String(member)}
		o.Members = append(o.Members, hujson.ObjectMember{Name: name, Value: v})
		o.AfterExtra = hujson.Extra("\n" + strings.Repeat(unit, depth-1))
	}
	if at := root.Find("/" + key); at == nil {
		put(o, 1, key, map[string]any{s.Name: s})
	} else if o, ok := at.Value.(*hujson.Object); ok {
		put(o, 2, s.Name, s)
	}
	return append(mark, bytes.TrimSuffix(root.Pack(), []byte("\n"))...)
}
