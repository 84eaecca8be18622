package draft

import (
	"testing"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// TestQuoted: each character is read back as itself, and a terminal does nothing but show the text.
func TestQuoted(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 || r > 0x3FFFF && r < 0xE0000 && r%251 != 0 {
			continue // no characters; and planes that are alike
		}
		in := "a" + string(r) + " b" + string(r)
		text := quoted(in)
		for _, c := range text {
			if !unicode.IsPrint(c) {
				t.Fatalf("%U is not printable in %q", c, text)
			}
		}
		if r < 0x3000 || r&0xFFFE == 0xFFFE || r%61 == 0 { // reading is slow
			var out string
			if err := yaml.Unmarshal([]byte(text), &out); err != nil || out != in {
				t.Fatalf("%U: %s is read as %q, %v", r, text, out, err)
			}
		}
	}
}
