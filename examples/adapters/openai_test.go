package adapters_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/exoagent/exoagent/examples/adapters"
)

func ExampleAskOpenAI() {
	arguments := strconv.Quote(`{"code": ` + strconv.Quote(program) + `}`)
	server := model(
		`{"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "run_program", "arguments": `+arguments+`}}]}, "finish_reason": "tool_calls"}]}`,
		`{"choices": [{"message": {"role": "assistant", "content": "Two things are left to do."}, "finish_reason": "stop"}]}`)
	defer server.Close()

	client := openai.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"))
	answer, err := adapters.AskOpenAI(context.Background(), client, "gpt-5", todosOf(1), "What is left to do?", 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// the model was shown the tables: true
	// the model read the rows, and none of others: true
	// Two things are left to do.
}

// TestMadeUpTool: a model that calls what does not exist is told so, and goes on.
func TestMadeUpTool(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if asked++; asked == 1 {
			fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "drop_table", "arguments": "{}"}}]}}]}`)
			return
		}
		if !strings.Contains(string(body), `there is no tool \\\"drop_table\\\"; call run_program`) {
			t.Errorf("the model was told: %s", body)
		}
		fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "I see."}}]}`)
	}))
	defer server.Close()
	client := openai.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"))
	if answer, err := adapters.AskOpenAI(t.Context(), client, "gpt-5", todosOf(1), "Drop it", 5); answer != "I see." || err != nil || asked != 2 {
		t.Errorf("%q, %v after %d requests", answer, err, asked)
	}
	asked = 0
	if answer, err := adapters.AskOpenAI(t.Context(), client, "gpt-5", todosOf(1), "Drop it", 1); answer != "" || err == nil {
		t.Errorf("%q after all steps", answer)
	}
}
