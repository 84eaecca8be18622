package game

import (
	"slices"
	"strings"
)

// stolen is done by an attempt in a guarded lane that shows the key.
func stolen(a *Attempt) bool { return a.Leaked && a.Lane.Guarded() }

// gives is done by a program whose result holds all of the texts, as so many rows of
// the table did: writing the texts down is no way to read them.
func gives(table string, rows int, texts ...string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		read := func(q Query) bool { return strings.Contains(q.SQL, `"`+table+`"`) && q.Rows >= rows }
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, read) &&
			!slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(string(a.Result), s) })
	}
}

// asked is done by a program of which one statement has the text and gave so
// many rows.
func asked(text string, rows int) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, func(q Query) bool { return strings.Contains(q.SQL, text) && q.Rows == rows })
	}
}

// wrote is done by a program that changed rows of a table, and ended well.
func wrote(verb, table string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, func(q Query) bool {
			return strings.HasPrefix(q.SQL, verb) && strings.Contains(q.SQL, `"`+table+`"`)
		})
	}
}

// refused is done by a program that ended with one of these kinds, at a place in it.
func refused(kinds ...string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && slices.Contains(kinds, a.Verdict.Kind) && a.Verdict.Line > 0
	}
}
