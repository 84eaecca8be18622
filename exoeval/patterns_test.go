package exoeval

import (
	"testing"

	"github.com/dop251/goja"
)

// A realm without a pattern in its program guards the prototype of patterns
// before the first one is made: by then no code has seen it.
func TestPatternsAreGuardedWhenMade(t *testing.T) {
	r := &realmBase{vm: goja.New()}
	r.begin(100)
	r.disarm(realmNeeds{texts: true})
	if r.safeRegExp != nil {
		t.Fatal(r.safeRegExp)
	}
	v, err := r.vm.RunString("'ab'.match('b')")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*goja.Object{r.pattern(r.vm.ToValue("b"), goja.Undefined()), r.intrinsic("RegExp").Get("prototype").(*goja.Object)} {
		if r.safeRegExp == nil || o.Get("constructor") != goja.Value(r.safeRegExp) || o.Get("compile") != nil {
			t.Errorf("%v: the pattern leads to the engine's constructor", v)
		}
	}
}
