package value

// This file writes values as JSON, whole or piece by piece, or only counts the bytes. rowjson.go does the same for rows.

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

// AppendJSON writes the value as JSON. An instant has the form of JavaScript's toISOString. An
// integer beyond 2^53-1 becomes a string, since a JavaScript number would round it. A reference and
// the zero Value are refused.
func (v Value) AppendJSON(b []byte) ([]byte, error) {
	j := jsonWriter{b: b}
	j.value(&v)
	return j.all()
}

// WriteJSON writes what AppendJSON returns, piece by piece, so that the JSON of a large value is
// never in memory as a whole. It stops at an error of w, or at a value without a JSON form, when
// parts may already be written.
func (v Value) WriteJSON(w io.Writer) error {
	j := jsonWriter{out: w, b: make([]byte, 0, streamBytes+streamBytes/4)}
	j.value(&v)
	j.flush(0)
	return j.err
}

// JSONSize returns how many bytes AppendJSON writes. It stops counting above limit, so limit bounds the
// cost of the call. It fails if it meets a value without a JSON form.
func (v Value) JSONSize(limit int) (int, error) {
	j := jsonWriter{counts: true, limit: limit}
	j.value(&v)
	return j.n, j.err
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// jsonWriter writes values until the first error.
type jsonWriter struct {
	b   []byte    // the bytes that are not yet written to out
	out io.Writer // if nil, all bytes stay in b
	err error

	counts   bool // the bytes are only counted in n
	n, limit int
}

// streamBytes is how many bytes of JSON, plus one item of a list or one row, are in memory while a
// value is written.
const streamBytes = 16 << 10

func (j *jsonWriter) all() ([]byte, error) {
	if j.err != nil {
		return nil, j.err
	}
	return j.b, nil
}

// flush writes b to out if b has more than most bytes.
func (j *jsonWriter) flush(most int) {
	if j.err != nil || j.out == nil || len(j.b) <= most {
		return
	}
	n, err := j.out.Write(j.b)
	if err == nil && n < len(j.b) {
		err = io.ErrShortWrite
	}
	j.b, j.err = j.b[:0], err
}

// next reports whether item i of a list or a record should be written. It also writes the comma before the item.
func (j *jsonWriter) next(i int) bool {
	if i > 0 {
		j.raw(",")
		j.flush(streamBytes)
	}
	return j.err == nil && (!j.counts || j.n <= j.limit)
}

func (j *jsonWriter) raw(s string) {
	if j.n += len(s); !j.counts {
		j.b = append(j.b, s...)
	}
}

func (j *jsonWriter) text(s string) {
	switch {
	case !j.counts:
		j.b = appendJSONText(j.b, s)
	case len(s) > j.limit-j.n:
		j.n += len(s) + len(`""`)
	default:
		j.n += textBytes(s)
	}
}

func (j *jsonWriter) value(v *Value) {
	switch v.kind {
	case KindText:
		j.text(v.str)
	case KindSealed:
		j.text(v.sealedText())
	case KindList:
		j.raw("[")
		items := v.ref.([]Value)
		for i := 0; i < len(items) && j.next(i); i++ {
			j.value(&items[i])
		}
		j.raw("]")
	case KindRecord:
		j.raw("{")
		fields := v.ref.([]Field)
		for i := 0; i < len(fields) && j.next(i); i++ {
			j.text(fields[i].Name)
			j.raw(":")
			j.value(&fields[i].Value)
		}
		j.raw("}")
	case KindRows:
		j.raw("[")
		if n := v.Rows().Len(); n > 0 {
			w := v.Rows().Writer()
			for i := 0; i < n && j.next(i); i++ {
				w.row(j, i)
			}
		}
		j.raw("]")
	default:
		j.scalar(v)
	}
}

func (j *jsonWriter) scalar(v *Value) {
	if j.counts {
		j.b = j.b[:0]
	}
	switch v.kind {
	case KindNull:
		j.b = append(j.b, "null"...)
	case KindBool:
		j.b = strconv.AppendBool(j.b, v.bits == 1)
	case KindInt:
		if i := int64(v.bits); i > scalar.SafeInteger || i < -scalar.SafeInteger {
			j.b = append(strconv.AppendInt(append(j.b, '"'), i, 10), '"')
		} else {
			j.b = strconv.AppendInt(j.b, i, 10)
		}
	case KindFloat:
		j.b = appendFloat(j.b, v.Float())
	case KindTime:
		j.b = append(v.Time().AppendFormat(append(j.b, '"'), scalar.TimeFormat), '"')
	case KindRef:
		j.err = fail.Errorf(fail.Invalid, "", "a granted object can't be turned into data: call a method of it, and use the result")
	default:
		j.err = fail.Errorf(fail.Invalid, "", "this value can't be turned into data: it is no text, number, date, list or record")
	}
	if j.counts {
		j.n += len(j.b)
	}
}

// appendFloat writes f as JavaScript's JSON.stringify does.
func appendFloat(b []byte, f float64) []byte {
	if f == 0 {
		return append(b, '0')
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	j, _ := json.Marshal(f)
	return append(b, j...)
}

const hexDigits = "0123456789abcdef"

// appendJSONText quotes s. It does not escape '<', '>' and '&': code that puts the result into a
// page does that.
func appendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		from = i + 1
	}
	return append(append(b, s[from:]...), '"')
}

// textBytes returns how many bytes appendJSONText writes.
func textBytes(s string) int {
	n := len(s) + len(`""`)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x20 && c != '"' && c != '\\':
		case c >= 0x20 || c == '\n' || c == '\r' || c == '\t':
			n++
		default:
			n += len(`u0000`)
		}
	}
	return n
}
