// Package coding writes the grants of a run, types, and the catalogue of what can be called, for a worker,
// which reads them with it. exo computes the digest of a run's grants from the same bytes. They change only
// together with wire.Encoding. Package message has the types, and encodes a program's messages.
package coding
