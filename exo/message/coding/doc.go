// Package coding writes the grants of a run, types and the catalogue of what can be asked, for a worker, and
// reads them there. exo computes the digest of a run's grants from the same bytes, which change only with
// wire.Encoding. Package message has the types, and the encoding of a program's messages.
package coding
