//go:build ignore

// Fonts draws the letters of this package from the Go fonts, which have a BSD licence. It runs in a module that requires golang.org/x/image,
// which the challenge itself does not need.
package main

import (
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

func main() {
	draw("small", gomono.TTF, 25, runes(0x20, 0x7e, 0xa1, 0xff, 0x100, 0x17f, 0x391, 0x3c9, 0x400, 0x45f))
	draw("large", gobold.TTF, 58, runes(0x20, 0x7e))
}

func runes(bounds ...rune) (out []rune) {
	for i := 0; i < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			out = append(out, r)
		}
	}
	return out
}

// draw draws the letters in rows of 32. The brightness of the first pixel of a letter's place is the letter's width.
func draw(name string, ttf []byte, size float64, letters []rune) {
	f, err := opentype.Parse(ttf)
	if err != nil {
		log.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		log.Fatal(err)
	}
	m := face.Metrics()
	wide := 0
	for _, r := range letters {
		if a, ok := face.GlyphAdvance(r); ok {
			wide = max(wide, a.Ceil())
		}
	}
	high := (m.Ascent + m.Descent).Ceil() + 1
	out := image.NewGray(image.Rect(0, 0, 32*wide, (len(letters)+31)/32*high))
	for i, r := range letters {
		x, y := i%32*wide, i/32*high
		a, ok := face.GlyphAdvance(r)
		if !ok {
			continue
		}
		place := out.SubImage(image.Rect(x, y, x+wide, y+high)).(*image.Gray) // cuts off the parts of a letter that reach beyond its place
		d := font.Drawer{Dst: place, Src: image.White, Face: face, Dot: fixed.P(x, y+1+m.Ascent.Ceil())}
		d.DrawString(string(r))
		out.SetGray(x, y, color.Gray{uint8(a.Round())})
	}
	w, err := os.Create(name + ".png")
	if err != nil {
		log.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, out); err != nil {
		log.Fatal(err)
	}
	log.Printf("%s: letters of %d by %d", name, wide, high)
	w.Close()
}
