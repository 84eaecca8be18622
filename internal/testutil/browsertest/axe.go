package browsertest

import (
	"os"
	"strings"
	"testing"
)

// Axe runs axe-core, the accessibility checker, on the present page, in a subtest. test.sh installs axe-core, and EXO_AXE names its file.
func (b *Tab) Axe(t *testing.T) {
	t.Helper()
	t.Run("axe", func(t *testing.T) {
		t.Helper()
		path := os.Getenv("EXO_AXE")
		if path == "" {
			t.Skip("no axe-core: ./test.sh installs it, or EXO_AXE names its axe.min.js")
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		JS[bool](b, string(source)+"\n;true")
		wrong := JS[[]string](b, `axe.run(document, { resultTypes: ['violations'] }).then(r => [String(r.passes.length), ...r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(' '))])`)
		if len(wrong) == 0 || wrong[0] == "0" {
			t.Fatalf("axe looked at nothing: %v", wrong)
		}
		if len(wrong) > 1 {
			t.Error(strings.Join(wrong[1:], "\n"))
		}
	})
}
