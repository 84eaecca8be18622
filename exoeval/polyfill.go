package exoeval

// This file adds parts of the language that the engine lacks.

import (
	"embed"
	"sync"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
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
	native  func(r *run, made map[string]goja.Value)
	program func() *goja.Program // if it is not native
}

func (p *polyfill) wanted(of *front.Facts) bool {
	return mentions(of, p.words) && (p.with == nil || mentions(of, p.with))
}

// anyGenerator is a word for all generators.
const anyGenerator = "*"

func mentions(of *front.Facts, words []string) bool {
	for _, w := range words {
		if of.Names[w] || w == anyGenerator && of.Generators {
			return true
		}
	}
	return false
}

func (p *polyfill) load(r *run, made map[string]goja.Value) error {
	if p.native != nil {
		p.native(r, made)
		return nil
	}
	v, err := r.VM.RunProgram(p.program())
	if err != nil {
		return err
	}
	init, _ := goja.AssertFunction(v)
	added, err := init(goja.Undefined(), r.Intrinsics)
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

// prelude compiles a file when it is first wanted: a worker starts for one
// program, and pays for none that this one does not mention.
func prelude(name string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program {
		b, err := preludeFiles.ReadFile("prelude/" + name + ".js")
		if err != nil {
			panic(err)
		}
		return realm.MustCompile(name, string(b))
	})
}

var polyfills = []polyfill{
	{words: []string{"Date"}, native: func(r *run, made map[string]goja.Value) { r.AddDate(made) }},
	{words: []string{"Intl", "toLocaleString"}, native: func(r *run, made map[string]goja.Value) { r.AddIntl(made) }},
	{words: []string{front.ComputedName, "localeCompare"}, native: func(r *run, _ map[string]goja.Value) { r.AddOrder() }},
	{words: append([]string{front.ComputedName}, gatherers...), with: []string{"Promise"}, native: (*run).addGatherers},
	{words: []string{"groupBy"}, program: prelude("group")},
	{words: []string{front.ComputedName, "withResolvers", "try"}, with: []string{"Promise"}, program: prelude("promise")},
	{words: append([]string{front.ComputedName}, makers...), with: []string{"Promise"}, native: (*run).addMakers}, // after those that it wraps
	{words: []string{front.ComputedName, "fromAsync"}, with: []string{"Array", "constructor"}, program: prelude("array")},
	{words: []string{front.ComputedName, "fromAsync"}, with: []string{"Array", "constructor"}, native: (*run).addFromAsync},
	// Iterators come from somewhere: a call of values, a generator.
	{words: []string{"Iterator", "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"},
		with: []string{"Iterator", "values", "entries", "keys", "matchAll", "iterator", anyGenerator}, program: prelude("iterator")},
	{words: []string{"Decimal"}, native: func(r *run, made map[string]goja.Value) { r.AddDecimal(made) }},
	{words: []string{"structuredClone"}, native: (*run).AddSealed},
	{words: []string{"structuredClone"}, program: prelude("clone")},
}
