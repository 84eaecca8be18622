package exoeval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// Every name that a grant can have is one that programs can use, in scope and in api.
// All words of the language, all globals of the engine and of a realm, and all that
// objects inherit are tried.
func TestNamesOfGrants(t *testing.T) {
	names := strings.Fields(exoeval.Keywords + " async of get set from as target meta accessor using undefined NaN Infinity require module exports window global self process Buffer eval Function globalThis await yield let static enum arguments not and or like count is x $ _ $0 é box ÿ ǅ")
	names = append(names, exoeval.RealmNames()...)
	vm := goja.New()
	names = append(names, vm.GlobalObject().GetOwnPropertyNames()...)
	for _, of := range []string{"Object.prototype", "Function.prototype", "Promise.prototype", "Array.prototype"} {
		v, err := vm.RunString(of)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, v.ToObject(vm).GetOwnPropertyNames()...)
	}
	slices.Sort(names)
	used, refused := 0, map[string]bool{}
	for _, name := range slices.Compact(names) {
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{name: &testutil.Box{}}})
		if err != nil {
			refused[name] = true
			continue
		}
		l, err := exoeval.InProcess{}.Bind(gate, exoeval.Bounds{})
		if err != nil {
			refused[name] = true
			if !strings.Contains(err.Error(), `use another, like "`+name+`_"`) {
				t.Errorf("%s: says not what would be right: %v", name, err)
			}
			continue
		}
		used++
		for _, program := range []string{"return await NAME.put(7)", "await NAME.put(1)\nNAME.put(6)\nreturn NAME.put(7)", "async (api) => await api.NAME.put(7)", "async ({ NAME }) => NAME.put(7)", "({ NAME: n }) => n.put(7)", "const f = () => NAME; return f().put(7)"} {
			program = strings.ReplaceAll(program, "NAME", name)
			if res := l.Run(t.Context(), exoeval.Job{Program: program}); res.Err != nil || res.Value.String() != "7" {
				t.Errorf("the grant %s can't be used: %s: %v %v", name, program, res.Value, res.Err)
			}
		}
	}
	for _, must := range []string{"Function", "globalThis", "eval", "await", "yield", "let", "arguments", "undefined", "Object", "class", "console"} {
		if !refused[must] {
			t.Errorf("%s was accepted", must)
		}
	}
	if used < 60 {
		t.Errorf("only %d names were used", used)
	}
}
