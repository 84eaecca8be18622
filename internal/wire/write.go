// Package wire reads and writes the parts of an encoding: numbers, texts and counts. Each has exactly one form, because two forms of a value
// would have two digests. A Reader never allocates more than it has read, so a false count costs nothing.
package wire

import "encoding/binary"

// AppendText writes the length of s in bytes, and s.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// AppendInt writes a number that may be negative. Small numbers are short.
func AppendInt(b []byte, i int64) []byte { return binary.AppendVarint(b, i) }

// AppendUint writes a number. Small numbers are short.
func AppendUint(b []byte, u uint64) []byte { return binary.AppendUvarint(b, u) }

// AppendCount writes how many parts follow. The number n must not be negative.
func AppendCount(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

// AppendBits writes eight bytes, the lowest first.
func AppendBits(b []byte, u uint64) []byte { return binary.LittleEndian.AppendUint64(b, u) }

// AppendTexts writes a count, and then the texts.
func AppendTexts(b []byte, ss []string) []byte {
	b = AppendCount(b, len(ss))
	for _, s := range ss {
		b = AppendText(b, s)
	}
	return b
}

// AppendBool writes one byte, 1 or 0.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}
