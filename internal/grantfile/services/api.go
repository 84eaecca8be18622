package services

// This file makes the object of an HTTP API from its OpenAPI document.

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

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
	u, _ := url.Parse(s.API.Text) // config has already parsed the address
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

// labelled is an API with a label on each whole answer, also on its number of rows and its errors.
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
			if m.Effect != message.Held { // a held call has no answer
				with := *m
				with.Reply = m.Reply.Join(o.label)
				own.Methods[name] = &with
			}
		}
		d.Interfaces[n] = &own
	}
	return d, nil
}

// rules adds the file's rules to a method.
func (s *Service) rules(m web.Method, verb string) (web.Method, error) {
	in := func(list []Call) bool {
		return slices.ContainsFunc(list, func(c Call) bool { return c.Text == m.Name })
	}
	if in(s.Reads) && verb != http.MethodGet {
		return m, fmt.Errorf("the call %s sends %s, which may change something: list it under `acts` or `immediate`", m.Name, verb)
	}
	if !in(s.Reads) && verb == http.MethodGet {
		return m, fmt.Errorf("the call %s sends GET, which exo may send twice: list it under `reads`, or leave it out if it changes something", m.Name)
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
