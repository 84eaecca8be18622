package web

// This file makes an HTTP API an object of the gate: each method sends one kind of request.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

// None is the argument or answer type of a method without one.
type None = service.None

// Method is one method of an API. A field of its argument that the path names is put there, escaped; the others are the query of a
// GET or DELETE, and the JSON body of any other request. A GET reads, and every other method is Held; see [Method.With].
type Method struct {
	Name, Doc string
	Route     string             // a method and a path: "GET /repos/{owner}/issues"
	In        *jsonschema.Schema // of the argument, an object; nil: there is none
	Out       *jsonschema.Schema // of the answer; nil: any data
	Query     []string           // fields that are in the query all the same

	with []func(service.Operation) service.Operation
	err  error
}

// Get makes a method that reads. In and Out are as for [service.Read].
func Get[In, Out any](name, doc, path string) Method { return Request[In, Out](name, doc, "GET "+path) }

// Post makes a method that acts: it is Held, and its request has the call's key in the header Idempotency-Key.
func Post[In, Out any](name, doc, path string) Method {
	return Request[In, Out](name, doc, "POST "+path)
}

// Request makes a method of a Route, like "PUT /issues/{id}".
func Request[In, Out any](name, doc, route string) Method {
	m := Method{Name: name, Doc: doc, Route: route}
	if m.In, m.err = jsonschema.For[In](nil); m.err == nil {
		m.Out, m.err = jsonschema.For[Out](nil)
	}
	if _, none := any(*new(Out)).(None); none {
		m.Out = &jsonschema.Schema{Type: "null"}
	}
	return m
}

// With changes what the method declares: the labels that it admits, labelled fields, approvals, or that it acts at once.
//
//	web.Post[Comment, None]("comment", "…", "/issues/{id}/comments").With(func(op service.Operation) service.Operation {
//		return op.Admits(internal).Immediate()
//	})
func (m Method) With(f func(service.Operation) service.Operation) Method {
	m.with = append(slices.Clip(m.with), f)
	return m
}

// API is an HTTP API as an exo.Object. The zero API answers no message.
type API struct{ *service.Service }

// New makes an API of the first host of a Config; each of its methods reaches what its Route names. Answers of a GET may redirect to what the
// hosts Allow; other answers may not redirect. Every answer is labelled value.Untrusted, besides what [Method.With] adds.
func New(name, doc string, c Config, methods ...Method) (*API, error) {
	t, err := NewTransport(c)
	if err != nil {
		return nil, err
	}
	if len(t.hosts) == 0 {
		return nil, errors.New("web: an API needs a host")
	}
	var ops []service.Operation
	for _, m := range methods {
		op, err := t.operation(m)
		if err != nil {
			return nil, fmt.Errorf("web: %s.%s: %w", name, m.Name, err)
		}
		ops = append(ops, op)
	}
	s, err := service.New(name, doc, ops...)
	if err != nil {
		return nil, err
	}
	return &API{s}, nil
}

// Eval implements exo.Object. Each use of a secret is a detail of the message's outcome on the record.
func (a *API) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return a.Service.Eval(WithUses(ctx, func(u Use) { m.AddDetail(u) }), m)
}

func (t *Transport) operation(m Method) (op service.Operation, err error) {
	q := &request{Method: m}
	if q.route, err = parseRoute(m.Route); err != nil || m.err != nil {
		return op, errors.Join(err, m.err)
	}
	if q.route.method == http.MethodHead {
		return op, errors.New("a HEAD has no answer: use GET")
	}
	for _, p := range q.route.names {
		if p == "" {
			continue
		}
		if m.In == nil || m.In.Properties[p] == nil || !slices.Contains(m.In.Required, p) {
			return op, fmt.Errorf("the argument has no required field `%s`, which the path names", p)
		}
	}
	own := *t.hosts[0]
	own.routes = append(slices.Clone(own.routes), q.route)
	if q.base = (&url.URL{Scheme: "https", Host: own.Name + ":" + strconv.Itoa(own.Port)}); own.Plain {
		q.base.Scheme = "http"
	}
	if own.Port == standardPort(own.Plain) {
		q.base.Host = own.Name
	}
	q.client = (&Transport{hosts: append([]*host{&own}, t.hosts[1:]...), bounds: t.bounds, base: t.base}).Client()
	f := service.Schemed{In: m.In, Out: m.Out, Call: q.call, Check: func(in any) error {
		_, err := q.make(context.Background(), in)
		return err
	}}
	if q.route.method != http.MethodGet {
		f.Effect = message.Held
		q.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	op = service.Schema(m.Name, m.Doc, f)
	for _, w := range m.with {
		op = w(op)
	}
	if op.Effect() != message.Held { // which has no answer
		op = op.Labelled(value.NewLabel(value.Untrusted))
	}
	return op, nil
}

// request makes the requests of one method.
type request struct {
	Method
	route  route
	base   *url.URL
	client *http.Client
}

// make makes the request for an argument. An error is for the program: nothing was sent.
func (q *request) make(ctx context.Context, in any) (*http.Request, error) {
	args, _ := in.(map[string]any)
	query, fields, reads := url.Values{}, map[string]any{}, q.route.method == http.MethodGet
	var unfit error
	plain := func(name string, x any) string {
		s, ok := text(x)
		if !ok {
			unfit = service.Refuse("`%s` can't be in an address: write a text, a number, or true or false", name)
		}
		return s
	}
	path, err := q.route.fill(func(name string) string { return plain(name, args[name]) })
	if err != nil {
		return nil, service.Refuse("%s", err.Error())
	}
	for name, x := range args {
		switch {
		case slices.Contains(q.route.names, name):
		case !reads && q.route.method != http.MethodDelete && !slices.Contains(q.Query, name):
			fields[name] = x
		case x != nil:
			list, ok := x.([]any)
			if !ok {
				list = []any{x}
			}
			for _, y := range list {
				query.Add(name, plain(name, y))
			}
		}
	}
	if unfit != nil {
		return nil, unfit
	}
	var body io.Reader
	if !reads && q.route.method != http.MethodDelete && q.In != nil {
		b, err := json.Marshal(fields)
		if err != nil {
			return nil, service.Refuse("the argument has no JSON")
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, q.route.method, q.base.String()+path, body)
	if err != nil {
		return nil, service.Refuse("the argument makes no address")
	}
	req.URL.RawQuery = query.Encode()
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !reads {
		req.Header.Set(idempotencyKey, service.Key(ctx))
	}
	return req, nil
}

// text writes a value as a part of an address.
func text(x any) (string, bool) {
	switch x := x.(type) {
	case string, bool, int64:
		return fmt.Sprint(x), true
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano), true
	}
	return "", false
}

// call sends the request and reads the answer. Of an answer that is no success a program reads the status alone.
func (q *request) call(ctx context.Context, in any) (any, error) {
	req, err := q.make(ctx, in)
	if err != nil {
		return nil, err
	}
	resp, err := q.client.Do(req)
	if err != nil {
		if w, ok := errors.AsType[*url.Error](err); ok { // its text has the address, with the argument
			err = w.Err
		}
		if errors.Is(err, ErrRefused) {
			err = errors.Join(service.Refuse("the request was not sent: its address is not allowed, or can't be reached now"), err)
		}
		return nil, err
	}
	defer resp.Body.Close()
	if s := resp.StatusCode; s < 200 || s > 299 {
		err := fmt.Errorf("web: the server answered %d %s", s, http.StatusText(s))
		if req.Method == http.MethodGet || s >= 400 && s < 500 && s != http.StatusRequestTimeout && s != http.StatusTooEarly {
			err = errors.Join(service.Refuse("the server answered %d %s", s, http.StatusText(s)), err) // it did nothing
		}
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case len(b) == 0:
		return nil, nil
	case strings.HasPrefix(kind, "text/") && q.Out != nil && q.Out.Type == "string":
		return string(b), nil
	case kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return nil, fmt.Errorf("web: the answer is no JSON but %.80q", kind)
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&out); err != nil || d.More() {
		return nil, errors.New("web: the answer is malformed JSON") // the error's text may have a part of it
	}
	return out, nil
}
