package screen

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// These constants limit a table; -e prints the whole result.
const (
	maxRows  = 50
	maxCols  = 24
	maxWidth = 40
	minWidth = 8 // a column does not become narrower than this to make room for others
)

// Render prints a result for people: rows as a table, one record as a list of its fields, anything
// else as JSON. rows is the number of rows, or -1 if the result has none.
func (s Screen) Render(v value.Value, raw json.RawMessage, t types) (text string, rows int) {
	items, ok := Records(v)
	switch {
	case ok && len(items) > 0:
		return s.rows(items, t), len(items)
	case v.Type() == value.TypeRows || v.Type() == value.TypeList && v.Len() == 0:
		return "", 0
	case v.Type() == value.TypeRecord && v.Len() > 0:
		if groups := s.groups(v, t); groups != "" {
			return groups, -1
		}
		return s.fields(v, t), -1
	}
	return s.Highlight(printable.Text(string(raw))) + "\n", -1
}

// groups prints a record in which all fields are rows, like the result of Object.groupBy, with a
// table for each field. It returns "" for any other record.
func (s Screen) groups(v value.Value, t types) string {
	var parts []string
	some := false
	for name, x := range v.Fields() {
		items, ok := Records(x)
		if !ok || len(parts) == maxCols {
			return ""
		}
		text := "0 rows\n"
		if len(items) > 0 {
			text, some = s.rows(items, t), true
		}
		parts = append(parts, s.Paint(Bold+";"+Cyan, printable.OneLine(name))+"\n"+text)
	}
	if !some {
		return ""
	}
	return strings.Join(parts, "\n")
}

// Records returns the rows of v, or its items if v is a list of records. It returns false for any other value.
func Records(v value.Value) ([]value.Value, bool) {
	var out []value.Value
	if r := v.Rows(); r != nil {
		for i := range r.Len() {
			out = append(out, r.Row(i))
		}
		return out, true
	}
	if v.Type() != value.TypeList {
		return nil, false
	}
	for i := range v.Len() {
		if v.At(i).Type() != value.TypeRecord {
			return nil, false
		}
		out = append(out, v.At(i))
	}
	return out, true
}

type cell struct {
	text  string
	right bool
	kind  string // the name of the value's type, to be shown for its column
	style string
}

// flatten adds the fields of a record to row. Fields of nested records
// get dotted names, but the value of a JSON column stays one value.
func (t types) flatten(prefix string, v value.Value, row map[string]cell, names *[]string) {
	for n, x := range v.Fields() {
		name := printable.OneLine(prefix + n)
		if x.Type() == value.TypeRecord && x.Len() > 0 && strings.Count(name, ".") < 3 && t[prefix+n] != value.TypeJSON {
			t.flatten(prefix+n+".", x, row, names)
			continue
		}
		if _, twice := row[name]; !twice {
			*names = append(*names, name)
		}
		row[name] = t.cell(prefix+n, x)
	}
}

func cellOf(v value.Value) cell {
	switch v.Type() {
	case value.TypeText:
		return cell{text: printable.OneLine(v.Text()), kind: "text"}
	case value.TypeTime:
		return cell{text: ShortTime(v.Time()), kind: "time", style: blue}
	case value.TypeInt:
		return cell{text: v.String(), right: true, kind: "int", style: Yellow}
	case value.TypeFloat:
		return cell{text: v.String(), right: true, kind: "float", style: Yellow}
	case value.TypeNull: // dim, to distinguish it from the text "null"
		return cell{text: "null", kind: "null", style: Dim}
	case value.TypeBool:
		return cell{text: fmt.Sprint(v.Bool()), kind: "bool", style: magenta}
	}
	b, err := v.AppendJSON(nil)
	if err != nil {
		return cell{text: "?", kind: "?"}
	}
	return cell{text: printable.OneLine(string(b)), kind: v.Type()}
}

// ShortTime writes an instant like programs do, without seconds or milliseconds that are zero.
func ShortTime(t time.Time) string {
	s := t.Format(scalar.TimeFormat)
	s = strings.TrimSuffix(s, ".000Z")
	if s = strings.TrimSuffix(s, ":00"); strings.HasSuffix(s, "Z") {
		return s
	}
	return s + "Z"
}

// fields prints one record with a field on each line.
func (s Screen) fields(v value.Value, t types) string {
	row, names := map[string]cell{}, []string(nil)
	t.flatten("", v, row, &names)
	w := 0
	for _, n := range names {
		w = max(w, min(printable.Width(n), maxWidth))
	}
	room := 4 * maxWidth
	if c := s.width(); c > 0 {
		room = max(minWidth, c-w-2)
	}
	var b strings.Builder
	for _, n := range names {
		n, c := printable.Cut(n, w), row[n]
		fmt.Fprintf(&b, "%s%s  %s\n", s.Paint(Bold, n), strings.Repeat(" ", w-printable.Width(n)), s.Paint(c.style, printable.Cut(c.text, room)))
	}
	return b.String()
}
