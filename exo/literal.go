package exo

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// sameScalarValue reports whether a value is what it was before it was converted. Of a list or a record that can't be told.
func sameScalarValue(a, b Value) bool {
	return a.Kind() != kindList && a.Kind() != kindRecord && Equal(a, b)
}

// canonical is the one text of a type that has no kind of its own, with v's label.
func canonical(v Value, typ, text string) (Value, bool) {
	s, ok := scalar.Canonical(typ, text)
	if !ok {
		return v, false
	}
	return Text(s).WithLabel(v.Label()), true
}

// Fits reports whether a plain value can be given where a closed type is wanted.
func (t *Type) Fits(v Value) bool {
	_, ok := admit(t, v, 0, nil)
	return ok
}

// admit checks a plain value against a closed type and converts it: a whole
// float to an integer, ISO text to an instant, decimal text beyond 2^53 to the
// exact integer that it was shown as, decimals and their like to their one text.
func admit(want *Type, v Value, depth int, z *zone.Zone) (Value, bool) {
	if depth > 64 {
		return v, false
	}
	if v.Kind() == kindSealed {
		return v, sealedFits(want, v)
	}
	if v.Kind() == kindNull {
		return v, want.Null || want.Name == TypeNull || want.Name == TypeData
	}
	switch want.Name {
	case TypeData, TypeJSON:
		return v, literalType(v, 0) != nil
	case TypeBool:
		return v, v.Kind() == kindBool
	case TypeInt, TypeNumber, TypeFloat:
		switch {
		case v.Kind() == kindInt:
			return v, !want.ranged() || want.Min <= v.Int() && v.Int() <= want.Max
		case v.Kind() == kindFloat:
			if f := v.Float(); want.Name != TypeFloat && f == float64(int64(f)) && f >= -scalar.SafeInteger && f <= scalar.SafeInteger {
				return admit(want, Int(int64(f)).WithLabel(v.Label()), depth, z)
			}
			return v, want.Name != TypeInt
		case v.Kind() == kindText && want.Name != TypeFloat:
			return exactInteger(v)
		}
	case TypeDecimal:
		switch v.Kind() {
		case kindInt:
			return canonical(v, TypeDecimal, strconv.FormatInt(v.Int(), 10))
		case kindFloat: // the digits that JavaScript shows are the number that was meant
			return canonical(v, TypeDecimal, strconv.FormatFloat(v.Float(), 'f', -1, 64))
		case kindText:
			return canonical(v, TypeDecimal, v.Text())
		}
	case TypeDate:
		if v.Kind() == kindTime {
			return canonical(v, TypeDate, z.In(v.Time()).Format(time.DateOnly))
		}
		if v.Kind() == kindText {
			if t, ok := timeIn(v.Text(), z); ok {
				return canonical(v, TypeDate, z.In(t).Format(time.DateOnly))
			}
		}
	case TypeInterval, TypeUUID, TypeBytes:
		if v.Kind() == kindText {
			return canonical(v, want.Name, v.Text())
		}
	case TypeText:
		if v.Kind() != kindText {
			return v, false
		}
		return v, len(want.Enum) == 0 || slices.Contains(want.Enum, v.Text())
	case TypeTime:
		if v.Kind() == kindText {
			t, ok := timeIn(v.Text(), z)
			if !ok {
				return v, false
			}
			t2 := Time(t).WithLabel(v.Label())
			return t2, t2.Kind() == kindTime
		}
		return v, v.Kind() == kindTime
	case TypeList:
		if v.Kind() != kindList {
			return v, false
		}
		l, ok := v.Items(), false
		out := make([]Value, len(l))
		for i, x := range l {
			if out[i], ok = admit(want.Args["of"], x, depth+1, z); !ok {
				return v, false
			}
		}
		return v.WithItems(out), true
	case TypeRecord:
		if v.Kind() != kindRecord {
			return v, false
		}
		return admitRecord(want, v, depth, z)
	}
	return v, false
}

// timeIn reads an instant. A text without a zone is of the local time: `t.at >= "2024-01-31"` means
// the day as the user has it.
func timeIn(s string, z *zone.Zone) (time.Time, bool) {
	t, zoned, ok := scalar.ReadTime(s)
	if !zoned {
		t = z.Instant(t)
	}
	return t, ok
}

// explain says which part of a plain value does not fit, as a path and a reason;
// "" where there is no more to say than that it does not.
func explain(want *Type, v Value, at string, depth int, z *zone.Zone) string {
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
	case want.Name == TypeRecord && v.Kind() == kindRecord:
		var names []string
		for _, w := range want.Fields {
			names = append(names, w.Name)
		}
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
	case want.Name == TypeList && v.Kind() == kindList:
		for i, x := range v.Items() {
			if why := explain(want.Args["of"], x, at+"["+strconv.Itoa(i)+"]", depth+1, z); why != "" {
				return why
			}
		}
	case at != "":
		return "`" + at + "` must be " + want.String()
	}
	return ""
}

// admitRecord refuses unknown fields: what the host would silently drop, the
// guest believed to have said.
func admitRecord(want *Type, v Value, depth int, z *zone.Zone) (Value, bool) {
	fs := v.FieldList()
	out := make([]Field, 0, len(fs))
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
		out = append(out, Field{w.Name, x})
	}
	return v.WithFields(out), true
}

func exactInteger(v Value) (Value, bool) {
	s := v.Text()
	if len(s) < 16 || len(s) > 20 {
		return v, false
	}
	var i int64
	if _, err := fmt.Sscanf(s, "%d", &i); err != nil || fmt.Sprint(i) != s || (i <= scalar.SafeInteger && i >= -scalar.SafeInteger) {
		return v, false
	}
	return Int(i).WithLabel(v.Label()), true
}

// literalType is the type of a plain value, nil for what is none.
func literalType(v Value, depth int) *Type {
	if depth > 64 {
		return nil
	}
	switch v.Kind() {
	case kindNull:
		return litNull
	case kindBool:
		return litBool
	case kindInt:
		return litInt
	case kindFloat:
		return litFloat
	case kindText:
		return litText
	case kindTime:
		return litTime
	case kindSealed:
		return &Type{Name: v.SealedType()}
	case kindList:
		for _, x := range v.Items() {
			if literalType(x, depth+1) == nil {
				return nil
			}
		}
		return litList
	case kindRecord:
		seen := make(map[string]bool, v.Len())
		for n, x := range v.Fields() {
			if seen[n] || Text(n).Kind() != kindText || literalType(x, depth+1) == nil {
				return nil
			}
			seen[n] = true
		}
		return litData
	}
	return nil
}

var (
	litNull  = &Type{Name: TypeNull}
	litBool  = &Type{Name: TypeBool}
	litInt   = &Type{Name: TypeInt}
	litFloat = &Type{Name: TypeFloat}
	litText  = &Type{Name: TypeText}
	litTime  = &Type{Name: TypeTime}
	litData  = &Type{Name: TypeData}
	litList  = &Type{Name: TypeList, Args: map[string]*Type{"of": litData}}
)

// sealedFits reports whether a sealed value may be what is wanted: it goes by its declared type
// alone. What is opened is checked again.
func sealedFits(want *Type, v Value) bool {
	got := &Type{Name: v.SealedType()}
	return got.Name == TypeData || want.Name == TypeJSON || scalarFits(want, got) ||
		(want.Name == TypeTime || want.Name == TypeDate) && (got.Name == TypeTime || got.Name == TypeDate)
}
