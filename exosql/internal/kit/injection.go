package kit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Payloads reads the corpus of injection texts: a JSON text on each line.
func Payloads(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(tu.Root(), "testdata", "injection", "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		var s string
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, s)
	}
	if len(out) < 60 {
		t.Fatalf("only %d texts", len(out))
	}
	return append(out, strings.Repeat("'", 10_000), strings.Repeat("\\", 999)+"'")
}
