package front

import (
	"errors"
	"maps"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// The front turns program text into a compiled program that has passed every
// static rule. What it can't see (computed member names, values) is the realm's
// to hold; what it does see is decided here, before any of it runs.

// frontConfig is what the front needs to know of the realm and the grants.
type Config struct {
	MaxSource  int             // bytes of program text
	MaxNesting int             // brackets within brackets
	Globals    map[string]bool // names that the realm has
	Grants     []string        // granted names, in scope as globals too
	Describing map[string]bool // methods whose callbacks are recorded
	Catalog    exo.Catalog     // what errors say of names and words that are not there
}

// frontProgram is checked and compiled text. It is immutable and may be run many times.
type Program struct {
	Compiled *goja.Program  // evaluates to one function, to be called with the capabilities
	Plain    bool           // it is a body that awaits nothing: its function is not asynchronous
	Written  writtenNumbers // its numbers that JavaScript's don't hold, or hold beyond 2^53

	places source.Places // where its parts stand in the text as given
	spans  []span        // its functions, those inside others later
}

// position is the place, in the text as given, of a position as goja reports it.
func (p *Program) Position(line, col int) exo.Pos { return p.places.Position(line, col) }

// span is where a function stands in what was parsed.
type span struct {
	from, to int
	async    bool
}

// awaits reports whether `await` may stand at a position as goja reports it: whether the innermost function there is async.
func (p *Program) Awaits(line, col int) bool {
	off, is := p.places.Offset(line, col), true
	for _, s := range p.spans {
		if s.from <= off && off < s.to {
			is = s.async
		}
	}
	return is
}

// keep is p for a cache: the text as it was given may be part of a larger one, which p would keep alive.
func (p *Program) Keep() *Program {
	k := *p
	k.places = k.places.Keep()
	return &k
}

// facts are what the realm of a program is made by.
type Facts struct {
	Names      map[string]bool // every name that the program mentions, of members too; computedName if it computes one
	Helpers    []string        // that its rewritten operators call, sorted
	Patterns   bool            // it has a regular expression in it,
	Generators bool            // or a generator
	Asyncs     bool            // or an async function
}

// computedName stands among the names of a program that computes one: o[k].
const ComputedName = "\x00computed"

// compile parses, checks, rewrites and compiles src. The error is always an
// *exo.Error. A panic below (goja's parser has panics of its own) is Internal, and
// its text stays on the host's side.
func Compile(src string, cfg Config) (p *Program, of Facts, err error) {
	defer func() {
		if x := recover(); x != nil {
			p, err = nil, &exo.Error{Kind: exo.Internal, Err: exo.NewPanicError(x)}
		}
	}()
	p, of, f := compileText(src, cfg)
	if f != nil {
		return nil, Facts{}, f.In(src)
	}
	return p, of, nil
}

func compileText(src string, cfg Config) (*Program, Facts, *source.Fault) {
	text, f := source.Clean(src, cfg.MaxSource)
	if f != nil {
		return nil, Facts{}, f
	}
	c, compiled, f := javaScript(text, cfg)
	var at source.Map
	if f != nil && f.Kind == exo.Syntax {
		c, compiled, at, f = typeScript(text, cfg, c != nil, f)
	}
	if f != nil {
		return nil, Facts{}, f
	}
	return &Program{Compiled: compiled, Plain: c.pt.plain, Written: c.written, places: c.pt.Places(src, at), spans: c.spans}, c.facts(), nil
}

// javaScript compiles a text whose offsets are those of the program as given. There is a checker where
// the text was parsed, even if there is a fault.
func javaScript(text string, cfg Config) (*checker, *goja.Program, *source.Fault) {
	t, f := source.Parse(cfg.Catalog, text, cfg.MaxNesting)
	if f != nil {
		return nil, nil, f
	}
	c := newChecker(cfg, take(t))
	if f := c.check(); f != nil {
		return c, nil, f
	}
	if f := c.finish(); f != nil {
		return c, nil, f
	}
	if f := rewrite(c.pt, c); f != nil {
		return c, nil, f
	}
	// CompileAST with strict: `this` is undefined in plain functions, so that no
	// function can reach the global object through it. Never goja.Compile: it
	// follows sourceMappingURL comments to the host's files.
	compiled, err := goja.CompileAST(t.Prog, true)
	if err != nil {
		return c, nil, c.compileFault(err)
	}
	return c, compiled, nil
}

// compileFault is what goja's compiler finds wrong, in the author's terms.
func (c *checker) compileFault(err error) *source.Fault {
	var ce *goja.CompilerSyntaxError
	if !errors.As(err, &ce) {
		return source.InternalFault(err)
	}
	c.fault = nil
	c.fail(file.Idx(ce.Offset+1), "syntax error: %s", ce.Message)
	return c.fault
}

// typeScript takes the types off a text that javaScript refused with f. Both
// may be wrong with it: what is not read at all weighs more than where. A text
// that parses can still be TypeScript: `get<Row>(1)` compares get with Row.
func typeScript(text string, cfg Config, parsed bool, f *source.Fault) (*checker, *goja.Program, source.Map, *source.Fault) {
	out, f2 := source.Erase(cfg.Catalog, text, cfg.MaxNesting)
	if f2 != nil && !parsed {
		return nil, nil, nil, f2
	}
	if f2 != nil || !out.Found {
		return nil, nil, nil, f
	}
	c, compiled, f2 := javaScript(out.Text, cfg)
	if f2 != nil {
		f2.Off = out.At.Source(f2.Off)
		if c == nil && (parsed || f2.Kind == exo.Syntax && f2.Off < f.Off) {
			return nil, nil, nil, f
		}
		return nil, nil, nil, f2
	}
	return c, compiled, out.At, nil
}

func (c *checker) facts() Facts {
	return Facts{Names: c.names, Helpers: slices.Sorted(maps.Keys(c.helpers)), Patterns: c.patterns, Generators: c.generators, Asyncs: c.asyncs}
}
