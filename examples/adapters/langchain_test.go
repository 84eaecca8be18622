package adapters_test

import (
	"context"
	"fmt"
	"log"
	"strconv"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/tools"

	"github.com/exoagent/exoagent/examples/adapters"
)

func ExampleLangChain() {
	arguments := strconv.Quote(`{"__arg1": ` + strconv.Quote(program) + `}`)
	server := model(
		`{"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "run_program", "arguments": `+arguments+`}}]}, "finish_reason": "tool_calls"}]}`,
		`{"choices": [{"message": {"role": "assistant", "content": "Two things are left to do."}, "finish_reason": "stop"}]}`)
	defer server.Close()

	llm, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("gpt-5"))
	if err != nil {
		log.Fatal(err)
	}
	agent := agents.NewOpenAIFunctionsAgent(llm, []tools.Tool{adapters.LangChain(todosOf(1))})
	answer, err := chains.Run(context.Background(), agents.NewExecutor(agent), "What is left to do?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// the model was shown the tables: true
	// the model read the rows, and none of others: true
	// Two things are left to do.
}
