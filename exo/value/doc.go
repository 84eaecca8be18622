// Package value has what a program and its host exchange: values, labels that describe what kind of secret they are, and their canonical
// encoding.
//
// A [Value] is plain data, a reference that the host made, or a sealed value: the run's number of a value that stays with the host. It is
// immutable: methods called With… return a changed copy, and no method takes a label away. [Rows] keep many records of one shape as
// bytes. The canonical encoding ([Encoder], [Decoder]) has one form for each value, so a [Digest] identifies it.
//
// The package has no types, no catalogue and no run: those are in exo/message and exo.
package value
