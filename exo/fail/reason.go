package fail

// This file describes why something failed, for logs that must not have the values of rows, arguments or programs.

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// constant is the type of a text that is written in the code: only an untyped constant converts to it.
type constant string

// named is an error with a text that logs may show.
type named struct{ text string }

func (e *named) Error() string     { return e.text }
func (e *named) LogReason() string { return e.text }

// Named makes an error with a text that logs may show whole. format is a constant, in which each %s is replaced by the next of names. names are names of
// declarations, or texts of the database's schema, and never a value.
func Named(format constant, names ...string) error {
	args := make([]any, len(names))
	for i, n := range names {
		args[i] = n
	}
	return &named{fmt.Sprintf(string(format), args...)}
}

// plain are errors of the standard library with fixed texts.
var plain = []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrDeadlineExceeded,
	fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrClosed}

// mostReasons is how many errors of a tree a reason describes.
const mostReasons = 20

// Reason describes err for logs, without values: by its kind, the texts of errors from [Named], the types of other errors, codes of databases, and the
// place of a panic. Other texts may quote rows, so only the record has them. An error that has a method LogReason() string is described by that.
func Reason(err error) (reason string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil { // a method of the host's error panicked, as methods of a nil pointer may
			reason = fmt.Sprintf("a %T", err)
		}
	}()
	err = Foreign(err) // an error that wraps itself would make the walk below endless
	parts := []string{KindOf(err).String()}
	var walk func(err error)
	walk = func(err error) {
		if err == nil || len(parts) > mostReasons {
			return
		}
		text, more := reasonOf(err)
		if text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
		if !more {
			return
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, e := range e.Unwrap() {
				walk(e)
			}
		}
	}
	walk(err)
	return strings.Join(parts, ": ")
}

// reasonOf describes one error of a tree. more reports whether the errors that it wraps describe it further.
func reasonOf(err error) (text string, more bool) {
	switch e := err.(type) {
	case interface{ LogReason() string }:
		return e.LogReason(), true
	case *Error:
		return "", true
	case *PanicError:
		return "panic" + place(e.Stack), false
	case interface{ SQLState() string }:
		return fmt.Sprintf("%T %.5s", err, e.SQLState()), false
	case interface{ ErrorCode() string }:
		return fmt.Sprintf("%T %.10s", err, e.ErrorCode()), false
	case *fs.PathError:
		return e.Op, true
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		return "", true
	}
	kind := fmt.Sprintf("%T", err)
	if kind == "syscall.Errno" || slices.ContainsFunc(plain, func(p error) bool { return p == err }) { // exo may not import syscall
		return err.Error(), false
	}
	return "a " + kind, false
}

// place returns the name of the function that panicked. It leaves out the arguments, which the stack has as numbers.
func place(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic(") })
	for i := at + 2; at >= 0 && i < len(lines); i += 2 {
		if name, _, ok := strings.Cut(lines[i], "("); ok && !strings.HasPrefix(name, "runtime.") {
			if j := strings.LastIndex(lines[i], "("); strings.HasPrefix(lines[i][:j], name) {
				name = lines[i][:j] // a method's receiver has parentheses, too
			}
			return " in " + name
		}
	}
	return ""
}
