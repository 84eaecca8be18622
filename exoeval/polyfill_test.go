package exoeval

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/front"
)

var (
	jsNoise  = regexp.MustCompile(`//.*|'(?:[^'\\]|\\.)*'`)
	jsHeader = regexp.MustCompile(`const \{(.*)\} = engine`)
	jsName   = regexp.MustCompile(`[.\w$]+`)
)

// Where a polyfill runs, the global scope is the program's: a global that it did
// not take from the engine at once is not there. And it makes no generator,
// since what that leads to is only made safe where a program has one.
func TestPreludeTakesItsGlobals(t *testing.T) {
	files, err := preludeFiles.ReadDir("prelude")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := preludeFiles.ReadFile("prelude/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := jsNoise.ReplaceAllString(string(b), "")
		header := jsHeader.FindString(text)
		if header == "" {
			t.Errorf("%s takes nothing from the engine", f.Name())
		}
		body := strings.Replace(text, header, "", 1)
		taken := map[string]bool{}
		for _, n := range jsName.FindAllString(header, -1) {
			taken[n] = true
		}
		for _, n := range jsName.FindAllString(body, -1) {
			root, _, _ := strings.Cut(n, ".")
			if (front.IsGlobal(root) || root == "Function") && !taken[root] && !strings.Contains(body, "const "+root+" =") && !strings.Contains(body, root+": ") {
				t.Errorf("%s uses %s and does not take it", f.Name(), root)
			}
		}
		if regexp.MustCompile(`function\s*\*|\byield\b`).MatchString(body) {
			t.Errorf("%s has a generator", f.Name())
		}
	}
}

// A realm holds the globals that its program names, and no other.
func TestGlobalsThatAreThere(t *testing.T) {
	for program, want := range map[string]string{
		"return 1":                            "",
		"return await 1":                      front.HelperAwait,
		"return [Math.PI, typeof Set]":        "Math Set",
		"const Map = 1; return Map":           "Map", // more than is needed is harmless
		"return ({ x: 1 })['con' + 'cat']":    "",
		"return new Date() + undefined":       "Date undefined " + front.HelperCalc + " " + front.HelperExact, // its valueOf may give a Decimal
		"return [].values().map((x) => x)":    "",
		"return Iterator.from([1]).toArray()": "Iterator",
	} {
		cfg := realmConfig()
		prog, err := compile(program, cfg)
		if err != nil {
			t.Fatal(program, err)
		}
		l := NewLocal(mustGate(t))
		r := bareRun(l, prog)
		if err := r.newRealm(); err != nil {
			t.Fatal(err)
		}
		global := r.VM.GlobalObject()
		if got := strings.Join(global.GetOwnPropertyNames(), " "); got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
		if global == r.Intrinsics || global.Prototype() != nil {
			t.Errorf("%s: the engine's global object is in reach", program)
		}
		for _, name := range global.GetOwnPropertyNames() {
			if err := global.Set(name, goja.Null()); err == nil {
				t.Errorf("%s: %s can be set", program, name)
			}
		}
	}
}

func mustGate(t *testing.T) *exo.Gate {
	t.Helper()
	g, err := exo.NewGate(exo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
