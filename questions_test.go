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
	type count struct{ questions, right, wrong, pending int }
	var reads, changes, first count
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n := &reads
		if strings.Contains(string(text), "\n-- after --\n") {
			n = &changes
		}
		if dir := filepath.Base(filepath.Dir(f)); strings.HasSuffix(dir, "-first") || strings.HasPrefix(dir, "crm") {
			n = &first
		}
		n.questions++
		n.right += strings.Count(string(text), "\n-- right: ")
		n.wrong += strings.Count(string(text), "\n-- wrong: ")
		n.pending += strings.Count(string(text), "\n-- pending: ")
	}
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("%d questions, 60 over the two examples and 120 over five schemas that others drew, each with its answer in SQL, %d programs that are right and %d that are wrong", reads.questions, reads.right, reads.wrong),
		fmt.Sprintf("%d more ask for a change, each with the database that it has to leave, %d programs that are right and %d that are wrong", changes.questions, changes.right, changes.wrong),
		fmt.Sprintf("%d programs as they were written first: %d are right, %d are right at the second try, with what the error names, and %d are wrong without an error", first.questions, first.right, first.wrong, first.pending),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/language.md does not say: %s", want)
		}
	}
}
