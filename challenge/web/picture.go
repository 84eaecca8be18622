package web

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/exoagent/exoagent/challenge/game"
)

// picture draws what can be reached: a box for each kind of row with its columns,
// and an arrow for each link. It is made from the catalogue, so it can't show what
// programs can't reach, or hide what they can.
func picture(title string, r *game.Reach) []byte {
	const wide, line, pad, gapX, gapY, top = 190, 18, 10, 170, 60, 60
	boxes := map[string]box{}
	var width, height float64
	for i, col := range columns(r) {
		y := float64(top)
		for _, k := range col {
			h := float64(2*pad + line*(1+len(k.Columns)))
			boxes[k.Name] = box{20 + float64(i*(wide+gapX)), y, h}
			y += h + gapY
		}
		width, height = float64(20+(i+1)*(wide+gapX)), max(height, y)
	}
	var b strings.Builder
	put := func(format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = html.EscapeString(s)
			}
		}
		fmt.Fprintf(&b, format, args...)
	}
	put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" font-family="ui-monospace, monospace" font-size="13"><title>What a program can reach in %s</title>`, width, height, title)
	put(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#595959"/></marker></defs>`)
	for _, k := range r.Kinds {
		from := boxes[k.Name]
		for i, l := range k.Links {
			to, ok := boxes[l.To]
			if !ok {
				continue
			}
			// Links of one box leave it side by side, so that there and back are two lines.
			off := float64(i)*16 - float64(len(k.Links)-1)*8
			if l.To == k.Name {
				put(`<path d="M%.0f %.0f c50 -40 50 40 0 30" fill="none" stroke="#595959" marker-end="url(#arrow)"/>`, from.x+wide, from.y+20)
				put(`<text x="%.0f" y="%.0f" fill="#595959">%s()</text>`, from.x+wide+8, from.y+8, l.Name)
				continue
			}
			x1, y1 := from.x+wide/2+off, from.y+from.h/2+off
			x2, y2 := to.x+wide/2+off, to.y+to.h/2+off
			t1, t2 := edge(x2-x1, y2-y1, wide/2+math.Abs(off), from.h/2), edge(x2-x1, y2-y1, wide/2+math.Abs(off), to.h/2)
			x1, y1, x2, y2 = x1+(x2-x1)*t1, y1+(y2-y1)*t1, x2-(x2-x1)*t2, y2-(y2-y1)*t2
			put(`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#595959" marker-end="url(#arrow)"/>`, x1, y1, x2, y2)
			put(`<text x="%.0f" y="%.0f" fill="#595959" text-anchor="middle">%s()</text>`, x1+(x2-x1)*0.35, y1+(y2-y1)*0.35-4, l.Name)
		}
	}
	for _, k := range r.Kinds {
		at := boxes[k.Name]
		put(`<rect x="%.0f" y="%.0f" width="%d" height="%.0f" rx="6" fill="#f3f7f5" stroke="#14603f"/>`, at.x, at.y, wide, at.h)
		put(`<text x="%.0f" y="%.0f" font-weight="bold" fill="#14603f">%s</text>`, at.x+pad, at.y+pad+12, k.Name)
		for i, c := range k.Columns {
			put(`<text x="%.0f" y="%.0f" fill="#444">%s <tspan fill="#595959">%s</tspan></text>`, at.x+pad, at.y+pad+12+float64(line*(i+1)), c.Name, short(c.Type))
		}
	}
	for _, n := range r.Names {
		if at, ok := boxes[n.Kind]; ok {
			put(`<text x="%.0f" y="%.0f" fill="#a33d00" font-weight="bold">api.%s</text>`, at.x, at.y-34, n.Name)
			put(`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#a33d00" marker-end="url(#arrow)"/>`, at.x+20, at.y-28, at.x+20, at.y)
		}
	}
	b.WriteString(`</svg>`)
	return []byte(b.String())
}

type box struct{ x, y, h float64 }

// columns are the kinds by how many links away they are from what is granted.
func columns(r *game.Reach) (cols [][]game.Kind) {
	kinds := map[string]game.Kind{}
	for _, k := range r.Kinds {
		kinds[k.Name] = k
	}
	var next []string
	for _, n := range r.Names {
		next = append(next, n.Kind)
	}
	for len(next) > 0 {
		var col []game.Kind
		var after []string
		for _, n := range next {
			if k, ok := kinds[n]; ok {
				delete(kinds, n)
				col = append(col, k)
				for _, l := range k.Links {
					after = append(after, l.To)
				}
			}
		}
		if col != nil {
			cols = append(cols, col)
		}
		next = after
	}
	return cols
}

func short(s string) string {
	if len(s) > 12 {
		return s[:11] + "…"
	}
	return s
}

// edge is which part of a line from the middle of a box lies within it.
func edge(dx, dy, w, h float64) float64 {
	t := 0.5
	if dx != 0 {
		t = min(t, w/math.Abs(dx))
	}
	if dy != 0 {
		t = min(t, h/math.Abs(dy))
	}
	return t
}
