package realm

// This file sorts texts in the order of a language.

import (
	"strings"
	"unicode"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// AddOrder adds the locale and the options of localeCompare. The engine ignores both: it would silently sort file 10 before file 9.
func (r *Realm) AddOrder() {
	texts := r.VM.ToValue("").ToObject(r.VM).Prototype()
	native, _ := goja.AssertFunction(texts.Get("localeCompare"))
	made := map[string]*collate.Collator{}
	Hide(texts, "localeCompare", r.Function("localeCompare", func(c goja.FunctionCall) goja.Value {
		if goja.IsUndefined(c.Argument(1)) && goja.IsUndefined(c.Argument(2)) || goja.IsUndefined(c.This) || goja.IsNull(c.This) {
			return r.Called(native(c.This, c.Arguments...))
		}
		a, b := c.This.ToString().String(), c.Argument(0).ToString().String()
		locale, o := r.locale(c.Argument(1)), r.options(c.Argument(2))
		o.refuse("ignorePunctuation", "collation")
		o.word("usage", "sort")
		o.word("caseFirst", "false")
		sensitivity, numeric := o.word("sensitivity", "variant", "accent", "base"), o.get("numeric")
		key, options := locale.name+sensitivity, map[string][]collate.Option{"accent": {collate.IgnoreCase, collate.IgnoreWidth}, "base": {collate.Loose}}[sensitivity]
		if numeric != nil && numeric.ToBoolean() {
			if strings.ContainsFunc(a+b, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsNumber(c) }) {
				panic(r.RangeError("the option numeric works only with the digits 0 to 9; leave it out"))
			}
			key, options = key+"numeric", append(options, collate.Numeric)
		}
		if made[key] == nil {
			made[key] = collate.New(language.Make(locale.name), options...)
		}
		return r.VM.ToValue(made[key].CompareString(a, b))
	}))
}
