package web

// This file has secrets: their places, and where they may be sent. No value of this package contains the text of a secret.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Secret is the place of a secret: a variable, a file, a command that prints it, or an authorization server. Its text is read
// at each use, and kept only in the request; an access token is kept until it ends (see [FromOAuth]). The zero Secret fails at each use.
type Secret struct {
	name   string
	read   func(context.Context) ([]byte, error)
	forget func(text string) // drops a text that its server has refused; nil: none is kept
}

// FromVariable returns the secret in an environment variable.
func FromVariable(name string) Secret {
	return Secret{name: "env:" + name, read: func(context.Context) ([]byte, error) { return []byte(os.Getenv(name)), nil }}
}

// FromFile returns the secret in a file.
func FromFile(path string) Secret {
	return Secret{name: "file:" + filepath.Base(path), read: func(context.Context) ([]byte, error) { return os.ReadFile(path) }}
}

// FromCommand returns the secret that a command prints, like that of a password manager. It runs for each request, without a shell and
// without input, for at most ten seconds.
func FromCommand(program string, args ...string) Secret {
	return Secret{name: "command:" + filepath.Base(program), read: func(ctx context.Context) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		c := exec.CommandContext(ctx, program, args...)
		c.WaitDelay = time.Second
		return c.Output()
	}}
}

// String returns "secret" and the place, without the folder of a file or the arguments of a command.
func (s Secret) String() string { return "secret " + s.name }

// text reads the secret. Its errors contain only the secret's name, since the system's text may have the path, and a command's text the secret.
func (s Secret) text(ctx context.Context) (string, error) {
	if s.read == nil {
		return "", errors.New("web: the zero Secret can't be used: make one with FromVariable, FromFile, FromCommand or FromOAuth")
	}
	b, err := s.read(ctx)
	switch text := strings.TrimSpace(string(b)); {
	case err != nil:
		return "", fmt.Errorf("web: %s can't be read: check that it exists where it is declared, and that this process may read it", s)
	case text == "":
		return "", fmt.Errorf("web: %s is empty: put its text where it is declared", s)
	case len(text) > 8<<10 || !oneLine(text):
		return "", fmt.Errorf("web: %s can't be sent in a header: want at most 8 KiB, and no control characters", s)
	default:
		return text, nil
	}
}

// Binding names the request header in which a secret is sent, to the Host that lists the Binding.
type Binding struct {
	Secret Secret
	Header string // the header, like Authorization
	Prefix string // the text before the secret, like "Bearer "
}

// Use is one use of a secret.
type Use struct {
	Secret string `json:"secret"` // the name of the secret
	Host   string `json:"host"`
	Header string `json:"header"`
}

// useSecrets puts the secrets of a host into a request. ctx is the context of the caller, which calls refused if the host answers 401.
func (t *Transport) useSecrets(ctx context.Context, h *host, req map[string][]string) (refused func(), err error) {
	var forget []func()
	for _, b := range h.Secrets {
		text, err := b.Secret.text(ctx)
		if err != nil {
			return nil, refusef("%w", err)
		}
		if b.Secret.forget != nil {
			forget = append(forget, func() { b.Secret.forget(text) })
		}
		if t.used != nil {
			t.used(ctx, Use{Secret: b.Secret.name, Host: h.Name, Header: b.Header})
		}
		req[b.Header] = []string{b.Prefix + text}
	}
	return func() {
		for _, f := range forget {
			f()
		}
	}, nil
}
