package mcp

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/resultpage"
)

// MCP Apps (https://apps.extensions.modelcontextprotocol.io, revision 2026-01-26): a client that supports them
// shows the result of the tool to its user on a page. The client itself passes its result to the page, so the
// model reads nothing twice and no value takes another way. Other clients get no page.

const (
	appsExtension = "io.modelcontextprotocol/ui"
	appsType      = "text/html;profile=mcp-app"
	pageURI       = "ui://exo/result"
)

var page = sync.OnceValue(func() string { return string(resultpage.Of("Result", []byte("null"))) })

// addPage adds the page to a server, for clients that show it.
func addPage(m *mcp.Server) {
	m.AddResource(&mcp.Resource{URI: pageURI, Name: "page", MIMEType: appsType}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		meta := mcp.Meta{"ui": map[string]any{"prefersBorder": true}} // meta has no addresses, so the page may load nothing
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: pageURI, MIMEType: appsType, Text: page(), Meta: meta}}}, nil
	})
	m.AddReceivingMiddleware(pageForApps)
}

// pageForApps links the tool to the page, for clients that show pages. The page is in no list, and other clients can't read it.
func pageForApps(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		shows := showsApps(req)
		if p, ok := req.GetParams().(*mcp.ReadResourceParams); ok && p.URI == pageURI && !shows {
			return nil, mcp.ResourceNotFoundError(p.URI)
		}
		res, err := next(ctx, method, req)
		switch r := res.(type) {
		case *mcp.ListResourcesResult: // the page is in no list, since clients find it through the tool
			r.Resources = slices.DeleteFunc(r.Resources, func(x *mcp.Resource) bool { return x.URI == pageURI })
		case *mcp.ListToolsResult:
			for i, t := range r.Tools {
				if shows {
					with := *t
					with.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": pageURI, "visibility": []string{"model"}}} // visibility is only the model, so the page can't run the tool
					r.Tools[i] = &with
				}
			}
		}
		return res, err
	}
}

// showsApps reports whether the client of a request shows pages.
func showsApps(req mcp.Request) bool {
	r, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	})
	if !ok {
		return false
	}
	c := r.ClientCapabilities()
	if c == nil {
		return false
	}
	settings, _ := c.Extensions[appsExtension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	return slices.Contains(types, any(appsType))
}
