package adapters_test

import (
	"context"
	"fmt"
	"log"
	"strconv"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/exoagent/exoagent/examples/adapters"
)

func ExampleAskAnthropic() {
	server := model(
		`{"role": "assistant", "type": "message", "content": [{"type": "tool_use", "id": "1", "name": "run_program", "input": {"code": `+strconv.Quote(program)+`}}], "stop_reason": "tool_use"}`,
		`{"role": "assistant", "type": "message", "content": [{"type": "text", "text": "Two things are left to do."}], "stop_reason": "end_turn"}`)
	defer server.Close()

	client := anthropic.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"))
	answer, err := adapters.AskAnthropic(context.Background(), client, "claude-sonnet-4-5", todosOf(1), "What is left to do?", 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// the model was shown the tables: true
	// the model read the rows, and none of others: true
	// Two things are left to do.
}
