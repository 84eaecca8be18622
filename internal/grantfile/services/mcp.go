package services

// This file prepares an MCP server for package mcpclient, over HTTP or as a process.

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/scalar"
)

// connection is an MCP server of the file, with what the host keeps for it.
type connection struct {
	server  mcpclient.Server
	wrote   *tail          // the end of a process's error output
	web     *web.Transport // the transport for requests to an address
	secrets []string
}

func (c *connection) close() {
	c.wrote.close()
	if c.web != nil {
		c.web.CloseIdleConnections()
	}
}

// failure is the error of a server that can't be used. Its text has no secret, but the error that it wraps may have one.
type failure struct {
	text string
	err  error
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// failed returns the error of a server, with the last output of its process.
func (c *connection) failed(err error) error {
	text := hidden(strings.TrimPrefix(err.Error(), "mcpclient: "+c.server.Name+": "), c.secrets)
	if errors.Is(err, mcpclient.ErrTooLarge) {
		text += "; `answer` bounds the server's list of tools, too: write a larger `answer`"
	}
	if end := c.wrote.text(c.secrets); end != "" {
		text += "; the server's process wrote: " + end
	}
	return &failure{text, err}
}

func (s *Service) connection(ctx context.Context, env func(string) string) (*connection, error) {
	of := func(c Call) string { return c.Of }
	c := &connection{server: mcpclient.Server{
		Name: s.interfaceName(), Doc: s.Doc, Reads: scalar.Each(s.Reads, of), Acts: scalar.Each(s.Acts, of), Immediate: scalar.Each(s.Immediate, of), Approve: strict.Texts(s.Approve), Approvers: changeset.Who{},
		Pin: s.Pin.Text, Label: value.NewLabel(strict.Texts(s.Label)...), Admits: value.NewLabel(strict.Texts(s.Admits)...),
		Bounds: mcpclient.Bounds{Bytes: s.Answer, Call: s.Time},
	}}
	texts := map[string]string{} // the texts of the secrets, by name
	for _, x := range s.Secrets {
		text, err := x.text(ctx, env)
		if err != nil {
			return nil, err
		}
		texts[x.Text], c.secrets = text, append(c.secrets, text)
	}
	var err error
	if s.Command == nil {
		c.server.URL = s.MCP.Text
		if u, _ := url.Parse(s.MCP.Text); u.Path == "" { // check has already parsed the address
			c.server.URL += "/"
		}
		if c.web, err = s.transport(c.server.URL, "POST", "GET", "DELETE"); err == nil {
			c.server.Client = c.web.Client()
		}
		return c, err
	}
	if c.server.Command, err = s.process(texts); err != nil {
		return nil, err
	}
	if c.wrote, err = newTail(); err == nil {
		c.server.Command.Errors = c.wrote.to
	}
	return c, err
}

// process returns the command with its secrets.
func (s *Service) process(secrets map[string]string) (*mcpclient.Command, error) {
	c := &mcpclient.Command{Path: s.Command[0], Args: s.Command[1:], Env: slices.Clone(s.Env), Network: s.Network, Memory: uint64(s.Memory)}
	at, err := filepath.Abs(s.dir)
	if err != nil {
		return nil, err
	}
	beside := func(p string) string { return strict.Beside(at, p) }
	c.Read, c.Write = scalar.Each(s.Read, beside), scalar.Each(s.Write, beside)
	if s.Dir != "" {
		c.Dir = beside(s.Dir)
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		c.Env = append(c.Env, name+"="+secrets[name])
	}
	return c, nil
}
