package fail

import (
	"errors"
	"testing"
)

// TestErrorSaysItsKindOnce: an error within another of its kind does not repeat the kind, or the message; of another kind it says both.
func TestErrorSaysItsKindOnce(t *testing.T) {
	why := errors.New("the disk is full")
	for want, err := range map[string]error{
		"internal: the disk is full":                            &Error{Kind: Internal, Err: &Error{Kind: Internal, Err: why}},
		"tasks.count: internal: the disk is full":               &Error{Op: "tasks.count", Kind: Internal, Err: &Error{Kind: Internal, Err: why}},
		"tasks.count: invalid: the disk is full":                &Error{Op: "tasks.count", Kind: Invalid, Msg: why.Error(), Err: why},
		"invalid: the disk is full: no write: the disk is full": &Error{Kind: Invalid, Msg: why.Error(), Err: errors.New("no write: the disk is full")},
		"internal: tasks.count: invalid: the disk is full":      &Error{Kind: Internal, Err: &Error{Op: "tasks.count", Kind: Invalid, Err: why}},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
