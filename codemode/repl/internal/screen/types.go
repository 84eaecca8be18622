package screen

import (
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// types are what the statements of a program say of the types of their columns, by
// name. A value has less: decimals and dates are texts, and so is an instant that went
// through the program's hands. A type is only ever shown of a value that has its form.
type types map[string]string

// typesOf leaves out names that have several types.
func typesOf(queries []exosql.Query) types {
	t := types{}
	for _, q := range queries {
		for _, o := range q.Outputs() {
			if kind, known := t[o.Name]; known && kind != o.Type {
				t[o.Name] = ""
			} else {
				t[o.Name] = o.Type
			}
		}
	}
	return t
}

// cell is what a table shows of a value under a name.
func (t types) cell(name string, v value.Value) cell {
	x := cellOf(v)
	kind := t[name]
	switch {
	case v.IsNull():
	case kind == value.TypeJSON:
		if b, err := v.AppendJSON(nil); err == nil {
			return cell{text: printable.OneLine(string(b)), kind: kind}
		}
	case kind == value.TypeFloat && v.Type() == value.TypeInt: // 2.0, read by a program
		x.kind = "float"
	case v.Type() == value.TypeText:
		t.text(&x, kind, v.Text())
	}
	return x
}

// text makes of a text what its column says that it is.
func (t types) text(x *cell, kind, text string) {
	switch kind {
	case value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		if s, ok := scalar.Canonical(kind, text); ok && s == text {
			x.kind, x.style = kind, map[string]string{value.TypeDecimal: Yellow, value.TypeDate: blue}[kind]
			x.right = kind == value.TypeDecimal
		}
	case value.TypeInt: // beyond what a number of JavaScript holds
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			x.kind, x.style, x.right = "int", Yellow, true
		}
	case value.TypeTime, "": // an instant leaves a program in this form alone
		if at, err := time.Parse(scalar.TimeFormat, text); err == nil && at.Format(scalar.TimeFormat) == text {
			*x = cell{text: ShortTime(at), kind: "time", style: blue}
		}
	}
}
