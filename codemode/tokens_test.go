package codemode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestTokens holds the estimate against what tokenizers counted: never below any
// of them, and of no use if far above all.
func TestTokens(t *testing.T) {
	dir := filepath.Join(tu.Root(), "testdata", "tokens")
	b, err := os.ReadFile(filepath.Join(dir, "counts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var counts map[string]map[string]int // tokens by text and tokenizer
	if err := json.Unmarshal(b, &counts); err != nil {
		t.Fatal(err)
	}
	texts, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(texts) != len(counts) || len(texts) < 5 {
		t.Fatalf("%d texts, %d of them counted: %v", len(texts), len(counts), err)
	}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, got := filepath.Base(path), codemode.Tokens(string(text))
		c := counts[name]
		if c["bytes"] != len(text) || len(c) != 4 {
			t.Errorf("%s has changed since it was counted: %d bytes, %v", name, len(text), c)
		}
		most := 0
		for tokenizer, n := range c {
			if tokenizer == "bytes" {
				continue
			}
			most = max(most, n)
			if got < n {
				t.Errorf("%s: %d, but %s has %d", name, got, tokenizer, n)
			}
		}
		t.Logf("%-20s %5d estimated, %5d at most", name, got, most)
		if float64(got) > 1.65*float64(most) {
			t.Errorf("%s: %d is far above %d", name, got, most)
		}
	}
	for text, want := range map[string]int{"": 0, "a": 1, "hello": 2, "hello!": 3, "é": 1, "日本語": 5} {
		if got := codemode.Tokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := codemode.Tokens(strings.Repeat("x", 1e6)); got != 400_000 {
		t.Error(got)
	}
}
