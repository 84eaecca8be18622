package service

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// form describes how values of one Go type are read and written.
type form struct {
	kind   formKind
	typ    reflect.Type
	elem   *form   // for a list, a map or a pointer: the form of its elements
	fields []field // for a record: its fields
}

type formKind uint8

const (
	formScalar formKind = iota
	formTime
	formText // a type that uses MarshalText and UnmarshalText
	formData // the type any
	formList
	formMap
	formRecord
	formPointer
)

type field struct {
	name                string
	index               []int
	omitEmpty, omitZero bool
	form                *form
}

var (
	timeType        = reflect.TypeFor[time.Time]()
	marshaler       = reflect.TypeFor[json.Marshaler]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// formOf returns the form of t, or an error that names the part of t that has none.
func formOf(t reflect.Type, at string) (*form, error) { return formIn(t, at, nil) }

func formIn(t reflect.Type, at string, outer []reflect.Type) (*form, error) {
	f := &form{typ: t}
	bad := func(why string) (*form, error) { return nil, fmt.Errorf("%s: type %s %s", at, t, why) }
	if slices.Contains(outer, t) {
		return bad("contains itself, which no declaration can describe")
	}
	outer = append(slices.Clip(outer), t)
	implements := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	pointer := t.Kind() == reflect.Pointer
	switch {
	case t == timeType:
		f.kind = formTime
		return f, nil
	case t.Implements(objectType):
		return bad("is an object, which is allowed only as the whole result")
	case pointer || t.Kind() == reflect.Interface:
		// A pointer's marshal methods do not count here: the switch below checks the type that it points to, and refuses interfaces with methods.
	case implements(marshaler) || implements(unmarshaler):
		return bad("has its own MarshalJSON or UnmarshalJSON, which service does not use: use MarshalText and UnmarshalText, or another type")
	case t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler):
		f.kind = formText
		return f, nil
	case implements(textMarshaler) || implements(textUnmarshaler):
		return bad("has only one half of a text form: it needs MarshalText on the value and UnmarshalText on its pointer")
	}
	var err error
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return f, nil
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return bad("is an interface with methods: use any, or a type that is no interface")
		}
		f.kind = formData
		return f, nil
	case reflect.Pointer:
		switch t.Elem().Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
			return bad("is a pointer to a type that already has a nil value: leave the pointer out")
		}
		f.kind = formPointer
		f.elem, err = formIn(t.Elem(), at, outer)
	case reflect.Slice, reflect.Array:
		f.kind = formList
		f.elem, err = formIn(t.Elem(), at+"[]", outer)
	case reflect.Map:
		if k := t.Key(); k.Kind() != reflect.String || k.Implements(textMarshaler) || reflect.PointerTo(k).Implements(textUnmarshaler) {
			return bad("has keys of a type that is not a plain string: use map[string]T")
		}
		f.kind = formMap
		f.elem, err = formIn(t.Elem(), at+"[]", outer)
	case reflect.Struct:
		f.kind = formRecord
		err = f.structFields(at, outer)
	default:
		return bad("can't be a value of a program: want a bool, a text, a number, a time.Time, any, or a struct, slice, map or pointer of these")
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (f *form) structFields(at string, outer []reflect.Type) error {
	seen := map[string]bool{}
	for _, sf := range reflect.VisibleFields(f.typ) {
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		bad := func(why string) error { return fmt.Errorf("%s: field %s of %s %s", at, sf.Name, f.typ, why) }
		if sf.Anonymous {
			if sf.Type.Kind() != reflect.Struct || sf.Type == timeType || name != "" {
				return bad("is embedded, which only a plain struct without a JSON name can be: make the field a named one")
			}
			if inner, err := formIn(sf.Type, at, outer); err != nil {
				return err
			} else if inner.kind != formRecord {
				return bad("is embedded, which only a plain struct without a JSON name can be: make the field a named one")
			}
			continue
		}
		if !sf.IsExported() || sf.Tag.Get("json") == "-" {
			continue
		}
		name = cmp.Or(name, sf.Name)
		switch {
		case scalar.ReservedName(name):
			return bad(fmt.Sprintf("can't be named %q: give the field a name of letters and digits, and no reserved one, in a json tag", name))
		case seen[name]:
			return bad(fmt.Sprintf("is the second one named %q: give the field another name in a json tag", name))
		}
		seen[name] = true
		x := field{name: name, index: sf.Index}
		for o := range strings.SplitSeq(opts, ",") {
			switch o {
			case "":
			case "omitempty":
				x.omitEmpty = true
			case "omitzero":
				x.omitZero = true
			default:
				return bad(fmt.Sprintf("has the option %q, which service does not know: only omitempty and omitzero", o))
			}
		}
		var err error
		if x.form, err = formIn(sf.Type, at+"."+name, outer); err != nil {
			return err
		}
		f.fields = append(f.fields, x)
	}
	return nil
}
