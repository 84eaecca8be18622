package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/codemode"
)

var (
	errNoAnswer = errors.New("adapters: the model's reply is empty: ask again")
	errSteps    = errors.New("adapters: the model still called the tool in its last step: ask for less at once")
)

// answer returns what the model reads after a call. For a tool that does not exist, it is an error.
func answer(ctx context.Context, t *codemode.Tool, name string, input json.RawMessage) (json.RawMessage, error) {
	if name != t.Name() {
		return json.Marshal(map[string]any{"error": map[string]string{"kind": "denied", "message": fmt.Sprintf("there is no tool %q; call %s", name, t.Name())}})
	}
	return t.Call(ctx, input)
}
