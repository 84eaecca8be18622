// Package answer answers what programs and Go code ask of a database: it finds or makes the plan, asks hooks and checks before a
// write, runs all in the unit of work, and makes the reply, the record and the images.
//
// In: messages for the objects that a host granted, and chains of typed calls. Out: values, and errors as the asker may read them.
// Invariant: no statement runs that was not planned for the grants of all objects in it, and no write before writing.Writable allowed it.
// The order of the files: db, catalogue, object, asked, read, cursor, chain, changing, images, hook, writable, write, typed, eval.
package answer
