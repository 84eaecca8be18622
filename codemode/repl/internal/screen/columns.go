package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/printable"
)

// column is one column of a table.
type column struct {
	name  string
	kind  string // the type's name: "int", or "text?" if a value is null
	right bool   // right-aligned, with its header, since all values are numbers
	text  bool   // some values are texts or JSON, so they may be cut
	width int

	places int // the most characters of a decimal from its point on; decimals are aligned at the point
}

// grid has rows, split into cells for a table.
type grid struct {
	columns []column
	rows    []map[string]cell
	hidden  int // how many columns are not shown
	more    int // how many rows are not shown

	narrow bool // some columns are hidden because of the width
}

// newGrid lays out rows, which may have different fields, in the width room; 0 means no limit.
func newGrid(items []value.Value, room int, t types) *grid {
	g := &grid{}
	if len(items) > maxRows {
		g.more = len(items) - maxRows
		items = items[:maxRows]
	}
	known := map[string]bool{}
	for _, v := range items {
		row, names := map[string]cell{}, []string(nil)
		t.flatten("", v, row, &names)
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

// measure finds the width and the type of a column from all rows.
func (c *column) measure(rows []map[string]cell) {
	var kinds []string
	null := false
	c.width, c.right = printable.Width(c.name), true
	for _, r := range rows {
		x, ok := r[c.name]
		if !ok {
			continue
		}
		c.width = max(c.width, printable.Width(x.text))
		if x.kind == "null" {
			null = true
			continue
		}
		c.right = c.right && x.right
		c.text = c.text || mayCut[x.kind]
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
	c.width = min(max(c.width, printable.Width(c.kind)), maxWidth)
	if strings.TrimSuffix(c.kind, "?") == value.TypeDecimal {
		c.point(rows)
	}
}

// point aligns decimals at their points, unless the column becomes too wide.
func (c *column) point(rows []map[string]cell) {
	whole, places := 0, 0
	for _, r := range rows {
		if x := r[c.name]; x.kind == value.TypeDecimal {
			whole, places = max(whole, len(x.text)-fraction(x.text)), max(places, fraction(x.text))
		}
	}
	if whole+places <= maxWidth {
		c.places, c.width = places, max(c.width, whole+places)
	}
}

// fraction returns the length of a decimal from its point on.
func fraction(decimal string) int {
	if i := strings.IndexByte(decimal, '.'); i >= 0 {
		return len(decimal) - i
	}
	return 0
}

// mayCut has the types of values that may be shown without their end.
var mayCut = map[string]bool{value.TypeText: true, value.TypeBytes: true, value.TypeJSON: true, "list": true, "record": true}

// fit makes the widest texts narrower until all columns fit. Numbers are never cut, since that
// would change them. If texts can't be narrower, it leaves out columns from the right.
func (g *grid) fit(room int) {
	for n := len(g.columns); n > 0; n-- {
		if fitted, ok := squeeze(g.columns[:n], room); ok {
			g.hidden += len(g.columns) - n
			g.narrow = n < len(g.columns)
			g.columns = fitted
			return
		}
	}
	g.narrow = true
	g.hidden += len(g.columns) - 1
	g.columns = g.columns[:1]
}

// squeeze returns the columns with texts so narrow that all fit in the width room, or false if they can't.
func squeeze(columns []column, room int) ([]column, bool) {
	columns = slices.Clone(columns)
	over := 2*len(columns) - 2 - room
	for _, c := range columns {
		over += c.width
	}
	for ; over > 0; over-- {
		widest := -1
		for i, c := range columns {
			if c.text && c.width > minWidth && (widest < 0 || c.width > columns[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return nil, false
		}
		columns[widest].width--
	}
	return columns, true
}

// rows prints rows as a table. If the table would be too wide, or the user wants it, it prints the
// rows one below the other.
func (s Screen) rows(items []value.Value, t types) string {
	g := newGrid(items, s.width(), t)
	if s.Expanded == "on" || s.Expanded != "off" && g.narrow {
		return s.records(items, t)
	}
	return s.table(g)
}

// maxRecords is how many rows are shown one below the other.
const maxRecords = 20

// records prints rows one below the other, like psql after \x.
func (s Screen) records(items []value.Value, t types) string {
	rule := "-"
	if s.Live {
		rule = "─"
	}
	var b strings.Builder
	for i, v := range items[:min(len(items), maxRecords)] {
		head := fmt.Sprintf("%s[ %d ]", rule, i+1)
		fmt.Fprintln(&b, s.Paint(Dim, head+strings.Repeat(rule, maxWidth-printable.Width(head))))
		b.WriteString(s.fields(v, t))
	}
	if n := len(items) - maxRecords; n > 0 {
		fmt.Fprintf(&b, "… and %s\n", Count(n, "more row"))
	}
	return b.String()
}

// table prints rows: names, types, a rule, and a line for each row.
func (s Screen) table(g *grid) string {
	var b strings.Builder
	line := func(cellOf func(column) cell) {
		var l strings.Builder
		gap := 0 // the gap is written only before a cell, so that no line ends with spaces
		for i, c := range g.columns {
			x := cellOf(c)
			text := printable.Cut(x.text, c.width)
			before, after := 0, c.width-printable.Width(text)
			if x.right {
				after = 0
				if x.kind == value.TypeDecimal && c.places > 0 {
					after = c.places - fraction(x.text)
				}
				before = c.width - printable.Width(text) - after
			}
			if i > 0 {
				before += 2
			}
			if gap += before; text != "" {
				l.WriteString(strings.Repeat(" ", gap) + s.Paint(x.style, text))
				gap = 0
			}
			gap += after
		}
		b.WriteString(l.String() + "\n")
	}
	rule := "-"
	if s.Live {
		rule = "─"
	}
	line(func(c column) cell { return cell{text: c.name, style: Bold, right: c.right} })
	line(func(c column) cell { return cell{text: c.kind, style: Dim, right: c.right} })
	line(func(c column) cell { return cell{text: strings.Repeat(rule, c.width), style: Dim} })
	for _, r := range g.rows {
		line(func(c column) cell { return r[c.name] })
	}
	if g.hidden > 0 {
		fmt.Fprintf(&b, "… and %s\n", Count(g.hidden, "more column"))
	}
	if g.more > 0 {
		fmt.Fprintf(&b, "… and %s\n", Count(g.more, "more row"))
	}
	return b.String()
}
