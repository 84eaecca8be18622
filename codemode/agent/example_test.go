package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo/service"
)

// clockModel is one of a provider that no adapter knows: two methods. This one asks for the hour
// with a program, and answers with what came of it.
type clockModel struct{}

func (clockModel) Name() string { return "example:clock" }

func (clockModel) Reply(_ context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
	last := req.Messages[len(req.Messages)-1]
	if len(last.Results) == 0 {
		return &agent.ModelReply{Stop: agent.StopCalls, Calls: []agent.ToolCall{{ID: "1", Name: req.Tools[0].Name, Args: `{"code": "return clock.hour()"}`}}}, nil
	}
	reply := "The program gave " + last.Results[0].Read()
	if text != nil {
		text(reply)
	}
	return &agent.ModelReply{Text: reply, Stop: agent.StopEnd}, nil
}

// An agent lets a model run programs until it has an answer. The chat is plain data, which a host keeps
// for the next question.
func ExampleAgent() {
	clock, err := service.New("clock", "tells the hour",
		service.Read("hour", "the hour", func(context.Context, service.None) (int, error) { return 12, nil }))
	if err != nil {
		log.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"clock": clock}, nil)
	if err != nil {
		log.Fatal(err)
	}
	a := &agent.Agent{Model: clockModel{}, Tools: []*codemode.Tool{tool}}
	var chat agent.Chat
	answer, err := a.Ask(context.Background(), &chat, "What time is it?", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	fmt.Println(answer.Steps, "steps,", len(chat.Messages), "messages")
	// Output:
	// The program gave {"result":12}
	// 2 steps, 4 messages
}
