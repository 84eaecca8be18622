package printable

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

const hostile = "\u009b31m\u202e\u2066\x1b[2J\x7f\U000e0041\xff\r\x00"

// TestWriter: however a text is cut into writes, it arrives as Text spells it, and
// nothing that a terminal acts on does.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, s := range rapid.SliceOf(rapid.SampledFrom([]string{hostile, "é", "😀", "\n", "\t", "plain", "\xf0\x9f"})).Draw(t, "text") {
			text += s
		}
		text += "."
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 5)).Draw(t, "n")
			if m, err := w.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if out.String() != Text(text) {
			t.Errorf("%q\nis written as %q\nnot %q", text, out.String(), Text(text))
		}
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
			t.Errorf("%q", out.String())
		}
	})
}

// TestJSON: what is escaped means the same.
func TestJSON(t *testing.T) {
	const text = "a\u009b\u202e\x7f\U000e0041é😀\n"
	b, err := json.MarshalIndent(map[string]string{text: text}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if err := json.Unmarshal(JSON(b), &got); err != nil || got[text] != text {
		t.Errorf("%q %v", got, err)
	}
	if bytes.ContainsFunc(JSON(b), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
		t.Errorf("%q", JSON(b))
	}
}
