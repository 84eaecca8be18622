package service

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// read stores v in dst. The gate has checked v against the type in the catalogue. read makes the
// checks in which Go is stricter, and the checks of plain data, for which the catalogue has no types.
// Errors name the field.
func (f *form) read(v value.Value, dst reflect.Value, at string) error {
	bad := func(why string) error {
		return &fail.Error{Kind: fail.Invalid, Msg: cmp.Or(at, "the argument") + " " + why, Err: exo.ErrNothingDone} // the function was not called, so nothing was done
	}
	switch f.kind {
	case formPointer:
		if v.IsNull() {
			dst.SetZero()
			return nil
		}
		p := reflect.New(f.typ.Elem())
		dst.Set(p)
		return f.elem.read(v, p.Elem(), at)
	case formTime:
		if v.Type() == value.TypeText {
			if t, ok := scalar.ParseTime(v.Text()); ok {
				v = value.Time(t)
			}
		}
		if v.Type() != value.TypeTime {
			return bad("must be a date")
		}
		dst.Set(reflect.ValueOf(v.Time()))
		return nil
	case formText:
		// The error's own text is left out, since it was not written for a guest.
		if v.Type() != value.TypeText || dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(v.Text())) != nil {
			return bad("is not well formed")
		}
		return nil
	case formData:
		if x := plain(v); x != nil {
			dst.Set(reflect.ValueOf(x))
		}
		return nil
	case formList:
		return f.readList(v, dst, at, bad)
	case formMap:
		if v.Type() != value.TypeRecord {
			return bad("must be an object")
		}
		dst.Set(reflect.MakeMapWithSize(f.typ, v.Len()))
		for n, x := range v.Fields() {
			e := reflect.New(f.typ.Elem()).Elem()
			if err := f.elem.read(x, e, path(at, n)); err != nil {
				return err
			}
			dst.SetMapIndex(reflect.ValueOf(n).Convert(f.typ.Key()), e)
		}
		return nil
	case formRecord:
		return f.readRecord(v, dst, at, bad)
	}
	return readScalar(v, dst, bad)
}

func path(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func (f *form) readList(v value.Value, dst reflect.Value, at string, bad func(string) error) error {
	if v.Type() != value.TypeList {
		return bad("must be a list")
	}
	n := v.Len()
	if f.typ.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(f.typ, n, n))
	} else if n != f.typ.Len() {
		return bad(fmt.Sprintf("is a list of %d: want %d", n, f.typ.Len()))
	}
	for i := range n {
		if err := f.elem.read(v.At(i), dst.Index(i), at+"[]"); err != nil {
			return err
		}
	}
	return nil
}

// readRecord refuses unknown fields, which the gate can't check within plain data.
func (f *form) readRecord(v value.Value, dst reflect.Value, at string, bad func(string) error) error {
	if v.Type() != value.TypeRecord {
		return bad("must be an object")
	}
	known := 0
	for _, x := range f.fields {
		w, ok := v.Get(x.name)
		if !ok {
			if !x.omitEmpty && !x.omitZero {
				return bad("needs " + x.name)
			}
			continue
		}
		known++
		if err := x.form.read(w, dst.FieldByIndex(x.index), path(at, x.name)); err != nil {
			return err
		}
	}
	if known != v.Len() {
		return bad("has an unknown field")
	}
	return nil
}

func readScalar(v value.Value, dst reflect.Value, bad func(string) error) error {
	switch {
	case dst.Kind() == reflect.Bool:
		if v.Type() != value.TypeBool {
			return bad("must be true or false")
		}
		dst.SetBool(v.Bool())
	case dst.Kind() == reflect.String:
		if v.Type() != value.TypeText {
			return bad("must be text")
		}
		dst.SetString(v.Text())
	case dst.CanFloat():
		if v.Type() != value.TypeFloat && v.Type() != value.TypeInt {
			return bad("must be a number")
		}
		if dst.OverflowFloat(v.Float()) {
			return bad("is too large a number")
		}
		dst.SetFloat(v.Float())
	default:
		i, ok := whole(v)
		if !ok {
			return bad("must be a whole number")
		}
		if dst.CanUint() {
			if i < 0 || dst.OverflowUint(uint64(i)) {
				return bad("is out of range")
			}
			dst.SetUint(uint64(i))
			return nil
		}
		if dst.OverflowInt(i) {
			return bad("is out of range")
		}
		dst.SetInt(i)
	}
	return nil
}

// whole returns v as an integer. In plain data, a whole number may be a float.
func whole(v value.Value) (int64, bool) {
	switch v.Type() {
	case value.TypeInt:
		return v.Int(), true
	case value.TypeFloat:
		f := v.Float()
		return int64(f), f == math.Trunc(f) && math.Abs(f) <= scalar.SafeInteger
	}
	return 0, false
}

// plain returns v as untyped Go data.
func plain(v value.Value) any {
	switch v.Type() {
	case value.TypeBool:
		return v.Bool()
	case value.TypeInt:
		return v.Int()
	case value.TypeFloat:
		return v.Float()
	case value.TypeText:
		return v.Text()
	case value.TypeTime:
		return v.Time()
	case value.TypeList:
		l := make([]any, v.Len())
		for i := range l {
			l[i] = plain(v.At(i))
		}
		return l
	case value.TypeRecord:
		m := make(map[string]any, v.Len())
		for n, x := range v.Fields() {
			m[n] = plain(x)
		}
		return m
	}
	return nil
}
