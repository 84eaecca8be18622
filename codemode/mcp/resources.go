package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/internal/printable"
)

const declarationsURI = "exo://declarations"

func (s *Server) addResources(m *mcp.Server, who Identity, t *codemode.Tool) {
	text := func(uri, mime, text string) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}, nil
	}
	m.AddResource(&mcp.Resource{URI: declarationsURI, Name: "declarations", Title: "What is granted", Description: "TypeScript declarations of what programs reach.", MIMEType: "text/typescript"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return text(declarationsURI, "text/typescript", printable.Text(t.Declarations()))
		})
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: resultURI + "{handle}", Name: "result", Title: "A whole result", Description: "The result of a program that was too large for the model, for a while.", MIMEType: "application/json"},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			now, err := s.tool(ctx, who) // checked again, since the identity may have lost its right to the result
			if err == nil {
				err = now.CheckAccess(ctx)
			}
			if err != nil {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			whole, shown, ok := s.results.read(who, now, uri)
			if !ok {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			// Store the labels again, so that the time for which they are kept begins anew.
			if err := s.labels.shown(ctx, owner{who.Issuer, who.Subject}, shown); err != nil {
				return nil, unknownLabels(err, "Read the resource again when the server's operator has repaired the server")
			}
			return text(uri, "application/json", string(printable.JSON([]byte(whole))))
		})
}

// addPrompts adds the worked examples of the tool. They contain no rows.
func addPrompts(m *mcp.Server, t *codemode.Tool) {
	for i, e := range t.Examples() {
		m.AddPrompt(&mcp.Prompt{Name: fmt.Sprintf("example-%d", i+1), Title: printable.Text(e.About), Description: "A program that works here: " + printable.Text(e.About) + "."},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				said := fmt.Sprintf("Programs for the tool %s look like this one, which shows %s:\n\n```js\n%s\n```", t.Name(), e.About, e.Code)
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: printable.Text(said)}}}}, nil
			})
	}
}
