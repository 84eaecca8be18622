package realm

// This file guards regular expressions at run time, before the program can reach one.

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// Regular expressions made at run time pass the same check as literals: what
// Go's engine can't run would go to a backtracking one without a time limit.
//
// A program gets hold of one by a literal, by the name RegExp, or by a text's
// match, matchAll and search, which make one of a string. The first two are in
// its text, so its realm guards the prototype before it runs; the third come
// through here, and guard it before the first is made. So no code of a program
// ever sees a regular expression, or its prototype, with the native constructor.

// disarmStrings puts a check before the methods of texts that make patterns.
func (r *Realm) disarmStrings() {
	texts := r.VM.ToValue("").ToObject(r.VM).Prototype()
	for _, m := range []struct {
		name, flags string
		symbol      *goja.Symbol
	}{{"match", "", goja.SymMatch}, {"matchAll", "g", goja.SymMatchAll}, {"search", "", goja.SymSearch}} {
		native, _ := goja.AssertFunction(texts.Get(m.name))
		Hide(texts, m.name, r.Function(m.name, func(c goja.FunctionCall) goja.Value {
			p := c.Argument(0)
			if o, ok := p.(*goja.Object); ok {
				// Read once: what the check saw is what is used.
				if m.name == "matchAll" && isPattern(o) && !strings.Contains(o.Get("flags").String(), "g") {
					panic(r.VM.NewTypeError("matchAll wants a regular expression with the flag g"))
				}
				if own, ok := goja.AssertFunction(o.GetSymbol(m.symbol)); ok {
					return r.Called(own(p, c.This.ToString()))
				}
				p = p.ToString()
			}
			return r.Called(native(c.This, r.pattern(p, r.VM.ToValue(m.flags))))
		}))
	}
}

// pattern makes a regular expression of texts, if it is one that the fast
// engine takes. Undefined is the empty text.
func (r *Realm) pattern(src, flags goja.Value) *goja.Object {
	text := func(v goja.Value) goja.Value {
		if goja.IsUndefined(v) {
			return r.VM.ToValue("")
		}
		return v.ToString()
	}
	src, flags = text(src), text(flags)
	spelled, why := source.Regexp(src.String(), flags.String())
	if why != "" {
		panic(r.Throws(fail.Errorf(fail.Program, "", "%s", why)))
	}
	r.GuardPatterns()
	o, err := r.VM.New(r.Intrinsic("RegExp"), r.VM.ToValue(spelled), flags)
	if err != nil {
		panic(r.Rethrow(err))
	}
	return o
}

// GuardPatterns replaces the constructor that every regular expression leads to.
func (r *Realm) GuardPatterns() *goja.Object {
	if r.safeRegExp != nil {
		return r.safeRegExp
	}
	prototype := r.Intrinsic("RegExp").Get("prototype").(*goja.Object)
	r.safeRegExp = r.VM.ToValue(func(c goja.ConstructorCall) *goja.Object {
		src, flags := c.Argument(0), c.Argument(1)
		if o, ok := src.(*goja.Object); ok && isPattern(o) {
			src = o.Get("source")
			if goja.IsUndefined(flags) {
				flags = o.Get("flags")
			}
		}
		return r.pattern(src, flags)
	}).(*goja.Object)
	Fix(r.safeRegExp, "name", r.VM.ToValue("RegExp"))
	Fix(r.safeRegExp, "prototype", prototype)
	Hide(prototype, "constructor", r.safeRegExp)
	remove(prototype, "compile")
	for _, s := range []*goja.Symbol{goja.SymMatchAll, goja.SymSplit} {
		native, _ := goja.AssertFunction(prototype.GetSymbol(s))
		guarded := r.Function(s.String(), func(c goja.FunctionCall) goja.Value {
			// matchAll and split make a new pattern with the constructor of their receiver, or with the native one. Only a plain pattern
			// leads to the guarded constructor: with any other receiver the pattern's text would go unchecked.
			o, ok := c.This.(*goja.Object)
			if !ok || o.ClassName() != "RegExp" || o.Get("constructor") != goja.Value(r.safeRegExp) {
				panic(r.VM.NewTypeError("it works on a regular expression"))
			}
			return r.Called(native(o, c.Arguments...))
		})
		if err := prototype.DefineDataPropertySymbol(s, guarded, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
	return r.safeRegExp
}

// isPattern is JavaScript's question whether an object is a regular expression.
func isPattern(o *goja.Object) bool {
	if m := o.GetSymbol(goja.SymMatch); m != nil && !goja.IsUndefined(m) {
		return m.ToBoolean()
	}
	return o.ClassName() == "RegExp"
}
