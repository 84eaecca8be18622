package outside

// This file has a site, which is an HTTP server, and an MCP server, which is a site as well.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Request is a request that a site received.
type Request struct {
	Method, URI, Body string
	Head              http.Header
}

func (r Request) String() string { return strings.TrimSpace(r.Method + " " + r.URI + " " + r.Body) }

// Site is an HTTP server that keeps the requests that it receives.
type Site struct {
	*httptest.Server
	mu  sync.Mutex
	got []Request
}

// NewSite starts a site. answer may be nil.
func NewSite(t testing.TB, answer http.HandlerFunc) *Site {
	t.Helper()
	s := &Site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(b))
		s.mu.Lock()
		s.got = append(s.got, Request{r.Method, r.RequestURI, string(b), r.Header.Clone()})
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Base returns the site's address. Its host is a name, because grant files accept no IP address.
func (s *Site) Base() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

// Got returns the requests in the order in which they arrived.
func (s *Site) Got() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// Forget drops the requests received so far.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

// Tool is a tool of an MCP server. It always gives the same answer.
type Tool struct {
	About   string          `json:"about"`
	In, Out json.RawMessage // the JSON schemas of the argument and the answer
	Answer  json.RawMessage // an answer that fits the schema Out, or a text
}

// Tools is an MCP server over HTTP.
type Tools struct {
	*Site
	mu     sync.Mutex
	called []string
}

// NewTools starts an MCP server.
func NewTools(t testing.TB, tools map[string]Tool) *Tools {
	t.Helper()
	s := &Tools{}
	server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	for name, tool := range tools {
		x := &mcp.Tool{Name: name, Description: tool.About, InputSchema: tool.In}
		if tool.Out != nil {
			x.OutputSchema = tool.Out
		}
		server.AddTool(x, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.called = append(s.called, name+" "+string(r.Params.Arguments))
			if tool.Out != nil {
				return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: tool.Answer}, nil
			}
			var text string
			err := json.Unmarshal(tool.Answer, &text)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, err
		})
	}
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	s.Site = NewSite(t, h.ServeHTTP)
	return s
}

// Called returns the calls, each as the tool's name and its arguments.
func (s *Tools) Called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.called)
}

// ForgetCalls drops the calls received so far.
func (s *Tools) ForgetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.called = nil
}
