package services

// This file opens services: it connects to MCP servers, and compares what is there with the pins.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Opened is a service that can be called.
type Opened struct {
	Object  exo.Object
	Missing []string // walls that its process lacks on this system
	Close   func()
}

// PinError is the error of a service that is not what is pinned.
type PinError struct {
	Digest string // what a person may pin after reading what there is
	Had    bool   // there is another pin
}

func (e *PinError) Error() string {
	had := "nobody has pinned what it offers"
	if e.Had {
		had = "it offers something else than what is pinned, or the file lists other calls"
	}
	return fmt.Sprintf("%s: read it (`exo services` shows it), then write `pin: %s`", had, e.Digest)
}

// Open makes the object of a service. env finds variables. A process that Open starts ends with ctx, or at Close.
func (s *Service) Open(ctx context.Context, env func(string) string) (Opened, error) {
	if len(s.Reads)+len(s.Acts)+len(s.Immediate) == 0 {
		return Opened{}, errors.New("want `reads`, `acts` or `immediate`: the calls that programs may make; `exo services` lists what there is")
	}
	if s.API.Text != "" {
		for _, x := range s.Secrets { // a missing one is found at the start, and not by a program
			if _, err := x.text(ctx, env); err != nil {
				return Opened{}, err
			}
		}
		o, err := s.api()
		return Opened{Object: o, Close: func() {}}, err
	}
	c, err := s.connection(ctx, env)
	if err != nil {
		return Opened{}, err
	}
	o, err := mcpclient.Open(ctx, c.server)
	if err == nil {
		return Opened{recorded{o}, o.Missing(), func() {
			o.Close()
			c.close()
		}}, nil
	}
	defer c.close()
	if wrong, ok := errors.AsType[*mcpclient.PinError](err); ok {
		return Opened{}, &PinError{wrong.Digest, wrong.Pinned != ""}
	}
	return Opened{}, c.failed(err)
}

// connection is what the file says of an MCP server, with what its host has of it.
type connection struct {
	server  mcpclient.Server
	wrote   *tail          // the error output of a process
	web     *web.Transport // to an address
	secrets []string
}

func (c *connection) close() {
	c.wrote.close()
	if c.web != nil {
		c.web.CloseIdleConnections()
	}
}

// failure is the error of a server that can't be used. Its text has no secret; the error that it wraps may.
type failure struct {
	text string
	err  error
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// failed is the error of a server, with the end of what its process wrote.
func (c *connection) failed(err error) error {
	text := hidden(strings.TrimPrefix(err.Error(), "mcpclient: "+c.server.Name+": "), c.secrets)
	if end := c.wrote.text(c.secrets); end != "" {
		text += "; its process wrote: " + end
	}
	return &failure{text, err}
}

func (s *Service) connection(ctx context.Context, env func(string) string) (*connection, error) {
	c := &connection{server: mcpclient.Server{
		Name: s.interfaceName(), Doc: s.Doc, Reads: names(s.Reads), Acts: names(s.Acts), Immediate: names(s.Immediate), Approve: strict.Texts(s.Approve), Approvers: changeset.Who{},
		Pin: s.Pin.Text, Label: value.NewLabel(strict.Texts(s.Label)...), Admits: value.NewLabel(strict.Texts(s.Admits)...),
		Bounds: mcpclient.Bounds{Bytes: s.Answer, Call: s.Time},
	}}
	texts := map[string]string{} // of the secrets, by their names
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
		if u, _ := url.Parse(s.MCP.Text); u.Path == "" { // check has parsed it
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

// interfaceName is the service's name as that of an interface. Its first letter is one of ASCII, see check.
func (s *Service) interfaceName() string { return strings.ToUpper(s.Text[:1]) + s.Text[1:] }

func names(calls []Call) (out []string) {
	for _, c := range calls {
		out = append(out, c.Of)
	}
	return out
}

// process is the command with its secrets.
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

// text finds a secret for a process. An error has its place only.
func (x *Secret) text(ctx context.Context, env func(string) string) (text string, err error) {
	if x.Command == nil {
		text, err = x.From.Text(env)
	} else {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var b []byte
		c := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
		c.WaitDelay = time.Second // what it started may go on, and have its output
		b, err = c.Output()
		text = strings.TrimSpace(string(b))
	}
	if err != nil || text == "" {
		from := x.From.String()
		if x.Command != nil {
			from = "the command " + filepath.Base(x.Command[0])
		}
		return "", fmt.Errorf("%s gives nothing for the secret %s", from, x.Text)
	}
	return text, nil
}

// sentFor is the key of the message that a request is sent for.
type sentFor struct{}

// recorded is an MCP server with each use of a secret on the record of the message.
type recorded struct{ *mcpclient.Object }

// Eval implements exo.Object.
func (o recorded) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return o.Object.Eval(context.WithValue(ctx, sentFor{}, m), m)
}

// config is what requests to an address may be.
func (s *Service) config(address string, verbs ...string) (web.Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return web.Config{}, err
	}
	h := web.Host{Name: u.Hostname(), Plain: u.Scheme == "http", Networks: s.Networks, Headers: []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Last-Event-Id", "Mcp-Method", "Mcp-Name"}}
	if u.Port() != "" {
		if h.Port, err = strconv.Atoi(u.Port()); err != nil {
			return web.Config{}, err
		}
	}
	for _, verb := range verbs {
		h.Allow = append(h.Allow, verb+" "+cmp.Or(u.EscapedPath(), "/"))
	}
	for _, x := range s.Secrets {
		b := web.Binding{Header: http.CanonicalHeaderKey(x.Text), Prefix: x.Prefix}
		switch {
		case x.Command != nil:
			b.Secret = web.FromCommand(x.Command[0], x.Command[1:]...)
		case x.From.Kind == "file":
			b.Secret = web.FromFile(strict.Beside(x.From.Dir, x.From.Name))
		default:
			b.Secret = web.FromVariable(x.From.Name)
		}
		h.Secrets = append(h.Secrets, b)
	}
	return web.Config{Hosts: []web.Host{h}, Bounds: web.Bounds{Body: int64(s.Answer), Time: cmp.Or(s.Time, time.Minute)}, Used: func(ctx context.Context, u web.Use) {
		if m, ok := ctx.Value(sentFor{}).(*exo.Message); ok {
			m.AddDetail(u)
		}
	}}, nil
}

func (s *Service) transport(address string, verbs ...string) (*web.Transport, error) {
	c, err := s.config(address, verbs...)
	if err != nil {
		return nil, err
	}
	return web.NewTransport(c)
}

// api makes the object of an HTTP API. It sends no request.
func (s *Service) api() (exo.Object, error) {
	text, err := os.ReadFile(strict.Beside(s.dir, s.OpenAPI))
	if err != nil {
		return nil, err
	}
	if digest := openapi.Digest(text); digest != s.Pin.Text {
		return nil, &PinError{digest, s.Pin.Text != ""}
	}
	doc, err := openapi.Parse(text, s.Pin.Text)
	if err != nil {
		return nil, err
	}
	c, err := s.config(s.API.Text)
	if err != nil {
		return nil, err
	}
	c.Hosts[0].Headers = nil
	u, _ := url.Parse(s.API.Text) // config has parsed it
	var methods []web.Method
	for _, list := range [][]Call{s.Reads, s.Acts, s.Immediate} {
		for _, call := range list {
			m, err := doc.Method(call.Text, call.Of)
			if err != nil {
				return nil, err
			}
			verb, rest, _ := strings.Cut(m.Route, " ")
			m.Route = verb + " " + strings.TrimSuffix(u.EscapedPath(), "/") + rest
			if m, err = s.rules(m, verb); err != nil {
				return nil, err
			}
			methods = append(methods, m)
		}
	}
	o, err := web.New(s.interfaceName(), s.Doc, c, methods...)
	if err != nil {
		return nil, err
	}
	return labelled{o, value.NewLabel(strict.Texts(s.Label)...)}, nil
}

// labelled is an API each of whose answers has a label as a whole, its number of rows and its errors, too.
type labelled struct {
	*web.API
	label value.Label
}

// Describe implements exo.Object.
func (o labelled) Describe() (message.Description, error) {
	d, err := o.API.Describe()
	if err != nil || o.label.Empty() {
		return d, err
	}
	d.Interfaces = slices.Clone(d.Interfaces)
	for n, i := range d.Interfaces {
		own := *i
		own.Methods = maps.Clone(i.Methods)
		for name, m := range own.Methods {
			if m.Effect != message.Held { // which has no answer
				with := *m
				with.Reply = m.Reply.Join(o.label)
				own.Methods[name] = &with
			}
		}
		d.Interfaces[n] = &own
	}
	return d, nil
}

// rules adds what the file says of a method to it.
func (s *Service) rules(m web.Method, verb string) (web.Method, error) {
	in := func(list []Call) bool {
		return slices.ContainsFunc(list, func(c Call) bool { return c.Text == m.Name })
	}
	if in(s.Reads) && verb != http.MethodGet {
		return m, fmt.Errorf("%s is a %s, which acts: list it under `acts` or `immediate`", m.Name, verb)
	}
	if !in(s.Reads) && verb == http.MethodGet {
		return m, fmt.Errorf("%s is a GET, which may be sent twice and so can't act: list it under `reads`, or leave it out if it acts all the same", m.Name)
	}
	return m.With(func(op service.Operation) service.Operation {
		if op = op.Admits(value.NewLabel(strict.Texts(s.Admits)...)); in(s.Immediate) {
			op = op.Immediate()
		}
		if slices.Contains(strict.Texts(s.Approve), m.Name) {
			op = op.Approve(changeset.Who{})
		}
		return op
	}), nil
}
