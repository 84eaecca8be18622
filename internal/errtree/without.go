package errtree

// This file shortens the text of an error, and keeps what the error wraps.

import "strings"

// Without returns err with a text that leaves out the text of mark at its end, for a reader who learns of mark in other words. The result wraps err.
func Without(err, mark error) error {
	if text, ends := strings.CutSuffix(err.Error(), ": "+mark.Error()); ends {
		return &without{text, err}
	}
	return err
}

type without struct {
	text string
	err  error
}

func (w *without) Error() string { return w.text }
func (w *without) Unwrap() error { return w.err }
