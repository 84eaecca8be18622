package record

import (
	"encoding/base64"
	"encoding/json"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendText writes s as JSON. A text that is no UTF-8 is written in base64, since reading would
// change it.
func appendText(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		b = append(b, `{"base64":"`...)
		b = base64.StdEncoding.AppendEncode(b, []byte(s))
		return append(b, `"}`...)
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c != '"' && c != '\\' && !hidden(r) {
			i += size
			continue
		}
		b = append(b, s[from:i]...)
		b = appendEscape(b, r)
		i += size
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	if high, low := utf16.EncodeRune(r); low != utf8.RuneError {
		return appendUnit(appendUnit(b, high), low)
	}
	return appendUnit(b, r)
}

func appendUnit(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// hidden reports whether a character acts on a terminal or can't be seen there. With one, a program could mislead a person who reads the record.
func hidden(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0xa0 && unicode.Is(unicode.Cf, r)
}

// escapeFrom escapes hidden characters in b from index from on, the text of an object's detail. In
// JSON they occur only inside texts, where an escape has the same meaning.
func escapeFrom(b []byte, from int) []byte {
	i := from
	for i < len(b) {
		if c := b[i]; c >= 0x20 && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if hidden(r) {
			break
		}
		i += size
	}
	rest := string(b[i:])
	b = b[:i]
	for _, r := range rest {
		if hidden(r) {
			b = appendEscape(b, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// text is a string that is read from the JSON that appendText writes.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var x struct {
			Base64 []byte `json:"base64"`
		}
		_, err := object(b, &x)
		*t = text(x.Base64)
		return err
	}
	return json.Unmarshal(b, (*string)(t))
}
