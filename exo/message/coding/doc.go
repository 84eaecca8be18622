// Package coding writes what a run was granted, types and the catalogue of what can be asked, for a worker, and reads it back there. exo
// makes the digest of a run's grants of the same bytes, which change only with wire.Encoding. Package message has the types, and the
// encoding of what a program asks.
package coding
