// Package service makes a capability of Go functions: each becomes a method
// that a program may call if, and only if, the service was granted to it. What
// the function takes is checked before it is called, what it returns before it
// leaves, and no text of an error that it returns reaches the guest, unless it
// was written for it with [Refuse]. Its design is DESIGN.md in this package's folder.
//
// A function takes a context and one struct, and returns one value and an
// error. The struct's JSON names are the names that the program uses;
// "omitempty" and "omitzero" make a field optional, a pointer makes it nullable,
// and a tag `jsonschema:"..."` documents it. A function without an argument
// takes [None]; if no field is required, the argument may be left out.
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
// A function that changes something is made a method with [Method], and is Held: it is
// called when the program has ended well. [Operation.Immediate] calls it at once. One that
// changes nothing is made a method with [Read].
//
// A function that may tell a little of sealed values, and of how much the host keeps count, is made a method with [Declassify].
//
// Every method is a sink: its argument leaves the host by it, so a run that has
// read labelled values may not call it unless the method admits their labels.
// Functions are called concurrently. A function must return when its context
// ends: a run waits for it, so one that does not can outlast the run's limits.
package service
