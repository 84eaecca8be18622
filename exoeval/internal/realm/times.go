package realm

// This file refuses operators that JavaScript would apply to the text of a time. A row's times, days and lengths of time are texts, so
// `row.dueAt > new Date()` would always be false, and `a.dueAt - b.dueAt` would be NaN: a wrong answer without an error.

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/internal/scalar"
)

var (
	timeText   = scalar.Pattern(`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$`)
	lengthText = scalar.Pattern(`^P(-?\d+[YMWD])*(T(-?\d+(\.\d+)?[HMS])+)?$`)
)

// timeIn returns the text of a time or a day. It returns "" if v is something else, or if the program has read no time.
func (r *Realm) timeIn(v goja.Value) string {
	if s := short(v); r.ReadsTimes && len(s) >= len("2024-01-31") && s[4] == '-' && timeText().MatchString(s) {
		return s
	}
	return ""
}

// lengthIn returns the text of a length of time, like "P1DT2H". It returns "" if v is something else, or if the program has read no length of time.
func (r *Realm) lengthIn(v goja.Value) string {
	if s := short(v); r.ReadsLengths && len(s) > len("P1") && s[0] == 'P' && lengthText().MatchString(s) {
		return s
	}
	return ""
}

// short returns v if it is a text that may be a time. A long text is not converted, because loops in programs compare texts of megabytes.
func short(v goja.Value) string {
	if s, ok := v.(goja.String); ok && s.Length() <= 80 {
		return s.String()
	}
	return ""
}

// RefuseTimes throws if an operator has the text of a time as an operand and would give NaN, compare it with a number, which a Date is here, or
// compare letters that have another order than the times. b is nil for an operator with one operand.
func (r *Realm) RefuseTimes(op string, a, b goja.Value) {
	switch op {
	case "-", "*", "/", "%", "**", "-x", "+x", "~x", "|", "&", "^", "<<", ">>", ">>>", "Number":
		r.refuseTime("`"+strings.TrimSuffix(op, "x")+"` can't calculate with", a, b)
	case "<", "<=", ">", ">=":
		x, y := goja.IsString(a), goja.IsString(b)
		switch {
		case x && y && r.lengthIn(a) != "" && r.lengthIn(b) != "":
			r.refuseTime("`"+op+"` would compare the letters of", a)
		case x && y:
			r.refuseZones(op, r.timeIn(a), r.timeIn(b))
		case x && !goja.IsNull(b) && !goja.IsUndefined(b), y && !goja.IsNull(a) && !goja.IsUndefined(a): // a column may be null, which compares as in JavaScript
			r.refuseTime("`"+op+"` is never true between a number or a Date and", a, b)
		}
	}
}

// RefuseDates throws if an operator asks whether the text of a time equals a Date. The operands are objects still.
func (r *Realm) RefuseDates(op string, a, b goja.Value) {
	switch op {
	case "===", "==", "!==", "!=":
		for _, pair := range [][2]goja.Value{{a, b}, {b, a}} {
			if o, ok := pair[1].(*goja.Object); ok && o.ClassName() == "Date" && r.timeIn(pair[0]) != "" {
				panic(r.VM.NewTypeError("a Date never equals the text %s, which is a time; write new Date(text).getTime() %s date.getTime()", Quoted(r.timeIn(pair[0])), op))
			}
		}
	}
}

// MayBeTime reports whether v is a Date or the text of a time, in a program that has read times.
func (r *Realm) MayBeTime(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return r.ReadsTimes && (ok && o.ClassName() == "Date" || r.timeIn(v) != "")
}

// RefuseSought throws if the program sought a Date among items that are texts of times, or the text of a time among Dates. It would find
// nothing. The slice items has the first items: those of a list mostly are of one kind.
func (r *Realm) RefuseSought(v goja.Value, items []goja.Value) {
	for _, item := range items {
		for _, pair := range [][2]goja.Value{{v, item}, {item, v}} {
			if o, ok := pair[0].(*goja.Object); ok && o.ClassName() == "Date" && r.timeIn(pair[1]) != "" {
				panic(r.VM.NewTypeError("a Date is never found among texts, nor the text %s, which is a time, among Dates; write date.getTime() and new Date(text).getTime() for both", Quoted(r.timeIn(pair[1]))))
			}
		}
	}
}

// refuseTime throws if one of the operands is the text of a time, or of a length of time. The error begins with the text what.
func (r *Realm) refuseTime(what string, operands ...goja.Value) {
	for _, v := range operands {
		if s := r.timeIn(v); s != "" {
			panic(r.VM.NewTypeError("%s the text %s, which is a time; write new Date(text)", what, Quoted(s)))
		}
		if s := r.lengthIn(v); s != "" {
			panic(r.VM.NewTypeError("%s the text %s, which is a length of time; ask for it as a number, like t.took.asMilliseconds()", what, Quoted(s)))
		}
	}
}

// refuseZones throws if two texts of times are of different zones: the order of their letters is not the order of the times. A text without a
// zone is local.
func (r *Realm) refuseZones(op, a, b string) {
	if a != "" && b != "" && r.zoneIn(a) != r.zoneIn(b) {
		panic(r.VM.NewTypeError("`%s` would compare the letters of %s and %s, which are of different time zones; write new Date(…) around each. The beginning of a local day is new Date('2024-01-31T00:00')",
			op, Quoted(a), Quoted(b)))
	}
}

// zoneIn returns the zone of the text of a time: Z for UTC, an offset, or "" for local time that is not UTC.
func (r *Realm) zoneIn(s string) string {
	if i := strings.LastIndexAny(s, "Z+-"); i > len("2024-01-31") {
		return s[i:]
	} else if r.Zone == nil {
		return "Z"
	}
	return ""
}
