package exo

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/internal/scalar"
)

// AppendJSON writes the value as JSON: instants as JavaScript's toISOString does, and
// integers beyond 2^53-1, which a JavaScript number would round, as strings. A reference
// and the zero Value are refused.
func (v Value) AppendJSON(b []byte) ([]byte, error) { return v.appendJSON(b) }

// appendJSON is AppendJSON without a copy of the value, of which there may be
// a hundred thousand.
func (v *Value) appendJSON(b []byte) ([]byte, error) {
	switch v.kind {
	case kindNull:
		return append(b, "null"...), nil
	case kindBool:
		return strconv.AppendBool(b, v.bits == 1), nil
	case kindInt:
		i := int64(v.bits)
		if i > scalar.SafeInteger || i < -scalar.SafeInteger {
			b = append(b, '"')
			b = strconv.AppendInt(b, i, 10)
			return append(b, '"'), nil
		}
		return strconv.AppendInt(b, i, 10), nil
	case kindFloat:
		return appendFloat(b, v.Float()), nil
	case kindText:
		return appendJSONText(b, v.str), nil
	case kindTime:
		b = append(b, '"')
		b = v.Time().AppendFormat(b, scalar.TimeFormat)
		return append(b, '"'), nil
	case kindSealed:
		return appendJSONText(b, v.sealedText()), nil
	case kindList:
		b = append(b, '[')
		var err error
		items := v.ref.([]Value)
		for i := range items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = items[i].appendJSON(b); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case kindRecord:
		b = append(b, '{')
		var err error
		fields := v.ref.([]Field)
		for i := range fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONText(b, fields[i].Name), ':')
			if b, err = fields[i].Value.appendJSON(b); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case kindRows:
		b = append(b, '[')
		var err error
		if n := v.Rows().Len(); n > 0 {
			w := v.Rows().Writer()
			for i := range n {
				if i > 0 {
					b = append(b, ',')
				}
				if b, err = w.Append(b, i); err != nil {
					return nil, err
				}
			}
		}
		return append(b, ']'), nil
	case kindRef:
		return nil, Errorf(Invalid, "", "a capability can't be turned into data: call a method of it and use the result")
	}
	return nil, Errorf(Invalid, "", "this is no value that data can hold")
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

// appendJSONText quotes s. '<', '>' and '&' stay: who puts the result into a
// page escapes for that page.
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

// textBytes is how many bytes appendJSONText writes.
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

// MarshalJSON makes Value usable with encoding/json.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }
