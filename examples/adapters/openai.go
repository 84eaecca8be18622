package adapters

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"

	"github.com/exoagent/exoagent/codemode"
)

// AskOpenAI lets a model of the OpenAI API, or of any server that implements it, answer a question
// with at most steps calls of t.
func AskOpenAI(ctx context.Context, client openai.Client, model string, t *codemode.Tool, question string, steps int) (string, error) {
	var schema openai.FunctionParameters
	if err := json.Unmarshal(t.InputSchema(), &schema); err != nil {
		return "", err
	}
	params := openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: t.Name(), Description: openai.String(t.Description()), Parameters: schema})},
	}
	for range steps {
		res, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return "", err
		}
		if len(res.Choices) == 0 {
			return "", errNoAnswer
		}
		said := res.Choices[0].Message
		if len(said.ToolCalls) == 0 {
			return said.Content, nil
		}
		params.Messages = append(params.Messages, said.ToParam())
		for _, call := range said.ToolCalls {
			out, err := answer(ctx, t, call.Function.Name, json.RawMessage(call.Function.Arguments))
			if err != nil {
				return "", err
			}
			params.Messages = append(params.Messages, openai.ToolMessage(string(out), call.ID))
		}
	}
	return "", errSteps
}
