package adapters

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
)

// AddToMCP makes t a tool of an MCP server.
func AddToMCP(s *mcp.Server, t *codemode.Tool) {
	s.AddTool(&mcp.Tool{Name: t.Name(), Description: t.Description(), InputSchema: t.InputSchema(), OutputSchema: t.OutputSchema()},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			out, err := t.Call(ctx, req.Params.Arguments)
			if err != nil {
				return nil, err // the context ended: there is nothing to read
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}, StructuredContent: out}, nil
		})
}
