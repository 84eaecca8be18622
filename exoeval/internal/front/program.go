package front

// This file has what goes into this package and what comes out.

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
	Grants     []string        // granted names, in scope as globals too
	Describing map[string]bool // methods whose callbacks are recorded
	Catalog    message.Catalog // what errors say of names and words that are not there
}

// Program is checked and compiled text. It is immutable and may be run many times.
type Program struct {
	Compiled *goja.Program  // evaluates to one function, to be called with the capabilities
	Plain    bool           // it is a body that awaits nothing: its function is not asynchronous
	Written  WrittenNumbers // its numbers that JavaScript's don't hold, or hold beyond 2^53

	places source.Places // where its parts stand in the text as given
	spans  []span        // its functions, those inside others later
	calls  map[int]span  // its calls, by the offset of their parenthesis
}

// Position is the place, in the text as given, of a position as goja reports it.
func (p *Program) Position(line, col int) fail.Pos { return p.places.Position(line, col) }

// span is where a function stands in what was parsed.
type span struct {
	from, to int
	async    bool
}

// Awaits reports whether `await` may stand at a position as goja reports it: whether the innermost function there is async.
func (p *Program) Awaits(line, col int) bool {
	off, is := p.places.Offset(line, col), true
	for _, s := range p.spans {
		if s.from <= off && off < s.to {
			is = s.async
		}
	}
	return is
}

// Call is the text of the call at a position as goja reports it, on one line, so that an error can name it as a form to copy. It is "" where
// there is none, or where the text on one line would be too long or another program.
func (p *Program) Call(line, col int) string {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return ""
	}
	return p.places.OneLine(s.from, s.to)
}

// Begins is where the call begins that is at a position as goja reports it.
func (p *Program) Begins(line, col int) fail.Pos {
	s, ok := p.calls[p.places.Offset(line, col)]
	if !ok {
		return fail.Pos{}
	}
	return p.places.Begin(s.from, s.to)
}

// Keep is p for a cache: the text as it was given may be part of a larger one, which p would keep alive.
func (p *Program) Keep() *Program {
	k := *p
	k.places = k.places.Keep()
	return &k
}

// Facts say what the realm of a program needs.
type Facts struct {
	Names      map[string]bool // every name that the program mentions, of members too; ComputedName if it computes one
	Helpers    []string        // that its rewritten operators call, sorted
	Patterns   bool            // it has a regular expression in it,
	Generators bool            // or a generator
	Asyncs     bool            // or an async function
}

// ComputedName stands among the names of a program that computes one: o[k].
const ComputedName = "\x00computed"
