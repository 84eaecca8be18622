package exoeval

import (
	"testing"

	"github.com/exoagent/exoagent/exoeval/internal/front"
)

// A realm is disarmed unless every name by which its program can come to a property stands
// in the program, where the checker sees it.
func TestReflects(t *testing.T) {
	cfg := front.Config{MaxSource: 1 << 16, MaxNesting: 200, Globals: front.Globals(), Describing: map[string]bool{"where": true, "select": true, "join": true}, Grants: []string{"org"}}
	for program, want := range map[string]bool{
		"1 + 1": false,
		"(api) => api.org.join(({ org }) => org.projects()).where(({ project }) => project.done === false).select(({ project }) => ({ name: project.name })).execute()": false,
		"const rows = await org.execute(); return rows.filter((r) => r.id > 1).map(({ id, ...rest }) => ({ ...rest, id }))":                                             false,
		"class A { constructor() { this.x = 1 } } return [new A().x, [1][0], new Map([[1, 2]]).size]":                                                                   false,

		"const k = 'x'; return (() => 1)[k]":                  true,
		"const k = 'x'; return (() => 1)?.[k]":                true,
		"const k = 'x'; const { [k]: f } = () => 1; return f": true,
		"const k = 'x'; return { [k]() { return 1 } }":        true,
		"const k = 'x'; class A { static [k] = 1 } return A":  true,
		"Object.getOwnPropertyDescriptors(() => 1)":           true,
		"JSON.parse('{\"a\": 1}')":                            true,
		"Symbol.iterator":                                     true,
		"/a/.test('a')":                                       true,
		"new RegExp('a').test('a')":                           true,
		"function* f() { yield 1 } return [...f()]":           true,
		"structuredClone({ a: 1 })":                           true,
	} {
		p, err := compile(program, cfg)
		if err != nil {
			t.Errorf("%s: %v", program, err)
		} else if p.needs.Reflects != want {
			t.Errorf("%s: %t", program, p.needs.Reflects)
		}
	}
	// What would have to be cut where nothing is: no program that names it is run.
	for _, program := range []string{"(() => 1).constructor", "(() => 1)['constructor']", "const { constructor: c } = () => 1; return c", "const { constructor } = () => 1; return constructor",
		"const f = ({ constructor: c }) => c; return f(() => 1)", "({}).__proto__", "const { __proto__: p } = {}; return p", "({ __proto__: {} })", "[].prototype", "({}).__defineGetter__('x', () => 1)"} {
		if _, err := compile(program, cfg); err == nil {
			t.Errorf("%s: it is run", program)
		}
	}
	for program, want := range map[string]bool{"'a'.match('b')": true, "'a'.search('b')": true, "const { matchAll } = 'a'; return matchAll": true, "'a'.trim()": false} {
		if p, err := compile(program, cfg); err != nil || p.needs.Texts != want {
			t.Errorf("%s: %v", program, err)
		}
	}
}
