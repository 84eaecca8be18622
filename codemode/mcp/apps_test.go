package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	bt "github.com/exoagent/exoagent/internal/testutil/browsertest"
)

func TestMain(m *testing.M) { bt.Main(m) }

// appsClient is a client that shows pages of some types, and says so unless types is nil.
func appsClient(t *testing.T, tr mcp.Transport, version string, types []any) *mcp.ClientSession {
	t.Helper()
	caps := &mcp.ClientCapabilities{}
	if types != nil {
		caps.AddExtension(appsExtension, map[string]any{"mimeTypes": types})
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Capabilities: caps}).Connect(t.Context(), tr, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// overStdio is a transport to a server.
func overStdio(s *Server) mcp.Transport {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() { s.ServeStdio(context.Background(), ann, inR, outW); outW.Close() }()
	return &mcp.IOTransport{Reader: outR, Writer: inW}
}

// answers are what a client is sent, as JSON: its tools, its resources, two results, and what it reads at an address.
func answers(t *testing.T, c *mcp.ClientSession, uri string) string {
	t.Helper()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resources, err := c.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := run(t, c, "notes")
	two, _ := run(t, c, "nothing")
	_, err = c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	b, _ := json.Marshal([]any{c.InitializeResult(), tools, resources, one, two, fmt.Sprint(err)})
	return string(b)
}

// TestApps: a client that shows pages is told of one with the tool and reads it; its results are those of any other client. Who does not say
// so, or shows other pages, is sent not one byte more than by a server without the page.
func TestApps(t *testing.T) {
	tool := noteTool(t, "p")
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	srv, _ := httpServer(t, HTTPOptions{PerMinute: 100_000})
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		for _, way := range []string{"stdio", "http"} {
			to := func() mcp.Transport {
				if way == "stdio" {
					return overStdio(s)
				}
				return &mcp.StreamableClientTransport{Endpoint: srv.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken("ann")}, MaxRetries: -1}
			}
			plain := answers(t, appsClient(t, to(), version, nil), pageURI)
			for _, types := range [][]any{{}, {"text/html"}, {7}} {
				if got := answers(t, appsClient(t, to(), version, types), pageURI); got != plain {
					t.Errorf("%s over %s, %v:\n%s\nwant\n%s", version, way, types, got, plain)
				}
			}
			for _, word := range []string{"ui/", `"ui"`, "mcp-app", "extensions"} {
				if strings.Contains(strings.ReplaceAll(plain, pageURI, ""), word) {
					t.Errorf("%s over %s: a client that shows no pages reads %s in\n%s", version, way, word, plain)
				}
			}
			if none := answers(t, appsClient(t, to(), version, nil), "ui://exo/nothing"); strings.ReplaceAll(none, "ui://exo/nothing", pageURI) != plain {
				t.Errorf("%s over %s: the page is told apart from none:\n%s\n%s", version, way, none, plain)
			}
			c := appsClient(t, to(), version, []any{"text/plain", appsType})
			tools, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			meta, _ := json.Marshal(tools.Tools[0].Meta)
			if way == "http" && version == "2025-11-25" { // without sessions a server does not know what the client said when it began
				if got := answers(t, c, pageURI); got != plain {
					t.Errorf("over HTTP in the older revision: %s", got)
				}
				continue
			}
			if string(meta) != `{"ui":{"resourceUri":"ui://exo/result","visibility":["model"]}}` {
				t.Errorf("%s over %s: the tool has %s", version, way, meta)
			}
			read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pageURI})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].MIMEType != appsType || !strings.HasPrefix(read.Contents[0].Text, "<!doctype html>") {
				t.Fatalf("%s over %s: %+v %v", version, way, read, err)
			}
			// But for the tool's _meta it is all the same: results are sent once, as text.
			tools.Tools[0].Meta = nil
			same := answers(t, c, "ui://exo/nothing")
			if got := strings.ReplaceAll(strings.ReplaceAll(same, `"_meta":`+string(meta)+",", ""), "ui://exo/nothing", pageURI); got != plain {
				t.Errorf("%s over %s: who shows pages is sent\n%s\nwant\n%s", version, way, got, plain)
			}
		}
	}
}

// host is a page that shows another one as a client of MCP does: in a frame of no origin, under the policy of the specification, by messages
// that are checked here. heard is what the page said.
const host = `<!doctype html><meta charset="utf-8"><body style="margin: 0"><iframe sandbox="allow-scripts" style="width: 100%; border: 0" src="/page"></iframe><script>
const heard = [], frame = document.querySelector('iframe'), context = { theme: new URL(location).searchParams.get('theme') }
const post = m => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...m }, '*')
addEventListener('message', e => {
  const m = e.data
  if (e.source !== frame.contentWindow) return
  heard.push(m)
  if (m.method === 'ui/initialize') post({ id: m.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverResources: {} }, hostContext: context } })
  if (m.method === 'ui/notifications/initialized') { post({ method: 'ui/notifications/tool-input', params: { arguments: {} } }); post({ method: 'ui/notifications/tool-result', params: RESULT }) }
  if (m.method === 'ui/notifications/size-changed') frame.style.height = m.params.height + 'px'
  if (m.method === 'resources/read') fetch('/read?' + new URLSearchParams(m.params)).then(r => r.json()).then(result => post({ id: m.id, result }))
})
</script>`

// TestAppsInBrowser: the page shows what the client got, sorts it, reads a whole result that was cut by the client, and tells its size. It asks
// for nothing else.
func TestAppsInBrowser(t *testing.T) {
	tool := noteTool(t, "p")
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	c := appsClient(t, overStdio(s), "", []any{appsType})
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pageURI})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, program, theme string
		width                int
		shows                []string
	}{
		{"rows", "notes", "light", 390, []string{"plain", `\u001b\u009b\u202e`, "isError"}},
		{"chart", "[{ month: '2024-01', n: 3 }, { month: '2024-02', n: -1 }]", "dark", 390, []string{"n by month", "2024-02"}},
		{"cut", "Array.from({ length: 100 }, (_, i) => ({ name: 'row ' + i, n: i }))", "dark", 1000, []string{"Show the whole result", "row 0", "was cut"}},
		{"error", "nothing", "light", 1000, []string{"is not defined", "syntax: "}},
	} {
		t.Run(x.name, func(t *testing.T) {
			res, text := run(t, c, x.program)
			result, _ := json.Marshal(res)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/page":
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; sandbox allow-scripts")
					io.WriteString(w, read.Contents[0].Text)
				case "/read":
					got, err := c.ReadResource(r.Context(), &mcp.ReadResourceParams{URI: r.URL.Query().Get("uri")})
					if err != nil {
						http.Error(w, err.Error(), http.StatusNotFound)
						return
					}
					json.NewEncoder(w).Encode(got)
				case "/":
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					io.WriteString(w, strings.Replace(host, "RESULT", strings.ReplaceAll(string(result), "</", `<\/`), 1))
				default:
					w.WriteHeader(http.StatusNoContent)
				}
			}))
			t.Cleanup(srv.Close)
			b := bt.Open(t, srv.URL+"/?theme="+x.theme, x.width, "light")
			b.Until("heard.some(m => m.method === 'ui/notifications/size-changed' && m.params.height > 60)")
			b.In(func() {
				b.Until("!document.querySelector('#notice').textContent.includes('running')")
				shown := bt.JS[string](b, "document.body.innerText")
				for _, want := range x.shows {
					if !strings.Contains(shown, want) {
						t.Errorf("no %q in\n%s\nof %s", want, shown, text)
					}
				}
				if got, want := bt.JS[string](b, "getComputedStyle(document.body).backgroundColor"), map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(27, 27, 31)"}[x.theme]; got != want {
					t.Errorf("the ground is %s", got)
				}
				if bt.JS[bool](b, "document.documentElement.scrollWidth > innerWidth") {
					t.Error("it is wider than its frame")
				}
			})
			b.Shot("app-" + x.name)
			b.In(func() {
				if charts := bt.JS[int](b, "document.querySelectorAll('svg').length"); (charts == 1) != (x.name == "chart") { // a part of the rows would be another chart
					t.Errorf("%d charts", charts)
				}
			})
			if x.name != "cut" {
				if n := bt.JS[int](b, "heard.filter(m => !['ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed'].includes(m.method)).length"); n != 0 {
					t.Errorf("the page asks for something: %s", bt.JS[string](b, "JSON.stringify(heard)"))
				}
				return
			}
			b.In(func() {
				bt.JS[any](b, "document.querySelector('#whole').click()")
				b.Until("document.querySelector('#pages').innerText.includes('of 100')")
				if !bt.JS[bool](b, "document.querySelector('#whole').hidden && document.querySelector('#notice').hidden") {
					t.Error("it still says that a part is missing")
				}
			})
		})
	}
}
