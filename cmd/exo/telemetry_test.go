package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeTelemetry: exo serve exports to the collector that the environment names, under the client's trace, and nothing of what was read; without
// an endpoint it exports nothing, and with a wrong one it doesn't start.
func TestServeTelemetry(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] += string(body)
	}))
	defer srv.Close()
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'CANARY ann')")
	t.Setenv("GRANTS_TEST_DB", url)
	path := filepath.Join(t.TempDir(), "exo.yaml")
	write(t, path, servedShop)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, env := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL, "OTEL_SDK_DISABLED=true"} {
		clear(got)
		cmd := child(t, "serve", path, "-as", "customer=1")
		cmd.Env = append(cmd.Env, env, "OTEL_SERVICE_NAME=shop-agent", "CANARY=CANARY")
		cmd.Stderr = t.Output()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}, Name: "execute", Arguments: map[string]any{"code": "me.where(c => c.name !== 'CANARY').select(c => c.name)"}})
		if err != nil || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "CANARY ann") {
			t.Fatal(res, err)
		}
		c.Close()
		mu.Lock()
		traces, metrics := got["/v1/traces"], got["/v1/metrics"]
		mu.Unlock()
		if strings.HasPrefix(env, "OTEL_SDK") {
			if traces+metrics != "" {
				t.Errorf("%s: it exports %s", env, traces+metrics)
			}
			continue
		}
		for _, want := range []string{`"traceId":"` + trace + `"`, `"name":"tools/call execute"`, `"name":"run execute"`, `"name":"SELECT customers"`, `"stringValue":"shop-agent"`} {
			if !strings.Contains(traces, want) {
				t.Errorf("no %s in %s", want, traces)
			}
		}
		for _, want := range []string{`"mcp.server.operation.duration"`, `"exoagent.run.duration"`, `"exoagent.programs"`, `"exoagent.workers"`} {
			if !strings.Contains(metrics, want) {
				t.Errorf("no %s in %s", want, metrics)
			}
		}
		if strings.Contains(traces+metrics, "CANARY") || strings.Contains(traces+metrics, path) {
			t.Errorf("it exports %s", traces+metrics)
		}
	}
	cmd := child(t, "serve", path, "-as", "customer=1")
	cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "OTEL_EXPORTER_OTLP_ENDPOINT: want a URL like http://127.0.0.1:4318") {
		t.Errorf("%v: %s", err, out)
	}
}

// withToken adds a bearer token to each request.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// TestServeTelemetryOverHTTP: a request over HTTP is exported, too, at the latest when SIGTERM has ended the server; neither the token nor who has it is.
func TestServeTelemetryOverHTTP(t *testing.T) {
	var mu sync.Mutex
	sent := ""
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		sent += string(body)
	}))
	defer srv.Close()
	token := strings.Repeat("CANARY", 8)
	t.Setenv(tokenVariable, token)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	path := grantFileOf(t, servedShop)
	t.Run("served", func(t *testing.T) {
		url := overHTTP(t, path, "-as", "customer=1")
		c, err := mcp.NewClient(&mcp.Implementation{Name: "CANARY", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if text, failed := callText(t, c, "me.count()"); failed {
			t.Fatal(text)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(sent, `"name":"tools/call execute"`) || !strings.Contains(sent, `"name":"SELECT customers"`) || strings.Contains(sent, "CANARY") || strings.Contains(sent, "customer=1") {
		t.Errorf("it exports %s", sent)
	}
}
