package exo

import (
	"fmt"

	"github.com/exoagent/exoagent/internal/wire"
)

// The canonical encoding has one spelling for each value and message, and its decoder
// refuses every other: equal bytes mean equal things, so a digest of them can stand for
// the thing. Frames between processes, the record of a run and digests share it.
//
// A value is a byte that says of what kind it is, and its content:
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
//	tagLabelled count, tags in order; then the value, which is none of these itself
//	tagSealed   the number that its run gave the cell, the name of its type, count, tags in order
//
// A number is a varint in its shortest form. A shape is a count and for each cell its
// name and 0, or 1 and the shape of a nested record.
const (
	tagNone = iota // of no value: always refused
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

// maxDepth bounds values within values, and shapes within shapes. It is above what a
// message (64) or a reply may have.
const maxDepth = 70

// AppendBinary writes the value in the canonical encoding, labels and the numbers of
// references included. It fails for what no decoder takes: a value that nobody made, an
// object without a number, a name given twice, more than 70 levels.
func (v Value) AppendBinary(b []byte) ([]byte, error) {
	e := Encoder{B: append(b, wire.Encoding), whole: true}
	e.value(&v, 0)
	return e.B, e.err
}

// DecodeValue reads what AppendBinary wrote and nothing else. limit bounds the values,
// names and cells in it, and so its memory: each takes some 60 bytes. Its texts are
// parts of s.
func DecodeValue(s string, limit int) (Value, error) {
	d := Decoder{Reader: wire.NewReader(s), Values: limit, whole: true}
	d.version()
	v := d.Value()
	return v, malformed("value", d.Done())
}

// AppendBinary writes the message in the canonical encoding. It fails for a message that
// is not in the order in which (*Node).Expr writes it: another order would be a second
// spelling of it. Labels of its values are not the guest's and are not written.
func (x Expr) AppendBinary(b []byte) ([]byte, error) {
	e := Encoder{B: append(b, wire.Encoding)}
	e.Expr(x)
	return e.B, e.err
}

// DecodeExpr reads what AppendBinary wrote and nothing else, of at most limit nodes.
// That a catalogue allows it is the gate's to see; here it is only well formed. Its
// texts are parts of s.
func DecodeExpr(s string, limit int) (Expr, error) {
	d := Decoder{Reader: wire.NewReader(s), Values: maxLiterals}
	d.version()
	x := d.Expr(limit)
	return x, malformed("message", d.Done())
}

func (d *Decoder) version() {
	if v := d.Byte(); v != wire.Encoding && d.Err() == nil {
		d.Fail(fmt.Sprintf("version %d of the encoding, not %d", v, wire.Encoding))
	}
}

func malformed(what string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: Invalid, Msg: "a malformed " + what + ": " + err.Error()}
}
