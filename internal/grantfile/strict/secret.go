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
	return r.place(n, what, "env:NAME or file:PATH", "env", "file")
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
			r.At(s.Pos, "%s: `%s` is given twice", what, s)
		} else if s.Kind != "" {
			out = append(out, s)
		}
	}
	return out
}

// URL reads the place of a database's URL: env:NAME, file:PATH or sqlite:PATH.
func (r *Reader) URL(n *yaml.Node, what string) Secret {
	return r.place(n, what, "env:NAME, file:PATH or sqlite:PATH", "env", "file", "sqlite")
}

// place reads the place of a secret. The error does not repeat the text, which may be the secret.
func (r *Reader) place(n *yaml.Node, what, want string, kinds ...string) Secret {
	kind, name, found := strings.Cut(n.Value, ":")
	at := PosOf(n)
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str" || !found || name == "":
		r.At(at, "%s: want %s", what, want)
	case kind == "postgres" || kind == "postgresql":
		r.At(at, "%s: a URL may contain a password, so it must not be in this file: put it in a variable and write env:NAME, or in a file and write file:PATH", what)
	case !slices.Contains(kinds, kind):
		r.At(at, "%s: want %s", what, want)
	case kind == "env" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "":
		r.At(at, "%s: want the name of a variable after env:", what)
	case kind == "sqlite" && name == ":memory:":
		r.At(at, "%s: a database in memory is empty; name a file", what)
	default:
		return Secret{kind, name, at, r.Dir}
	}
	return Secret{}
}

// String names the place of the secret.
func (s Secret) String() string { return s.Kind + ":" + s.Name }

// Place is String with a whole path.
func (s Secret) Place() string {
	if s.Kind == "file" {
		return "file:" + Beside(s.Dir, s.Name)
	}
	return s.String()
}

// Text reads a text from a variable or a file, without white space around it. env looks variables up; nil means os.Getenv.
func (s Secret) Text(env func(string) string) (string, error) {
	if s.Kind == "file" {
		b, err := os.ReadFile(Beside(s.Dir, s.Name))
		return strings.TrimSpace(string(b)), err
	}
	if env == nil {
		env = os.Getenv
	}
	return strings.TrimSpace(env(s.Name)), nil
}

// Read reads a database's URL from its place. env looks variables up.
func (s Secret) Read(env func(string) string) (string, error) {
	switch s.Kind {
	case "sqlite":
		return "sqlite:" + Beside(s.Dir, s.Name), nil
	case "env":
		if v := strings.TrimSpace(env(s.Name)); v != "" {
			return v, nil
		}
		return "", fail.Errorf(fail.Invalid, "", "the variable %s is not set: set it to the URL of the database, sqlite:PATH or postgres://user@host/database", s.Name)
	case "file":
		text, err := os.ReadFile(Beside(s.Dir, s.Name))
		if err != nil {
			return "", err
		}
		if v := strings.TrimSpace(string(text)); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the file %s is empty: write the URL of the database into it", s.Name)
	}
	return "", fail.Errorf(fail.Invalid, "", "there is no URL")
}
