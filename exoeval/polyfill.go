package exoeval

import (
	"embed"
	"regexp"
	"strings"
	"unicode"

	"github.com/dop251/goja"
)

// polyfill is a part of the language that the engine lacks, or has in a form
// that shows the host. It is loaded into realms of programs that mention one of
// its words, before any code of the program runs, and is a function of JavaScript
// that is given the engine's global object and what the host does for it, and
// returns the globals it makes. It must take every global that it uses from the
// former at once: when it is called, the global scope is the program's.
//
// A part that hides something must be wanted by every name that leads to the
// thing; the others may miss a name that a program computes.
type polyfill struct {
	words   []string // globals or members, any of which the program mentions
	with    []string // and, if there are any, one of these too
	program *goja.Program
	host    func(*run, goja.FunctionCall) goja.Value
}

func (p *polyfill) wanted(c *checker) bool {
	return c.mentions(p.words) && (p.with == nil || c.mentions(p.with))
}

// anyGenerator is a word for all generators.
const anyGenerator = "*"

func (c *checker) mentions(words []string) bool {
	for _, w := range words {
		if c.names[w] || w == anyGenerator && c.generators {
			return true
		}
	}
	return false
}

func (p *polyfill) load(r *run, made map[string]goja.Value) error {
	v, err := r.vm.RunProgram(p.program)
	if err != nil {
		return err
	}
	init, _ := goja.AssertFunction(v)
	host := goja.Undefined()
	if p.host != nil {
		host = r.function("host", func(c goja.FunctionCall) goja.Value { return p.host(r, c) })
	}
	added, err := init(goja.Undefined(), r.intrinsics, host)
	if err != nil {
		return err
	}
	if o, ok := added.(*goja.Object); ok {
		for _, name := range o.Keys() {
			made[name] = o.Get(name)
		}
	}
	return nil
}

//go:embed prelude/*.js
var preludeFiles embed.FS

func prelude(name string) *goja.Program {
	b, err := preludeFiles.ReadFile("prelude/" + name + ".js")
	if err != nil {
		panic(err)
	}
	return mustCompile(name, string(b))
}

var polyfills = []polyfill{
	// Nothing but its name leads to Date: no literal, no other built-in and no value
	// of the host is one.
	{words: []string{"Date"}, program: prelude("date"), host: parseDate},
	{words: []string{"groupBy"}, program: prelude("group")},
	{words: []string{"withResolvers"}, program: prelude("promise")},
	{words: []string{"structuredClone"}, program: prelude("clone")},
}

var (
	dateLocal = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$`)
	dateOnly  = regexp.MustCompile(`^\d{4}(?:-\d\d){0,2}$`)
	dateZoned = regexp.MustCompile(`(?i)(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$`)
)

// parseDate is the text of a date with a zone: the engine would read one
// without as the local time of the host.
func parseDate(r *run, c goja.FunctionCall) goja.Value {
	s := strings.TrimFunc(c.Argument(0).String(), func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if m := dateLocal.FindStringSubmatch(s); m != nil {
		return r.vm.ToValue(m[1] + "T" + m[2] + "Z")
	}
	if dateZoned.MatchString(s) || dateOnly.MatchString(s) {
		return c.Argument(0)
	}
	return r.vm.ToValue(c.Argument(0).String() + " UTC") // NaN for what the engine can't read with a zone
}
