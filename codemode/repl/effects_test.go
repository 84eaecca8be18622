package repl

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
)

// TestEffectsAreShown: whoever sits here reads what a program changed, as a model does.
func TestEffectsAreShown(t *testing.T) {
	sent := []exo.Effect{{Op: "mail.send", Mode: exo.Held, State: exo.StateApplied}}
	for _, c := range []struct {
		res  *codemode.Result
		want string
	}{
		{&codemode.Result{Value: exo.Int(1), JSON: []byte("1"), Effects: sent}, "effects: mail.send took effect"},
		{&codemode.Result{Err: exo.Errorf(exo.Program, "", "no"), Effects: sent}, "effects: mail.send took effect and will not be undone. Do not run"},
		{&codemode.Result{Value: exo.Int(1), JSON: []byte("1")}, ""},
	} {
		var out strings.Builder
		screen{}.show(&out, &ran{result: c.res}, false)
		if !strings.Contains(out.String(), c.want) || c.want == "" && strings.Contains(out.String(), "effects") {
			t.Errorf("it shows\n%s\nwant %q", &out, c.want)
		}
	}
}
