package message

// This file checks plain values against a wanted type, and converts them. conform.go calls its functions.

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// sameScalarValue reports whether a conversion left a value unchanged. It returns false for a list or a record.
func sameScalarValue(a, b value.Value) bool {
	return a.Kind() != value.KindList && a.Kind() != value.KindRecord && value.Equal(a, b)
}

// canonical returns text in the canonical form of type typ, with v's label; false if text is no value of typ. typ has no value.Kind of its own.
func canonical(v value.Value, typ, text string) (value.Value, bool) {
	s, ok := scalar.Canonical(typ, text)
	if !ok {
		return v, false
	}
	return value.Text(s).WithLabel(v.Label()), true
}

// Fits reports whether a plain value can be used as a value of a closed type.
func (t *Type) Fits(v value.Value) bool {
	_, ok := admit(t, v, 0, nil)
	return ok
}

// admit checks a plain value against a closed type and converts it. A whole float becomes an
// integer, ISO text an instant, text of digits beyond 2^53 an exact integer, and a decimal its
// canonical text.
func admit(want *Type, v value.Value, depth int, z *zone.Zone) (value.Value, bool) {
	if depth > 64 {
		return v, false
	}
	if v.Kind() == value.KindSealed {
		return v, sealedFits(want, v)
	}
	if v.Kind() == value.KindNull {
		return v, want.Null || want.Name == value.TypeNull || want.Name == value.TypeData
	}
	switch want.Name {
	case value.TypeData, value.TypeJSON:
		return v, literalType(v, 0) != nil
	case value.TypeBool:
		return v, v.Kind() == value.KindBool
	case value.TypeInt, value.TypeNumber, value.TypeFloat:
		switch {
		case v.Kind() == value.KindInt:
			return v, !want.ranged() || want.Min <= v.Int() && v.Int() <= want.Max
		case v.Kind() == value.KindFloat:
			if f := v.Float(); want.Name != value.TypeFloat && f == float64(int64(f)) && f >= -scalar.SafeInteger && f <= scalar.SafeInteger {
				return admit(want, value.Int(int64(f)).WithLabel(v.Label()), depth, z)
			}
			return v, want.Name != value.TypeInt
		case v.Kind() == value.KindText && want.Name != value.TypeFloat:
			return exactInteger(v)
		}
	case value.TypeDecimal:
		switch v.Kind() {
		case value.KindInt:
			return canonical(v, value.TypeDecimal, strconv.FormatInt(v.Int(), 10))
		case value.KindFloat: // a float becomes the text that JavaScript shows for it
			return canonical(v, value.TypeDecimal, strconv.FormatFloat(v.Float(), 'f', -1, 64))
		case value.KindText:
			return canonical(v, value.TypeDecimal, v.Text())
		}
	case value.TypeDate:
		if t, ok := timeOf(v, z); ok {
			if eveningBefore(t, z) {
				return v, false
			}
			return canonical(v, value.TypeDate, z.In(t).Format(time.DateOnly))
		}
	case value.TypeInterval, value.TypeUUID, value.TypeBytes:
		if v.Kind() == value.KindText {
			return canonical(v, want.Name, v.Text())
		}
	case value.TypeText:
		if v.Kind() != value.KindText {
			return v, false
		}
		return v, len(want.Enum) == 0 || slices.Contains(want.Enum, v.Text())
	case value.TypeTime:
		if v.Kind() == value.KindText {
			t, ok := timeIn(v.Text(), z)
			if !ok {
				return v, false
			}
			t2 := value.Time(t).WithLabel(v.Label())
			return t2, t2.Kind() == value.KindTime
		}
		return v, v.Kind() == value.KindTime
	case value.TypeList:
		if v.Kind() != value.KindList {
			return v, false
		}
		l, ok := v.Items(), false
		out := make([]value.Value, len(l))
		for i, x := range l {
			if out[i], ok = admit(want.Args["of"], x, depth+1, z); !ok {
				return v, false
			}
		}
		return v.WithItems(out), true
	case value.TypeRecord:
		if v.Kind() != value.KindRecord {
			return v, false
		}
		return admitRecord(want, v, depth, z)
	}
	return v, false
}

// timeIn reads an instant. A text without a zone is in local time: `t.at >= "2024-01-31"` means
// that day in the user's zone.
func timeIn(s string, z *zone.Zone) (time.Time, bool) {
	t, zoned, ok := scalar.ReadTime(s)
	if !zoned {
		t = z.Instant(t)
	}
	return t, ok
}

// timeOf returns the instant that v is, or that its text describes; false if v is neither an instant nor the text of one.
func timeOf(v value.Value, z *zone.Zone) (time.Time, bool) {
	switch v.Kind() {
	case value.KindTime:
		return v.Time(), true
	case value.KindText:
		return timeIn(v.Text(), z)
	}
	return time.Time{}, false
}

// eveningBefore reports whether t is the beginning of a day in UTC, while the local day is still the day
// before. Then t is most likely new Date("2024-01-31"), and the program does not mean the local day.
func eveningBefore(t time.Time, z *zone.Zone) bool {
	u := t.UTC()
	return u.Equal(u.Truncate(24*time.Hour)) && z.In(t).Day() != u.Day()
}

// instead returns the end of an error: what to write in place of an instant that eveningBefore
// refuses, or of a truth value in the place of a number. It is "" for all other values.
func instead(want *Type, v value.Value, z *zone.Zone) string {
	if of := want.Args["of"]; of != nil {
		want = of
	}
	if v.Kind() == value.KindBool && (want.Name == value.TypeNumber || scalar.NumberRank(want.Name) > 0) {
		return "; write 1 for true and 0 for false"
	}
	t, ok := timeOf(v, z)
	if !ok || want.Name != value.TypeDate || !eveningBefore(t, z) {
		return ""
	}
	return "; as local time it is the evening of the day before, so write the day that is meant, '" + t.UTC().Format(time.DateOnly) + "'"
}

// explain describes the part of a plain value that does not fit, as a path and a reason. It returns
// "" if no part can be named.
func explain(want *Type, v value.Value, at string, depth int, z *zone.Zone) string {
	if _, ok := admit(want, v, 0, z); ok || depth > 8 {
		return ""
	}
	sub := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	switch {
	case want.Name == value.TypeRecord && v.Kind() == value.KindRecord:
		names := scalar.Each(want.Fields, func(w TypeField) string { return w.Name })
		for n := range v.Fields() {
			if want.Field(n) == nil {
				if near := scalar.Nearest(n, names); near != "" {
					return "there is no field `" + scalar.Clip(n, maxShown) + "`; did you mean `" + near + "`?"
				}
				return "there is no field `" + scalar.Clip(n, maxShown) + "`; there are " + join(names)
			}
		}
		for _, w := range want.Fields {
			x, ok := v.Get(w.Name)
			if !ok && !w.Opt {
				return "`" + sub(w.Name) + "` is missing"
			}
			if why := explain(w.Type, x, sub(w.Name), depth+1, z); ok && why != "" {
				return why
			}
		}
	case want.Name == value.TypeList && v.Kind() == value.KindList:
		for i, x := range v.Items() {
			if why := explain(want.Args["of"], x, at+"["+strconv.Itoa(i)+"]", depth+1, z); why != "" {
				return why
			}
		}
	case at != "":
		return "`" + at + "` must be " + want.String() + instead(want, v, z)
	}
	return ""
}

// admitRecord refuses unknown fields, since the host would ignore them while the program believes
// that they count.
func admitRecord(want *Type, v value.Value, depth int, z *zone.Zone) (value.Value, bool) {
	fs := v.FieldList()
	out := make([]value.Field, 0, len(fs))
	for _, f := range fs {
		if want.Field(f.Name) == nil {
			return v, false
		}
	}
	for _, w := range want.Fields {
		x, ok := v.Get(w.Name)
		if !ok {
			if !w.Opt {
				return v, false
			}
			continue
		}
		if x, ok = admit(w.Type, x, depth+1, z); !ok {
			return v, false
		}
		out = append(out, value.Field{Name: w.Name, Value: x})
	}
	return v.WithFields(out), true
}

func exactInteger(v value.Value) (value.Value, bool) {
	s := v.Text()
	if len(s) < 16 || len(s) > 20 {
		return v, false
	}
	var i int64
	if _, err := fmt.Sscanf(s, "%d", &i); err != nil || fmt.Sprint(i) != s || (i <= scalar.SafeInteger && i >= -scalar.SafeInteger) {
		return v, false
	}
	return value.Int(i).WithLabel(v.Label()), true
}

var litTypes = map[value.Kind]*Type{value.KindNull: litNull, value.KindBool: litBool, value.KindInt: litInt, value.KindFloat: litFloat, value.KindText: litText, value.KindTime: litTime}

// literalType returns the type of a plain value, or nil for any other value.
func literalType(v value.Value, depth int) *Type {
	if depth > 64 {
		return nil
	}
	if t := litTypes[v.Kind()]; t != nil {
		return t
	}
	switch v.Kind() {
	case value.KindSealed:
		return &Type{Name: v.SealedType()}
	case value.KindList:
		for _, x := range v.Items() {
			if literalType(x, depth+1) == nil {
				return nil
			}
		}
		return litList
	case value.KindRecord:
		seen := make(map[string]bool, v.Len())
		for n, x := range v.Fields() {
			if seen[n] || value.Text(n).Kind() != value.KindText || literalType(x, depth+1) == nil {
				return nil
			}
			seen[n] = true
		}
		return litData
	}
	return nil
}

var (
	litNull  = &Type{Name: value.TypeNull}
	litBool  = &Type{Name: value.TypeBool}
	litInt   = &Type{Name: value.TypeInt}
	litFloat = &Type{Name: value.TypeFloat}
	litText  = &Type{Name: value.TypeText}
	litTime  = &Type{Name: value.TypeTime}
	litData  = &Type{Name: value.TypeData}
	litList  = &Type{Name: value.TypeList, Args: map[string]*Type{"of": litData}}
)

// sealedFits reports whether the declared type of a sealed value fits the wanted type. When the
// value is opened, it is checked again.
func sealedFits(want *Type, v value.Value) bool {
	got := &Type{Name: v.SealedType()}
	return got.Name == value.TypeData || want.Name == value.TypeJSON || scalarFits(want, got) ||
		(want.Name == value.TypeTime || want.Name == value.TypeDate) && (got.Name == value.TypeTime || got.Name == value.TypeDate)
}
