package adapters

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
)

// AddToMCP makes t a tool of an MCP server. A program that fails is a result with
// isError, which the model reads to mend it. readOnlyHint is what t knows of itself:
// that nothing which is granted can change anything.
func AddToMCP(s *mcp.Server, t *codemode.Tool) {
	title := strings.NewReplacer("_", " ", "-", " ").Replace(t.Name())
	title = strings.ToUpper(title[:1]) + title[1:]
	s.AddTool(&mcp.Tool{Name: t.Name(), Title: title, Description: t.Description(), InputSchema: t.InputSchema(), OutputSchema: t.OutputSchema(),
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: t.ReadOnly()}},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			out, res := t.CallJob(ctx, codemode.Job{}, req.Params.Arguments)
			if err := ctx.Err(); err != nil && res.Err != nil {
				return nil, err // the client has gone, or cancelled the call: nobody reads a result
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}, StructuredContent: out, IsError: res.Err != nil}, nil
		})
}
