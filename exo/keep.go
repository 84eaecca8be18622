package exo

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Plans hold names of a message, records and errors its texts, and all of them outlive it. A text that is cut
// out of a message keeps the whole message in memory, so the gate copies each. Held by
// TestNothingOfAMessageIsKept.

// keepNames copies names.
func keepNames(ns []string) []string {
	ns = slices.Clone(ns)
	for i := range ns {
		ns[i] = strings.Clone(ns[i])
	}
	return ns
}

// Bounds of an error, in bytes: a run can have as many as it has calls, and whoever
// records them keeps them.
const (
	maxErrorOp  = 400
	maxErrorMsg = 4000
)

// keep is the error, or a copy with texts of bounded size.
func (e *Error) keep() *Error {
	if e == nil || len(e.Op) <= maxErrorOp && len(e.Msg) <= maxErrorMsg {
		return e
	}
	k := *e
	k.Op, k.Msg = clipTo(e.Op, maxErrorOp), clipTo(e.Msg, maxErrorMsg)
	return &k
}

// clip is a short copy of a text, for messages.
func clip(s string) string { return clipTo(s, 60) }

// clipTo is a copy of a text: of its first n bytes, cut between characters, if it has more.
func clipTo(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
