package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// TestRefuse: a client to which nothing may be served reads why, in its list and in every answer, and nothing that a terminal acts on.
func TestRefuse(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"execute","arguments":{"code":"1"}}}
`
	var out bytes.Buffer
	if err := Refuse(t.Context(), "exo", "dev", "agree first\x1b[2J", io.NopCloser(strings.NewReader(in)), closing{&out}); err != nil {
		t.Fatal(err)
	}
	got := map[int]struct {
		Result struct {
			Tools   []struct{ Name, Description string }
			Content []struct{ Text string }
			IsError bool
		}
	}{}
	for l := range strings.Lines(out.String()) {
		var id struct{ ID int }
		m := got[0]
		if json.Unmarshal([]byte(l), &id) != nil || json.Unmarshal([]byte(l), &m) != nil {
			t.Fatal(l)
		}
		got[id.ID] = m
	}
	list, call := got[2].Result, got[3].Result
	if len(list.Tools) != 1 || list.Tools[0].Name != "execute" || !strings.HasPrefix(list.Tools[0].Description, "agree first") {
		t.Errorf("the list: %s", &out)
	}
	if !call.IsError || len(call.Content) != 1 || !strings.HasPrefix(call.Content[0].Text, "agree first") {
		t.Errorf("an answer: %s", &out)
	}
	if strings.Contains(list.Tools[0].Description+call.Content[0].Text, "\x1b") {
		t.Errorf("a terminal acts on %s", &out)
	}
}
