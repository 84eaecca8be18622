package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
)

// notMessages are frames, and the code and the id of their answers; 0: they are messages.
var notMessages = []struct {
	frame string
	code  int
	id    string
}{
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0, ""},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1},"b":[{"a":1},{"a":"b"}],"A":"a"}}`, 0, ""},
	{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0, ""},
	{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, -32700, "null"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700, "null"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, -32700, "null"},
	{`hello`, -32700, "null"},
	{"\xff\xfe{", -32700, "null"},
	{`{"jsonrpc":"2.0","id":"x","method":"ping","method":"tools/call"}`, -32600, `"x"`},
	{`{"jsonrpc":"2.0","id":7,"method":"ping","\u006dethod":"tools/call"}`, -32600, `7`},
	{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32600, "null"},
	{`{"jsonrpc":"2.0","id":{"id":3},"method":"ping","method":"ping"}`, -32600, "null"},
	{`{"jsonrpc":"2.0","method":"ping","params":{"name":"a","arguments":{"code":"1","code":"2"}},"id":5}`, -32600, "5"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[[{"b":{},"c":[],"b":null}]]}}`, -32600, "1"},
	{`{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":1}}`, -32600, "1"},
	{`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"a":1,"a":1}}`, -32600, "null"},
	{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, "1"},
	{`{"id":1,"method":"ping"}`, -32600, "1"},
	{`{"jsonrpc":"2.0"}`, -32600, "null"},
	{`5`, -32600, "null"},
	{`null`, -32600, "null"},
}

// TestNotMessages: what is no message, or can be read in two ways, is answered with a code, and runs nothing; what comes after it is served.
func TestNotMessages(t *testing.T) {
	for _, c := range notMessages {
		checkAnswer(t, c.frame, notMessage([]byte(c.frame)), c.code, c.id)
	}
	srv, _ := httpServer(t, HTTPOptions{})
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return noteTool(t, "p"), nil })
	for _, c := range notMessages {
		if c.code == 0 {
			continue
		}
		status, header, text := ask(t, srv.URL+"/mcp", c.frame, nil)
		if status != http.StatusBadRequest || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", c.frame, status, header)
		}
		checkAnswer(t, c.frame, []byte(text), c.code, c.id)
		var out bytes.Buffer
		after := `{"jsonrpc":"2.0","id":"after","method":"ping"}` // without the end of a line
		if err := s.ServeStdio(t.Context(), ann, io.NopCloser(strings.NewReader(c.frame+"\r\n\n"+after)), nopCloser{&out}); err != nil {
			t.Errorf("%s: %v", c.frame, err)
		}
		answers := strings.SplitAfter(strings.TrimSpace(out.String()), "\n")
		if len(answers) != 2 || !strings.Contains(answers[1], `"after"`) {
			t.Errorf("%s: %q", c.frame, answers)
		}
		checkAnswer(t, c.frame, []byte(answers[0]), c.code, c.id)
	}
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), ann, io.NopCloser(strings.NewReader(strings.Repeat(" ", maxLine+1))), nopCloser{&out}); err == nil {
		t.Error("a line without an end was read to its end")
	}
	checkAnswer(t, "a long line", out.Bytes(), -32600, "null")
}

func checkAnswer(t *testing.T, frame string, answer []byte, code int, id string) {
	t.Helper()
	var got struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int
			Message string
		}
	}
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &got); err != nil || got.Version != "2.0" || got.Error.Message == "" {
			t.Errorf("%s: %s: %v", frame, answer, err)
		}
	}
	if got.Error.Code != code || string(got.ID) != id {
		t.Errorf("%s: %s, want %d for %s", frame, answer, code, id)
	}
}
