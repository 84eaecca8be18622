// Package answer answers programs and Go code. It finds or makes the plan, asks hooks and checks before a write, and runs the
// statements in the unit of work. It makes the reply, the record and the images: changed rows, before and after.
//
// In: messages for objects that a host granted, and chains of typed calls. Out: values, and errors that the asker may read.
// Invariant: each statement was planned for the grants of all objects in it, and writing.Writable allowed each write before it ran.
// The order of the files: db, catalogue, object, asked, read, cursor, chain, changing, images, hook, writable, write, typed, eval.
package answer
