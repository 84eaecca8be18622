package exoeval

// This file adds parts of the language that the engine lacks.

import (
	"embed"
	"slices"
	"sync"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// polyfill is a part of the language that the engine lacks, or has in a form that reveals something of the host. It is a JavaScript function,
// loaded before the program runs, into realms of programs that mention one of its words. Its arguments are the engine's global object and
// functions of the host; it returns the globals that it makes. It must read all globals that it uses from the first argument at once: later
// the global scope is the program's.
//
// If a part hides something, its words must be all names that lead to the hidden thing. For other parts a computed name may be missed.
type polyfill struct {
	words   []string // globals or members; a realm has the part if the program mentions one of them
	with    []string // if not empty, the program must mention one of these, too
	native  func(r *run, made map[string]goja.Value)
	program func() *goja.Program // nil for a part with native
}

func (p *polyfill) wanted(of *front.Facts) bool {
	return mentions(of, p.words) && (p.with == nil || mentions(of, p.with))
}

// anyGenerator is the word of a program that has a generator.
const anyGenerator = "*"

func mentions(of *front.Facts, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return of.Names[w] || w == anyGenerator && of.Generators })
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

// prelude returns a function that compiles a file at its first call. A worker starts for one program, and so compiles only the files that the
// program needs.
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
	{words: append([]string{front.ComputedName}, makers...), with: []string{"Promise"}, native: (*run).addMakers}, // this part comes after those that it wraps
	{words: []string{front.ComputedName, "fromAsync"}, with: []string{"Array", "constructor"}, program: prelude("array")},
	{words: []string{front.ComputedName, "fromAsync"}, with: []string{"Array", "constructor"}, native: (*run).addFromAsync},
	// A program gets an iterator only from a call, such as values, or from a generator.
	{words: []string{"Iterator", "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"},
		with: []string{"Iterator", "values", "entries", "keys", "matchAll", "iterator", anyGenerator}, program: prelude("iterator")},
	{words: []string{"Decimal"}, native: func(r *run, made map[string]goja.Value) { r.AddDecimal(made) }},
	{words: []string{"structuredClone"}, native: (*run).AddSealed},
	{words: []string{"structuredClone"}, program: prelude("clone")},
}
