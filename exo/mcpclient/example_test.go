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

// pin is the digest of the two tools below, as a person has read them. The first Open, without a pin, fails with a *PinError that has both: the
// person reads its Tools, and writes its Digest here.
const pin = "sha256:b8521c6d48c2d5e40fa5d2f1fb6a78e1c5e7b56d820908f48aaef546ec25c80f"

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
	if unread := (*mcpclient.PinError)(nil); errors.As(err, &unread) {
		var tools []struct{ Name, Description string }
		fmt.Println(json.Unmarshal(unread.Tools, &tools), tools)
		fmt.Println(unread.Digest == pin)
	}

	server.Pin = pin
	desk, err := mcpclient.Open(ctx, server)
	if err != nil { // of a server whose tools have become others: it is for a person again
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
	// true
	// close_ticket held {} {held, receipt}
	// open_tickets none {untrusted} {tickets}
}
