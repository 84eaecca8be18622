package main

import (
	"testing"

	"github.com/exoagent/exoagent/internal/corpus/questions"
)

// TestQuestions: programs as models write them, right and wrong.
func TestQuestions(t *testing.T) {
	questions.Run(t, tracker, questions.Read(t, questions.Dir("saas"), 34))
}

// TestSizeShown: docs/models.md says what a model is shown.
func TestSizeShown(t *testing.T) { questions.Shown(t, tracker) }
