package service

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// maxDepth limits how deep a value in an any is nested, since such a value may contain itself.
const maxDepth = 32

// write makes a Value from src, which has the hidden parts h. An error is for the host.
func (f *form) write(src reflect.Value, h *hidden, at string, depth int) (value.Value, error) {
	if h.sealed() {
		return h.seal(func() (value.Value, error) { return f.write(src, nil, at, depth) }), nil
	}
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("%s: the value is nested deeper than %d levels, perhaps within itself: return flatter data", at, maxDepth)
	}
	switch f.kind {
	case formPointer:
		if src.IsNil() {
			return value.Null(), nil
		}
		return f.elem.write(src.Elem(), h, at, depth+1)
	case formTime:
		return writeTime(src, at)
	case formText:
		b, err := src.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return value.Value{}, fmt.Errorf("%s: %w", at, err)
		}
		return made(value.Text(string(b)), at)
	case formData:
		return writeData(src.Elem(), at, depth+1)
	case formList:
		return writeList(src, at, func(x reflect.Value, at string) (value.Value, error) { return f.elem.write(x, h, at, depth+1) })
	case formMap:
		return writeMap(src, at, func(x reflect.Value, at string) (value.Value, error) { return f.elem.write(x, nil, at, depth+1) })
	case formRecord:
		var fs []value.Field
		for _, x := range f.fields {
			v := src.FieldByIndex(x.index)
			if x.omitZero && v.IsZero() || x.omitEmpty && empty(v) {
				continue
			}
			w, err := x.form.write(v, h.field(x.name), at+"."+x.name, depth+1)
			if err != nil {
				return value.Value{}, err
			}
			fs = append(fs, value.Field{Name: x.name, Value: w})
		}
		return value.RecordValue(fs...), nil
	}
	return writeScalar(src, at)
}

// empty reports whether encoding/json treats v as empty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// made refuses a zero Value, which NaN, text with NUL and the year 10000 give.
func made(v value.Value, at string) (value.Value, error) {
	if v.IsZero() {
		return v, fmt.Errorf("%s: this value can't be returned: want UTF-8 text without NUL, a finite number, or a date in the years 1 to 9999", at)
	}
	return v, nil
}

func writeScalar(src reflect.Value, at string) (value.Value, error) {
	switch {
	case src.Kind() == reflect.Bool:
		return value.Bool(src.Bool()), nil
	case src.Kind() == reflect.String:
		return made(value.Text(src.String()), at)
	case src.CanInt():
		return value.Int(src.Int()), nil
	case src.CanUint():
		if src.Uint() > math.MaxInt64 {
			return value.Value{}, fmt.Errorf("%s: %d is too large for a 64-bit integer", at, src.Uint())
		}
		return value.Int(int64(src.Uint())), nil
	case src.CanFloat():
		return made(value.Float(src.Float()), at)
	}
	return value.Value{}, fmt.Errorf("%s: %s is not plain data: want a text, a number, a truth value, a time.Time, or a slice or map of these", at, src.Type())
}

func writeList(src reflect.Value, at string, item func(reflect.Value, string) (value.Value, error)) (value.Value, error) {
	vs := make([]value.Value, src.Len())
	for i := range vs {
		var err error
		if vs[i], err = item(src.Index(i), at+"[]"); err != nil {
			return value.Value{}, err
		}
	}
	return value.List(vs...), nil
}

func writeMap(src reflect.Value, at string, item func(reflect.Value, string) (value.Value, error)) (value.Value, error) {
	keys := make([]string, 0, src.Len())
	for _, k := range src.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	var fs []value.Field
	for _, k := range keys {
		// Map keys are data, and an attacker may choose them. The key __proto__ would change the
		// prototype of the object that the program gets.
		if _, err := made(value.Text(k), at); err != nil || k == "__proto__" {
			return value.Value{}, fmt.Errorf("%s: %q can't be a key of a map: want text without NUL, and not __proto__", at, k)
		}
		v, err := item(src.MapIndex(reflect.ValueOf(k).Convert(src.Type().Key())), at+"."+k)
		if err != nil {
			return value.Value{}, err
		}
		fs = append(fs, value.Field{Name: k, Value: v})
	}
	return value.RecordValue(fs...), nil
}

func writeTime(src reflect.Value, at string) (value.Value, error) {
	return made(value.Time(src.Interface().(time.Time)), at)
}

// writeData writes the value in an any. It refuses a struct: the catalogue does not list its
// fields, so the host has not approved that programs see them.
func writeData(src reflect.Value, at string, depth int) (value.Value, error) {
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("%s: the value is nested deeper than %d levels, perhaps within itself: return flatter data", at, maxDepth)
	}
	if !src.IsValid() {
		return value.Null(), nil
	}
	item := func(x reflect.Value, at string) (value.Value, error) { return writeData(x, at, depth+1) }
	switch {
	case src.Kind() == reflect.Interface:
		return writeData(src.Elem(), at, depth+1)
	case src.Type() == timeType:
		return writeTime(src, at)
	case src.Kind() == reflect.Slice:
		return writeList(src, at, item)
	case src.Kind() == reflect.Map && src.Type().Key().Kind() == reflect.String:
		return writeMap(src, at, item)
	}
	return writeScalar(src, at)
}

// fits compares a value with its type. Different code derived the two from the Go type, and only a
// value that fits both may leave. Hidden parts were compared when they were sealed.
func fits(t *message.Type, v value.Value, h *hidden, at string) error {
	if h.sealed() {
		return nil
	}
	bad := func() error { return fmt.Errorf("%s: the value is not %s", at, t) }
	ok := false
	switch t.Name {
	case value.TypeData:
		return nil
	case value.TypeNull:
		ok = v.IsNull()
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeText, value.TypeTime, value.TypeList, value.TypeRecord:
		ok = v.Type() == t.Name
	}
	if v.IsNull() && t.Null {
		return nil
	}
	if !ok {
		return bad()
	}
	switch t.Name {
	case value.TypeList:
		for i := range v.Len() {
			if err := fits(t.Args["of"], v.At(i), h, at+"[]"); err != nil {
				return err
			}
		}
	case value.TypeRecord:
		n := 0
		for _, f := range t.Fields {
			x, ok := v.Get(f.Name)
			if !ok && !f.Opt {
				return bad()
			} else if ok {
				n++
				if err := fits(f.Type, x, h.field(f.Name), at+"."+f.Name); err != nil {
					return err
				}
			}
		}
		if n != v.Len() {
			return bad()
		}
	}
	return nil
}
