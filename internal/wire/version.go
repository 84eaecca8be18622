package wire

// Encoding is the version of the canonical encoding of package exo. It is the first byte of every
// separate value and message, and part of every digest, so bytes of another version are refused and
// never misread. testdata/encoding of exo has the bytes of each version.
const Encoding = 1

// FirstExtension is the first tag that the canonical encoding will never use. A connection may give
// it a meaning of its own: see value.Encoder.Extend.
const FirstExtension = 64
