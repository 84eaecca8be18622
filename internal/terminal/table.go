package terminal

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
)

// What a table shows at most. The whole result is what -e prints.
const (
	maxRows  = 50
	maxCols  = 24
	maxWidth = 40
)

// render prints a result for eyes: rows as a table, one record as a list of its
// fields, anything else as JSON. rows is how many there are, -1 for no rows.
func render(v exo.Value, raw json.RawMessage) (text string, rows int) {
	items, ok := records(v)
	switch {
	case ok && len(items) > 0:
		return table(items), len(items)
	case v.Kind() == exo.KindRows || v.Kind() == exo.KindList && v.Len() == 0:
		return "", 0
	case v.Kind() == exo.KindRecord && v.Len() > 0:
		return fields(v), -1
	}
	return printable(string(raw)) + "\n", -1
}

// records are the items of rows, or of a list that holds nothing but records.
func records(v exo.Value) ([]exo.Value, bool) {
	var out []exo.Value
	if r := v.Rows(); r != nil {
		for i := range r.Len() {
			out = append(out, r.Row(i))
		}
		return out, true
	}
	if v.Kind() != exo.KindList {
		return nil, false
	}
	for i := range v.Len() {
		if v.At(i).Kind() != exo.KindRecord {
			return nil, false
		}
		out = append(out, v.At(i))
	}
	return out, true
}

type cell struct {
	text  string
	right bool
}

// flatten adds the fields of a record to row; nested records have dotted names.
func flatten(prefix string, v exo.Value, row map[string]cell, names *[]string) {
	for n, x := range v.Fields() {
		name := oneLine(prefix + n)
		if x.Kind() == exo.KindRecord && x.Len() > 0 && strings.Count(name, ".") < 3 {
			flatten(prefix+n+".", x, row, names)
			continue
		}
		if _, twice := row[name]; !twice {
			*names = append(*names, name)
		}
		row[name] = cellOf(x)
	}
}

func cellOf(v exo.Value) cell {
	switch v.Kind() {
	case exo.KindText:
		return cell{text: oneLine(v.Text())}
	case exo.KindTime:
		return cell{text: v.Time().Format(exo.TimeFormat)}
	case exo.KindInt, exo.KindFloat:
		return cell{v.String(), true}
	}
	b, err := v.AppendJSON(nil)
	if err != nil {
		return cell{text: "?"}
	}
	return cell{text: printable(string(b))}
}

func table(items []exo.Value) string {
	more := 0
	if len(items) > maxRows {
		more = len(items) - maxRows
		items = items[:maxRows]
	}
	var names []string
	known := map[string]bool{}
	rows := make([]map[string]cell, len(items))
	for i, v := range items {
		rows[i] = map[string]cell{}
		var ns []string
		flatten("", v, rows[i], &ns)
		for _, n := range ns {
			if !known[n] {
				known[n] = true
				names = append(names, n)
			}
		}
	}
	hidden := 0
	if len(names) > maxCols {
		hidden = len(names) - maxCols
		names = names[:maxCols]
	}
	widths := make([]int, len(names))
	for i, n := range names {
		widths[i] = min(width(n), maxWidth)
		for _, r := range rows {
			widths[i] = max(widths[i], min(width(r[n].text), maxWidth))
		}
	}
	var b strings.Builder
	line := func(cells func(i int) cell) {
		var l strings.Builder
		for i := range names {
			c := cells(i)
			text := cut(c.text, widths[i])
			pad := strings.Repeat(" ", widths[i]-width(text))
			if i > 0 {
				l.WriteString("  ")
			}
			if c.right {
				text, pad = pad, text
			}
			l.WriteString(text + pad)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(func(i int) cell { return cell{text: names[i]} })
	line(func(i int) cell { return cell{text: strings.Repeat("-", widths[i])} })
	for _, r := range rows {
		line(func(i int) cell { return r[names[i]] })
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "… and %s\n", count(hidden, "more column"))
	}
	if more > 0 {
		fmt.Fprintf(&b, "… and %s\n", count(more, "more row"))
	}
	return b.String()
}

// fields prints one record, a field on a line.
func fields(v exo.Value) string {
	row, names := map[string]cell{}, []string(nil)
	flatten("", v, row, &names)
	w := 0
	for _, n := range names {
		w = max(w, min(width(n), maxWidth))
	}
	var b strings.Builder
	for _, n := range names {
		n, c := cut(n, w), row[n]
		fmt.Fprintf(&b, "%s%s  %s\n", n, strings.Repeat(" ", w-width(n)), cut(c.text, 4*maxWidth))
	}
	return b.String()
}

// oneLine is printable without lines and tabs.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// cut shortens s to a width.
func cut(s string, w int) string {
	if width(s) <= w {
		return s
	}
	n, end := 0, 0
	for i, r := range s {
		if n+wide(r) > w-1 {
			break
		}
		n += wide(r)
		end = i + utf8.RuneLen(r)
	}
	return s[:end] + "…"
}

// width is how many columns of a terminal s takes, nearly: without the tables
// of Unicode, East Asian letters and emoji count as two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += wide(r)
	}
	return n
}

func wide(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		return 0
	case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF,
		r >= 0xFE30 && r <= 0xFE4F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F300 && r <= 0x1FAFF, r >= 0x20000 && r <= 0x3FFFD:
		return 2
	}
	return 1
}

// printable makes text of a program or a database fit for a terminal: what would
// move the cursor, change colours or turn the direction of writing is spelled
// out. Lines stay; a lone carriage return would let text overwrite itself.
func printable(s string) string {
	plain := func(r rune) bool { return r == '\n' || r == '\t' || r != utf8.RuneError && unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case plain(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
