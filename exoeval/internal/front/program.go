package front

// This file has the input and the output of this package.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// Config is what this package needs to know about the realm and the grants.
type Config struct {
	MaxSource  int             // the most bytes of a program's text
	MaxNesting int             // the most brackets within brackets
	Globals    map[string]bool // the global names that the realm has
	Grants     []string        // the names of the grants, which are globals, too
	Describing map[string]bool // methods whose callbacks are recorded
	Catalog    message.Catalog // used for errors about unknown names and words
}

// Program is checked and compiled text. It is immutable and may be run many times.
type Program struct {
	Compiled *goja.Program  // Compiled evaluates to one function, which takes the capabilities
	Plain    bool           // Plain reports that the program is a body without await, so its function is not asynchronous
	Written  WrittenNumbers // Written has the numbers in the text that JavaScript can't hold, or that are beyond 2^53

	places source.Places // maps positions to the given text
	spans  []span        // functions of the program; an inner one comes after the outer
	calls  map[int]span  // calls of the program, by the offset of the parenthesis
}

// Position returns the place in the given text for a position that goja reports.
func (p *Program) Position(line, col int) fail.Pos { return p.places.Position(line, col) }

// span is the place of a function in the parsed text.
type span struct {
	from, to int
	async    bool
}

// Awaits reports whether the innermost function at a position that goja reports is async, so that `await` is allowed.
func (p *Program) Awaits(line, col int) bool {
	off, is := p.places.Offset(line, col), true
	for _, s := range p.spans {
		if s.from <= off && off < s.to {
			is = s.async
		}
	}
	return is
}

// Call returns the call at a position that goja reports, on one line, as a form that an error can show. It is "" if there is no call, if its
// text is too long, or if one line would change its meaning.
func (p *Program) Call(line, col int) string {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return ""
	}
	return p.places.OneLine(s.from, s.to)
}

// Begins returns the start of the call at a position that goja reports, or the zero Pos if there is no call.
func (p *Program) Begins(line, col int) fail.Pos {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return fail.Pos{}
	}
	return p.places.Begin(s.from, s.to)
}

// Keep returns a copy of p for a cache, without the given text. That text may be part of a larger one, which p would keep in memory.
func (p *Program) Keep() *Program {
	k := *p
	k.places = k.places.Keep()
	return &k
}

// Facts are what the realm needs to know about a program.
type Facts struct {
	Names      map[string]bool // Names has every name that the program mentions, also of members; ComputedName if it computes a name
	Helpers    []string        // Helpers has the names of the helpers that the rewritten operators call, sorted
	Patterns   bool            // the program has a regular expression
	Generators bool            // the program has a generator
	Asyncs     bool            // the program has an async function
}

// ComputedName is among the names of a program that computes a name: o[k].
const ComputedName = "\x00computed"
