package names

import (
	"strings"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// values returns the values of a column with a list of allowed values, if a value is possible here: after ===, in a call like .eq( or .in([, and
// after its name in a filter object. part is the word before the cursor. The returned string is the text that the values complete, with its quote.
func (r *reader) values(part string) (string, []Candidate) {
	end := len(r.toks) - 1
	quote := "'"
	if end >= 0 && r.toks[end].Kind == js.String && !closed(r.toks[end].Text) && !strings.HasPrefix(r.toks[end].Text, "`") {
		part = r.toks[end].Text + part
		quote = part[:1]
		end--
	}
	t := r.compared(end)
	if t == nil || t.Args["of"] == nil {
		return "", nil
	}
	var out []Candidate
	for _, v := range t.Args["of"].Enum {
		// Values that need an escape, or could control the terminal, are not offered.
		if strings.ContainsAny(v, quote+`\`) || printable.OneLine(v) != v {
			continue
		}
		if v = quote + v + quote; strings.HasPrefix(v, part) {
			out = append(out, Candidate{v, ""})
		}
	}
	return part, out
}

// takeValues are methods of columns that take one of the column's values as their argument.
var takeValues = scalar.Words("eq ne is isNot in notIn")

// compared returns the type of the column with which the text after token end is compared, or nil if there is none.
func (r *reader) compared(end int) *message.Type {
	signs := 0
	for r.is(end-signs, "=") {
		signs++
	}
	switch {
	case signs == 3, signs == 2 && !r.is(end-2, "!"):
		return r.chain(end - signs) // the operator is === or ==
	case signs > 0 && r.is(end-signs, "!"):
		return r.chain(end - signs - 1) // the operator is !== or !=
	case signs > 0:
		return nil
	case r.is(end, ":") && r.name(end-1) != "":
		brace := r.enclosing(end)
		if r.is(brace, "{") && r.is(brace-1, "(") && r.is(brace-3, ".") {
			if of := row(r.space(brace - 1)); of != nil && r.Catalog[of.Name] != nil {
				if f := r.Catalog[of.Name].Fields[r.name(end-1)]; f != nil {
					return f.Type
				}
			}
		}
		return nil
	}
	at := end // the index of the open parenthesis, or of the bracket of a list after it
	if r.is(end, ",") {
		at = r.enclosing(end)
	}
	if r.is(at, "[") {
		at--
	}
	if r.is(at, "(") && takeValues[r.name(at-1)] && r.is(at-2, ".") {
		before := at - 3
		if r.is(before, "?") {
			before--
		}
		return r.chain(before)
	}
	return nil
}
