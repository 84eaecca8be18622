package front

// This file has the steps of a program through the package: parse, check, rewrite, compile.

import (
	"errors"
	"maps"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// Compile parses, checks, rewrites and compiles src. The error is always a *fail.Error. goja's
// parser can panic: that becomes an error of Kind Internal, and its text stays with the host.
func Compile(src string, cfg Config) (p *Program, of Facts, err error) {
	defer func() {
		if x := recover(); x != nil {
			p, err = nil, &fail.Error{Kind: fail.Internal, Err: fail.NewPanicError(x)}
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
	if f != nil && f.Kind == fail.Syntax {
		c, compiled, at, f = typeScript(text, cfg, c != nil, f)
	}
	if f != nil {
		return nil, Facts{}, f
	}
	return &Program{Compiled: compiled, Plain: c.pt.plain, Written: c.written, places: c.pt.Places(src, at), spans: c.spans, calls: c.calls}, c.facts(), nil
}

// javaScript compiles a text in which each part has the same offset as in the given program. If the text could be parsed, javaScript returns
// the checker even with a fault.
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
	// The true makes CompileAST strict: `this` is undefined in plain functions, so
	// no function reaches the global object through it. Never use goja.Compile: it
	// reads the host's files that sourceMappingURL comments name.
	compiled, err := goja.CompileAST(t.Prog, true)
	if err != nil {
		return c, nil, c.compileFault(err)
	}
	return c, compiled, nil
}

// compileFault turns an error of goja's compiler into the author's terms.
func (c *checker) compileFault(err error) *source.Fault {
	var ce *goja.CompilerSyntaxError
	if !errors.As(err, &ce) {
		return source.InternalFault(err)
	}
	c.fault = nil
	c.fail(file.Idx(ce.Offset+1), "syntax error: %s", ce.Message)
	return c.fault
}

// typeScript removes the types from a text that javaScript refused with f. If both attempts fail, the fault of a text that could be parsed
// counts more. A text that parses can still be TypeScript: `get<Row>(1)` compares get with Row.
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
		if c == nil && (parsed || f2.Kind == fail.Syntax && f2.Off < f.Off) {
			return nil, nil, nil, f
		}
		return nil, nil, nil, f2
	}
	return c, compiled, out.At, nil
}

func (c *checker) facts() Facts {
	return Facts{Names: c.names, Helpers: slices.Sorted(maps.Keys(c.helpers)), Patterns: c.patterns, Generators: c.generators, Asyncs: c.asyncs}
}
