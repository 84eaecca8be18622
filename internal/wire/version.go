package wire

// Encoding is the version of package exo's canonical encoding. It is the first byte of every separate value and message, and part of every
// digest. So bytes of another version are refused, and never misread. testdata/encoding of exo/value and exo/message has the bytes of
// each version.
const Encoding = 1

// FirstExtension is the first tag that the canonical encoding will never use. A connection may give such a tag its own meaning: see
// value.Encoder.Extend.
const FirstExtension = 64
