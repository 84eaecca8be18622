package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/internal/corpus/withheld"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWithheldSession: a client is sent the same after a withheld run, whatever the program did by the secret, and its next program is refused by the same.
func TestWithheldSession(t *testing.T) {
	told := withheld.Pairs(t, tu.SQLite, func(t *testing.T, w *withheld.World, program string) string {
		tool := w.Tool(t)
		s, err := New(Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil }})
		if err != nil {
			t.Fatal(err)
		}
		c, out := connect(t, s, ann, ""), ""
		for _, program := range []string{program, "await board.post({ text: 'x' }); return 'posted'"} {
			res, _ := run(t, c, program)
			sent, _ := json.Marshal(res)
			out += string(sent)
		}
		label, err := s.labels.label(t.Context(), owner{ann.Issuer, ann.Subject})
		return fmt.Sprint(out, len(s.results.kept), label, err)
	})
	if !slices.Contains(told, "chooses sealed values to return") || !slices.Contains(told, "returns much") {
		t.Errorf("only these show: %q", told)
	}
}
