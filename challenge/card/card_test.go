package card_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/card"
)

func pixels(t *testing.T, c card.Card) *image.RGBA {
	t.Helper()
	b, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 300<<10 {
		t.Errorf("%d bytes", len(b))
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil || m.Bounds() != image.Rect(0, 0, card.Width, card.Height) {
		t.Fatal(err, m.Bounds())
	}
	out := image.NewRGBA(m.Bounds())
	for y := range card.Height {
		for x := range card.Width {
			out.Set(x, y, m.At(x, y))
		}
	}
	return out
}

func differ(a, b *image.RGBA) (r image.Rectangle) {
	for y := range card.Height {
		for x := range card.Width {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// TestHostile: whatever a player writes stays in its place, and what has no shape, or turns the
// direction of a text, is drawn as a dot.
func TestHostile(t *testing.T) {
	plain := card.Card{Title: "The vault", Line: "x", Code: "x"}
	before := pixels(t, plain)
	for name, evil := range map[string]string{
		"markup": `</svg><script>alert(1)</script>`, "long": strings.Repeat("W", 1<<20), "lines": strings.Repeat("W\n", 1<<16), "marks": strings.Repeat("a\u0301\u0301\u0301", 500),
		"bidi": "\u202egnp.exe\u2066", "empty": strings.Repeat("\u200b\u2800\U0001d159", 99), "bytes": "\xff\xfe\x00\x1b[31m", "returns": strings.Repeat("\r", 99) + "x", "tabs": strings.Repeat("\t", 999) + "x",
	} {
		c := plain
		c.Code, c.Line = evil, evil
		after := pixels(t, c)
		if d := differ(before, after); d.Empty() && name != "returns" || !d.In(image.Rect(64, 160, card.Width-60, card.Height-84)) {
			t.Errorf("%s: drawn in %v", name, d)
		}
		if f := c.Fit(); len(f.Code)+len(f.Line) > 4000 {
			t.Errorf("%s: %d bytes are kept", name, len(f.Code)+len(f.Line))
		}
	}
	for evil, dots := range map[string]string{"a\u202eb": "a.b", "\u200b\u2800": "..", "日本": "..", "a\x00\x1b": "a.."} {
		a, b := plain, plain
		a.Code, b.Code = evil, dots
		if d := differ(pixels(t, a), pixels(t, b)); !d.Empty() || card.Draws(evil) {
			t.Errorf("%q is not drawn as %q", evil, dots)
		}
	}
	if !card.Draws("Robin Ødé Жанна Ωμέγα") {
		t.Error("Latin, Greek and Cyrillic letters are not in the list")
	}
}

// TestDrawn: each text is on the picture, a title is broken between words and cut in the end.
func TestDrawn(t *testing.T) {
	c := card.Card{Tone: card.Won, Title: "The survey of shaft 9 is out, and everybody has read it", Line: "Robin Ødé, SQL with a filter, after 3 attempts", Code: "SELECT body\n  FROM notes\n WHERE organization_id = 1 IS NOT NULL"}
	whole := pixels(t, c)
	for name, change := range map[string]func(*card.Card){
		"tone": func(c *card.Card) { c.Tone = card.Hole }, "title": func(c *card.Card) { c.Title = "Another" }, "line": func(c *card.Card) { c.Line = "" }, "foot": func(c *card.Card) { c.Foot = "challenge.example" },
		"code": func(c *card.Card) { c.Code = strings.ToLower(c.Code) }, "an accent": func(c *card.Card) { c.Line = strings.ReplaceAll(c.Line, "é", "e") },
	} {
		x := c
		change(&x)
		if differ(whole, pixels(t, x)).Empty() {
			t.Errorf("the %s is not drawn", name)
		}
	}
	for lines, end := range map[int]string{9: "8", 10: "..."} {
		var code []string
		for i := range lines {
			code = append(code, string(rune('0'+i)))
		}
		if got := (card.Card{Code: strings.Join(code, "\n")}).Fit().Code; !strings.HasSuffix(got, "\n"+end) || strings.Count(got, "\n") != 8 {
			t.Errorf("%d lines: %q", lines, got)
		}
	}
	long := c
	long.Title = strings.Repeat("word ", 200)
	pixels(t, long)
	if name := os.Getenv("EXO_CARD"); name != "" {
		b, _ := c.PNG()
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkPNG(b *testing.B) {
	c := card.Card{Title: "The vault of Vera Quist", Line: "somebody", Code: strings.Repeat(strings.Repeat("W", 70)+"\n", 9)}
	for b.Loop() {
		if _, err := c.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}
