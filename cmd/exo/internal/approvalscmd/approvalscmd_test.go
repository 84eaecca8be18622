package approvalscmd

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
)

// TestAskWantsTerminal: what a pipe says is no person's word.
func TestAskWantsTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.WriteString(w, "yes\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := ask(cli.Stdio{In: r, Err: io.Discard}, ""); err == nil || !strings.Contains(err.Error(), "the input is no terminal") {
		t.Errorf("a pipe agrees: %v", err)
	}
}
