package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/printable"
)

// call runs a program. One that fails is a result, which the model reads to mend the program.
func (s *Server) call(ctx context.Context, who Identity, t *codemode.Tool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	defer s.notify(ctx, req)()
	began := time.Now()
	owner := owner{who.Issuer, who.Subject}
	label, err := s.labels.label(owner, began)
	if err != nil { // it would begin clean
		return nil, unknownLabels(err, "nothing was run")
	}
	s.metrics.running.Add(1)
	out, res := t.CallJob(ctx, codemode.Job{Label: label}, req.Params.Arguments)
	err = s.labels.shown(owner, t.Shown(res), time.Now()) // before it is sent
	s.metrics.running.Add(-1)
	s.metrics.ran(res, time.Since(began))
	if s.cfg.OnHiddenError != nil && exo.HasHiddenCause(res.Err) {
		s.cfg.OnHiddenError(who, res.ID, res.Err)
	}
	if err := ctx.Err(); err != nil && res.Err != nil {
		return nil, err // the client has gone, or cancelled: nobody reads a result
	}
	if err != nil { // what it reads would not count for its next program
		return nil, unknownLabels(err, "the program has run, and what it changed may stay changed, so do not run it again")
	}
	var links []mcp.Content
	if res.Cut {
		if uri := s.results.keep(who, t, res); uri != "" {
			note := fmt.Sprintf(" The whole result is the resource %s, for %s.", uri, s.results.limits.For)
			if with, err := noted(out, note); err == nil {
				out = with
				links = append(links, &mcp.ResourceLink{URI: uri, Name: "result", Title: "The whole result", MIMEType: "application/json"})
			}
		}
	}
	// What rows hold is a text in JSON, in a text of the protocol. A client shows it in a
	// terminal, perhaps: so nothing that a terminal acts on is left in it.
	//
	// There is no structured content beside it, so no output schema is declared either. Of the two,
	// Claude Code, VS Code and Codex give their model the structured one and drop the text with its
	// links, others the text, and some both: a result that is sent once is read once.
	text := &mcp.TextContent{Text: string(printable.JSON(out))}
	return &mcp.CallToolResult{Content: append([]mcp.Content{text}, links...), IsError: res.Err != nil}, nil
}

// unknownLabels tells the host what is wrong, and the client what became of its program.
func unknownLabels(err error, what string) error {
	slog.Error("what a client is shown can't be kept", "error", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server can't note what this client is shown, and shows nothing: " + what}
}

// noted adds to the notice of what the model reads.
func noted(out []byte, note string) ([]byte, error) {
	var o struct {
		Notice  string          `json:"notice"` // first: a part of the result follows
		Result  json.RawMessage `json:"result"`
		Console json.RawMessage `json:"console,omitempty"`
		Effects json.RawMessage `json:"effects,omitempty"`
	}
	if err := json.Unmarshal(out, &o); err != nil {
		return nil, err
	}
	o.Notice += note
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(o)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// notify tells a client that asked for it, now and then, that its program still runs: how
// long, and nothing of what it does.
func (s *Server) notify(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began, tick := time.Now(), time.NewTicker(s.progress)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				seconds := time.Since(began).Seconds()
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: seconds, Message: fmt.Sprintf("the program has been running for %.0f s", seconds)})
			}
		}
	}()
	return func() { cancel(); <-done }
}
