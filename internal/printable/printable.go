// Package printable makes foreign text safe for a terminal. Databases, services, models and programs choose names, messages and cells. A
// terminal obeys control characters in them: they can move the cursor, set the clipboard or hide a line.
package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/exoagent/exoagent/schema"
)

// Rune reports whether a terminal can safely show r. unicode.IsPrint refuses all control characters, including C1, and all format characters,
// including those that change the direction of writing.
func Rune(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// Text escapes what a terminal would obey, except line ends and tabs. It also escapes a lone carriage return, because with it a text could overwrite itself.
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

// JSON escapes all characters of JSON that are not printable, even for a pipe, because the output may reach a terminal later. In valid JSON
// such characters, apart from white space, occur only in texts, where an escape means the same character.
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

// Writer writes [Text] of its input to another writer. If a write ends within a character, the Writer waits for the rest. Several goroutines
// may write at the same time.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
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

// Unwrap returns the writer behind w, for code that itself controls the terminal.
func (w *Writer) Unwrap() io.Writer { return w.to }
