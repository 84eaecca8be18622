package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/printable"
)

// Refuse serves one client to which nothing may be served yet, as ServeStdio does: it lists a tool without any authority, whose
// description and every answer is reason. A client that only ended would leave its user with nothing to read; so the model
// passes on what to do. name is the server's, and version its version.
func Refuse(ctx context.Context, name, version, reason string, in io.ReadCloser, out io.WriteCloser) error {
	reason = printable.Text(reason)
	m := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	m.AddTool(&mcp.Tool{Name: "execute", Description: reason, InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reason}}, IsError: true}, nil
		})
	return overLines(ctx, m, in, out)
}
