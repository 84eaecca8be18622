package realm

// This file has Date in the run's own time zone. Its formats use the files of Intl.

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// Programs must not learn the host's time zone, and runs must not differ between machines. So local time is UTC, or the zone of the gate.
// Nothing here converts to or from the host's local time, not even temporarily: around a change of clocks the difference would show. A program
// reaches Date only by its name: no literal is a Date, and no built-in or value of the host returns one.

// newDate makes the constructor. Only a function of
// JavaScript knows whether it was called with new.
var newDate = Compiled("date", "(function (make, text) { 'use strict'; const none = void 0; return function Date(...a) { return new.target === none ? text() : make(...a); }; })")

// AddDate makes Date and changes methods of its prototype.
func (r *Realm) AddDate(made map[string]goja.Value) {
	native := r.Intrinsic("Date")
	dates := native.Get("prototype").(*goja.Object)
	getTime, _ := goja.AssertFunction(dates.Get("getTime"))
	fresh := func(args ...goja.Value) *goja.Object {
		d, err := r.VM.New(native, args...)
		if err != nil {
			panic(r.Rethrow(err))
		}
		return d
	}
	r.addLocalParts(dates, getTime, fresh)
	remove(dates, "setYear")
	instant := func(v goja.Value) (time.Time, bool) { // throws if v is no date
		ms := r.Called(getTime(v)).ToFloat()
		return r.Zone.In(time.UnixMilli(int64(ms))), !math.IsNaN(ms)
	}
	method := func(name string, invalid any, f func(time.Time, goja.FunctionCall) any) {
		Hide(dates, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			t, ok := instant(c.This)
			if !ok {
				return r.VM.ToValue(invalid)
			}
			return r.VM.ToValue(f(t, c))
		}))
	}
	method("getTimezoneOffset", math.NaN(), func(t time.Time, _ goja.FunctionCall) any { return -int64(r.Zone.Shift(t).Minutes()) })
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
				panic(r.VM.NewTypeError("%s has no option %s; use toLocaleString", m.name, map[bool]string{true: "timeStyle", false: "dateStyle"}[m.date]))
			}
			return f.format(t)
		})
	}

	utc, _ := goja.AssertFunction(native.Get("UTC"))
	parse := func(s goja.Value) goja.Value { return r.VM.ToValue(parseDate(s.String(), r.Zone)) }
	make := r.Function("make", func(c goja.FunctionCall) goja.Value {
		switch a := c.Arguments; len(a) {
		case 0:
			return fresh()
		case 1:
			v := r.instant(a[0], getTime)
			if _, text := v.(goja.String); text {
				v = parse(v)
			}
			return fresh(v)
		default:
			for i, v := range a {
				if i >= 2 && (goja.IsUndefined(v) || goja.IsNull(v)) {
					a[i] = r.VM.ToValue([]int{0, 0, 1, 0, 0, 0, 0}[min(i, 6)])
				}
			}
			return fresh(r.localInstant(r.Called(utc(goja.Undefined(), a...))))
		}
	})
	text := r.Function("text", func(goja.FunctionCall) goja.Value {
		now := r.Zone.In(r.Start)
		return r.VM.ToValue(dayText(now) + " " + clockText(now))
	})
	v, err := r.VM.RunProgram(newDate())
	if err != nil {
		panic(err)
	}
	maker, _ := goja.AssertFunction(v)
	date := r.Called(maker(goja.Undefined(), make, text)).(*goja.Object)
	Fix(date, "prototype", dates)
	Hide(dates, "constructor", date)
	Hide(date, "UTC", native.Get("UTC"))
	Hide(date, "now", native.Get("now"))
	Hide(date, "parse", r.Function("parse", func(c goja.FunctionCall) goja.Value {
		return r.Called(getTime(fresh(parse(c.Argument(0).ToString())))) // NaN for a time beyond the range of Date
	}))
	made["Date"] = date
}

// instant converts the one argument of Date, as Date does. The engine must not convert it, because it would read a text in the host's zone.
func (r *Realm) instant(v goja.Value, getTime goja.Callable) goja.Value {
	if d := DecimalIn(v); d != nil {
		return d.ToNumber()
	}
	if o, ok := v.(*goja.Object); ok && o.ClassName() == "Date" {
		return r.Called(getTime(o))
	}
	return r.primitive("default", v)
}

// addLocalParts makes the methods for local time. In UTC these are the methods for UTC.
func (r *Realm) addLocalParts(dates *goja.Object, getTime goja.Callable, fresh func(...goja.Value) *goja.Object) {
	setTime, _ := goja.AssertFunction(dates.Get("setTime"))
	for _, part := range []string{"FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds", "Day"} {
		get, set := dates.Get("getUTC"+part), dates.Get("setUTC"+part)
		if r.Zone == nil {
			Hide(dates, "get"+part, get)
			if part != "Day" {
				Hide(dates, "set"+part, set)
			}
			continue
		}
		// To get or set local time, use a shifted date: its time in UTC is the time that local clocks show.
		shown := func(v goja.Value) *goja.Object {
			ms := r.Called(getTime(v))
			if f := ms.ToFloat(); !math.IsNaN(f) {
				ms = r.VM.ToValue(f + float64(r.Zone.Shift(time.UnixMilli(int64(f))).Milliseconds()))
			}
			return fresh(ms)
		}
		getUTC, _ := goja.AssertFunction(get)
		Hide(dates, "get"+part, r.Function("get"+part, func(c goja.FunctionCall) goja.Value {
			return r.Called(getUTC(shown(c.This)))
		}))
		if part == "Day" {
			continue
		}
		setUTC, _ := goja.AssertFunction(set)
		Hide(dates, "set"+part, r.Function("set"+part, func(c goja.FunctionCall) goja.Value {
			return r.Called(setTime(c.This, r.localInstant(r.Called(setUTC(shown(c.This), c.Arguments...)))))
		}))
	}
}

// localInstant returns, in milliseconds, the time at which local clocks show what a clock in UTC shows at ms.
func (r *Realm) localInstant(ms goja.Value) goja.Value {
	f := ms.ToFloat()
	if r.Zone == nil || math.IsNaN(f) {
		return ms
	}
	return r.VM.ToValue(float64(r.Zone.Instant(time.UnixMilli(int64(f)).UTC()).UnixMilli()))
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
