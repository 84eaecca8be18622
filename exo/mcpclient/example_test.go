package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/mcpclient"
)

type ticket struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// tickets is somebody's server.
func tickets() *httptest.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tickets", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "open-tickets", Description: "the open tickets"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, struct {
		Tickets []ticket `json:"tickets"`
	}, error) {
		return nil, struct {
			Tickets []ticket `json:"tickets"`
		}{[]ticket{{7, "the printer"}}}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "close-ticket"}, func(_ context.Context, _ *mcp.CallToolRequest, in ticket) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "delete-all"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	return httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
}

// Programs may list tickets, and close one after they have ended well. They don't know of delete-all.
func ExampleOpen() {
	ctx := context.Background()
	h := tickets()
	defer h.Close()
	server := mcpclient.Server{
		Name: "Tickets", Doc: "tickets of the helpdesk",
		URL: h.URL, Client: h.Client(),
		Reads: []string{"open-tickets"}, Acts: []string{"close-ticket"},
	}
	_, err := mcpclient.Open(ctx, server)
	var pin *mcpclient.PinError
	if !errors.As(err, &pin) {
		fmt.Println(err)
		return
	}
	var tools []struct{ Name, Description string }
	fmt.Println(json.Unmarshal(pin.Tools, &tools), tools)

	server.Pin = pin.Digest // a person has read the tools, and wrote the digest into the host's code
	desk, err := mcpclient.Open(ctx, server)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer desk.Close()
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"tickets": desk}, Record: exo.Unrecorded})
	if err != nil {
		fmt.Println(err)
		return
	}
	i := gate.Catalog()["Tickets"]
	for _, name := range i.Names() {
		m := i.Methods[name]
		fmt.Println(name, m.Effect, m.Reply, m.Result.Con)
	}
	// Output:
	// <nil> [{close-ticket } {open-tickets the open tickets}]
	// close_ticket held {} {held, receipt}
	// open_tickets none {untrusted} {tickets}
}
