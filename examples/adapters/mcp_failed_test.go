package adapters_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/adapters"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
)

// mailing is a tool that can change something.
func mailing(t *testing.T) *codemode.Tool {
	t.Helper()
	mail, err := service.New("mail", "sends mail",
		service.Method("send", "sends one", func(context.Context, service.None) (bool, error) { return true, nil }).Immediate())
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"mail": mail}, &codemode.Options{Name: "send-mail", Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// client is connected to a server that has the tool.
func client(t *testing.T, tool *codemode.Tool) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	adapters.AddToMCP(server, tool)
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestMCPFailures: a client sees by isError alone which programs failed, and the
// model still reads why.
func TestMCPFailures(t *testing.T) {
	c := client(t, todosOf(1))
	for _, tc := range []struct {
		input  any
		failed bool
		says   string
	}{
		{map[string]any{"code": program}, false, `{"result":[`},
		{map[string]any{"code": "return null"}, false, `{"result":null}`},
		{map[string]any{"code": "me.nothing()"}, true, `{"error":{"kind":"denied",`},
		{map[string]any{"code": "throw new Error('stop')"}, true, `{"error":{"kind":"program","message":"stop"`},
		{map[string]any{"code": "("}, true, `{"error":{"kind":"syntax",`},
		{map[string]any{"program": "return 1"}, true, `{"error":{"kind":"invalid",`},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_program", Arguments: tc.input})
		if err != nil {
			t.Errorf("%v: %v", tc.input, err)
			continue
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if res.IsError != tc.failed || !strings.HasPrefix(text, tc.says) {
			t.Errorf("%v: isError %v, %s", tc.input, res.IsError, text)
		}
		if m, _ := res.StructuredContent.(map[string]any); (m["error"] != nil) != tc.failed {
			t.Errorf("%v: structured content %v", tc.input, res.StructuredContent)
		}
	}
}

// TestMCPAnnotations: a client may run a tool unasked that says it changes nothing,
// so only one that can't says so.
func TestMCPAnnotations(t *testing.T) {
	for _, tc := range []struct {
		tool     *codemode.Tool
		title    string
		readOnly bool
	}{{todosOf(1), "Run program", true}, {mailing(t), "Send mail", false}} {
		listed, err := client(t, tc.tool).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := listed.Tools[0]
		if got.Title != tc.title || got.Annotations == nil || got.Annotations.Title != tc.title || got.Annotations.ReadOnlyHint != tc.readOnly {
			t.Errorf("%s: title %q, annotations %+v; want %q, read only %v", got.Name, got.Title, got.Annotations, tc.title, tc.readOnly)
		}
	}
}
