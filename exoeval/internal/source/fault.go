package source

// This file has Fault, an error at an offset. Package front makes the author's error from it.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
)

// A Fault is an error at an offset of the given text; the offset -1 means no place.
type Fault struct {
	Kind fail.Kind
	Off  int
	msg  string
	err  error
}

func Faultf(kind fail.Kind, off int, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Off: off, msg: fmt.Sprintf(format, args...)}
}

// InternalFault returns the fault for a mistake of our own. Only the host sees err.
func InternalFault(err error) *Fault {
	return &Fault{Kind: fail.Internal, Off: -1, msg: "internal error", err: err}
}

// In returns f as the error for the author of the text src, with its line and column.
func (f *Fault) In(src string) error {
	e := &fail.Error{Kind: f.Kind, Msg: f.msg, Err: f.err}
	if f.Off >= 0 && f.Off <= len(src) {
		e.Pos = lineColumn(src, f.Off)
	}
	return e
}
