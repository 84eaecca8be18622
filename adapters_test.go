package exoagent_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFrameworksStayOut: what the adapters need is a requirement of their module
// only. Whoever imports exoagent gets none of it, but for the SDK of the Model Context Protocol, which codemode/mcp serves tools by.
func TestFrameworksStayOut(t *testing.T) {
	adapters, err := os.ReadFile("examples/adapters/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var frameworks []string
	for line := range strings.Lines(string(adapters)) {
		m := regexp.MustCompile(`^\t(\S+) v\S+\n$`).FindStringSubmatch(line) // not those that end with // indirect
		if m != nil && m[1] != module && m[1] != "github.com/modelcontextprotocol/go-sdk" {
			frameworks = append(frameworks, m[1])
		}
	}
	if len(frameworks) < 4 {
		t.Fatalf("the adapters are for %v", frameworks)
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frameworks {
			if strings.Contains(string(text), f+" ") {
				t.Errorf("%s names %s", file, f)
			}
		}
	}
}
