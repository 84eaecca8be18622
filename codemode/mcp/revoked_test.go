package mcp

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
)

// TestRevokedResult: a revoked principal no longer reads the whole of a result that was cut. Before, it does.
func TestRevokedResult(t *testing.T) {
	o, err := service.New("o", "x", service.Read("rows", "x", func(context.Context, service.None) (string, error) { return "row", nil }))
	if err != nil {
		t.Fatal(err)
	}
	l := revoke.In(store.NewMemory(nil), nil)
	tool, err := codemode.New(codemode.Grants{"o": o}, &codemode.Options{Evaluator: exoeval.InProcess{}, Bounds: exoeval.Bounds{ResultBytes: 400}, Principal: "p", Record: exo.Unrecorded, Revoked: l})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	c := connect(t, s, ann, "")
	res, _ := run(t, c, `Array.from({ length: 100 }, (_, i) => "row " + i)`)
	read := func() error {
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: res.Content[1].(*mcp.ResourceLink).URI})
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if err := l.RevokeAll(t.Context(), ""); err != nil { // which this process's list knows at once
		t.Fatal(err)
	}
	if err := read(); err == nil {
		t.Error("a revoked principal reads a result")
	}
	if _, text := run(t, c, "1"); !strings.Contains(text, "taken back") {
		t.Error(text)
	}
}
