package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	maxDetails    = 1 << 20  // most bytes of the details of one entry
	maxImages     = 16 << 20 // most bytes of the details of a Committing or Committed entry
	maxRunDetails = 16 << 20 // most bytes of the details of all other entries of a run
	maxNesting    = 500      // deepest nesting of a detail; encoding/json reads 10,000 levels, other readers far fewer
)

// appendDetails writes the details that objects added to an entry. A detail that can't be written is replaced by a note
// with the reason: if it refused the entry, a program could keep entries off the record with a value that has no JSON.
// Details beyond room are replaced by a note with their size and SHA-256.
func appendDetails(b []byte, details []any, room, most int, whose string) []byte {
	b = append(b, '[')
	end := len(b) + room
	left, bytes, sum := 0, 0, sha256.New()
	for _, d := range details {
		from := len(b)
		if from > 0 && b[from-1] != '[' {
			b = append(b, ',')
		}
		with, err := appendDetail(b, d)
		if err != nil {
			with = appendNote(b, fmt.Sprintf("a detail of type %T was left out: %s", d, textOf(err)))
		}
		if left == 0 && len(with) <= end {
			b = with
			continue
		}
		left++
		bytes += len(with) - len(b)
		sum.Write(with[len(b):])
		b = b[:from]
	}
	if left > 0 {
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = appendNote(b, fmt.Sprintf("%d details of %d bytes (SHA-256 %x) are left out: details %s have at most %d bytes", left, bytes, sum.Sum(nil), whose, most))
	}
	return append(b, ']')
}

func appendNote(b []byte, why string) []byte {
	return append(appendText(append(b, `{"note":`...), shortened(why)), '}')
}

// appendDetail writes one detail as one JSON value on one line. It checks the text, which the object chooses:
// `1],"step":"ended","details":[2` would forge fields of the entry, and half a value would make the record unreadable.
func appendDetail(b []byte, detail any) ([]byte, error) {
	from := len(b)
	j, err := encode(b[from:from], detail) // the slice begins at from, so that the object can't reach the bytes before it
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(j) {
		j = bytes.ToValidUTF8(j, []byte("\ufffd"))
	}
	if !json.Valid(j) {
		return nil, errors.New("the JSON of the detail is not one valid value")
	}
	depth, spaced := shape(j)
	if depth > maxNesting {
		return nil, fmt.Errorf("the detail is nested %d levels deep; at most %d are allowed", depth, maxNesting)
	}
	if spaced {
		var one bytes.Buffer
		if err := json.Compact(&one, j); err != nil {
			return nil, err
		}
		j = one.Bytes()
	}
	return escapeFrom(append(b, j...), from), nil
}

// appender is a detail that writes itself, which is faster. Other details go through encoding/json.
type appender interface {
	AppendJSON(b []byte) ([]byte, error)
}

func encode(b []byte, detail any) (_ []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the detail's code panicked when its JSON was made")
		}
	}()
	if a, ok := detail.(appender); ok {
		return a.AppendJSON(b)
	}
	if read, ok := detail.(json.RawMessage); ok {
		return append(b, read...), nil // appended unchanged, since the escapes of Marshal would make it longer
	}
	return json.Marshal(detail)
}

// shape returns the depth of a valid JSON value, and whether there is white space between its parts.
func shape(j []byte) (deepest int, spaced bool) {
	depth := 0
	for i := 0; i < len(j); i++ {
		switch j[i] {
		case '"':
			for i++; j[i] != '"'; i++ {
				if j[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		case ' ', '\t', '\r', '\n':
			spaced = true
		}
	}
	return deepest, spaced
}
