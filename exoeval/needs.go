package exoeval

// This file decides at compile time what the realm of a program needs.

import (
	"slices"

	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// program is a compiled program with what its realm needs.
type program struct {
	*front.Program
	needs needs
}

func compile(src string, cfg front.Config) (*program, error) {
	p, of, err := front.Compile(src, cfg)
	if err != nil {
		return nil, err
	}
	return &program{p, needsOf(&of, cfg.Grants)}, nil
}

// needs is what the realm of a program has in addition to every realm, found from the names in the program. Objects that need no name
// (prototypes of literals, and the constructors that a computed name reaches from these) are disarmed in every realm. Objects that only a
// name leads to are made safe if the program mentions the name.
type needs struct {
	realm.Needs
	names    []string // the names of globals and grants
	polyfill []*polyfill
	helpers  []string // helpers that the rewritten operators call
	guards   []*guard // natives that must not treat a recorded thing as a value
}

func needsOf(of *front.Facts, grants []string) needs {
	n := needs{helpers: of.Helpers, Needs: realm.Needs{Patterns: of.Patterns, Generators: of.Generators, Asyncs: of.Asyncs}}
	for name := range of.Names {
		if front.IsGlobal(name) || slices.Contains(grants, name) {
			n.names = append(n.names, name)
		}
	}
	slices.Sort(n.names)
	for i := range polyfills {
		if polyfills[i].wanted(of) {
			n.polyfill = append(n.polyfill, &polyfills[i])
		}
	}
	for i := range guards {
		if guards[i].wanted(of.Names) {
			n.guards = append(n.guards, &guards[i])
		}
	}
	n.Reflects = reflects(of) || len(n.polyfill) > 0
	n.Asyncs = n.Asyncs || n.Reflects // Array.fromAsync is itself an async function
	n.Texts = n.Reflects || mentions(of, []string{"match", "matchAll", "search"})
	return n
}

// plainGlobals are globals whose functions neither read nor make a member by a name in data (TestPlainGlobals).
// Object.getOwnPropertyDescriptor reads one, and JSON.parse makes one.
var plainGlobals = map[string]bool{
	"undefined": true, "NaN": true, "Infinity": true, "console": true, "Math": true, "Number": true, "String": true, "Boolean": true, "Map": true, "Set": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "Error": true, "TypeError": true, "RangeError": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
}

// reflects reports whether a program may reach a property whose name is not in its text: it computes names by o[k], or mentions a global that
// plainGlobals lacks. Generators and patterns lead to such functions of the engine.
func reflects(of *front.Facts) bool {
	if of.Generators || of.Patterns || of.Names[front.ComputedName] {
		return true
	}
	for name := range of.Names {
		if front.IsGlobal(name) && !plainGlobals[name] {
			return true
		}
	}
	return false
}
