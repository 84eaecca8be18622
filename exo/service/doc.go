// Package service makes an object from Go functions. Each becomes a method, which a program may
// call only if the service was granted to it. An argument is checked before its function is called,
// and a result before it leaves. The guest reads the text of an error only if the function made it
// with [Refuse]. Its design is DESIGN.md in this package's folder.
//
// A function takes a context and one struct, and returns one value and an error. The struct's JSON
// names are the names that the program uses; "omitempty" and "omitzero" make a field optional, a
// pointer makes it nullable, and a tag `jsonschema:"..."` documents it. A function without an
// argument takes [None]; if no field is required, the argument may be left out.
//
//	Go                                     in the program
//	bool, string                           boolean, text
//	integers                               whole number; one that doesn't fit is refused
//	floats                                 number
//	time.Time                              date
//	encoding.TextMarshaler and Unmarshaler text
//	slices and arrays                      list; a nil slice is an empty one
//	structs                                object with exactly these fields
//	maps with text keys, any               plain data
//	*T                                     T or null
//	exo.Object, as the whole result        a further capability
//
// Make a method with [Method] if its function changes something. The method is Held: the function
// is called after the program has succeeded. With [Operation.Immediate] it is called at once. Use
// [Read] if the function changes nothing.
//
// Use [Declassify] if the function reveals a bounded part of sealed values; the host counts the
// bits.
//
// Every method is a sink, since its argument leaves the host. So a run that has read labelled
// values may call it only if the method admits their labels. Functions are called concurrently. A
// function must return when its context ends: a run waits for it, so a slow function can outlast
// the run's limits.
package service
