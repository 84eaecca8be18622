package source

// This file has a refusal at an offset. All files before return it; package front makes an error of it.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
)

// A fault is a refusal at an offset of the text as given; -1 is nowhere.
type Fault struct {
	Kind fail.Kind
	Off  int
	msg  string
	err  error
}

func Faultf(kind fail.Kind, off int, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Off: off, msg: fmt.Sprintf(format, args...)}
}

// InternalFault is a fault of ours: err is for the host only.
func InternalFault(err error) *Fault {
	return &Fault{Kind: fail.Internal, Off: -1, msg: "internal error", err: err}
}

// In is the error for the author of src.
func (f *Fault) In(src string) error {
	e := &fail.Error{Kind: f.Kind, Msg: f.msg, Err: f.err}
	if f.Off >= 0 && f.Off <= len(src) {
		e.Pos = lineColumn(src, f.Off)
	}
	return e
}
