package realm

// This file guards regular expressions at run time, before the program can reach one.

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// Regular expressions that are made at run time pass the same check as literals. goja gives patterns that Go's engine can't run to a
// backtracking engine, which no time limit ends.
//
// A program gets a regular expression in three ways: by a literal, by the name RegExp, or by a text's match, matchAll and search. The first two
// appear in the program's text, so the realm guards the prototype before the program runs. The methods of texts are replaced by ours, which guard the
// prototype before they make the first one. So no code of a program ever sees a regular expression, or its prototype, with the engine's constructor.
//

// disarmStrings replaces the methods of texts that make regular expressions by ours, which first check the pattern.
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
				// Read the property once, so that the checked value is the used value.
				if m.name == "matchAll" && isPattern(o) && !strings.Contains(o.Get("flags").String(), "g") {
					panic(r.VM.NewTypeError("matchAll wants a regular expression with the flag g, like /a/g"))
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

// pattern makes a regular expression from texts, if Go's engine can run it. Undefined means the empty text.
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
			// matchAll and split make a new pattern with the constructor of their receiver, or with the engine's own. Only a plain pattern has our
			// constructor, which checks the text. So refuse any other receiver.
			o, ok := c.This.(*goja.Object)
			if !ok || o.ClassName() != "RegExp" || o.Get("constructor") != goja.Value(r.safeRegExp) {
				panic(r.VM.NewTypeError("the method works only on a plain regular expression: write a literal, like /a/g"))
			}
			return r.Called(native(o, c.Arguments...))
		})
		if err := prototype.DefineDataPropertySymbol(s, guarded, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
	return r.safeRegExp
}

// isPattern reports whether JavaScript treats an object as a regular expression.
func isPattern(o *goja.Object) bool {
	if m := o.GetSymbol(goja.SymMatch); m != nil && !goja.IsUndefined(m) {
		return m.ToBoolean()
	}
	return o.ClassName() == "RegExp"
}
