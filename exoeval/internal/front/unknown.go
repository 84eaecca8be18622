package front

// This file writes the error for an unknown name.

import (
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/exoagent/exoagent/exoeval/internal/source"
	"github.com/exoagent/exoagent/internal/scalar"
)

// unknown refuses an unknown name, and suggests the most similar known one.
func (c *checker) unknown(id *ast.Identifier) {
	name := id.Name.String()
	if name == "await" { // outside async functions await is an ordinary name
		c.fail(id.Idx, "%s", source.AwaitOutside)
		return
	}
	if name == "require" {
		c.fail(id.Idx, "no modules here: `require` is not available%s", c.grantList())
		return
	}
	if hint := c.cfg.Catalog.Say(nil, name+"()", operatorNames[name]); hint != "" {
		c.fail(id.Idx, "`%s` is not a function here: write %s", name, hint)
		return
	}
	if hint, ok := missingGlobals[name]; ok {
		c.fail(id.Idx, "`%s` is not available here; %s", name, hint)
		return
	}
	if name == "api" {
		c.fail(id.Idx, "`api` is not defined; name the first parameter of the program's function `api`, which has the granted objects")
		return
	}
	if g := scalar.Nearest(name, c.cfg.Grants); g != "" {
		c.fail(id.Idx, "`%s` is not defined; did you mean the granted object `%s` (it is also `api.%s`)?", name, g, g)
		return
	}
	var names []string
	for s := c.scope; s != nil; s = s.parent {
		names = append(names, slices.Sorted(maps.Keys(s.names))...)
	}
	names = append(names, slices.Sorted(maps.Keys(c.cfg.Globals))...)
	if n := scalar.Nearest(name, names); n != "" {
		c.fail(id.Idx, "`%s` is not defined; did you mean `%s`?", name, n)
		return
	}
	c.fail(id.Idx, "`%s` is not defined%s", name, c.grantList())
}

func (c *checker) grantList() string {
	if len(c.cfg.Grants) == 0 {
		return ""
	}
	const most = 12
	names, rest := slices.Sorted(slices.Values(c.cfg.Grants)), ""
	if len(names) > most {
		names, rest = names[:most], ", ..."
	}
	return "; the granted objects are: " + strings.Join(names, ", ") + rest
}

// operatorNames are functions of other libraries that are operators here.
var operatorNames = map[string]string{"and": "a && b", "or": "a || b", "not": "!condition", "now": "new Date()"}

// missingGlobals are names that authors expect but realms lack, each with what to write instead. A name in Config.Globals is known before, so a
// name that a realm has is never refused here.
var missingGlobals = byName([][2]string{
	{"fetch XMLHttpRequest WebSocket EventSource", "programs have no network; use the granted objects"},
	{"process Deno Bun", "programs have no host process or environment"},
	{"module exports", "return the value instead of exporting it"},
	{"__dirname __filename", "programs have no files; use the granted objects"},
	{"setTimeout setInterval setImmediate", "there are no timers; await the calls that you need and return"},
	{"clearTimeout clearInterval", "there are no timers; leave it out"},
	{"queueMicrotask", "use `await` or `Promise.resolve().then(...)`"},
	{"Buffer", "use strings and arrays"},
	{"window", "there is no browser; the granted objects are in scope by name"},
	{"document", "there is no browser; return the data"},
	{"navigator requestAnimationFrame", "there is no browser; leave it out"},
	{"localStorage sessionStorage", "there is no storage; return the data"},
	{"alert", "use console.log, or return the data"},
	{"self global", "there is no global object; the granted objects are in scope by name"},
	{"Proxy", "use a plain object or a class"},
	{"Reflect", "use Object.keys, Object.entries and the plain operators"},
	{"BigInt", "use Number"},
	{"WeakRef FinalizationRegistry", "keep the value in a variable"},
	{"SharedArrayBuffer", "use an array"},
	{"Atomics", "use a variable"},
	{"WebAssembly", "write JavaScript"},
	{"URL URLSearchParams", "use string functions"},
	{"TextEncoder TextDecoder", "use strings"},
	{"crypto", "use Math.random for numbers that need not be secret"},
	{"performance", "the clock stands still during a run; use Date.now()"},
	{"AbortController", "only the host can stop a run; leave it out"},
	{"importScripts", "no modules here: the granted objects are in scope"},
})

func byName(of [][2]string) map[string]string {
	out := map[string]string{}
	for _, names := range of {
		for name := range strings.FieldsSeq(names[0]) {
			out[name] = names[1]
		}
	}
	return out
}
