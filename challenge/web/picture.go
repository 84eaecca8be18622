package web

import (
	"fmt"
	"html"
	"strings"

	"github.com/exoagent/exoagent/challenge/game"
)

// reach is a game.Reach with its picture.
type reach struct {
	*game.Reach
	Picture       []byte // the picture in SVG
	Width, Height int    // the size of the picture
}

// picture draws what programs can reach: a box for each kind of row, with its columns and links, and an arrow for each link. It uses the
// catalogue, so it shows exactly what programs can reach.
func picture(title string, r *game.Reach) *reach {
	const wide, row, pad, gapX, gapY, top = 240, 18, 10, 130, 40, 60
	boxes := map[string]box{}
	var width, height float64
	for i, col := range columns(r) {
		y := float64(top)
		for _, k := range col {
			h := float64(2*pad + row*(1+len(k.Columns)+len(k.Links)))
			boxes[k.Name] = box{60 + float64(i*(wide+gapX)), y, i}
			y += h + gapY
			height = max(height, y)
		}
		width = float64(60 + (i+1)*(wide+gapX) - gapX + 60)
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
		at := boxes[k.Name]
		put(`<rect x="%.0f" y="%.0f" width="%d" height="%d" rx="6" fill="#f3f7f5" stroke="#14603f"/>`, at.x, at.y, wide, 2*pad+row*(1+len(k.Columns)+len(k.Links)))
		put(`<text x="%.0f" y="%.0f" font-weight="bold" fill="#14603f">%s</text>`, at.x+pad, at.y+pad+12, k.Name)
		for i, c := range k.Columns {
			put(`<text x="%.0f" y="%.0f" fill="#222">%s <tspan fill="#595959">%s</tspan></text>`, at.x+pad, at.y+pad+12+float64(row*(i+1)), c.Name, short(c.Type))
		}
	}
	// Draw the arrows after the boxes, so that they are above them. An arrow begins at the line of its link, on the side of the box that it leads to.
	// It ends a little below the arrow that was drawn to this box before.
	arrived := map[string]int{}
	for _, k := range r.Kinds {
		from := boxes[k.Name]
		for i, l := range k.Links {
			y := from.y + pad + 12 + float64(row*(1+len(k.Columns)+i))
			put(`<text x="%.0f" y="%.0f" fill="#14603f">%s() <tspan fill="#595959">%s</tspan></text>`, from.x+pad, y, l.Name, l.To)
			to, ok := boxes[l.To]
			if !ok {
				continue
			}
			x1, x2, y2, out, in := from.x+wide, to.x, to.y+8+float64(7*arrived[l.To]), 40.0, -40.0
			arrived[l.To]++
			switch {
			case to.col == from.col:
				x2, out, in = to.x+wide, 50, 50
			case to.col < from.col:
				x1, x2, out, in = from.x, to.x+wide, -40, 40
			}
			put(`<path d="M%.0f %.0f C%.0f %.0f %.0f %.0f %.0f %.0f" fill="none" stroke="#595959" marker-end="url(#arrow)"/>`, x1, y-4, x1+out, y-4, x2+in, y2, x2, y2)
		}
	}
	for _, n := range r.Names {
		if at, ok := boxes[n.Kind]; ok {
			put(`<text x="%.0f" y="%.0f" fill="#a33d00" font-weight="bold">api.%s</text>`, at.x, at.y-34, n.Name)
			put(`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#a33d00" marker-end="url(#arrow)"/>`, at.x+20, at.y-28, at.x+20, at.y)
		}
	}
	b.WriteString(`</svg>`)
	return &reach{r, []byte(b.String()), int(width), int(height)}
}

type box struct {
	x, y float64
	col  int
}

// columns puts the kinds into columns. The first has the kinds of the granted objects, and each next one those that are one link further away.
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
