package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
)

// MaxImages is how many changed rows the terminal keeps, with old and new values.
const MaxImages = 20

// Changed shows what a program changed, table by table: the row before the change with "-", and the row after it
// with "+". If the row remains, its changed cells have a colour; columns that no row changed are left out. A value
// with a label that is not admitted is sealed, as in a result, and looks the same whether or not it changed. kept
// follows each number of changes.
func (s Screen) Changed(out io.Writer, all []exosql.Changes, admits value.Label, kept string) {
	var tables []string
	rows := map[string][]exosql.Change{}
	more := int64(0)
	var effects []string
	for _, c := range all {
		more, effects = more+c.More, append(effects, c.Effects...)
		for _, r := range c.Rows {
			if rows[r.Table] == nil {
				tables = append(tables, r.Table)
			}
			rows[r.Table] = append(rows[r.Table], r)
		}
	}
	for _, name := range tables {
		fmt.Fprintln(out, s.Paint(Bold+";"+Cyan, printable.OneLine(name))+s.Paint(Dim, ": "+counts(rows[name])+kept))
		fmt.Fprint(out, s.table(s.images(rows[name], admits)))
	}
	if more > 0 {
		fmt.Fprintln(out, s.Paint(Dim, fmt.Sprintf("… and %s to rows that are not shown%s", Count(int(more), "change"), kept)))
	}
	if len(effects) > 0 {
		fmt.Fprintln(out, s.Paint(Dim, "not shown: what these triggers, rules and cascades may have changed: "+printable.OneLine(strings.Join(effects, ", "))+kept))
	}
}

// counts describes in words how many rows were changed.
func counts(rows []exosql.Change) string {
	n := map[string]int{}
	for _, r := range rows {
		switch {
		case r.Before.IsZero():
			n["added"]++
		case r.After.IsZero():
			n["deleted"]++
		default:
			n["changed"]++
		}
	}
	var parts []string
	for _, what := range []string{"changed", "added", "deleted"} {
		if n[what] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", Count(n[what], "row"), what))
		}
	}
	return strings.Join(parts, ", ")
}

// images returns a grid with each row before and after its change.
func (s Screen) images(changes []exosql.Change, admits value.Label) *grid {
	changes = slices.Clone(changes)
	sealed := map[string]bool{}
	seal := func(row value.Value) value.Value {
		if row.IsZero() {
			return row
		}
		var fields []value.Field
		for n, v := range row.Fields() {
			if l := v.Label().Secrecy(); !l.FlowsTo(admits) {
				sealed[n], v = true, value.Text("[sealed "+strings.Join(l.About().Tags(), ", ")+"]")
			}
			fields = append(fields, value.Field{Name: n, Value: v})
		}
		return value.RecordValue(fields...)
	}
	for i := range changes {
		changes[i].Before, changes[i].After = seal(changes[i].Before), seal(changes[i].After)
	}
	hide := map[string]bool{}
	if !slices.ContainsFunc(changes, func(c exosql.Change) bool { return c.Before.IsZero() || c.After.IsZero() }) {
		named := false // one unchanged text is also shown, so that a reader can recognize the row
		keys := slices.Clone(changes[0].Key)
		for n, v := range changes[0].Before.Fields() {
			same := !slices.ContainsFunc(changes, func(c exosql.Change) bool { return another(c, n) })
			key := slices.IndexFunc(keys, func(k value.Value) bool { return k.String() == v.String() })
			switch {
			case !same || sealed[n]:
			case key >= 0:
				keys = slices.Delete(keys, key, key+1)
			case !named && v.Type() == value.TypeText:
				named = true
			default:
				hide[n] = true
			}
		}
	}
	var items []value.Value
	var of []exosql.Change
	for _, c := range changes {
		for _, side := range []struct {
			mark string
			row  value.Value
		}{{"-", c.Before}, {"+", c.After}} {
			if side.row.IsZero() {
				continue
			}
			fields := []value.Field{{Name: " ", Value: value.Text(side.mark)}}
			for n, v := range side.row.Fields() {
				if !hide[n] {
					fields = append(fields, value.Field{Name: n, Value: v})
				}
			}
			items, of = append(items, value.RecordValue(fields...)), append(of, c)
		}
	}
	g := newGrid(items, s.width(), types{})
	g.columns[0].width, g.columns[0].kind = 1, ""
	for i, row := range g.rows {
		style := Red
		if row[" "].text == "+" {
			style = green
		}
		for n, x := range row {
			x.style = style
			if n != " " && !sealed[n] && !another(of[i], n) {
				x.style = Dim
			}
			row[n] = x
		}
	}
	return g
}

// another reports whether the field of this name has changed.
func another(c exosql.Change, name string) bool {
	before, _ := c.Before.Get(name)
	after, _ := c.After.Get(name)
	return before.String() != after.String()
}
