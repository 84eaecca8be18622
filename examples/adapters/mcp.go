package adapters

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
)

// AddToMCP adds t to an MCP server. If a program fails, the result has isError, and the model reads
// it to correct the program. readOnlyHint is true if no grant of t can change anything.
func AddToMCP(s *mcp.Server, t *codemode.Tool) {
	title := strings.NewReplacer("_", " ", "-", " ").Replace(t.Name())
	title = strings.ToUpper(title[:1]) + title[1:]
	s.AddTool(&mcp.Tool{Name: t.Name(), Title: title, Description: t.Description(), InputSchema: t.InputSchema(), OutputSchema: t.OutputSchema(),
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: t.ReadOnly()}},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			out, res := t.CallJob(ctx, codemode.Job{}, req.Params.Arguments)
			if err := ctx.Err(); err != nil && res.Err != nil {
				return nil, err // the client is gone, or has cancelled the call, so no result is needed
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}, StructuredContent: out, IsError: res.Err != nil}, nil
		})
}
