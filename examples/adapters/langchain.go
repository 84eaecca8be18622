package adapters

import (
	"context"
	"encoding/json"

	"github.com/tmc/langchaingo/tools"

	"github.com/exoagent/exoagent/codemode"
)

// LangChain makes a tool for langchaingo from t. Its agents pass the program as plain text.
func LangChain(t *codemode.Tool) tools.Tool { return langChain{t} }

type langChain struct{ *codemode.Tool }

func (t langChain) Call(ctx context.Context, program string) (string, error) {
	input, err := json.Marshal(map[string]string{"code": program})
	if err != nil {
		return "", err
	}
	out, err := t.Tool.Call(ctx, input)
	return string(out), err
}
