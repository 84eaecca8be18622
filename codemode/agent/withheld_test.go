package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/internal/corpus/withheld"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWithheldChat: a chat goes on in the same way after a withheld run, whatever the program did by the secret: what the model reads, what is kept,
// and what the programs after it are refused by.
func TestWithheldChat(t *testing.T) {
	told := withheld.Pairs(t, tu.SQLite, func(t *testing.T, w *withheld.World, program string) string {
		m := &scripted{t: t, steps: []step{runs(program), runs("await board.post({ text: 'x' }); return 'posted'"), runs(program), says("done")}}
		var chat agent.Chat
		a := &agent.Agent{Model: m, Tools: []*codemode.Tool{w.Tool(t)}, Distrust: agent.DistrustChat}
		answer, err := a.Ask(t.Context(), &chat, "do it", nil)
		kept, _ := json.Marshal(chat)
		return fmt.Sprint(answer, err, string(kept), m.read, w.Posted)
	})
	if !slices.Contains(told, "opens what outsiders wrote") || !slices.Contains(told, "holds an effect") {
		t.Errorf("only these show: %q", told)
	}
}
