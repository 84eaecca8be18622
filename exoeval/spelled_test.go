package exoeval

import (
	"bytes"
	"context"
	"runtime/debug"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// A realm is not disarmed for a program only if its text computes no name and spells none
// that would be cut.
func TestSpelled(t *testing.T) {
	cfg := frontConfig{MaxSource: 1 << 16, MaxNesting: 200, Globals: globals(), Describing: map[string]bool{"where": true, "select": true, "join": true}, Grants: []string{"org"}}
	for program, want := range map[string]bool{
		"1 + 1": true,
		"(api) => api.org.join(({ org }) => org.projects()).where(({ project }) => project.done === false).select(({ project }) => ({ name: project.name })).execute()": true,
		"const rows = await org.execute(); return rows.filter((r) => r.id > 1).map(({ id, ...rest }) => ({ ...rest, id }))":                                             true,
		"class A { f() { return 1 } } return new A().f()": true,

		"class A { constructor() { this.x = 1 } } return new A().x": false,
		"const k = 'x'; return (() => 1)[k]":                        false,
		"const a = [1]; return a":                                   false,
		"'\\x63onstructor'":                                         false,
		"const o = { 'cons\\x74ructo': 1 }; return o":               false,
		"'constructor'":                                             false,
		"'__proto__'":                                               false,
		"Object.keys({ a: 1 })":                                     false, // no bracket, but a global that gives names
		"JSON.parse('{}')":                                          false,
		"/a/.test('a')":                                             false,
		"function* f() { yield 1 } return f().next()":               false,
	} {
		p, err := compile(program, cfg)
		if err != nil {
			t.Errorf("%s: %v", program, err)
		} else if p.needs.spelled != want {
			t.Errorf("%s: %t", program, p.needs.spelled)
		}
	}
	for text, want := range map[string]bool{"o.k": true, "o[k]": false, `o.\u0061`: false, "o.constructor": false, "o.__lookupGetter__": false} {
		if got := spelled(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// Trapped runs a program whose realm is not disarmed with a trap on each property that would
// be cut, and lists those that fired. ran is false for a program that is not run, or in a
// disarmed realm.
func Trapped(t *testing.T, l *local, text string) (names []string, ran bool) {
	prog, err := l.compile(text)
	if err != nil || !prog.needs.spelled {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := l.gate.Begin(ctx, exo.Run{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Finish(context.Background(), exo.Null(), nil)
	r := bareRun(l, prog)
	r.ctx, r.port, r.check, r.clock.left = ctx, s, s.Checker(), time.Second
	defer context.AfterFunc(ctx, func() { r.vm.Interrupt(exo.ErrCancelled) })()
	if err := r.newRealm(); err != nil {
		t.Fatal(err)
	}
	functions := r.intrinsic("Function").Get("prototype").(*goja.Object)
	trap := func(o *goja.Object, of, name string) {
		get := r.vm.ToValue(func(goja.FunctionCall) goja.Value {
			if !bytes.Contains(debug.Stack(), []byte(".promiseResolve(")) { // which compares it with Promise, and gives it to nobody
				names = append(names, of+"."+name)
			}
			return goja.Undefined()
		})
		if err := o.DefineAccessorProperty(name, get, get, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range cutOfObjects {
		trap(r.objects(), "Object.prototype", name)
	}
	trap(r.objects(), "Object.prototype", "constructor")
	trap(functions, "Function.prototype", "constructor")
	main, err := r.vm.RunProgram(prog.compiled)
	if err != nil {
		return names, true
	}
	if f, ok := goja.AssertFunction(main); ok {
		if result, err := f(goja.Undefined(), r.api); err == nil {
			_, _ = r.settled(result)
		}
	}
	return names, true
}
