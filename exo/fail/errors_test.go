package fail

import (
	"errors"
	"testing"
)

// TestErrorSaysItsKindOnce: an error within another of its kind does not repeat the kind; of another kind it says both.
func TestErrorSaysItsKindOnce(t *testing.T) {
	why := errors.New("the disk is full")
	for want, err := range map[string]error{
		"internal: the disk is full":                       &Error{Kind: Internal, Err: &Error{Kind: Internal, Err: why}},
		"tasks.count: internal: the disk is full":          &Error{Op: "tasks.count", Kind: Internal, Err: &Error{Kind: Internal, Err: why}},
		"internal: tasks.count: invalid: the disk is full": &Error{Kind: Internal, Err: &Error{Op: "tasks.count", Kind: Invalid, Err: why}},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
