package adapters_test

import (
	"context"
	"fmt"
	"log"
	"strconv"

	"google.golang.org/genai"

	"github.com/exoagent/exoagent/examples/adapters"
)

func ExampleAskGenAI() {
	server := model(
		`{"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "run_program", "args": {"code": `+strconv.Quote(program)+`}}}]}}]}`,
		`{"candidates": [{"content": {"role": "model", "parts": [{"text": "Two things are left to do."}]}}]}`)
	defer server.Close()

	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: server.URL}})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := adapters.AskGenAI(ctx, client, "gemini-2.5-flash", todosOf(1), "What is left to do?", 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// the model was shown the tables: true
	// the model read the rows, and none of others: true
	// Two things are left to do.
}
