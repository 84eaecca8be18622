package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	maxDetails = 16 << 20 // bytes of the details of one entry
	maxNesting = 500      // of a detail; encoding/json reads 10,000 levels, others far fewer
)

// appendDetails writes what objects added to an entry. A program can choose a value that
// has no JSON, so a detail that can't be written must not refuse the entry: a note stands
// in its place, and says why.
func appendDetails(b []byte, details []any) []byte {
	b = append(b, '[')
	end := len(b) + maxDetails
	for i, d := range details {
		if i > 0 {
			b = append(b, ',')
		}
		from := len(b)
		with, err := appendDetail(b, d)
		switch {
		case err != nil:
			b = appendNote(b[:from], fmt.Sprintf("a detail is left out, which was a %T: %s", d, textOf(err)))
		case len(with) > end:
			b = appendNote(b[:from], fmt.Sprintf("%d details are left out: those of an entry have at most %d bytes", len(details)-i, maxDetails))
			return append(b, ']')
		default:
			b = with
		}
	}
	return append(b, ']')
}

func appendNote(b []byte, why string) []byte {
	return append(appendText(append(b, `{"note":`...), shortened(why)), '}')
}

// appendDetail writes one detail as one value of JSON on one line. The object says what it
// writes, so that is checked: `1],"step":"ended","details":[2` would forge fields of the
// entry, and half a value would make the whole record unreadable.
func appendDetail(b []byte, detail any) ([]byte, error) {
	from := len(b)
	j, err := encode(b[from:from], detail) // a slice that can't reach what stands before it
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(j) {
		j = bytes.ToValidUTF8(j, []byte("\ufffd"))
	}
	if !json.Valid(j) {
		return nil, errors.New("what it writes is not one value of JSON")
	}
	depth, spaced := shape(j)
	if depth > maxNesting {
		return nil, fmt.Errorf("it nests %d levels deep, and may %d", depth, maxNesting)
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

// appender is what can write itself quickly; everything else goes through encoding/json.
type appender interface {
	AppendJSON(b []byte) ([]byte, error)
}

func encode(b []byte, detail any) (_ []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it panicked when it was written")
		}
	}()
	if a, ok := detail.(appender); ok {
		return a.AppendJSON(b)
	}
	return json.Marshal(detail)
}

// shape is how deep a valid value nests, and whether there is white space between its parts.
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
