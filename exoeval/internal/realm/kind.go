package realm

// This file finds the kind of a value of the engine.

import (
	"reflect"

	"github.com/dop251/goja"
)

// Bool returns v as a truth value. ok is false if v is no truth value. It never calls Export on an object, which would read the whole object
// and run its getters.
func Bool(v goja.Value) (b, ok bool) {
	if _, object := v.(*goja.Object); object || v == nil {
		return false, false
	}
	b, ok = v.Export().(bool)
	return b, ok
}

var (
	promiseType = reflect.TypeFor[*goja.Promise]()
	mapType     = reflect.TypeFor[[][2]any]()
)

// ClassOf returns the class of an object. It distinguishes Map, Set and Promise, which all have the class Object in the engine.
func ClassOf(o *goja.Object) string {
	switch c, t := o.ClassName(), o.ExportType(); {
	case t == promiseType:
		return "Promise"
	case t == mapType:
		return "Map"
	case c != "Array" && t != nil && t.Kind() == reflect.Slice:
		return "Set"
	default:
		return c
	}
}

// LoneSurrogate reports whether v is a text with half a surrogate pair. goja would silently export the half as U+FFFD, which is another text.
func LoneSurrogate(v goja.Value) bool {
	s, ok := v.(goja.String)
	if !ok {
		return false
	}
	for i, n := 0, s.Length(); i < n; i++ {
		switch c := s.CharAt(i); {
		case c >= 0xD800 && c < 0xDC00:
			if i+1 >= n || s.CharAt(i+1) < 0xDC00 || s.CharAt(i+1) > 0xDFFF {
				return true
			}
			i++
		case c >= 0xDC00 && c <= 0xDFFF:
			return true
		}
	}
	return false
}

func IsCallable(v goja.Value) bool {
	_, ok := goja.AssertFunction(v)
	return ok
}

func IsText(v goja.Value) bool {
	_, ok := v.(goja.String)
	return ok
}
