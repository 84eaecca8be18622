package engine

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/value"
)

// maxJSONDepth bounds the nesting of a document, since values are walked by recursion.
const maxJSONDepth = 200

// DecodeJSON returns a document as plain data. A whole number is exact if it fits 64 bits, and a
// float otherwise; a number beyond floats stays text. Of fields with one name the last counts, as
// in jsonb. It returns the zero Value for a text that is no JSON, for more than maxJSONDepth levels,
// and for a text inside that no Value can represent (NUL, half a surrogate pair).
func DecodeJSON(b []byte) value.Value {
	if !utf8.Valid(b) || loneSurrogate(b) {
		return value.Value{}
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v := jsonValue(d, 0)
	if _, err := d.Token(); err != io.EOF { // Decoder.More would accept a bracket as the end
		return value.Value{}
	}
	return v
}

func jsonValue(d *json.Decoder, depth int) value.Value {
	t, err := d.Token()
	if err != nil || depth > maxJSONDepth {
		return value.Value{}
	}
	switch t := t.(type) {
	case nil:
		return value.Null()
	case bool:
		return value.Bool(t)
	case string:
		return value.Text(t)
	case json.Number:
		return jsonNumber(t.String())
	case json.Delim:
		if t == '[' {
			return jsonList(d, depth)
		}
		return jsonRecord(d, depth)
	}
	return value.Value{}
}

func jsonNumber(s string) value.Value {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return value.Int(i)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return value.Text(s)
	}
	return value.Float(f)
}

func jsonList(d *json.Decoder, depth int) value.Value {
	var items []value.Value
	for d.More() {
		v := jsonValue(d, depth+1)
		if v.IsZero() {
			return v
		}
		items = append(items, v)
	}
	if _, err := d.Token(); err != nil {
		return value.Value{}
	}
	return value.List(items...)
}

func jsonRecord(d *json.Decoder, depth int) value.Value {
	var fields []value.Field
	at := map[string]int{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok || value.Text(name).IsZero() {
			return value.Value{}
		}
		v := jsonValue(d, depth+1)
		if v.IsZero() {
			return v
		}
		if i, again := at[name]; again {
			fields[i].Value = v
			continue
		}
		at[name] = len(fields)
		fields = append(fields, value.Field{Name: name, Value: v})
	}
	if _, err := d.Token(); err != nil {
		return value.Value{}
	}
	return value.RecordValue(fields...)
}

// loneSurrogate reports whether a document has an escape of half a surrogate pair. PostgreSQL's
// json accepts it (jsonb does not), and encoding/json would replace it silently.
func loneSurrogate(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		i++ // skip the escaped character, which may be a backslash
		r, ok := escaped(b, i)
		if !ok || r < 0xd800 || r > 0xdfff {
			continue
		}
		low, ok := escaped(b, i+6)
		if r >= 0xdc00 || !ok || b[i+5] != '\\' || low < 0xdc00 || low > 0xdfff {
			return true
		}
		i += 10
	}
	return false
}

// escaped returns the code unit of an escape like \u00e9, with the u at position i. It returns false if there is no such escape.
func escaped(b []byte, i int) (uint64, bool) {
	if i+5 > len(b) || b[i] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[i+1:i+5]), 16, 16)
	return n, err == nil
}
