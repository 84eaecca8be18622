package repl

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// TestEffectsAreShown: whoever sits here reads what a program changed, as a model does.
func TestEffectsAreShown(t *testing.T) {
	sent := []exo.Effect{{Op: "mail.send", Mode: message.Held, State: exo.StateApplied}}
	for _, c := range []struct {
		res  *codemode.Result
		want string
	}{
		{&codemode.Result{Value: value.Int(1), JSON: []byte("1"), Effects: sent}, "effects: mail.send took effect"},
		{&codemode.Result{Err: fail.Errorf(fail.Program, "", "no"), Effects: sent}, "effects: mail.send took effect and will not be undone. Do not run"},
		{&codemode.Result{Value: value.Int(1), JSON: []byte("1")}, ""},
	} {
		var out strings.Builder
		screen.Screen{}.Show(&out, &screen.Ran{Result: c.res}, false)
		if !strings.Contains(out.String(), c.want) || c.want == "" && strings.Contains(out.String(), "effects") {
			t.Errorf("it shows\n%s\nwant %q", &out, c.want)
		}
	}
}
