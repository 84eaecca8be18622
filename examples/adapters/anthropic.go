package adapters

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/exoagent/exoagent/codemode"
)

// AskAnthropic lets a model of Anthropic answer a question with at most steps calls of t.
func AskAnthropic(ctx context.Context, client anthropic.Client, model anthropic.Model, t *codemode.Tool, question string, steps int) (string, error) {
	var schema anthropic.ToolInputSchemaParam
	if err := schema.UnmarshalJSON(t.InputSchema()); err != nil {
		return "", err
	}
	tool := anthropic.ToolUnionParamOfTool(schema, t.Name())
	tool.OfTool.Description = anthropic.String(t.Description())
	params := anthropic.MessageNewParams{
		Model:     model,
		MaxTokens: 4096,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
		Tools:     []anthropic.ToolUnionParam{tool},
	}
	for range steps {
		res, err := client.Messages.New(ctx, params)
		if err != nil {
			return "", err
		}
		var results []anthropic.ContentBlockParamUnion
		text := ""
		for _, block := range res.Content {
			switch block := block.AsAny().(type) {
			case anthropic.TextBlock:
				text += block.Text
			case anthropic.ToolUseBlock:
				out, err := answer(ctx, t, block.Name, block.Input)
				if err != nil {
					return "", err
				}
				results = append(results, anthropic.NewToolResultBlock(block.ID, string(out), false))
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		params.Messages = append(params.Messages, res.ToParam(), anthropic.NewUserMessage(results...))
	}
	return "", errSteps
}
