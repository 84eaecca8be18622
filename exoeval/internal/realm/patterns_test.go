package realm

import (
	"testing"

	"github.com/dop251/goja"
)

// A realm without a pattern in its program guards the prototype of patterns
// before the first one is made: by then no code has seen it.
func TestPatternsAreGuardedWhenMade(t *testing.T) {
	r := &Realm{VM: goja.New()}
	r.Begin(100)
	r.Disarm(Needs{Texts: true})
	if r.safeRegExp != nil {
		t.Fatal(r.safeRegExp)
	}
	v, err := r.VM.RunString("'ab'.match('b')")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*goja.Object{r.pattern(r.VM.ToValue("b"), goja.Undefined()), r.Intrinsic("RegExp").Get("prototype").(*goja.Object)} {
		if r.safeRegExp == nil || o.Get("constructor") != goja.Value(r.safeRegExp) || o.Get("compile") != nil {
			t.Errorf("%v: the pattern leads to the engine's constructor", v)
		}
	}
}
