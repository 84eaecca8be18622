package realm

// This file reads the options of Intl from objects of the program. intldate and intlnumber have the formats.

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// The engine has no Intl. These files have the parts that programs use, for the locales of locales.txt and all time zones. Any other part is
// an error that names what to use.

// AddIntl makes Intl, and the method of numbers that uses it.
func (r *Realm) AddIntl(made map[string]goja.Value) {
	made["Intl"] = r.VM.NewDynamicObject(&intlObject{r: r})
	numbers := r.VM.ToValue(0).ToObject(r.VM).Prototype()
	valueOf, _ := goja.AssertFunction(numbers.Get("valueOf"))
	Hide(numbers, "toLocaleString", r.Function("toLocaleString", func(c goja.FunctionCall) goja.Value {
		n := r.Called(valueOf(c.This)) // throws if `this` is no number
		return r.VM.ToValue(r.numberFormat(c.Argument(0), c.Argument(1)).format(n.ToFloat()))
	}))
}

// intlObject is the object Intl.
type intlObject struct {
	r             *Realm
	numbers, date *goja.Object
}

func (x *intlObject) Get(name string) goja.Value {
	r := x.r
	switch name {
	case "NumberFormat":
		if x.numbers == nil {
			x.numbers = r.formatter(name, func(locale, opts goja.Value) (func(goja.Value) string, map[string]string) {
				f := r.numberFormat(locale, opts)
				return func(v goja.Value) string {
					if d := DecimalIn(v); d != nil {
						return f.formatExact(d.exact())
					}
					return f.format(v.ToFloat())
				}, map[string]string{"locale": f.locale.name, "style": f.style}
			})
		}
		return x.numbers
	case "DateTimeFormat":
		if x.date == nil {
			x.date = r.formatter(name, func(locale, opts goja.Value) (func(goja.Value) string, map[string]string) {
				f := r.dateFormat(locale, opts, true, false, true)
				return func(v goja.Value) string { return r.formatDate(f, v) }, map[string]string{"locale": f.locale.name, "timeZone": f.in.Name(), "calendar": "gregory"}
			})
		}
		return x.date
	}
	if Quiet(name) {
		return nil
	}
	hint := cmp.Or(intlHints[name], "there are Intl.NumberFormat and Intl.DateTimeFormat; for other things use string functions")
	panic(r.VM.NewTypeError("Intl.%s is not available; %s", scalar.Shorten(name, 60), hint))
}

// intlHints has what to write instead of parts that are missing.
var intlHints = map[string]string{
	"Collator": "compare texts with a.localeCompare(b), or < and >", "PluralRules": "compare the number with 1", "ListFormat": "use list.join(', ')",
	"RelativeTimeFormat": spanHint, "DurationFormat": spanHint, "Segmenter": "use [...text] for characters and text.split(' ') for words",
}

const spanHint = "subtract the times, divide by 1000 * 60 * 60 * 24 for days, and write the text"

func (x *intlObject) Set(string, goja.Value) bool { return false }
func (x *intlObject) Delete(string) bool          { return false }
func (x *intlObject) Has(name string) bool        { return slices.Contains(x.Keys(), name) }
func (x *intlObject) Keys() []string              { return []string{"NumberFormat", "DateTimeFormat"} }

// formatter makes a constructor of objects with a method format.
func (r *Realm) formatter(name string, make func(locale, opts goja.Value) (func(goja.Value) string, map[string]string)) *goja.Object {
	var o *goja.Object
	o = r.VM.ToValue(func(c goja.ConstructorCall) *goja.Object {
		format, resolved := make(c.Argument(0), c.Argument(1))
		prototype, _ := o.Get("prototype").(*goja.Object)
		out := r.VM.CreateObject(prototype) // a call without new makes an object, too
		Hide(out, "format", r.Function("format", func(c goja.FunctionCall) goja.Value { return r.VM.ToValue(format(c.Argument(0))) }))
		Hide(out, "resolvedOptions", r.Function("resolvedOptions", func(goja.FunctionCall) goja.Value {
			o := r.VM.NewObject()
			r.Put(o, "numberingSystem", r.VM.ToValue("latn"))
			for _, k := range slices.Sorted(maps.Keys(resolved)) { // a sorted list is the same in each run
				r.Put(o, k, r.VM.ToValue(resolved[k]))
			}
			return o
		}))
		for _, missing := range []string{"formatToParts", "formatRange", "formatRangeToParts"} {
			Hide(out, missing, r.Function(missing, func(goja.FunctionCall) goja.Value {
				panic(r.VM.NewTypeError("%s of Intl.%s is not available; use format", missing, name))
			}))
		}
		return out
	}).(*goja.Object)
	Fix(o, "name", r.VM.ToValue(name))
	return o
}

// locale has the tables of one locale. tables are the lines of locales.txt after its name.
type locale struct{ name, tables string }

//go:embed locales.txt
var locales string

// row returns the values of a key. A missing key has one empty value.
func (l locale) row(key string) []string {
	_, rest, _ := strings.Cut(l.tables, "\n"+key+"\t")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Split(line, "\t")
}

// tables maps the supported locales to the names of their tables.
var tables = map[string]string{"en": "en-US", "en-US": "en-US", "en-GB": "en-GB", "de": "de", "de-DE": "de", "fr": "fr", "fr-FR": "fr", "es": "es", "es-ES": "es", "sv": "sv-SE", "sv-SE": "sv-SE"}

// locale returns the tables of a locale, by default those of en-US. It refuses unknown locales, because each writes the same number
// differently.
func (r *Realm) locale(v goja.Value) locale {
	if o, ok := v.(*goja.Object); ok && IsArray(v) {
		v = o.Get("0")
	}
	name := "en-US"
	if v != nil && !goja.IsUndefined(v) {
		name = v.String()
	}
	_, rest, ok := strings.Cut(locales, "@"+tables[name]+"\n")
	if !ok { // an unknown locale has no tables
		panic(r.RangeError("the locale " + Quoted(name) + " is not available; there are 'en-US', 'en-GB', 'de', 'fr', 'es' and 'sv-SE', or build the text with toFixed, toISOString and string functions"))
	}
	rest, _, _ = strings.Cut(rest, "@")
	return locale{name, "\n" + rest}
}

// options reads each option of an object only once.
type options struct {
	r *Realm
	o *goja.Object
}

func (r *Realm) options(v goja.Value) options {
	if goja.IsUndefined(v) {
		return options{r: r}
	}
	return options{r, v.ToObject(r.VM)}
}

func (o options) get(name string) goja.Value {
	if o.o == nil {
		return nil
	}
	if v := o.o.Get(name); v != nil && !goja.IsUndefined(v) {
		return v
	}
	return nil
}

// word reads an option that must be one of words. The first word is the default.
func (o options) word(name string, words ...string) string {
	v := o.get(name)
	if v == nil {
		return words[0]
	}
	s := v.String()
	if s == "" || !slices.Contains(words, s) {
		panic(o.r.RangeError("the option " + name + ": " + Quoted(s) + " is not available; there are '" + strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), "', '") + "'"))
	}
	return s
}

// refuse throws for options that change the text in a way that this package lacks.
func (o options) refuse(names ...string) {
	for _, name := range names {
		if o.get(name) != nil {
			panic(o.r.RangeError("the option " + name + " is not available; leave it out, or build the text with string functions"))
		}
	}
}

// count reads an option that is a number of digits; -1 if it is missing.
func (o options) count(name string, least, most int) int {
	v := o.get(name)
	if v == nil {
		return -1
	}
	f := v.ToFloat()
	if !(f >= float64(least) && f <= float64(most)) {
		panic(o.r.RangeError("the option " + name + " must be from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)))
	}
	return int(f)
}

func (r *Realm) numberFormat(locale, opts goja.Value) *numberFormat {
	o := r.options(opts)
	o.refuse("roundingMode", "roundingIncrement", "roundingPriority", "trailingZeroDisplay", "numberingSystem")
	n := &numberFormat{
		locale:          r.locale(locale),
		style:           o.word("style", "decimal", "percent", "currency"),
		currencyDisplay: o.word("currencyDisplay", "symbol", "code", "narrowSymbol"),
		accounting:      o.word("currencySign", "standard", "accounting") == "accounting",
		compact:         o.word("notation", "standard", "compact") == "compact",
		long:            o.word("compactDisplay", "short", "long") == "long",
		sign:            o.word("signDisplay", "auto", "always", "exceptZero", "negative", "never"),
		minInt:          max(o.count("minimumIntegerDigits", 1, 21), 1),
		minFraction:     o.count("minimumFractionDigits", 0, 100),
		maxFraction:     o.count("maximumFractionDigits", 0, 100),
		minSignificant:  o.count("minimumSignificantDigits", 1, 21),
		maxSignificant:  o.count("maximumSignificantDigits", 1, 21),
	}
	if g := o.get("useGrouping"); g != nil {
		if n.grouping = g.String(); g.StrictEquals(r.VM.ToValue(true)) {
			n.grouping = "always"
		} else if !g.ToBoolean() {
			n.grouping = "never"
		}
	}
	if c := o.get("currency"); c != nil {
		n.currency = strings.ToUpper(c.String())
		if len(n.currency) != 3 || strings.Trim(n.currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			panic(r.RangeError("the option currency must be a code of three letters like 'USD'"))
		}
	}
	n.row, n.accounting = n.locale.row("number"), n.accounting && n.style == "currency"
	usualMin, usualMax := 0, 3
	switch n.style {
	case "percent":
		usualMax = 0
	case "currency":
		if n.currency == "" {
			panic(r.VM.NewTypeError("the style 'currency' needs the option currency, like { style: 'currency', currency: 'USD' }"))
		}
		usualMin = n.digits()
		usualMax = usualMin
	}
	if n.minSignificant >= 0 || n.maxSignificant >= 0 {
		n.minSignificant = max(n.minSignificant, 1)
		if n.maxSignificant < 0 {
			n.maxSignificant = 21
		}
		if n.minSignificant > n.maxSignificant {
			panic(r.RangeError("the option minimumSignificantDigits must not be more than maximumSignificantDigits"))
		}
		return n
	}
	switch {
	case n.minFraction >= 0 && n.maxFraction >= 0:
		if n.minFraction > n.maxFraction {
			panic(r.RangeError("the option minimumFractionDigits must not be more than maximumFractionDigits"))
		}
	case n.minFraction >= 0:
		n.maxFraction = max(n.minFraction, usualMax)
	case n.maxFraction >= 0:
		if n.minFraction = min(usualMin, n.maxFraction); n.compact {
			n.minFraction = 0
		}
	case n.compact: // the default of a compact number is two digits: see cut
		n.minFraction = 0
	default:
		n.minFraction, n.maxFraction = usualMin, usualMax
	}
	return n
}

func (r *Realm) dateFormat(locale, opts goja.Value, date, clock, either bool) *dateFormat {
	o := r.options(opts)
	o.refuse("calendar", "numberingSystem", "era", "dayPeriod", "fractionalSecondDigits")
	digits := []string{"", "numeric", "2-digit"}
	f := &dateFormat{
		r:         r,
		locale:    r.locale(locale),
		dateStyle: o.word("dateStyle", "", "full", "long", "medium", "short"),
		timeStyle: o.word("timeStyle", "", "full", "long", "medium", "short"),
		weekday:   o.word("weekday", "", "long", "short", "narrow"),
		month:     o.word("month", "", "numeric", "2-digit", "long", "short", "narrow"),
		year:      o.word("year", digits...), day: o.word("day", digits...),
		hour: o.word("hour", digits...), minute: o.word("minute", digits...), second: o.word("second", digits...),
		cycle: o.word("hourCycle", "", "h11", "h12", "h23", "h24"),
		zone:  o.word("timeZoneName", "", "short", "long"),
		in:    r.Zone,
	}
	if h := o.get("hour12"); h != nil {
		f.cycle = strconv.FormatBool(h.ToBoolean())
	}
	if z := o.get("timeZone"); z != nil && z.String() != r.Zone.Name() {
		var err error
		if f.in, err = zone.Find(z.String()); err != nil {
			panic(r.RangeError(err.Error()))
		}
	}
	styled := f.dateStyle+f.timeStyle != ""
	if styled && f.weekday+f.month+f.year+f.day+f.hour+f.minute+f.second+f.zone != "" {
		panic(r.VM.NewTypeError("the options dateStyle and timeStyle can't be combined with others like month or hour: give only one kind"))
	}
	f.settle(date, clock, either)
	return f
}

// formatDate formats a date, a number of milliseconds, or undefined for the present.
func (r *Realm) formatDate(f *dateFormat, v goja.Value) string {
	ms := float64(r.Start.UnixMilli())
	if !goja.IsUndefined(v) {
		ms = v.ToFloat()
	}
	if !(math.Abs(ms) <= 8.64e15) {
		panic(r.RangeError("the date is not valid: make it from a text like '2026-01-31T12:00:00Z'"))
	}
	return f.format(time.UnixMilli(int64(ms)))
}
