package main

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/corpus/questions"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestQuestions: programs as models write them, right and wrong.
func TestQuestions(t *testing.T) {
	questions.Run(t, trackerApp, questions.Read(t, questions.Dir("saas"), 34))
}

// TestSizeShown: docs/models.md says what a model is shown.
func TestSizeShown(t *testing.T) { questions.Shown(t, trackerApp) }

// TestQuestionsOfAClerk: what users ask to be changed, and programs as models write them, right and wrong.
func TestQuestionsOfAClerk(t *testing.T) {
	questions.Changes(t, trackerApp, questions.Read(t, questions.Dir("saas-changes"), 18), "comments.id", "comments.created_at")
}

// TestSizeIsBounded: a model reads at most 3,500 tokens of this tool, and 250 on labels, by the dearest of the tokenizers whose counts
// are recorded in testdata/tokens: of this text without labels it counted 3,463, and Size 4,822.
func TestSizeIsBounded(t *testing.T) {
	db, ids := trackerApp.Open(t, tu.SQLite)
	tool, err := codemode.New(trackerApp.Grants(db, ids[0]), &codemode.Options{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	if n := tool.Size().Description; n*3463 > (3500+250)*4822 {
		t.Errorf("the description has %d tokens, by Size: more than 3,750 by a tokenizer", n)
	}
}

// TestFirstTries: one program for each question, as it was written first.
func TestFirstTries(t *testing.T) {
	questions.Run(t, trackerApp, questions.Read(t, questions.Dir("saas-first"), 39))
	questions.Changes(t, trackerApp, questions.Read(t, questions.Dir("saas-changes-first"), 10), "comments.id", "comments.created_at")
}
