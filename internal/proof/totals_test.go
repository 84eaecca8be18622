package proof

import (
	"fmt"
	"slices"
	"strings"
)

// totalsOf are methods that are total, by the kind of their receiver and that of what they give.
var totalsOf = map[Kind]map[string]Kind{
	Text: {"lower()": Text, "upper()": Text, "toUpperCase()": Text, "trim()": Text, "concat('a ', t.note)": Text, "concat(IT, IT)": Text, "coalesce('none')": Text, "coalesce(t.note)": Text},
	Time: {"year()": Int, "quarter()": Int, "getMonth()": Int, "week()": Int, "getDate()": Int, "weekday()": Int, "hour()": Int, "minute()": Int, "second()": Int, "getUTCFullYear()": Int, "getUTCDay()": Int, "getUTCHours()": Int, "getUTCSeconds()": Int},
	Day:  {"year()": Int, "quarter()": Int, "month()": Int, "week()": Int, "day()": Int, "weekday()": Int, "getUTCMonth()": Int, "getUTCDate()": Int},
	Int:  {"coalesce(0)": Int}, Float: {"coalesce(0.5)": Float}, Decimal: {"coalesce('1.5')": Decimal}, Bool: {"coalesce(false)": Bool},
}

// drawTotal draws an expression of methods that are total over a column of the facet, labelled ones first.
func drawTotal(d *draws, c *Case, f *Facet) string {
	cols := f.Cols
	if d.n(4) > 0 {
		if own := slices.DeleteFunc(slices.Clone(cols), func(s int) bool { return !slices.Contains(c.Schema.Labelled, s) }); len(own) > 0 {
			cols = own
		}
	}
	s := pick(d, cols)
	x, kind := "t."+slots[s].guest, slots[s].kind
	for range d.n(4) {
		var names []string
		for m := range totalsOf[kind] {
			names = append(names, m)
		}
		if len(names) == 0 {
			break
		}
		slices.Sort(names)
		m := pick(d, names)
		x, kind = x+"."+strings.ReplaceAll(m, "IT", x), totalsOf[kind][m]
	}
	if len(x) > 400 { // concat of itself, again and again
		x = "t." + slots[s].guest
	}
	switch d.n(5) {
	case 0:
		x += ".isNull()"
	case 1:
		x += ".isNotNull()"
	}
	return x
}

// drawTotals draws a program that selects labelled columns by way of methods that are total: see TestSealedPairs.
func drawTotals(d *draws, c *Case) string {
	k := d.n(len(c.Grants))
	var fields []string
	for i := range 1 + d.n(5) {
		fields = append(fields, fmt.Sprintf("f%d: %s", i, drawTotal(d, c, &c.Schema.Facets[c.Grants[k].Facet])))
	}
	show := "({ n: t.note, " + strings.Join(fields, ", ") + " })"
	if d.n(5) == 0 {
		show = drawTotal(d, c, &c.Schema.Facets[c.Grants[k].Facet])
	}
	shown := grantNames[k] + ".select(t => " + show + ")"
	return "return " + fmt.Sprintf(pick(d, []string{"%s", "%s.first()", "[await %[1]s.limit(2), await %[1]s.count()]", "(await %s.page(2)).rows", "%s.limit(3)", "%s.offset(1)"}), shown)
}
