package exoeval

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
)

// A fault is a refusal at an offset of the text as given; -1 is nowhere.
type fault struct {
	kind exo.Kind
	off  int
	msg  string
	err  error
}

func faultf(kind exo.Kind, off int, format string, args ...any) *fault {
	return &fault{kind: kind, off: off, msg: fmt.Sprintf(format, args...)}
}

// internalFault is a fault of ours: err is for the host only.
func internalFault(err error) *fault {
	return &fault{kind: exo.Internal, off: -1, msg: "internal error", err: err}
}

// in is the error for the author of src.
func (f *fault) in(src string) error {
	e := &exo.Error{Kind: f.kind, Msg: f.msg, Err: f.err}
	if f.off >= 0 && f.off <= len(src) {
		e.Pos = lineColumn(src, f.off)
	}
	return e
}
