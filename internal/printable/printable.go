// Package printable makes text of others fit for a terminal. Databases, services,
// models and programs choose names, messages and cells, and a terminal obeys what they
// write: an escape sequence can move the cursor, set the clipboard or hide a line.
package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/exoagent/exoagent/schema"
)

// Rune reports whether a terminal can show r: unicode.IsPrint refuses all controls, C1
// ones too, and all format characters, of which those that turn the direction of
// writing are.
func Rune(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// Text spells out what a terminal would act on. Line ends and tabs stay; a lone
// carriage return does not: it would let text overwrite itself.
func Text(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			b.WriteString(schema.Printable(s))
			return b.String()
		}
		b.WriteString(schema.Printable(s[:i]))
		b.WriteByte(s[i])
		s = s[i+1:]
	}
}

// JSON escapes everything in JSON that is not printable: what is piped ends on a
// terminal too. Unprintable characters of valid JSON, besides white
// space between its texts, stand only within a text, where an escape means the same.
func JSON(b []byte) []byte {
	plain := func(r rune) bool { return r == '\n' || r == '\t' || Rune(r) }
	if !bytes.ContainsFunc(b, func(r rune) bool { return !plain(r) }) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		switch {
		case plain(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Writer passes [Text] of everything that is written to it on to another writer. A
// character that is cut between two writes waits for its rest.
type Writer struct {
	to   io.Writer
	rest []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	n := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				n -= i
			}
			break
		}
	}
	w.rest = bytes.Clone(text[n:])
	if _, err := io.WriteString(w.to, Text(string(text[:n]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap returns what w writes to, for a process that has the terminal itself.
func (w *Writer) Unwrap() io.Writer { return w.to }
