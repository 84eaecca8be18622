package exoagent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestionsAreCounted: docs/language.md says how many questions and programs the corpus has.
func TestQuestionsAreCounted(t *testing.T) {
	files, err := filepath.Glob("testdata/questions/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		right += strings.Count(string(text), "\n-- right: ")
		wrong += strings.Count(string(text), "\n-- wrong: ")
	}
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d questions, 60 over the two examples and 120 over five schemas that others drew, each with its answer in SQL, %d programs that are right and %d that are wrong", len(files), right, wrong); !strings.Contains(string(page), want) {
		t.Errorf("docs/language.md does not say: %s", want)
	}
}
