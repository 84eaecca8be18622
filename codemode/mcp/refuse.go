package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/printable"
)

// Refuse serves one client like ServeStdio, when nothing may be served yet. It lists a tool without any
// authority, with reason as its description and its answer to all calls. So the model can explain to
// the user what to do, which it could not if the server just ended. name and version are the server's.
func Refuse(ctx context.Context, name, version, reason string, in io.ReadCloser, out io.WriteCloser) error {
	reason = printable.Text(reason)
	m := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	m.AddTool(&mcp.Tool{Name: "execute", Description: reason, InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reason}}, IsError: true}, nil
		})
	return overLines(ctx, m, in, out)
}
