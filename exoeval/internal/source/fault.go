package source

// This file has Fault, an error at an offset. The other files return it, and package front turns it into an error.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
)

// A Fault is an error at an offset of the given text; -1 means that it has no place.
type Fault struct {
	Kind fail.Kind
	Off  int
	msg  string
	err  error
}

func Faultf(kind fail.Kind, off int, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Off: off, msg: fmt.Sprintf(format, args...)}
}

// InternalFault is a mistake of our own. Only the host sees err.
func InternalFault(err error) *Fault {
	return &Fault{Kind: fail.Internal, Off: -1, msg: "internal error", err: err}
}

// In returns the error for the author of src.
func (f *Fault) In(src string) error {
	e := &fail.Error{Kind: f.Kind, Msg: f.msg, Err: f.err}
	if f.Off >= 0 && f.Off <= len(src) {
		e.Pos = lineColumn(src, f.Off)
	}
	return e
}
