package adapters

import (
	"context"
	"encoding/json"

	"google.golang.org/genai"

	"github.com/exoagent/exoagent/codemode"
)

// AskGenAI lets a Gemini model answer a question with at most steps calls of t.
func AskGenAI(ctx context.Context, client *genai.Client, model string, t *codemode.Tool, question string, steps int) (string, error) {
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
		Name: t.Name(), Description: t.Description(), ParametersJsonSchema: t.InputSchema(), ResponseJsonSchema: t.OutputSchema()}}}}}
	said := []*genai.Content{genai.NewContentFromText(question, genai.RoleUser)}
	for range steps {
		res, err := client.Models.GenerateContent(ctx, model, said, config)
		if err != nil {
			return "", err
		}
		calls := res.FunctionCalls()
		if len(calls) == 0 {
			return res.Text(), nil
		}
		said = append(said, res.Candidates[0].Content)
		var parts []*genai.Part
		for _, call := range calls {
			input, err := json.Marshal(call.Args)
			if err != nil {
				return "", err
			}
			out, err := answer(ctx, t, call.Name, input)
			if err != nil {
				return "", err
			}
			var response map[string]any
			if err := json.Unmarshal(out, &response); err != nil {
				return "", err
			}
			part := genai.NewPartFromFunctionResponse(call.Name, response)
			part.FunctionResponse.ID = call.ID
			parts = append(parts, part)
		}
		said = append(said, genai.NewContentFromParts(parts, genai.RoleUser))
	}
	return "", errSteps
}
