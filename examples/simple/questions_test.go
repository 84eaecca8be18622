package main

import (
	"testing"

	"github.com/exoagent/exoagent/internal/terminal/questions"
)

// TestQuestions: programs as models write them, right and wrong.
func TestQuestions(t *testing.T) {
	questions.Run(t, app, questions.Read(t, questions.Dir("simple"), 26))
}

// TestSizeShown: docs/models.md says what a model is shown.
func TestSizeShown(t *testing.T) { questions.Shown(t, app) }
