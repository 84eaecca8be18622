package exosql_test

// This file has a check that the package's comment shows code that compiles.

import (
	"os"
	"strings"
	"testing"
)

// TestDocExample: each line of Go in the package's comment is a line of an example that is compiled and run, but for its spaces.
func TestDocExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	lines := 0
	for line := range strings.Lines(string(doc)) {
		code, ok := strings.CutPrefix(line, "//\t")
		if !ok || !strings.Contains(code, "exosql.") {
			continue
		}
		if lines++; !strings.Contains(plain(string(examples)), plain(code)) {
			t.Errorf("example_test.go has no line %s", code)
		}
	}
	if lines < 5 {
		t.Errorf("%d lines of Go", lines)
	}
}
