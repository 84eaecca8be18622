package plan

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// AppendDocument writes plain data as JSON. A large whole number is written as a number with all
// its digits, not as the text that a program reads for it.
func AppendDocument(b []byte, v value.Value) ([]byte, error) {
	var err error
	switch v.Type() {
	case value.TypeInt:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case value.TypeList:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = AppendDocument(b, v.At(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case value.TypeRecord:
		b = append(b, '{')
		first := true
		for name, x := range v.Fields() {
			if !first {
				b = append(b, ',')
			}
			first = false
			if b, err = value.Text(name).AppendJSON(b); err != nil {
				return nil, err
			}
			if b, err = AppendDocument(append(b, ':'), x); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return v.AppendJSON(b)
}

// document returns plain data as JSON text.
func document(v value.Value) (value.Value, error) {
	b, err := AppendDocument(nil, v)
	if err != nil {
		return v, err
	}
	return value.Text(string(b)), nil
}

// elements converts the elements of an array to the one form of their type, since programs can't read a column with other forms.
func elements(kind string, list value.Value) (value.Value, error) {
	out := make([]value.Value, list.Len())
	for i := range out {
		v := list.At(i)
		if out[i] = element(kind, v); out[i].IsZero() {
			return list, fail.Errorf(fail.Invalid, "", "the item [%d] of the list is not of the type %s: give only items of that type", i, kind)
		}
	}
	return value.List(out...), nil
}

func element(kind string, v value.Value) value.Value {
	typ := v.Type()
	switch {
	case kind == value.TypeJSON && typ != value.TypeNull:
		if d, err := document(v); err == nil {
			return d
		}
	case typ == value.TypeNull, typ == kind && kind != value.TypeList:
		return v
	case kind == value.TypeFloat && typ == value.TypeInt:
		return value.Float(v.Float())
	case kind == value.TypeInt && typ == value.TypeText: // programs read a number beyond 2^53 as text
		if n, err := strconv.ParseInt(v.Text(), 10, 64); err == nil && (n > scalar.SafeInteger || n < -scalar.SafeInteger) {
			return value.Int(n)
		}
	case kind == value.TypeDecimal && typ != value.TypeText:
		if typ == value.TypeInt || typ == value.TypeFloat {
			return Canonical(kind, StoredText(v).Text())
		}
	case typ == value.TypeText:
		return Canonical(kind, v.Text())
	}
	return value.Value{}
}

// array returns a list as the text of a PostgreSQL array, which is bound as one argument. Each
// element is in quotes, so no text can end an element or begin one.
func array(of string, list value.Value) value.Value {
	var b strings.Builder
	b.WriteByte('{')
	for i := range list.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		v := list.At(i)
		if v.IsNull() {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('"')
		text := StoredText(v).Text()
		if of == value.TypeBytes {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return value.Value{}
			}
			text = `\x` + hex.EncodeToString(raw)
		}
		for _, c := range []byte(text) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return value.Text(b.String())
}
