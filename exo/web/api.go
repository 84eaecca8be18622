package web

// This file makes an object from an HTTP API. Each method sends one kind of request.

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

// None is the type of an argument or answer that a method does not have.
type None = service.None

// Method is one method of an API. Fields of its argument that the path names are escaped and put into the path. All other fields become the query
// of a GET or DELETE, and the JSON body of any other request. A GET reads, and every other method is Held, unless [Method.With] changes that.
type Method struct {
	Name, Doc string
	Route     string       // the HTTP method and the path: "GET /repos/{owner}/issues"
	In, Out   reflect.Type // the types of the argument, a struct, and of the answer, as for [service.ReadOf]
	Query     []string     // fields that are in the query of any request

	with []func(service.Operation) service.Operation
}

// Get makes a method that reads. In and Out are as for [service.Read]. A program gets the fields of Out,
// as encoding/json reads them from the answer: a missing one has Go's zero value, or null for a pointer.
func Get[In, Out any](name, doc, path string) Method { return Request[In, Out](name, doc, "GET "+path) }

// Post makes a Held method. Its request has the call's key in the header Idempotency-Key.
func Post[In, Out any](name, doc, path string) Method {
	return Request[In, Out](name, doc, "POST "+path)
}

// Request makes a method from a Route, like "PUT /issues/{id}".
func Request[In, Out any](name, doc, route string) Method {
	return Method{Name: name, Doc: doc, Route: route, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}
}

// With changes the method's operation: the labels that it admits, labelled fields, approvals, or that it acts at once.
//
//	web.Post[Comment, None]("comment", "…", "/issues/{id}/comments").With(func(op service.Operation) service.Operation {
//		return op.Admits(internal).Immediate()
//	})
func (m Method) With(f func(service.Operation) service.Operation) Method {
	m.with = append(slices.Clip(m.with), f)
	return m
}

// API is an HTTP API as an exo.Object. The zero API refuses every message.
type API struct{ *object }

type object = service.Service // unexported, so that other packages can't use the embedded Service without API.Eval

// New makes an API of the first host of a Config. Each method reaches only its Route. Answers of a GET may redirect to routes that the hosts
// Allow; other answers may not redirect. Every answer is labelled value.Untrusted, in addition to the labels of [Method.With].
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
		return nil, errors.New("web: an API sends its requests to the first host, and there is none: set Config.Hosts")
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

// Eval implements exo.Object. It adds each use of a secret to the details of the message's outcome on the record.
func (a *API) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return a.object.Eval(context.WithValue(ctx, messageKey{}, m), m)
}

// messageKey is the context key of the message that a request is made for.
type messageKey struct{}

func (t *Transport) operation(m Method) (op service.Operation, err error) {
	q := &request{Method: m, bounds: t.bounds}
	if q.route, err = parseRoute(m.Route); err != nil {
		return op, err
	}
	if m.In == nil || m.Out == nil {
		return op, errors.New("the method has no type In or no type Out: set both")
	}
	if q.route.method == http.MethodHead {
		return op, errors.New("a HEAD request has no answer for a program: use GET")
	}
	var always map[string]any // the fields that every argument has
	if b, err := json.Marshal(reflect.Zero(m.In).Interface()); err == nil {
		_ = json.Unmarshal(b, &always)
	}
	for _, p := range q.route.names {
		if _, ok := always[p]; p != "" && !ok {
			return op, fmt.Errorf("the path has the parameter `%s`, but the argument has no required field of that name: add the field to In", p)
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
	if op.Effect() != message.Held { // a Held operation has no answer to label
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

// make makes the request for an argument. An error is for the program, and nothing was sent.
func (q *request) make(ctx context.Context, in any) (*http.Request, error) {
	var args map[string]json.RawMessage
	b, err := json.Marshal(in)
	if err = errors.Join(err, json.Unmarshal(b, &args)); err != nil {
		return nil, service.Refuse("the arguments can't be sent as JSON: pass plain data")
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
				return nil, service.Refuse("`%s` can't be sent in the address: pass a text, a number, true or false, or a list of these", name)
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
		return nil, service.Refuse("the arguments make no valid address: change those that are part of its path")
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

// text returns a single JSON value in the form for an address: a text without its quotes. It returns "" for lists, objects and null.
func text(x json.RawMessage) (s string) {
	if len(x) == 0 || x[0] == '{' || x[0] == '[' || x[0] == 'n' {
		return ""
	}
	if json.Unmarshal(x, &s) != nil {
		s = string(x)
	}
	return s
}

// call sends the request and reads the answer. If the answer is no success, a program reads at most its status.
func (q *request) call(ctx context.Context, in any) (any, error) {
	req, err := q.make(ctx, in)
	if err != nil {
		return nil, err
	}
	resp, err := q.client.Do(req)
	if err != nil {
		if w, ok := errors.AsType[*url.Error](err); ok { // the text of err has the address, which contains the argument
			err = w.Err
		}
		if errors.Is(err, ErrRefused) {
			err = fmt.Errorf("%w: %w", service.Refuse("the request was not sent: it is not allowed, or can't be sent now; the operator of the host can see why"), err)
		}
		return nil, err
	}
	defer resp.Body.Close()
	if s := resp.StatusCode; s < 200 || s > 299 {
		if !q.acts() || s >= 400 && s < 500 && s != http.StatusRequestTimeout && s != http.StatusTooEarly {
			return nil, service.Refuse("the server answered %d %s", s, http.StatusText(s)) // with this status the server did nothing
		}
		return nil, fmt.Errorf("web: the server answered %d %s", s, http.StatusText(s))
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

// read makes a value from an answer.
func (q *request) read(b []byte, contentType string) (any, error) {
	out := reflect.New(q.Out)
	if kind, _, _ := mime.ParseMediaType(contentType); len(b) > 0 && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, fmt.Errorf("web: the answer must be JSON, but has the content type %.80q", kind)
	}
	if len(b) > 0 && json.Unmarshal(b, out.Interface()) != nil {
		return nil, errors.New("web: the answer is not JSON of the type that the method declares as Out") // the error is left out, since its text may contain a part of the answer
	}
	exact := reflect.New(q.Out)
	if d := json.NewDecoder(bytes.NewReader(b)); len(b) > 0 {
		if d.UseNumber(); d.Decode(exact.Interface()) == nil && tooWide(exact) {
			return nil, errors.New("web: the answer has a whole number beyond 2^53, which a field of type any would round: declare that field as int64")
		}
	}
	return out.Interface(), nil
}

// count returns how many values JSON has. It may count a few too many.
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

// tooWide reports whether v contains, within an any, a whole number that a float can't represent.
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
