package fail

// This file has the error type, its kinds, and the functions that read it.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Kind says what class of failure an error is. Other is the zero value.
// The list is append-only: kinds cross process boundaries as numbers.
type Kind uint8

const (
	Other     Kind = iota // not classified; treated as Internal when shown to a guest
	Denied                // no such member, no such row, or no right to know which
	Revoked               // the reference was cut
	Invalid               // the guest's arguments or expressions
	Limit                 // a budget ran out
	Conflict              // the world changed under a unit of work
	Cancelled             // the caller's context ended
	Syntax                // the program does not parse or uses syntax that is refused
	Program               // the program threw, or can never finish
	Internal              // our fault or the database's; the guest reads only this word
	Crashed               // the engine failed while the program ran: messages that it had sent may have taken effect
	Breach                // the program's process did something that no program can do, and was ended
	Pending               // a person has to agree first: what the program would change is kept as a change set, and nothing has happened
	kinds
)

var kindNames = [...]string{
	Other: "other", Denied: "denied", Revoked: "revoked", Invalid: "invalid", Limit: "limit", Conflict: "conflict",
	Cancelled: "cancelled", Syntax: "syntax", Program: "program", Internal: "internal",
	Crashed: "crashed", Breach: "breach", Pending: "pending",
}

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return k < kinds }

func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Error is the one error type of this module. Error() is for the host's log and shows everything. Guest() is
// the text for a guest, and reveals as little as it can (after upspin's errors and dir/server.errPerm).
//
// Functions of this module return it as a plain error: compare it with nil, and ask it with
// KindOf, GuestText and PosOf, or take it with errors.As.
type Error struct {
	Op   string // what was being done, in the guest's words: "todos.where"
	Kind Kind
	Msg  string // written for the guest, from names that the guest may see; never driver text. Read it with Message
	Pos  Pos    // where in the program; zero: no place is known
	Err  error  // for the host; never shown to a guest

	late func() string // makes Msg when it is read first
}

// Pos is a place in a program as it was handed in. Line and Column count from 1,
// Column in UTF-16 units as editors show them.
type Pos struct {
	Line, Column int
	Text         string // the program's line, shortened round the place if it is long
}

// These bounds limit the texts of an error, in bytes. A run can have an error for each of its
// calls, and a record keeps them all.
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

// At returns a copy of the error with a place in the program. The copy has its message as text.
func (e *Error) At(p Pos) *Error {
	at := *e
	at.Msg, at.late, at.Pos = e.Message(), nil, p
	return &at
}

// Message returns Msg, or builds the text of an error that Later made.
func (e *Error) Message() string {
	if e.Msg == "" && e.late != nil {
		return e.late()
	}
	return e.Msg
}

// In sets Op, if the code that made the error left it to its caller.
func (e *Error) In(op string) *Error {
	if e.Op == "" {
		e.Op = op
	}
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
	if msg := e.Message(); msg != "" {
		s += ": " + msg
	}
	if e.Err != nil {
		s += ": " + strings.TrimPrefix(e.Err.Error(), e.Kind.String()+": ") // the kind is written once, not again for an inner error of that kind
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrDenied) compare kinds. A cancelled run also matches context.Canceled,
// as callers of Go libraries expect. It does not if a deadline ended the run: Err has that.
func (e *Error) Is(target error) bool {
	if t, ok := target.(*Error); ok {
		return t.Op == "" && t.Msg == "" && t.late == nil && t.Pos == Pos{} && t.Err == nil && t.Kind == e.Kind
	}
	return e.Kind == Cancelled && target == context.Canceled && !errors.Is(e.Err, context.DeadlineExceeded)
}

// These sentinels are for errors.Is: each matches every error of its Kind. They cover the kinds
// that Go callers check most. For the other kinds use KindOf.
var (
	ErrDenied    = &Error{Kind: Denied}
	ErrRevoked   = &Error{Kind: Revoked}
	ErrLimit     = &Error{Kind: Limit}
	ErrConflict  = &Error{Kind: Conflict}
	ErrCancelled = &Error{Kind: Cancelled}
)

// Guest is the text a guest may read. It is built from Op, Kind and Msg only:
// Err may hold driver text, paths or rows and is never part of it.
func (e *Error) Guest() string {
	var s string
	switch e.Kind {
	case Internal, Other:
		s = "internal error" // whatever Msg says: it was not written for a guest
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

// Errorf makes an Error with a message that a guest may read. The arguments must be names and
// values that this guest already has or was shown.
func Errorf(kind Kind, op, format string, args ...any) *Error {
	return &Error{Op: op, Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// Classify returns err if it is, or wraps, an *Error, and nil for nil. Any other error becomes an
// *Error of op: Cancelled if a context was cancelled, Limit if a deadline passed, else Internal. It
// keeps err for the host.
func Classify(op string, err error) error {
	if err == nil {
		return nil
	}
	return AsError(op, err)
}

// AsError is Classify for an error that is not nil, with the result as an *Error.
func AsError(op string, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		if e == nil { // a nil *Error in an error is a mistake, not a success
			return &Error{Op: op, Kind: Internal, Err: errors.New("a nil *fail.Error was returned as an error")}
		}
		return e
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Op: op, Kind: Cancelled, Err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Op: op, Kind: Limit, Msg: "the time for this run is over", Err: err}
	}
	return &Error{Op: op, Kind: Internal, Err: err}
}

// KindOf returns the kind that Classify gives err; Other for nil.
func KindOf(err error) Kind {
	if err == nil {
		return Other
	}
	return AsError("", err).Kind
}

// GuestText returns the text of err that a guest may read, the Guest of AsError; "" for nil.
func GuestText(err error) string {
	if err == nil {
		return ""
	}
	return AsError("", err).Guest()
}

// PosOf returns the place in the program where err happened; zero if no place is known.
func PosOf(err error) Pos {
	if err == nil {
		return Pos{}
	}
	return AsError("", err).Pos
}
