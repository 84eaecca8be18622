package grantfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/fail"
)

// Secret names the place of a database's URL. An SQLite file has no secret, so its path may be in the grant file itself.
type Secret struct {
	Kind string // env, file or sqlite
	Name string // of the variable, or a path
	Pos
	dir string // the folder that relative paths begin at; "": the working folder
}

// beside makes a path that is relative to dir absolute to the program. Clients start exo serve in folders of their own choice.
func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// secret reads env:NAME, file:PATH or sqlite:PATH. The error does not repeat the text: it may be the secret.
func (r *reader) secret(n *yaml.Node, what string) Secret {
	kind, name, found := strings.Cut(n.Value, ":")
	at := posOf(n)
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str" || !found || name == "":
		r.at(at, "%s: want env:NAME, file:PATH or sqlite:PATH", what)
	case kind == "postgres" || kind == "postgresql":
		r.at(at, "%s: a URL may contain a password, so it must not be in this file: put it in a variable and write env:NAME, or in a file and write file:PATH", what)
	case kind != "env" && kind != "file" && kind != "sqlite":
		r.at(at, "%s: want env:NAME, file:PATH or sqlite:PATH", what)
	case kind == "env" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "":
		r.at(at, "%s: want the name of a variable after env:", what)
	case kind == "sqlite" && name == ":memory:":
		r.at(at, "%s: a database in memory is empty; name a file", what)
	default:
		return Secret{kind, name, at, r.dir}
	}
	return Secret{}
}

// String names the place of the secret.
func (s Secret) String() string { return s.Kind + ":" + s.Name }

// Place is String with a whole path.
func (s Secret) Place() string {
	if s.Kind == "file" {
		return "file:" + beside(s.dir, s.Name)
	}
	return s.String()
}

// text finds a text in a variable or a file, without white space around it. env finds variables; nil: os.Getenv.
func (s Secret) text(env func(string) string) (string, error) {
	if s.Kind == "file" {
		b, err := os.ReadFile(beside(s.dir, s.Name))
		return strings.TrimSpace(string(b)), err
	}
	if env == nil {
		env = os.Getenv
	}
	return strings.TrimSpace(env(s.Name)), nil
}

// Read finds the URL. env looks a variable up.
func (s Secret) Read(env func(string) string) (string, error) {
	switch s.Kind {
	case "sqlite":
		return "sqlite:" + beside(s.dir, s.Name), nil
	case "env":
		if v := strings.TrimSpace(env(s.Name)); v != "" {
			return v, nil
		}
		return "", fail.Errorf(fail.Invalid, "", "the variable %s is not set: set it to the URL of the database, sqlite:PATH or postgres://user@host/database", s.Name)
	case "file":
		text, err := os.ReadFile(beside(s.dir, s.Name))
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
