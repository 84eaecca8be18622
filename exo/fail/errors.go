package fail

// This file has the error type, its kinds, and the functions that read it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Kind is the class of a failure. Other is the zero value. Add new kinds only at the end, since
// processes exchange kinds as numbers.
type Kind uint8

const (
	Other     Kind = iota // the error is not classified; a guest sees it as Internal
	Denied                // there is no such member or row, or the program has no right to know whether there is
	Revoked               // the object was revoked
	Invalid               // the arguments or expressions of the program are wrong
	Limit                 // a budget is used up
	Conflict              // something that the program relied on changed meanwhile
	Cancelled             // the caller's context was cancelled
	Syntax                // the program does not parse, or uses syntax that is refused
	Program               // the program threw, or can never finish
	Internal              // a fault of the host or its database; the guest reads only "internal error"
	Crashed               // the engine failed while the program ran: messages that it had sent may have taken effect
	Breach                // the program's process did something that no program can do, and was stopped
	Pending               // a person must agree first: the changes are kept as a change set, and nothing has happened
	kinds
)

var kindNames = [...]string{
	Other: "other", Denied: "denied", Revoked: "revoked", Invalid: "invalid", Limit: "limit", Conflict: "conflict",
	Cancelled: "cancelled", Syntax: "syntax", Program: "program", Internal: "internal",
	Crashed: "crashed", Breach: "breach", Pending: "pending",
}

// Valid reports whether k is a known kind.
func (k Kind) Valid() bool { return k < kinds }

func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Error is the error type of this module. Error() is for the host's log and shows everything. Guest() is the
// text for a guest, and reveals as little as possible (after upspin's errors and dir/server.errPerm).
//
// Functions of this module return it as a plain error: compare it with nil, and read it with KindOf,
// GuestText and PosOf, or get it with errors.As.
type Error struct {
	Op   string // the failed operation, as the program wrote it: "todos.where"
	Kind Kind
	Msg  string // the text for the guest, which contains only names that the guest may see, never a driver's text; read it with Message
	Pos  Pos    // the place in the program; zero: not known
	Err  error  // the cause, for the host; never shown to a guest

	late func() string // makes the text when Message is first called
}

// Pos is a place in the original text of a program. Line and Column count from 1, and Column counts
// UTF-16 units, as editors do.
type Pos struct {
	Line, Column int
	Text         string // the line of the program, shortened to the part around the place if it is long
}

// These limit the texts of an error, in bytes. A run can have an error for each of its calls, and a
// record keeps them all.
const (
	MaxOp  = 400
	MaxMsg = 4000
)

// Bounded returns e, or a copy with shortened texts if they are too long.
func (e *Error) Bounded() *Error {
	if e == nil || len(e.Op) <= MaxOp && len(e.Msg) <= MaxMsg {
		return e
	}
	k := *e
	k.Op, k.Msg = scalar.Clip(e.Op, MaxOp), scalar.Clip(e.Msg, MaxMsg)
	return &k
}

// Later makes an error with a message that is built only when it is read: a guest can cause many refusals, and most are never read.
func Later(kind Kind, message func() string) *Error { return &Error{Kind: kind, late: message} }

// At returns a copy of the error with a place in the program. The copy has its message already built.
func (e *Error) At(p Pos) *Error {
	at := *e
	at.Msg, at.late, at.Pos = e.Message(), nil, p
	return &at
}

// Message returns Msg, or builds the text of an error made by Later.
func (e *Error) Message() string {
	if e.Msg == "" && e.late != nil {
		return e.late()
	}
	return e.Msg
}

// In sets Op, if the code that made the error has not set it.
func (e *Error) In(op string) *Error {
	e.Op = cmp.Or(e.Op, op)
	return e
}

func (e *Error) Error() string {
	s := e.Kind.String()
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Pos.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Column, s)
	}
	msg := e.Message()
	if msg != "" {
		s += ": " + msg
	}
	if e.Err != nil { // a text that the inner error repeats appears only once
		if inner := strings.TrimPrefix(e.Err.Error(), e.Kind.String()+": "); inner != msg {
			s += ": " + inner
		}
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrDenied) compare kinds. A Cancelled error also matches context.Canceled, as callers of
// Go libraries expect. The exception is a run that a deadline ended: then Err has the deadline's error.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	if t, ok := target.(*Error); ok && t != nil {
		return t.Op == "" && t.Msg == "" && t.late == nil && t.Pos == Pos{} && t.Err == nil && t.Kind == e.Kind
	}
	return e.Kind == Cancelled && target == context.Canceled && !errors.Is(e.Err, context.DeadlineExceeded)
}

// These sentinels are for errors.Is: each matches every error of its Kind. They cover the kinds
// that callers check most; for the others use KindOf.
var (
	ErrDenied    = &Error{Kind: Denied}
	ErrRevoked   = &Error{Kind: Revoked}
	ErrLimit     = &Error{Kind: Limit}
	ErrConflict  = &Error{Kind: Conflict}
	ErrCancelled = &Error{Kind: Cancelled}
)

// Guest returns the text for a guest. It uses only Op, Kind and Msg, never Err, which may contain
// driver texts, paths or rows.
func (e *Error) Guest() string {
	var s string
	switch e.Kind {
	case Internal, Other:
		s = "internal error" // Msg is left out, since it was not written for a guest
	default:
		if s = e.Message(); s == "" {
			s = e.Kind.String()
		}
	}
	if e.Op != "" {
		return e.Op + ": " + s
	}
	return s
}

// Errorf makes an Error with a message that a guest may read. args must be names and values that
// this guest already knows.
func Errorf(kind Kind, op, format string, args ...any) *Error {
	return &Error{Op: op, Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// Classify returns err if it is, or wraps, an *Error, and nil for nil. Any other error becomes the
// cause of an *Error for op: Cancelled if a context was cancelled, Limit if a deadline passed,
// otherwise Internal.
func Classify(op string, err error) error {
	if err == nil {
		return nil
	}
	return AsError(op, err)
}

// AsError does the work of Classify for an error that is not nil, and returns an *Error.
func AsError(op string, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		if e == nil { // a nil *Error in an error is a mistake, so it does not count as success
			return &Error{Op: op, Kind: Internal, Err: errors.New("a nil *fail.Error was returned as an error: return a nil of type error")}
		}
		return e
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Op: op, Kind: Cancelled, Err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Op: op, Kind: Limit, Msg: "a time limit was reached: do less in one program", Err: err}
	}
	return &Error{Op: op, Kind: Internal, Err: err}
}

// KindOf returns the kind that Classify gives err, and Other for nil.
func KindOf(err error) Kind {
	if err == nil {
		return Other
	}
	return AsError("", err).Kind
}

// GuestText returns the text of err that a guest may read, and "" for nil.
func GuestText(err error) string {
	if err == nil {
		return ""
	}
	return AsError("", err).Guest()
}

// PosOf returns the place in the program where err happened, or zero if none is known.
func PosOf(err error) Pos {
	if err == nil {
		return Pos{}
	}
	return AsError("", err).Pos
}
