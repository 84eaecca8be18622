package gemini

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// exchange has the parts of one request and its response that the library does not know. It is a
// value in the context of the request.
type exchange struct {
	bounds     *agent.ModelRequest
	signatures []string // the signatures of the calls in the request, in order; "": none
	got        []string // the signatures of the calls in the response, in order
	body       io.Closer
}

type exchangeKey struct{}

func (x *exchange) close() {
	if x.body != nil {
		x.body.Close()
	}
}

// sign adds the signatures of a response to the calls of the reply.
func (x *exchange) sign(calls []agent.ToolCall) {
	for i := range calls {
		if i < len(x.got) {
			calls[i].Opaque = x.got[i]
		}
	}
}

// signatures returns the signatures of all calls in the messages.
func (m *model) signatures(messages []agent.ChatMessage) (out []string) {
	for i := range messages {
		for k := range messages[i].Calls {
			out = append(out, wire.Signature(m.Model, &messages[i], k))
		}
	}
	return out
}

// transport sends the library's requests. It adds the key as a header and the signatures, and
// enforces the bounds. Its errors have a kind.
type transport struct{ m *model }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		x = &exchange{bounds: &agent.ModelRequest{}}
	}
	out := req.Clone(req.Context())
	if !t.m.Key.IsZero() {
		out.Header.Set("x-goog-api-key", t.m.Key.Reveal())
	}
	if req.Body != nil {
		content, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		if content, err = x.rewrite(content); err != nil {
			return nil, t.m.Garbled("the signatures of earlier calls could not be added to the request, so it was not sent: this is a fault of package gemini, please report it")
		}
		out.Body, out.ContentLength, out.GetBody = io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
	}
	out.RequestURI = ""
	resp, err := t.m.Do(out, x.bounds)
	if err != nil {
		if cause := context.Cause(req.Context()); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	in := &wire.Bounded{From: resp.Body}
	text := bufio.NewReader(in)
	f := &filter{x: x, m: t.m, from: resp.Body, bound: in, text: text, in: json.NewDecoder(text)}
	x.body, resp.Body, resp.ContentLength = resp.Body, f, -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// rewrite adds the signatures to the calls of a request.
func (x *exchange) rewrite(content []byte) ([]byte, error) {
	if len(x.signatures) == 0 {
		return content, nil
	}
	var top map[string]json.RawMessage
	var contents []struct {
		Role  string                       `json:"role,omitempty"`
		Parts []map[string]json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(content, &top); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(top["contents"], &contents); err != nil {
		return nil, err
	}
	n := 0
	for _, c := range contents {
		for _, p := range c.Parts {
			if _, call := p["functionCall"]; !call {
				continue
			}
			if n < len(x.signatures) && x.signatures[n] != "" {
				s, err := json.Marshal(x.signatures[n])
				if err != nil {
					return nil, err
				}
				p["thoughtSignature"] = s
			}
			n++
		}
	}
	var err error
	if top["contents"], err = json.Marshal(contents); err != nil {
		return nil, err
	}
	return json.Marshal(top)
}
