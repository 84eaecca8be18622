package postgres

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Values are sent in the protocol's binary forms. A statement is prepared with the types of its
// arguments, so that PostgreSQL does not guess them from the other operand: an integer is
// a bigint even with an int4 column. Only a text takes the type of the other operand. A text is
// bound as a text, so it stays one even if it looks like SQL, a cast or a parameter.

// typeOf returns the type with which an argument is declared, or 0 if PostgreSQL infers it.
func typeOf(k string) uint32 {
	switch k {
	case value.TypeBool:
		return pgtype.BoolOID
	case value.TypeInt:
		return pgtype.Int8OID
	case value.TypeFloat:
		return pgtype.Float8OID
	case value.TypeTime:
		return pgtype.TimestamptzOID
	}
	return 0
}

// arguments is memory for the arguments of one query, which the next query reuses.
type arguments struct {
	buf     []byte
	params  [][]byte
	formats []int16
}

// encode returns the arguments and their formats. They are valid until the next call.
func (a *arguments) encode(vals []value.Value) (params [][]byte, formats []int16) {
	a.buf, a.params, a.formats = a.buf[:0], a.params[:0], a.formats[:0]
	need := 0
	for _, v := range vals {
		need += 8 + len(v.Text())
	}
	if cap(a.buf) < need { // buf is allocated once, since the parameters point into it
		a.buf = make([]byte, 0, need)
	}
	for _, v := range vals {
		from := len(a.buf)
		format := int16(1)
		switch v.Type() {
		case value.TypeBool:
			b := byte(0)
			if v.Bool() {
				b = 1
			}
			a.buf = append(a.buf, b)
		case value.TypeInt:
			a.buf = binary.BigEndian.AppendUint64(a.buf, uint64(v.Int()))
		case value.TypeFloat:
			a.buf = binary.BigEndian.AppendUint64(a.buf, math.Float64bits(v.Float()))
		case value.TypeTime:
			a.buf = binary.BigEndian.AppendUint64(a.buf, uint64(v.Time().UnixMicro()-epoch))
		case value.TypeText:
			a.buf, format = append(a.buf, v.Text()...), 0
		case value.TypeNull:
			a.params, a.formats = append(a.params, nil), append(a.formats, format)
			continue
		}
		a.params, a.formats = append(a.params, a.buf[from:len(a.buf):len(a.buf)]), append(a.formats, format)
	}
	return a.params, a.formats
}

// epoch is 2000-01-01 in microseconds since 1970.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// decoder returns the Value of a cell that is not NULL. It returns the zero Value if no Value of
// the kind can represent the cell: NaN, an infinite time, a year before 1.
type decoder func([]byte) value.Value

// decoderOf returns the decoder of a cell for the server's type of output, or nil if that
// contradicts the declaration.
func decoderOf(c *plan.Cell, oid uint32) decoder {
	if c.Collected && oid == pgtype.TextArrayOID {
		return func(b []byte) value.Value { return plan.Collected(c.Of, decodeList(b, pgtype.TextOID, decodeText)) }
	}
	if c.Exact && oid == pgtype.NumericOID {
		return func(b []byte) value.Value { return plan.ExactValue(c.Kind, decodeNumeric(b).Text()) }
	}
	switch c.Kind {
	case value.TypeRows:
		if oid == pgtype.RecordArrayOID {
			return func([]byte) value.Value { return value.Value{} } // rowsDecoder decodes a cell with rows
		}
		return nil
	case value.TypeNull:
		return func([]byte) value.Value { return value.Value{} } // a cell that is always null may have any type
	case value.TypeList:
	default:
		return scalarDecoder(c.Kind, oid)
	}
	of, ok := elementOf[oid]
	if !ok {
		return nil
	}
	item := scalarDecoder(c.Of, of)
	if item == nil {
		return nil
	}
	return func(b []byte) value.Value { return decodeList(b, of, item) }
}

// elementOf has the item type of each array type.
var elementOf = map[uint32]uint32{
	pgtype.BoolArrayOID: pgtype.BoolOID, pgtype.Int2ArrayOID: pgtype.Int2OID, pgtype.Int4ArrayOID: pgtype.Int4OID, pgtype.Int8ArrayOID: pgtype.Int8OID,
	pgtype.Float4ArrayOID: pgtype.Float4OID, pgtype.Float8ArrayOID: pgtype.Float8OID, pgtype.TextArrayOID: pgtype.TextOID, pgtype.VarcharArrayOID: pgtype.VarcharOID,
	pgtype.BPCharArrayOID: pgtype.BPCharOID, pgtype.NameArrayOID: pgtype.NameOID, pgtype.TimestamptzArrayOID: pgtype.TimestamptzOID,
	pgtype.TimestampArrayOID: pgtype.TimestampOID, pgtype.DateArrayOID: pgtype.DateOID, pgtype.IntervalArrayOID: pgtype.IntervalOID,
	pgtype.NumericArrayOID: pgtype.NumericOID, pgtype.UUIDArrayOID: pgtype.UUIDOID, pgtype.ByteaArrayOID: pgtype.ByteaOID,
	pgtype.JSONArrayOID: pgtype.JSONOID, pgtype.JSONBArrayOID: pgtype.JSONBOID,
}

// scalars are the decoders of each kind, by the server's types that are allowed for it.
var scalars = map[string]map[uint32]decoder{
	value.TypeBool: {pgtype.BoolOID: func(b []byte) value.Value { return value.Bool(b[0] != 0) }},
	value.TypeInt: {
		pgtype.Int2OID: func(b []byte) value.Value { return value.Int(int64(int16(binary.BigEndian.Uint16(b)))) },
		pgtype.Int4OID: func(b []byte) value.Value { return value.Int(int64(int32(binary.BigEndian.Uint32(b)))) },
		pgtype.Int8OID: func(b []byte) value.Value { return value.Int(int64(binary.BigEndian.Uint64(b))) },
	},
	value.TypeFloat: {
		pgtype.Float4OID: func(b []byte) value.Value {
			single := float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
			f, _ := strconv.ParseFloat(strconv.FormatFloat(single, 'g', -1, 32), 64) // f is the number as its text spells it
			return value.Float(f)
		},
		pgtype.Float8OID: func(b []byte) value.Value { return value.Float(math.Float64frombits(binary.BigEndian.Uint64(b))) },
	},
	value.TypeText: {pgtype.TextOID: decodeText, pgtype.VarcharOID: decodeText, pgtype.NameOID: decodeText, pgtype.BPCharOID: decodeText},
	value.TypeTime: {pgtype.TimestamptzOID: decodeTime, pgtype.TimestampOID: decodeTime},

	value.TypeDecimal:  {pgtype.NumericOID: decodeNumeric},
	value.TypeDate:     {pgtype.DateOID: decodeDate},
	value.TypeInterval: {pgtype.IntervalOID: decodeInterval},
	value.TypeUUID:     {pgtype.UUIDOID: decodeUUID},
	value.TypeBytes:    {pgtype.ByteaOID: func(b []byte) value.Value { return value.Text(base64.StdEncoding.EncodeToString(b)) }},
	value.TypeJSON: {
		pgtype.JSONOID:  engine.DecodeJSON,
		pgtype.JSONBOID: func(b []byte) value.Value { return engine.DecodeJSON(b[min(1, len(b)):]) }, // the document follows the version byte
	},
}

// scalarDecoder returns a decoder that checks the length first, so that it never reads beyond a
// server's answer.
func scalarDecoder(kind string, oid uint32) decoder {
	d := scalars[kind][oid]
	size, fixed := sizes[oid]
	if d == nil || !fixed {
		return d
	}
	return func(b []byte) value.Value {
		if len(b) != size {
			return value.Value{}
		}
		return d(b)
	}
}

var sizes = map[uint32]int{
	pgtype.BoolOID: 1, pgtype.Int2OID: 2, pgtype.Int4OID: 4, pgtype.Int8OID: 8, pgtype.Float4OID: 4, pgtype.Float8OID: 8,
	pgtype.TimestampOID: 8, pgtype.TimestamptzOID: 8, pgtype.DateOID: 4, pgtype.IntervalOID: 16, pgtype.UUIDOID: 16,
}

func decodeText(b []byte) value.Value { return value.Text(string(b)) }

func decodeUUID(b []byte) value.Value {
	var s [36]byte
	for i, at := range [...]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34} {
		hex.Encode(s[at:], b[i:i+1])
	}
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return value.Text(string(s[:]))
}

// decodeList returns the list in an array of one dimension. An array of more dimensions is no list
// of such items.
func decodeList(b []byte, of uint32, item decoder) value.Value {
	if len(b) < 12 || binary.BigEndian.Uint32(b[8:]) != of {
		return value.Value{}
	}
	switch binary.BigEndian.Uint32(b) {
	case 0:
		return value.List()
	case 1:
	default:
		return value.Value{}
	}
	if len(b) < 20 {
		return value.Value{}
	}
	n := int(binary.BigEndian.Uint32(b[12:]))
	b = b[20:] // skip the first index
	if n > len(b)/4 {
		return value.Value{}
	}
	items := make([]value.Value, n)
	for i := range items {
		if len(b) < 4 {
			return value.Value{}
		}
		size := int(int32(binary.BigEndian.Uint32(b)))
		b = b[4:]
		if size < 0 {
			items[i] = value.Null()
			continue
		}
		if size > len(b) {
			return value.Value{}
		}
		if items[i] = item(b[:size]); items[i].IsZero() {
			return value.Value{}
		}
		b = b[size:]
	}
	return value.List(items...)
}
