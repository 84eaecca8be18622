package front

// This file has the input and the output of this package.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// Config is what the front needs to know of the realm and the grants.
type Config struct {
	MaxSource  int             // bytes of program text
	MaxNesting int             // brackets within brackets
	Globals    map[string]bool // names that the realm has
	Grants     []string        // granted names, which are globals, too
	Describing map[string]bool // methods whose callbacks are recorded
	Catalog    message.Catalog // what errors say about unknown names and words
}

// Program is checked and compiled text. It is immutable and may be run many times.
type Program struct {
	Compiled *goja.Program  // evaluates to one function, whose argument is the capabilities
	Plain    bool           // the program is a body without await: its function is not asynchronous
	Written  WrittenNumbers // numbers in the text that JavaScript can't hold, or that are beyond 2^53

	places source.Places // where its parts are in the given text
	spans  []span        // its functions; inner ones come after the outer
	calls  map[int]span  // its calls, by the offset of the parenthesis
}

// Position returns the place in the given text for a position that goja reports.
func (p *Program) Position(line, col int) fail.Pos { return p.places.Position(line, col) }

// span is the place of a function in the parsed text.
type span struct {
	from, to int
	async    bool
}

// Awaits reports whether `await` is allowed at a position that goja reports: whether the innermost function there is async.
func (p *Program) Awaits(line, col int) bool {
	off, is := p.places.Offset(line, col), true
	for _, s := range p.spans {
		if s.from <= off && off < s.to {
			is = s.async
		}
	}
	return is
}

// Call returns the text of the call at a position that goja reports, on one line, so that an error can show it as
// a form to copy. It is "" if there is no call, or if the text on one line would be too long or another program.
func (p *Program) Call(line, col int) string {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return ""
	}
	return p.places.OneLine(s.from, s.to)
}

// Begins returns the start of the call at a position that goja reports.
func (p *Program) Begins(line, col int) fail.Pos {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return fail.Pos{}
	}
	return p.places.Begin(s.from, s.to)
}

// Keep returns p for a cache, without the given text: that may be part of a larger text, which p would keep in memory.
func (p *Program) Keep() *Program {
	k := *p
	k.places = k.places.Keep()
	return &k
}

// Facts are what the realm of a program needs to know about it.
type Facts struct {
	Names      map[string]bool // every name that the program mentions, also of members; ComputedName if it computes a name
	Helpers    []string        // helpers that its rewritten operators call, sorted
	Patterns   bool            // the program has a regular expression
	Generators bool            // the program has a generator
	Asyncs     bool            // the program has an async function
}

// ComputedName is among the names of a program that computes a name: o[k].
const ComputedName = "\x00computed"
