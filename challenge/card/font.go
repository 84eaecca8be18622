package card

import (
	"bytes"
	_ "embed"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

//go:embed small.png
var smallFile []byte

//go:embed large.png
var largeFile []byte

// These are the two fonts. In small all letters have the same width; large has only the letters of our own titles.
var (
	small = newFont(smallFile, 0x20, 0x7e, 0xa1, 0xff, 0x100, 0x17f, 0x391, 0x3c9, 0x400, 0x45f)
	large = newFont(largeFile, 0x20, 0x7e)
)

const perRow = 32 // the number of letters in a row of a font's picture

// letters is a font that fonts.go has drawn as a picture. The brightness of the first pixel of a letter's place is the letter's width.
type letters struct {
	mask       *image.Alpha
	wide, high int
	at         map[rune]int
}

func newFont(file []byte, bounds ...rune) *letters {
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		panic("card: " + err.Error())
	}
	g := m.(*image.Gray)
	f := &letters{mask: &image.Alpha{Pix: g.Pix, Stride: g.Stride, Rect: g.Rect}, at: map[rune]int{}}
	for i := 0; i < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			f.at[r] = len(f.at)
		}
	}
	f.wide, f.high = g.Rect.Dx()/perRow, g.Rect.Dy()/((len(f.at)+perRow-1)/perRow)
	return f
}

const dot = '.' // drawn for letters that are not in the list

func (f *letters) place(r rune) image.Point {
	i, ok := f.at[r]
	if !ok {
		i = f.at[dot]
	}
	return image.Pt(i%perRow*f.wide, i/perRow*f.high)
}

// draws reports whether all letters of a text are in the list.
func (f *letters) draws(s string) bool {
	for _, r := range s {
		if _, ok := f.at[r]; !ok {
			return false
		}
	}
	return true
}

func (f *letters) width(s string) (n int) {
	for _, r := range s {
		p := f.place(r)
		n += int(f.mask.AlphaAt(p.X, p.Y).A)
	}
	return n
}

// draw draws one line of text. Its upper left corner is at x and y.
func (f *letters) draw(to draw.Image, s string, x, y int, c color.Color) {
	ink := image.NewUniform(c)
	for _, r := range s {
		p := f.place(r)
		draw.DrawMask(to, image.Rect(x, y, x+f.wide, y+f.high-1), ink, image.Point{}, f.mask, p.Add(image.Pt(0, 1)), draw.Over)
		x += int(f.mask.AlphaAt(p.X, p.Y).A)
	}
}
