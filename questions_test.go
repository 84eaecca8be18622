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
	type count struct{ questions, right, wrong int }
	var reads, changes count
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n := &reads
		if strings.Contains(string(text), "\n-- after --\n") {
			n = &changes
		}
		n.questions++
		n.right += strings.Count(string(text), "\n-- right: ")
		n.wrong += strings.Count(string(text), "\n-- wrong: ")
	}
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("%d questions, 60 over the two examples and 120 over five schemas that others drew, each with its answer in SQL, %d programs that are right and %d that are wrong", reads.questions, reads.right, reads.wrong),
		fmt.Sprintf("%d more ask for a change, each with the database that it has to leave, %d programs that are right and %d that are wrong", changes.questions, changes.right, changes.wrong),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/language.md does not say: %s", want)
		}
	}
}
