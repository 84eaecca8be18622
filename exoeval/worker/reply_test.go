package worker

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// TestReplyHoldsNoCause: the frame in which a failed call is told to a worker holds no text of
// the host's error: who takes the worker over could read it in its memory.
func TestReplyHoldsNoCause(t *testing.T) {
	cause := errors.New("dial db.internal: password hunter2")
	for _, err := range []error{
		cause, fmt.Errorf("query: %w", cause), &exo.Error{Kind: exo.Internal, Err: cause}, &exo.Error{Kind: exo.Internal, Msg: cause.Error()},
		&exo.Error{Kind: exo.Other, Msg: cause.Error(), Err: cause}, &exo.Error{Kind: exo.Denied, Msg: "no", Err: cause},
	} {
		if b := appendReply(nil, exo.Reply{ID: 1, Err: err}, &rowsLog{}, nil); bytes.Contains(b, []byte("hunter2")) {
			t.Errorf("%#v: %q", err, b)
		}
	}
}
