package value

// This file defines the canonical encoding; encode.go writes it and decode.go reads it.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/wire"
)

// The canonical encoding has one form for each value and message, and its decoder refuses every
// other form. So equal bytes mean equal things, and a digest of the bytes identifies the thing.
// Frames between processes, the record of a run, and digests share it.
//
// A value is a byte for its kind, followed by its content:
//
//	tagNull, tagFalse, tagTrue
//	tagInt      the number, zigzag
//	tagFloat    eight bytes, IEEE 754, the lowest first; no NaN, no infinity
//	tagText     length, UTF-8 without NUL
//	tagTime     milliseconds since 1970, zigzag
//	tagList     count, values
//	tagRecord   count, names with their values; no name twice
//	tagRows     shape, count of cells, values
//	tagRef      the number that its run gave the object
//	tagLabelled count, tags in order; then the value, which is not labelled or sealed
//	tagSealed   the number that its run gave the cell, the name of its type, count, tags in order
//
// A number is a varint in its shortest form. A shape is a count and for each cell its name and 0,
// or 1 and the shape of a nested record.
const (
	tagNone = iota // no value has this tag, and decoders refuse it
	tagNull
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText
	tagTime
	tagList
	tagRecord
	tagRows
	tagRef
	tagLabelled
	tagSealed
)

// MaxReplyDepth bounds how deep values are nested in a reply.
const MaxReplyDepth = 64

// MaxDepth bounds how deep values, and shapes, are nested. It is above the bounds of a message (64)
// and of a reply.
const MaxDepth = 70

// AppendBinary writes the value in the canonical encoding, with its labels and the numbers of
// references. It fails for values that no decoder accepts: the zero Value, an object without a
// number, a name that occurs twice, more than 70 levels.
func (v Value) AppendBinary(b []byte) ([]byte, error) {
	e := Encoder{B: append(b, wire.Encoding), whole: true}
	e.value(&v, 0)
	return e.B, e.err
}

// DecodeValue reads what AppendBinary wrote and nothing else. limit bounds the number of values,
// names and cells, each of which takes some 60 bytes. The texts in the result share the memory of s.
func DecodeValue(s string, limit int) (Value, error) {
	d := Decoder{Reader: wire.NewReader(s), Values: limit, whole: true}
	d.Version()
	v := d.Value()
	return v, Malformed("value", d.Done())
}

// Version reads the version of the encoding, which is the first byte that AppendBinary writes.
func (d *Decoder) Version() {
	if v := d.Byte(); v != wire.Encoding && d.Err() == nil {
		d.Fail(fmt.Sprintf("version %d of the encoding, where %d is expected", v, wire.Encoding))
	}
}

// Malformed returns the error for bytes that don't encode what. It returns nil if err is nil.
func Malformed(what string, err error) error {
	if err == nil {
		return nil
	}
	return &fail.Error{Kind: fail.Invalid, Msg: "a malformed " + what + ": " + err.Error()}
}
