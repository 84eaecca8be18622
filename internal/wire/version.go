package wire

// Encoding is the version of the canonical encoding, which is package exo's. It is the first
// byte of every value and message that stands alone and a part of every digest, so bytes of
// another version are refused instead of being misread. testdata/encoding of exo has the
// bytes of each version.
const Encoding = 1

// FirstExtension is the first tag that the canonical encoding will never use. A connection
// may mean by it what it likes: see value.Encoder.Extend.
const FirstExtension = 64
