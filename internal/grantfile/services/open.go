package services

// This file opens services: it connects to MCP servers, and compares what is there with the pins.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
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
		had = "it offers something else than what is pinned"
	}
	return fmt.Sprintf("%s: read it (`exo services` shows it), then write `pin: %s`", had, e.Digest)
}

// Open makes the object of a service. env finds variables. A process that Open starts ends with ctx, or at Close.
func (s *Service) Open(ctx context.Context, env func(string) string) (Opened, error) {
	for _, x := range s.Secrets { // a missing one is found at the start, and not by a program
		if x.Command == nil {
			if _, err := x.text(ctx, env); err != nil {
				return Opened{}, err
			}
		}
	}
	if len(s.Reads)+len(s.Acts)+len(s.Immediate) == 0 {
		return Opened{}, errors.New("want `reads`, `acts` or `immediate`: the calls that programs may make; `exo services` lists what there is")
	}
	if s.API.Text != "" {
		o, err := s.api()
		return Opened{Object: o, Close: func() {}}, err
	}
	server, wrote, err := s.server(ctx, env)
	if err != nil {
		return Opened{}, err
	}
	o, err := mcpclient.Open(ctx, server)
	if wrong, ok := errors.AsType[*mcpclient.PinError](err); ok {
		wrote.close()
		return Opened{}, &PinError{wrong.Digest, wrong.Pinned != ""}
	}
	if err != nil {
		return Opened{}, wrote.after(err)
	}
	return Opened{recorded{o}, o.Missing(), func() {
		o.Close()
		wrote.close()
	}}, nil
}

// server is what the file says of an MCP server, and the error output of its process.
func (s *Service) server(ctx context.Context, env func(string) string) (server mcpclient.Server, wrote *tail, err error) {
	server = mcpclient.Server{
		Name: s.interfaceName(), Doc: s.Doc, Reads: names(s.Reads), Acts: names(s.Acts), Immediate: names(s.Immediate), Approve: strict.Texts(s.Approve), Approvers: changeset.Who{},
		Pin: s.Pin.Text, Label: value.NewLabel(strict.Texts(s.Label)...), Admits: value.NewLabel(strict.Texts(s.Admits)...),
		Bounds: mcpclient.Bounds{Bytes: s.Answer, Call: s.Time},
	}
	if s.Command != nil {
		if server.Command, err = s.process(ctx, env); err == nil {
			if wrote, err = newTail(); err == nil {
				server.Command.Errors = wrote.to
			}
		}
		return server, wrote, err
	}
	t, err := s.transport(s.MCP.Text, "POST", "GET", "DELETE")
	if err == nil {
		server.URL, server.Client = s.MCP.Text, t.Client()
	}
	return server, nil, err
}

// interfaceName is the service's name as that of an interface.
func (s *Service) interfaceName() string { return strings.ToUpper(s.Text[:1]) + s.Text[1:] }

func names(calls []Call) (out []string) {
	for _, c := range calls {
		out = append(out, c.Of)
	}
	return out
}

// process is the command with its secrets.
func (s *Service) process(ctx context.Context, env func(string) string) (*mcpclient.Command, error) {
	c := &mcpclient.Command{Path: s.Command[0], Args: s.Command[1:], Env: slices.Clone(s.Env), Dir: s.Dir, Network: s.Network, Memory: uint64(s.Memory)}
	for _, list := range []struct{ from, to *[]string }{{&s.Read, &c.Read}, {&s.Write, &c.Write}} {
		for _, p := range *list.from {
			whole, err := filepath.Abs(strict.Beside(s.dir, p))
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, whole)
		}
	}
	for _, x := range s.Secrets {
		text, err := x.text(ctx, env)
		if err != nil {
			return nil, err
		}
		c.Env = append(c.Env, x.Text+"="+text)
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
		b, err = exec.CommandContext(ctx, x.Command[0], x.Command[1:]...).Output()
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

// message is the key of the message that a request is sent for.
type message struct{}

// recorded is an MCP server with each use of a secret on the record of the message.
type recorded struct{ *mcpclient.Object }

// Eval implements exo.Object.
func (o recorded) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return o.Object.Eval(context.WithValue(ctx, message{}, m), m)
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
	return web.Config{Hosts: []web.Host{h}, Bounds: web.Bounds{Body: int64(s.Answer), Time: s.Time}, Used: func(ctx context.Context, u web.Use) {
		if m, ok := ctx.Value(message{}).(*exo.Message); ok {
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
	return web.New(s.interfaceName(), s.Doc, c, methods...)
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
	label, fields := value.NewLabel(strict.Texts(s.Label)...), fieldsOf(m.Out)
	if len(fields) == 0 && !in(s.Acts) && !label.Secrecy().Empty() {
		return m, fmt.Errorf("the answer of %s is no object with fields in the document, so its values can't be labelled: leave it out", m.Name)
	}
	return m.With(func(op service.Operation) service.Operation {
		op = op.Admits(value.NewLabel(strict.Texts(s.Admits)...))
		switch {
		case in(s.Acts): // it has no answer
			if slices.Contains(strict.Texts(s.Approve), m.Name) {
				op = op.Approve(changeset.Who{})
			}
			return op
		case in(s.Immediate):
			op = op.Immediate()
		}
		if !label.Empty() {
			op = op.Labelled(label, fields...)
		}
		return op
	}), nil
}

// fieldsOf returns the names of the fields of an object, or of a list of objects.
func fieldsOf(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
