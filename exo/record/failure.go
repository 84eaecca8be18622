package record

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/errtree"
)

const (
	maxErrorText = 64 << 10 // most bytes of one text of an error
	maxWrapped   = 1000     // most errors that one error may wrap
)

// appendError writes the kind of an error, its text and its place, and nothing else of it. An object may have made the error, with methods that
// panic or a cause that is the error itself. Such an error must neither end the process nor refuse the entry.
func appendError(b []byte, err error) []byte {
	e, own := err.(*fail.Error)
	if own = own && e != nil; !own {
		e = classify(err)
	}
	kind := e.Kind
	if !kind.Valid() { // an invalid kind has no name that a reader knows
		kind = fail.Internal
	}
	b = appendText(append(b, `{"kind":`...), kind.String())
	if !own {
		b = appendText(append(b, `,"text":`...), textOf(err))
	}
	for _, f := range [...]struct{ name, text string }{{`,"op":`, e.Op}, {`,"msg":`, e.Message()}, {`,"source":`, e.Pos.Text}} {
		if f.text != "" {
			b = appendText(append(b, f.name...), shortened(f.text))
		}
	}
	b = appendPlace(b, e.Pos)
	if own && e.Err != nil {
		b = appendText(append(b, `,"cause":`...), textOf(e.Err))
	}
	return append(b, '}')
}

func appendPlace(b []byte, at fail.Pos) []byte {
	if at.Line == 0 && at.Column == 0 {
		return b
	}
	b = strconv.AppendInt(append(b, `,"line":`...), int64(at.Line), 10)
	return strconv.AppendInt(append(b, `,"column":`...), int64(at.Column), 10)
}

// classify does the work of fail.Classify for an error that may panic or wrap itself.
func classify(err error) (e *fail.Error) {
	defer func() {
		if recover() != nil {
			e = &fail.Error{Kind: fail.Internal}
		}
	}()
	if !errtree.Finite(err, maxWrapped) {
		return &fail.Error{Kind: fail.Internal}
	}
	e, _ = fail.Classify("", err).(*fail.Error)
	return e
}

// textOf returns the text of an error. The method Error may panic, for example if the error is a
// nil pointer. An error that wraps itself would exhaust the stack, which ends the process.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("an error of type %T, which panicked when its method Error was called", err)
		}
	}()
	if !errtree.Finite(err, maxWrapped) {
		return fmt.Sprintf("an error of type %T, which wraps itself or more than %d others", err, maxWrapped)
	}
	return shortened(err.Error())
}

// shortened shortens a text, so that its line is not longer than a reader accepts.
func shortened(s string) string {
	if len(s) <= maxErrorText {
		return s
	}
	end := maxErrorText
	for end > maxErrorText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
