package web

// This file makes an HTTP API an object of the gate: each method sends one kind of request.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// None is the argument or answer type of a method without one.
type None = service.None

// Method is one method of an API. A field of its argument that the path names is put there, escaped; the others are the query of a
// GET or DELETE, and the JSON body of any other request. A GET reads, and every other method is Held; see [Method.With].
type Method struct {
	Name, Doc string
	Route     string       // a method and a path: "GET /repos/{owner}/issues"
	In, Out   reflect.Type // of the argument, a struct, and of the answer, as for [service.ReadOf]
	Query     []string     // fields that are in the query all the same

	with []func(service.Operation) service.Operation
}

// Get makes a method that reads. In and Out are as for [service.Read]; of the answer it gives the fields
// of Out, as encoding/json reads them: one that is missing has Go's zero value, and a pointer is null.
func Get[In, Out any](name, doc, path string) Method { return Request[In, Out](name, doc, "GET "+path) }

// Post makes a method that acts: it is Held, and its request has the call's key in the header Idempotency-Key.
func Post[In, Out any](name, doc, path string) Method {
	return Request[In, Out](name, doc, "POST "+path)
}

// Request makes a method of a Route, like "PUT /issues/{id}".
func Request[In, Out any](name, doc, route string) Method {
	return Method{Name: name, Doc: doc, Route: route, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}
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
type API struct{ *object }

type object = service.Service // by an unexported name nobody takes it out of an API, past its Eval

// New makes an API of the first host of a Config; each of its methods reaches what its Route names. Answers of a GET may redirect to what the
// hosts Allow; other answers may not redirect. Every answer is labelled value.Untrusted, besides what [Method.With] adds.
func New(name, doc string, c Config, methods ...Method) (*API, error) {
	heard := c.Used
	c.Used = func(ctx context.Context, u Use) {
		if m, ok := ctx.Value(messageKey{}).(*exo.Message); ok {
			m.AddDetail(u)
		}
		if heard != nil {
			heard(ctx, u)
		}
	}
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
	return a.object.Eval(context.WithValue(ctx, messageKey{}, m), m)
}

// messageKey is of the message for which a request is made.
type messageKey struct{}

func (t *Transport) operation(m Method) (op service.Operation, err error) {
	q := &request{Method: m, bounds: t.bounds}
	if q.route, err = parseRoute(m.Route); err != nil {
		return op, err
	}
	if m.In == nil || m.Out == nil || q.route.method == http.MethodHead {
		return op, errors.New("want the types of the argument and the answer, which a HEAD does not have")
	}
	var always map[string]any // the fields that each argument has
	if b, err := json.Marshal(reflect.Zero(m.In).Interface()); err == nil {
		_ = json.Unmarshal(b, &always)
	}
	for _, p := range q.route.names {
		if _, ok := always[p]; p != "" && !ok {
			return op, fmt.Errorf("the argument has no required field `%s`, which the path names", p)
		}
	}
	own := *t.hosts[0]
	own.routes = append(slices.Clone(own.routes), q.route)
	q.base = (map[bool]string{false: "https://", true: "http://"})[own.Plain] + own.Name
	if own.Port != standardPort(own.Plain) {
		q.base += ":" + strconv.Itoa(own.Port)
	}
	q.client = &http.Client{Transport: &Transport{hosts: append([]*host{&own}, t.hosts[1:]...), bounds: t.bounds, used: t.used, base: t.base}}
	op = service.ReadOf(m.Name, m.Doc, m.In, m.Out, func(in any) error {
		_, err := q.make(context.Background(), in)
		return err
	}, q.call)
	if q.acts() {
		op = op.Held()
		q.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	for _, w := range m.with {
		op = w(op)
	}
	if !q.acts() && op.Effect() != message.NoEffect {
		return op, errors.New("a GET can't act, since it may be sent twice: use a method like POST")
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
	base   string
	client *http.Client
	bounds Bounds
}

func (q *request) acts() bool { return q.route.method != http.MethodGet }

// make makes the request for an argument. An error is for the program: nothing was sent.
func (q *request) make(ctx context.Context, in any) (*http.Request, error) {
	var args map[string]json.RawMessage
	b, err := json.Marshal(in)
	if err = errors.Join(err, json.Unmarshal(b, &args)); err != nil {
		return nil, service.Refuse("the argument has no JSON")
	}
	path, err := q.route.fill(func(name string) string { return text(args[name]) })
	if err != nil {
		return nil, service.Refuse("%s", err.Error())
	}
	query, body, hasBody := url.Values{}, io.Reader(nil), q.acts() && q.route.method != http.MethodDelete
	for _, name := range slices.Sorted(maps.Keys(args)) {
		inPath, x, list := slices.Contains(q.route.names, name), args[name], []json.RawMessage(nil)
		if !inPath && hasBody && !slices.Contains(q.Query, name) {
			continue
		}
		if delete(args, name); inPath {
			continue
		}
		if json.Unmarshal(x, &list) != nil {
			list = []json.RawMessage{x}
		}
		for _, x := range list {
			if text(x) == "" && string(x) != `""` {
				return nil, service.Refuse("`%s` can't be in an address: write a text, a number, or true or false", name)
			}
			query.Add(name, text(x))
		}
	}
	if hasBody {
		b, _ := json.Marshal(args)
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, q.route.method, q.base+path, body)
	if err != nil {
		return nil, service.Refuse("the argument makes no address")
	}
	req.URL.RawQuery = query.Encode()
	req.Header.Set("Accept", "application/json")
	if hasBody {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.acts() {
		req.Header.Set(idempotencyKey, service.Key(ctx))
	}
	return req, nil
}

// text returns JSON of one value as it stands in an address: a text without its quotes. It returns "" for what is no such value.
func text(x json.RawMessage) (s string) {
	if len(x) == 0 || x[0] == '{' || x[0] == '[' || x[0] == 'n' {
		return ""
	}
	if json.Unmarshal(x, &s) != nil {
		s = string(x)
	}
	return s
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
		if !q.acts() || s >= 400 && s < 500 && s != http.StatusRequestTimeout && s != http.StatusTooEarly {
			err = errors.Join(service.Refuse("the server answered %d %s", s, http.StatusText(s)), err) // it did nothing
		}
		return nil, err
	}
	if q.Out == reflect.TypeFor[None]() {
		return new(None), nil
	}
	b, err := io.ReadAll(resp.Body)
	if err == nil && int64(count(b)) > q.bounds.Values {
		err = ErrTooLarge
	}
	if errors.Is(err, ErrTooLarge) {
		err = &fail.Error{Kind: fail.Limit, Err: err}
	}
	if err != nil {
		return nil, err
	}
	return q.read(b, resp.Header.Get("Content-Type"))
}

// read makes the value of an answer.
func (q *request) read(b []byte, contentType string) (any, error) {
	out := reflect.New(q.Out)
	if kind, _, _ := mime.ParseMediaType(contentType); len(b) > 0 && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, fmt.Errorf("web: the answer is no JSON but %.80q", kind)
	}
	if len(b) > 0 && json.Unmarshal(b, out.Interface()) != nil {
		return nil, errors.New("web: the answer is no JSON of the type") // the error's text may have a part of it
	}
	exact := reflect.New(q.Out)
	if d := json.NewDecoder(bytes.NewReader(b)); len(b) > 0 {
		if d.UseNumber(); d.Decode(exact.Interface()) == nil && tooWide(exact) {
			return nil, errors.New("web: the answer has a whole number beyond 2^53 in a place of any type, where it would become another one")
		}
	}
	return out.Interface(), nil
}

// count returns how many values JSON has, or a few more.
func count(b []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// tooWide reports whether a value within any has a whole number that a float can't hold.
func tooWide(v reflect.Value) bool {
	if n, ok := v.Interface().(json.Number); ok {
		x, whole := new(big.Float).SetString(n.String())
		return whole && x.IsInt() && x.Abs(x).Cmp(big.NewFloat(scalar.SafeInteger)) > 0
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && tooWide(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if tooWide(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for _, x := range v.Seq2() {
			if tooWide(x) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && tooWide(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
