package exoeval

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dop251/goja"
)

// The host's time zone is nobody's business and would make runs differ from
// machine to machine: local time is UTC, or that of the zone that the gate was given. Nothing here converts from or to the
// host's local time, not even to correct it: around a change of clocks that shows.
//
// Nothing but its name leads to Date: no literal is one, and no built-in and no
// value of the host gives one.

// newDate makes the constructor. Only a function of JavaScript sees whether it
// was called with new.
var newDate = compiled("date", "(function (make, text) { 'use strict'; const none = void 0; return function Date(...a) { return new.target === none ? text() : make(...a); }; })")

// addDate makes Date and changes what the prototype of dates does.
func (r *realmBase) addDate(made map[string]goja.Value) {
	native := r.intrinsic("Date")
	dates := native.Get("prototype").(*goja.Object)
	getTime, _ := goja.AssertFunction(dates.Get("getTime"))
	fresh := func(args ...goja.Value) *goja.Object {
		d, err := r.vm.New(native, args...)
		if err != nil {
			panic(r.rethrow(err))
		}
		return d
	}
	r.addLocalParts(dates, getTime, fresh)
	remove(dates, "setYear")
	instant := func(v goja.Value) (time.Time, bool) { // refuses what is no date
		ms := r.called(getTime(v)).ToFloat()
		return r.zone.In(time.UnixMilli(int64(ms))), !math.IsNaN(ms)
	}
	method := func(name string, invalid any, f func(time.Time, goja.FunctionCall) any) {
		hide(dates, name, r.function(name, func(c goja.FunctionCall) goja.Value {
			t, ok := instant(c.This)
			if !ok {
				return r.vm.ToValue(invalid)
			}
			return r.vm.ToValue(f(t, c))
		}))
	}
	method("getTimezoneOffset", math.NaN(), func(t time.Time, _ goja.FunctionCall) any { return -int64(r.zone.Shift(t).Minutes()) })
	method("getYear", math.NaN(), func(t time.Time, _ goja.FunctionCall) any { return t.Year() - 1900 })
	const invalid = "Invalid Date"
	method("toString", invalid, func(t time.Time, _ goja.FunctionCall) any { return dayText(t) + " " + clockText(t) })
	method("toDateString", invalid, func(t time.Time, _ goja.FunctionCall) any { return dayText(t) })
	method("toTimeString", invalid, func(t time.Time, _ goja.FunctionCall) any { return clockText(t) })
	for _, m := range []struct {
		name        string
		date, clock bool
	}{{"toLocaleString", true, true}, {"toLocaleDateString", true, false}, {"toLocaleTimeString", false, true}} {
		method(m.name, invalid, func(t time.Time, c goja.FunctionCall) any {
			f := r.dateFormat(c.Argument(0), c.Argument(1), m.date, m.clock, m.date && m.clock)
			if f.timeStyle != "" && !m.clock || f.dateStyle != "" && !m.date {
				panic(r.vm.NewTypeError("%s can't show this style; use toLocaleString", m.name))
			}
			return f.format(t)
		})
	}

	utc, _ := goja.AssertFunction(native.Get("UTC"))
	parse := func(s goja.Value) *goja.Object {
		text, zoned := zoned(s.String())
		d := fresh(r.vm.ToValue(text))
		if zoned || r.zone == nil {
			return d
		}
		return fresh(r.localInstant(r.called(getTime(d))))
	}
	make := r.function("make", func(c goja.FunctionCall) goja.Value {
		switch a := c.Arguments; len(a) {
		case 0:
			return fresh()
		case 1:
			v := r.primitive(a[0], getTime)
			if _, text := v.(goja.String); text {
				return parse(v)
			}
			return fresh(v)
		default:
			for i, v := range a {
				if i >= 2 && (goja.IsUndefined(v) || goja.IsNull(v)) {
					a[i] = r.vm.ToValue([]int{0, 0, 1, 0, 0, 0, 0}[min(i, 6)])
				}
			}
			return fresh(r.localInstant(r.called(utc(goja.Undefined(), a...))))
		}
	})
	text := r.function("text", func(goja.FunctionCall) goja.Value {
		now := r.zone.In(r.start)
		return r.vm.ToValue(dayText(now) + " " + clockText(now))
	})
	v, err := r.vm.RunProgram(newDate())
	if err != nil {
		panic(err)
	}
	maker, _ := goja.AssertFunction(v)
	date := r.called(maker(goja.Undefined(), make, text)).(*goja.Object)
	fix(date, "prototype", dates)
	hide(dates, "constructor", date)
	hide(date, "UTC", native.Get("UTC"))
	hide(date, "now", native.Get("now"))
	hide(date, "parse", r.function("parse", func(c goja.FunctionCall) goja.Value {
		return r.called(getTime(parse(c.Argument(0).ToString())))
	}))
	made["Date"] = date
}

// primitive is what Date makes of its one argument before it looks at it. The
// engine must not be left to do that: it would read a text in the host's zone.
func (r *realmBase) primitive(v goja.Value, getTime goja.Callable) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	if o.ClassName() == "Date" {
		return r.called(getTime(o))
	}
	if to, ok := goja.AssertFunction(o.GetSymbol(goja.SymToPrimitive)); ok {
		v = r.called(to(o, r.vm.ToValue("default")))
	} else if value, ok := goja.AssertFunction(o.Get("valueOf")); ok {
		v = r.called(value(o))
	}
	if _, object := v.(*goja.Object); object {
		return o.ToString()
	}
	return v
}

var (
	dateLocal = expression(`^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$`)
	dateOnly  = expression(`^\d{4}(?:-\d\d){0,2}$`)
	dateZoned = expression(`(?i)(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$`)
)

// addLocalParts makes the methods of local time. In UTC they are those that there are.
func (r *realmBase) addLocalParts(dates *goja.Object, getTime goja.Callable, fresh func(...goja.Value) *goja.Object) {
	setTime, _ := goja.AssertFunction(dates.Get("setTime"))
	for _, part := range []string{"FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds", "Day"} {
		get, set := dates.Get("getUTC"+part), dates.Get("setUTC"+part)
		if r.zone == nil {
			hide(dates, "get"+part, get)
			if part != "Day" {
				hide(dates, "set"+part, set)
			}
			continue
		}
		// Both act on a date that has in UTC what clocks show.
		shown := func(v goja.Value) *goja.Object {
			ms := r.called(getTime(v))
			if f := ms.ToFloat(); !math.IsNaN(f) {
				ms = r.vm.ToValue(f + float64(r.zone.Shift(time.UnixMilli(int64(f))).Milliseconds()))
			}
			return fresh(ms)
		}
		getUTC, _ := goja.AssertFunction(get)
		hide(dates, "get"+part, r.function("get"+part, func(c goja.FunctionCall) goja.Value {
			return r.called(getUTC(shown(c.This)))
		}))
		if part == "Day" {
			continue
		}
		setUTC, _ := goja.AssertFunction(set)
		hide(dates, "set"+part, r.function("set"+part, func(c goja.FunctionCall) goja.Value {
			return r.called(setTime(c.This, r.localInstant(r.called(setUTC(shown(c.This), c.Arguments...)))))
		}))
	}
}

// localInstant is the milliseconds of when clocks show what ms has in UTC.
func (r *realmBase) localInstant(ms goja.Value) goja.Value {
	f := ms.ToFloat()
	if r.zone == nil || math.IsNaN(f) {
		return ms
	}
	return r.vm.ToValue(float64(r.zone.Instant(time.UnixMilli(int64(f)).UTC()).UnixMilli()))
}

// zoned is the text of a date with a zone, and whether it had one: the engine would read one without as
// the local time of the host.
func zoned(s string) (text string, had bool) {
	t := strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if m := dateLocal().FindStringSubmatch(t); m != nil {
		return m[1] + "T" + m[2] + "Z", false
	}
	if dateZoned().MatchString(t) || dateOnly().MatchString(t) {
		return s, true
	}
	return s + " UTC", false // no date for what the engine can't read with a zone
}

func dayText(t time.Time) string {
	y := t.Year()
	sign := ""
	if y < 0 {
		sign, y = "-", -y
	}
	s := strconv.Itoa(y)
	return t.Format("Mon Jan 02 ") + sign + strings.Repeat("0", max(4-len(s), 0)) + s
}

func clockText(t time.Time) string { return t.Format("15:04:05 GMT-0700 (MST)") }
