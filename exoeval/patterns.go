package exoeval

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
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
func (r *realmBase) disarmStrings() {
	texts := r.vm.ToValue("").ToObject(r.vm).Prototype()
	for _, m := range []struct {
		name, flags string
		symbol      *goja.Symbol
	}{{"match", "", goja.SymMatch}, {"matchAll", "g", goja.SymMatchAll}, {"search", "", goja.SymSearch}} {
		native, _ := goja.AssertFunction(texts.Get(m.name))
		hide(texts, m.name, r.function(m.name, func(c goja.FunctionCall) goja.Value {
			p := c.Argument(0)
			if o, ok := p.(*goja.Object); ok {
				// Read once: what the check saw is what is used.
				if m.name == "matchAll" && isPattern(o) && !strings.Contains(o.Get("flags").String(), "g") {
					panic(r.vm.NewTypeError("matchAll wants a regular expression with the flag g"))
				}
				if own, ok := goja.AssertFunction(o.GetSymbol(m.symbol)); ok {
					return r.called(own(p, c.This.ToString()))
				}
				p = p.ToString()
			}
			return r.called(native(c.This, r.pattern(p, r.vm.ToValue(m.flags))))
		}))
	}
}

// pattern makes a regular expression of texts, if it is one that the fast
// engine takes. Undefined is the empty text.
func (r *realmBase) pattern(src, flags goja.Value) *goja.Object {
	text := func(v goja.Value) goja.Value {
		if goja.IsUndefined(v) {
			return r.vm.ToValue("")
		}
		return v.ToString()
	}
	src, flags = text(src), text(flags)
	spelled, why := source.Regexp(src.String(), flags.String())
	if why != "" {
		panic(r.throws(exo.Errorf(exo.Program, "", "%s", why)))
	}
	r.guardPatterns()
	o, err := r.vm.New(r.intrinsic("RegExp"), r.vm.ToValue(spelled), flags)
	if err != nil {
		panic(r.rethrow(err))
	}
	return o
}

// guardPatterns replaces the constructor that every regular expression leads to.
func (r *realmBase) guardPatterns() *goja.Object {
	if r.safeRegExp != nil {
		return r.safeRegExp
	}
	prototype := r.intrinsic("RegExp").Get("prototype").(*goja.Object)
	r.safeRegExp = r.vm.ToValue(func(c goja.ConstructorCall) *goja.Object {
		src, flags := c.Argument(0), c.Argument(1)
		if o, ok := src.(*goja.Object); ok && isPattern(o) {
			src = o.Get("source")
			if goja.IsUndefined(flags) {
				flags = o.Get("flags")
			}
		}
		return r.pattern(src, flags)
	}).(*goja.Object)
	fix(r.safeRegExp, "name", r.vm.ToValue("RegExp"))
	fix(r.safeRegExp, "prototype", prototype)
	hide(prototype, "constructor", r.safeRegExp)
	remove(prototype, "compile")
	for _, s := range []*goja.Symbol{goja.SymMatchAll, goja.SymSplit} {
		native, _ := goja.AssertFunction(prototype.GetSymbol(s))
		guarded := r.function(s.String(), func(c goja.FunctionCall) goja.Value {
			// These make another pattern with the constructor that they find on their
			// receiver, or with the native one: of anything that is not a plain
			// pattern the text would not be checked.
			o, ok := c.This.(*goja.Object)
			if !ok || o.ClassName() != "RegExp" || o.Get("constructor") != goja.Value(r.safeRegExp) {
				panic(r.vm.NewTypeError("it works on a regular expression"))
			}
			return r.called(native(o, c.Arguments...))
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
