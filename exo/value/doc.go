// Package value is what crosses between a program and its host: values, the labels that say what kind of secret they are, and
// their one encoding.
//
// A [Value] is plain data, a reference that the host made, or the run's number of a value that stays with the host (a sealed one).
// It is immutable: what gives another one is called With…, and no label is ever taken away. [Rows] hold many records of one shape
// as bytes. The canonical encoding ([Encoder], [Decoder]) has one spelling for each value, so that a [Digest] stands for it.
//
// The package knows of no types, no catalogue and no run: those are exo/message and exo.
package value
