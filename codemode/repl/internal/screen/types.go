package screen

import (
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// types has the types of columns by name, from the statements of a program. The value alone is not
// enough: decimals and dates are texts, and so is an instant that a program has handled. A type is
// shown only for a value of its form.
type types map[string]string

// typesOf returns the types of the columns. It leaves out names that have several types.
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

// cell returns the cell of a table for a value with this name.
func (t types) cell(name string, v value.Value) cell {
	x := cellOf(v)
	kind := t[name]
	switch {
	case v.IsNull():
	case kind == value.TypeJSON:
		if b, err := v.AppendJSON(nil); err == nil {
			return cell{text: printable.OneLine(string(b)), kind: kind}
		}
	case kind == value.TypeFloat && v.Type() == value.TypeInt: // a float without fraction is an int once a program has read it
		x.kind = "float"
	case v.Type() == value.TypeText:
		t.text(&x, kind, v.Text())
	}
	return x
}

// text sets the type of a text to that of its column, if it has that type's form.
func (t types) text(x *cell, kind, text string) {
	switch kind {
	case value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		if s, ok := scalar.Canonical(kind, text); ok && s == text {
			x.kind, x.style = kind, map[string]string{value.TypeDecimal: Yellow, value.TypeDate: blue}[kind]
			x.right = kind == value.TypeDecimal
		}
	case value.TypeInt: // a number beyond JavaScript's exact numbers becomes a text
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			x.kind, x.style, x.right = "int", Yellow, true
		}
	case value.TypeTime, "": // only instants leave a program as texts in this form
		if at, err := time.Parse(scalar.TimeFormat, text); err == nil && at.Format(scalar.TimeFormat) == text {
			*x = cell{text: ShortTime(at), kind: "time", style: blue}
		}
	}
}
