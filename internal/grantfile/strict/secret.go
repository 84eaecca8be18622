package strict

// This file has the places of secrets. No secret itself is in a grant file.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/fail"
)

// Secret names the place of a secret, such as a database's URL. The path of an SQLite file is no secret, so it may be in the grant file.
type Secret struct {
	Kind string // env, file or sqlite
	Name string // the name of the variable, or a path
	Pos
	Dir string // the folder where relative paths begin; "" for the working folder
}

// Beside makes a path that is relative to dir absolute, because clients start exo serve in various folders.
func Beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Secret reads env:NAME or file:PATH.
func (r *Reader) Secret(n *yaml.Node, what string) Secret {
	return r.place(n, what, "where the text is, as env:NAME (a variable) or file:PATH, and never the text itself", "env", "file")
}

// Secrets reads one or more places like Secret.
func (r *Reader) Secrets(n *yaml.Node, what string) (out []Secret) {
	all := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		all = n.Content
	}
	for _, x := range all {
		s := r.Secret(x, what)
		if slices.ContainsFunc(out, func(o Secret) bool { return o.String() == s.String() }) {
			r.At(s.Pos, "%s: `%s` is given twice: remove one of the two", what, s)
		} else if s.Kind != "" {
			out = append(out, s)
		}
	}
	return out
}

// URL reads the place of a database's URL: env:NAME, file:PATH or sqlite:PATH.
func (r *Reader) URL(n *yaml.Node, what string) Secret {
	return r.place(n, what, "where the URL of the database is, as env:NAME (a variable) or file:PATH; or, for an SQLite file, sqlite:PATH", "env", "file", "sqlite")
}

// place reads the place of a secret. The error does not repeat the text, which may be the secret.
func (r *Reader) place(n *yaml.Node, what, want string, kinds ...string) Secret {
	kind, name, found := strings.Cut(n.Value, ":")
	at := PosOf(n)
	switch {
	case kind == "postgres" || kind == "postgresql":
		r.At(at, "%s: a URL may contain a password, so it must not be in this file: put it in a variable and write env:NAME, or in a file and write file:PATH", what)
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str" || !found || name == "" || !slices.Contains(kinds, kind):
		r.At(at, "%s: write %s", what, want)
	case kind == "env" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "":
		r.At(at, "%s: the name of a variable, after env:, can have only letters, digits and _", what)
	case kind == "sqlite" && name == ":memory:":
		r.At(at, "%s: a database in memory is empty: write the path of a file, sqlite:PATH", what)
	default:
		return Secret{kind, name, at, r.Dir}
	}
	return Secret{}
}

// String names the place of the secret.
func (s Secret) String() string { return s.Kind + ":" + s.Name }

// Place is String with an absolute path.
func (s Secret) Place() string {
	if s.Kind == "file" {
		return "file:" + Beside(s.Dir, s.Name)
	}
	return s.String()
}

// Text reads a text from a variable or a file, without white space around it. The function env looks up variables; nil means os.Getenv.
// The argument what describes the text, for the error if there is none.
func (s Secret) Text(env func(string) string, what string) (string, error) {
	if s.Kind == "file" {
		path := Beside(s.Dir, s.Name)
		b, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%w: the file has to contain %s", err, what)
		}
		text := strings.TrimSpace(string(b))
		if text == "" {
			err = fail.Errorf(fail.Invalid, "", "the file %s is empty: write into it %s", path, what)
		}
		return text, err
	}
	if env == nil {
		env = os.Getenv
	}
	if text := strings.TrimSpace(env(s.Name)); text != "" {
		return text, nil
	}
	return "", fail.Errorf(fail.Invalid, "", "the variable %s is not set: set it to %s", s.Name, what)
}

// PostgresURL describes the URL of a PostgreSQL database, for errors.
const PostgresURL = "the URL of a PostgreSQL database, postgres://user@host/database"

// Read reads a database's URL from its place. The function env looks up variables.
func (s Secret) Read(env func(string) string) (string, error) {
	if s.Kind == "sqlite" {
		return "sqlite:" + Beside(s.Dir, s.Name), nil
	}
	return s.Text(env, "the URL of the database, sqlite:PATH or postgres://user@host/database")
}
