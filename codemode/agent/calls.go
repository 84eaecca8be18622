package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/internal/scalar"
)

// calls runs the calls of a reply in order. Each result is in the chat before
// the next call begins, so a stored chat never lacks something that happened.
func (r *run) calls(ctx context.Context, reply *ModelReply, last bool) error {
	ran := false
	r.chat.Messages = append(r.chat.Messages, ChatMessage{Role: RoleTool})
	m := &r.chat.Messages[len(r.chat.Messages)-1]
	for i, c := range reply.Calls {
		res, ok := r.call(ctx, c, reply.Stop, last, i)
		ran = ran || ok
		m.Results = append(m.Results, res)
		r.on(Added{*m})
	}
	if r.fruitless++; ran {
		r.fruitless = 0
	}
	if err := ctx.Err(); err != nil {
		return stopped(ctx)
	}
	return nil
}

func stopped(ctx context.Context) error { return fmt.Errorf("agent: stopped: %w", ctx.Err()) }

// call runs one call, unless there is a reason to refuse it. ran is true if a program was at least
// parsed: then the turn was not fruitless.
func (r *run) call(ctx context.Context, c ToolCall, stop Stop, last bool, i int) (_ ToolResult, ran bool) {
	refuse := func(kind, format string, args ...any) (ToolResult, bool) {
		text := fmt.Sprintf(format, args...)
		b, _ := json.Marshal(map[string]any{"error": map[string]string{"kind": kind, "message": text}})
		res := ToolResult{ID: c.ID, Name: c.Name, Text: string(b), Failed: true}
		r.on(CallEnded{Call: c, Result: res})
		return res, false
	}
	tool := r.tool(c.Name)
	switch {
	case ctx.Err() != nil:
		return refuse("cancelled", "the call was not run: the user stopped it")
	case stop == StopTokens:
		// No call runs: the last one may be incomplete even if its JSON is complete, and the model wrote the others knowing that it would follow.
		return refuse("limit", "the call was not run: the reply was cut at %d tokens. Write a shorter program", r.limits.Tokens)
	case last:
		return refuse("limit", "the call was not run: no more programs can be run for this question. Answer with what is known")
	case i >= r.limits.Calls:
		return refuse("limit", "the call was not run: one turn may have at most %d calls. Make this call in the next turn", r.limits.Calls)
	case tool == nil:
		return refuse("denied", "there is no tool %q; %s", cut(c.Name, 64), r.toolNames())
	case r.repeats(tool, c):
		return refuse("denied", "the call was not run: this program has failed before, and may have changed something. Write one that does only what is missing")
	}
	r.on(CallStarted{c})
	out, run := tool.CallJob(ctx, codemode.Job{Label: r.chat.label(r.Distrust), Conversation: r.chat.ID}, json.RawMessage(c.Args))
	res := ToolResult{ID: c.ID, Name: c.Name, Text: string(out), Failed: run.Err != nil, Effects: run.Changed()}
	res.Label = tool.Shown(run).Tags()
	r.on(CallEnded{c, res, run})
	return res, c.program() != nil
}

// repeats reports whether an equal call since the last question failed, and changed something or
// may have. A model that has read this should not try again. A user who wants the change twice can
// ask a new question.
func (r *run) repeats(tool *codemode.Tool, c ToolCall) bool {
	if tool.ReadOnly() {
		return false
	}
	msgs := r.chat.Messages
	for i := len(msgs) - 1; i > 0 && (msgs[i].Role != RoleUser || msgs[i].Notice); i-- {
		for k, res := range msgs[i].Results {
			if b := msgs[i-1].Calls[k]; res.Failed && res.Effects && b.Name == c.Name && same(b, c) {
				return true
			}
		}
	}
	return false
}

func (r *run) tool(name string) *codemode.Tool {
	for _, t := range r.Tools {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

func (r *run) toolNames() string {
	if len(r.Tools) == 0 {
		return "there are none"
	}
	names := scalar.Each(r.Tools, func(t *codemode.Tool) string { return t.Name() })
	return "there is " + strings.Join(names, ", ")
}

// cut shortens s to n bytes.
func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
