package card

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"unicode/utf8"
)

// Width and Height are the size in pixels that previews of links expect.
const Width, Height = 1200, 630

// Tone is the subject of a card, shown as a colour.
type Tone int

const (
	Plain Tone = iota // a page
	Won               // a win on a control lane
	Hole              // a win on a guarded lane
)

// Card is the text and the figures of a picture. Title is the host's own text; a player may have written the rest.
type Card struct {
	Tone  Tone
	Title string
	Line  string // the line below the title: who, how and when
	Code  string
	Foot  string // the last line: the address of the page
}

// These bound what fits into a card.
const (
	maxLines   = 9
	maxColumns = 70
	maxTitle   = 2 // the most lines of a title
)

// Draws reports whether all letters of a text can be drawn.
func Draws(s string) bool { return small.draws(s) }

// Fit returns the card with only those parts of its texts that PNG draws. So cards that look alike are equal, and small.
func (c Card) Fit() Card {
	c.Title, c.Line, c.Code, c.Foot = cut(c.Title, 200), cut(c.Line, maxColumns), fit(c.Code), cut(c.Foot, maxColumns)
	return c
}

func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-3]) + "..."
}

func fit(code string) string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(code)) {
		if len(out) == maxLines { // the text has one more line
			out[maxLines-1] = "..."
			break
		}
		if len(line) > 4*maxColumns+4 { // counted in bytes, because no letter has more than four
			line = line[:4*maxColumns+4]
		}
		out = append(out, cut(strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " \r\n"), maxColumns))
	}
	return strings.ToValidUTF8(strings.Join(out, "\n"), ".")
}

var (
	ground = color.RGBA{0x10, 0x15, 0x13, 0xff}
	sunk   = color.RGBA{0x1b, 0x24, 0x20, 0xff}
	text   = color.RGBA{0xf2, 0xf7, 0xf4, 0xff}
	soft   = color.RGBA{0xa9, 0xb6, 0xaf, 0xff}
	tones  = map[Tone]color.RGBA{Plain: {0x6f, 0xdc, 0xab, 0xff}, Won: {0xff, 0xc2, 0x7a, 0xff}, Hole: {0xff, 0x8a, 0x90, 0xff}}
)

// PNG draws the card.
func (c Card) PNG() ([]byte, error) {
	c = c.Fit()
	m := image.NewRGBA(image.Rect(0, 0, Width, Height))
	fill := func(x1, y1, x2, y2 int, c color.Color) {
		draw.Draw(m, image.Rect(x1, y1, x2, y2), image.NewUniform(c), image.Point{}, draw.Src)
	}
	accent := tones[c.Tone]
	fill(0, 0, Width, Height, ground)
	fill(0, 0, 16, Height, accent)
	key(m, Width-210, 30, accent)
	small.draw(m, "exoagent challenge", 64, 48, accent)
	y := 92
	for _, line := range wrap(c.Title, Width-64-80) {
		large.draw(m, line, 64, y, text)
		y += large.high
	}
	small.draw(m, c.Line, 64, y+10, soft)
	y += 64
	if c.Code != "" {
		bottom := Height - 84
		fill(64, y, Width-64, bottom, sunk)
		fill(64, y, 68, bottom, accent)
		for i, line := range strings.Split(c.Code, "\n") {
			at := y + 16 + i*small.high
			if at+small.high > bottom {
				break
			}
			small.draw(m, line, 92, at, text)
		}
	}
	small.draw(m, c.Foot, 64, Height-62, accent)
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m)
	return b.Bytes(), err
}

// wrap breaks a title between words.
func wrap(s string, width int) (out []string) {
	line := ""
	for _, w := range strings.Fields(s) {
		next := strings.TrimSpace(line + " " + w)
		if line != "" && large.width(next) > width {
			if len(out) == maxTitle-1 {
				return append(out, line+"...")
			}
			out, line = append(out, line), w
			continue
		}
		line = next
	}
	return append(out, line)
}

// key draws a key: a ring, a stem and two teeth.
func key(m *image.RGBA, x, y int, c color.Color) {
	for dy := -26; dy <= 26; dy++ {
		for dx := -26; dx <= 26; dx++ {
			if d := dx*dx + dy*dy; d <= 26*26 && d >= 15*15 {
				m.Set(x+26+dx, y+26+dy, c)
			}
		}
	}
	for _, r := range []image.Rectangle{image.Rect(51, 21, 146, 32), image.Rect(112, 32, 122, 50), image.Rect(134, 32, 144, 46)} {
		draw.Draw(m, r.Add(image.Pt(x, y)), image.NewUniform(c), image.Point{}, draw.Src)
	}
}
