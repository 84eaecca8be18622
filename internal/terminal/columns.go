package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// column is one column of a table.
type column struct {
	name  string
	kind  string // "int", "text?": null was among the values
	right bool   // its name and type are over numbers
	width int
}

// grid is rows taken apart for a table.
type grid struct {
	columns []column
	rows    []map[string]cell
	hidden  int // columns that are not shown
	more    int // rows that are not shown
}

// newGrid lays out rows, of which each may have fields of its own, in a width; 0
// is as much as there is.
func newGrid(items []exo.Value, room int) *grid {
	g := &grid{}
	if len(items) > maxRows {
		g.more = len(items) - maxRows
		items = items[:maxRows]
	}
	known := map[string]bool{}
	for _, v := range items {
		row, names := map[string]cell{}, []string(nil)
		flatten("", v, row, &names)
		for _, n := range names {
			if !known[n] {
				known[n] = true
				g.columns = append(g.columns, column{name: n})
			}
		}
		g.rows = append(g.rows, row)
	}
	if len(g.columns) > maxCols {
		g.hidden = len(g.columns) - maxCols
		g.columns = g.columns[:maxCols]
	}
	for i := range g.columns {
		c := &g.columns[i]
		c.measure(g.rows)
	}
	if room > 0 {
		g.fit(room)
	}
	return g
}

// measure finds what all rows have in a column: how wide it is, and of which type.
func (c *column) measure(rows []map[string]cell) {
	var kinds []string
	null := false
	c.width, c.right = width(c.name), true
	for _, r := range rows {
		x, ok := r[c.name]
		if !ok {
			continue
		}
		c.width = max(c.width, width(x.text))
		if x.kind == "null" {
			null = true
			continue
		}
		c.right = c.right && x.right
		if !slices.Contains(kinds, x.kind) {
			kinds = append(kinds, x.kind)
		}
	}
	c.right = c.right && len(kinds) > 0
	slices.Sort(kinds)
	c.kind = strings.Join(kinds, "|")
	switch {
	case c.kind == "":
		c.kind = "null"
	case null:
		c.kind += "?"
	}
	c.width = min(max(c.width, width(c.kind)), maxWidth)
}

// fit makes the widest columns narrower until all fit, and leaves out the last ones
// where that does not do.
func (g *grid) fit(room int) {
	total := func() (sum int) {
		for _, c := range g.columns {
			sum += c.width + 2
		}
		return sum - 2
	}
	for total() > room {
		widest := 0
		for i, c := range g.columns {
			if c.width > g.columns[widest].width {
				widest = i
			}
		}
		if g.columns[widest].width > minWidth {
			g.columns[widest].width--
			continue
		}
		if len(g.columns) == 1 {
			return
		}
		g.columns = g.columns[:len(g.columns)-1]
		g.hidden++
	}
}

// table prints rows: names, types, a rule, and a line for each row.
func (s screen) table(items []exo.Value) string {
	g := newGrid(items, s.width())
	var b strings.Builder
	line := func(cellOf func(column) cell) {
		var l strings.Builder
		gap := 0 // written only before a cell, so that no line ends with spaces
		for i, c := range g.columns {
			x := cellOf(c)
			text := cut(x.text, c.width)
			before, after := 0, c.width-width(text)
			if x.right {
				before, after = after, 0
			}
			if i > 0 {
				before += 2
			}
			if gap += before; text != "" {
				l.WriteString(strings.Repeat(" ", gap) + s.paint(x.style, text))
				gap = 0
			}
			gap += after
		}
		b.WriteString(l.String() + "\n")
	}
	rule := "-"
	if s.live {
		rule = "─"
	}
	line(func(c column) cell { return cell{text: c.name, style: bold, right: c.right} })
	line(func(c column) cell { return cell{text: c.kind, style: dim, right: c.right} })
	line(func(c column) cell { return cell{text: strings.Repeat(rule, c.width), style: dim} })
	for _, r := range g.rows {
		line(func(c column) cell { return r[c.name] })
	}
	if g.hidden > 0 {
		fmt.Fprintf(&b, "… and %s\n", count(g.hidden, "more column"))
	}
	if g.more > 0 {
		fmt.Fprintf(&b, "… and %s\n", count(g.more, "more row"))
	}
	return b.String()
}
