package game

import (
	"slices"
	"strings"
)

// stolen reports whether an attempt in a guarded lane shows the key.
func stolen(a *Attempt) bool { return a.Leaked && a.Lane.Guarded() }

// gives returns a check that passes if a program's result contains all texts, and one of its statements read at least this many rows of the
// table. So a program can't pass by only writing the texts.
func gives(table string, rows int, texts ...string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		read := func(q Query) bool { return strings.Contains(q.SQL, `"`+table+`"`) && q.Rows >= rows }
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, read) &&
			!slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(string(a.Result), s) })
	}
}

// asked returns a check that passes if one statement of a program contains the text and returned this many rows.
func asked(text string, rows int) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, func(q Query) bool { return strings.Contains(q.SQL, text) && q.Rows == rows })
	}
}

// wrote returns a check that passes if a program changed rows of a table, and ended without an error.
func wrote(verb, table string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && a.Verdict.OK() && slices.ContainsFunc(a.Queries, func(q Query) bool {
			return strings.HasPrefix(q.SQL, verb) && strings.Contains(q.SQL, `"`+table+`"`)
		})
	}
}

// refused returns a check that passes if a program ended with an error of one of these kinds, at a line of the program.
func refused(kinds ...string) func(*Attempt) bool {
	return func(a *Attempt) bool {
		return a.Lane == Program && slices.Contains(kinds, a.Verdict.Kind) && a.Verdict.Line > 0
	}
}
