package telemetry_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp"
	"github.com/exoagent/exoagent/exo/telemetry"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

// TestTraceparent: a call of a client is below the span that the client names in params._meta, over both transports; what is malformed, and
// tracestate, are ignored; and a program that fails is a tool_error.
func TestTraceparent(t *testing.T) {
	tool := pagesTool(t, tu.SQLite)
	server, err := mcp.New(mcp.Config{Tool: func(context.Context, mcp.Identity) (*codemode.Tool, error) { return tool, nil }})
	if err != nil {
		t.Fatal(err)
	}
	c := collect(t, telemetry.Options{})
	for name, client := range map[string]*sdk.ClientSession{"stdio": overStdio(t, c, server), "HTTP": overHTTP(t, c, server)} {
		for _, call := range []struct {
			parent any
			code   string
			under  string // under is the parent's ID; "" for none
		}{
			{"00-" + traceID + "-" + spanID + "-01", "pages.count()", spanID},
			{"00-" + traceID + "-" + spanID + "-01", "pages.CANARY", spanID},
			{"00-" + traceID + "-0000000000000000-01", "pages.count()", ""},
			{"CANARY", "pages.count()", ""},
			{strings.Repeat("CANARY", 1000), "pages.count()", ""},
			{7, "pages.count()", ""},
			{nil, "pages.count()", ""},
		} {
			c.spans.Reset()
			meta := sdk.Meta{"traceparent": call.parent, "tracestate": "CANARY=CANARY", "baggage": "CANARY=CANARY"}
			res, err := client.CallTool(t.Context(), &sdk.CallToolParams{Meta: meta, Name: "execute", Arguments: map[string]any{"code": call.code}})
			if err != nil {
				t.Fatal(err)
			}
			spans := c.spans.GetSpans()
			i := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool { return s.Name == "tools/call execute" })
			if i < 0 {
				t.Fatalf("%s: %v: no span of the call: %s", name, call.parent, c.tree())
			}
			s := spans[i]
			under := ""
			if s.Parent.IsValid() {
				under = s.Parent.SpanID().String()
			}
			if under != call.under || under != "" && (s.SpanContext.TraceID().String() != traceID || !s.Parent.IsRemote()) || s.SpanKind.String() != "server" || s.SpanContext.TraceState().Len() > 0 {
				t.Errorf("%s: %v: the parent is %q of %v, with the state %q", name, call.parent, under, s.SpanContext.TraceID(), s.SpanContext.TraceState())
			}
			got := ""
			for _, a := range s.Attributes {
				got += string(a.Key) + "=" + a.Value.String() + " "
			}
			want := "mcp.method.name=tools/call gen_ai.tool.name=execute gen_ai.operation.name=execute_tool "
			if res.IsError {
				want += "error.type=tool_error "
			}
			if got != want || res.IsError != strings.Contains(call.code, "CANARY") {
				t.Errorf("%s: %q: the attributes are %s, want %s", name, call.code, got, want)
			}
			if run := slices.IndexFunc(spans, func(r tracetest.SpanStub) bool {
				return r.Name == "run execute" && r.Parent.SpanID() == s.SpanContext.SpanID()
			}); run < 0 {
				t.Errorf("%s: no run is below the call:\n%s", name, c.tree())
			}
		}
	}
	if all := strings.Join(c.metrics(t), "\n"); !strings.Contains(all, "mcp.server.operation.duration error.type=tool_error,gen_ai.operation.name=execute_tool,gen_ai.tool.name=execute,mcp.method.name=tools/call 2") || strings.Contains(all, "CANARY") {
		t.Error(all)
	}
}

func overStdio(t *testing.T, c *collected, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		_ = s.ServeStdio(c.In(context.Background()), mcp.Identity{Issuer: "test", Subject: "CANARY"}, inR, outW)
		outW.Close()
	}()
	return connect(t, &sdk.IOTransport{Reader: outR, Writer: inW})
}

func overHTTP(t *testing.T, c *collected, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	h, err := s.Handler(mcp.HTTPOptions{Session: func(*http.Request) (mcp.Identity, error) { return mcp.Identity{Issuer: "test", Subject: "CANARY"}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(c.In(r.Context()))) }))
	t.Cleanup(srv.Close)
	return connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + h.Path(), DisableStandaloneSSE: true})
}

func connect(t *testing.T, by sdk.Transport) *sdk.ClientSession {
	t.Helper()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), by, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}
