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
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/internal/printable"
)

// call runs a program. If the program fails, that is a result: the model reads it to correct the program.
func (s *Server) call(ctx context.Context, who Identity, t *codemode.Tool, conversation string, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	defer s.notify(ctx, req)()
	owner := owner{who.Issuer, who.Subject}
	label, err := s.labels.label(ctx, owner)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // fail: without the stored labels the program would begin as if its author had been shown nothing
		return nil, unknownLabels(err, "Nothing was run")
	}
	ctx, end := observe.Begin(ctx, observe.Activity{Kind: observe.ToolCall, Name: t.Name(), Parent: traceparent(req)})
	failed := "internal"
	defer func() { end(observe.Outcome{Error: failed}) }()
	out, res := t.CallJob(ctx, codemode.Job{Label: label, Conversation: conversation}, req.Params.Arguments)
	err = s.labels.shown(ctx, owner, t.Shown(res)) // the labels are stored before the result is sent
	if codemode.HasHiddenCause(res.Err) {
		s.cfg.OnHiddenError(who, res.ID, res.Err)
	}
	if err := ctx.Err(); err != nil && res.Err != nil {
		failed = "cancelled"
		return nil, err // the client is gone or has cancelled, so no result is needed
	}
	if err != nil { // fail: the next program would begin without the labels of this result
		return nil, unknownLabels(err, "The program has run, and its changes may be kept: do not run it again")
	}
	var links []mcp.Content
	if res.Cut {
		if uri := s.results.keep(who, t, res); uri != "" {
			note := fmt.Sprintf(" The whole result can be read as the resource %s, for %s.", uri, s.results.limits.For)
			if with, err := noted(out, note); err == nil {
				out = with
				links = append(links, &mcp.ResourceLink{URI: uri, Name: "result", Title: "The whole result", MIMEType: "application/json"})
			}
		}
	}
	// The client may print this text, which is JSON, in a terminal. So it must have no character that acts on a terminal.
	//
	// There is no structured content in addition to the text, and so no output schema. With structured content, Claude Code, VS Code and Codex would
	// give their model only that content, without the links; some clients give only the text, and some both. A result that is sent once is read once.
	if failed = ""; res.Err != nil {
		failed = "tool_error" // the name that OpenTelemetry's conventions have for a result that is an error
	}
	text := &mcp.TextContent{Text: string(printable.JSON(out))}
	result := &mcp.CallToolResult{Content: append([]mcp.Content{text}, links...), IsError: res.Err != nil}
	if showsApps(req) {
		if w := pendingOf(ctx, t, res); w != nil {
			result.Meta = mcp.Meta{changesMeta: w}
		}
	}
	return result, nil
}

// unknownLabels logs the error for the host, and returns one for the client. It ends with what, the text that the client must know about its program.
func unknownLabels(err error, what string) error {
	slog.Error("the labels of what a client was shown can't be read or stored, so the client got no result", "reason", fail.Reason(err))
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server can't record what this client is shown, so it shows no result. " + what}
}

// traceparent returns the request's field traceparent, in which the client may have written any text.
func traceparent(req *mcp.CallToolRequest) string {
	parent, _ := req.Params.Meta["traceparent"].(string)
	return parent
}

// noted adds a note to the notice that the model reads.
func noted(out []byte, note string) ([]byte, error) {
	var o struct {
		Notice  string          `json:"notice"` // the notice comes before the result, which was cut
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

// notify reports to a client that asked for it that its program still runs, and since when. It
// reveals nothing else about the program.
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
