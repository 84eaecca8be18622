package worker

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// TestReplyHoldsNoCause: the frame in which a failed call is told to a worker holds no text of
// the host's error: who takes the worker over could read it in its memory.
func TestReplyHoldsNoCause(t *testing.T) {
	cause := errors.New("dial db.internal: password hunter2")
	for _, err := range []error{
		cause, fmt.Errorf("query: %w", cause), &fail.Error{Kind: fail.Internal, Err: cause}, &fail.Error{Kind: fail.Internal, Msg: cause.Error()},
		&fail.Error{Kind: fail.Other, Msg: cause.Error(), Err: cause}, &fail.Error{Kind: fail.Denied, Msg: "no", Err: cause},
	} {
		if b := frame.AppendReply(nil, exo.Reply{ID: 1, Err: err}, &frame.RowsLog{}, nil); bytes.Contains(b, []byte("hunter2")) {
			t.Errorf("%#v: %q", err, b)
		}
	}
}
