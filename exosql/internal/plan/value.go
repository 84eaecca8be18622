package plan

import (
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Canonical is the value of a text in the one form of its type, or the zero Value.
func Canonical(typ, s string) exo.Value {
	if t, ok := scalar.Canonical(typ, s); ok {
		return exo.Text(t)
	}
	return exo.Value{}
}

// TooMany is what is said where an aggregate would hold more than it may, of rows in scope.
const TooMany = "a median is of too many values, or a collected list too long: take fewer rows with where"

// Collected is the list of the values whose texts toText made.
func Collected(kind string, texts exo.Value) exo.Value {
	if texts.Type() != exo.TypeList {
		return exo.Value{}
	}
	items := make([]exo.Value, texts.Len())
	for i := range items {
		if items[i] = ofText(kind, texts.At(i).Text()); items[i].IsZero() {
			return exo.Value{}
		}
	}
	return exo.List(items...)
}

func ofText(kind, s string) exo.Value {
	switch kind {
	case exo.TypeInt, exo.TypeFloat, exo.TypeDecimal:
		return ExactValue(kind, s)
	case exo.TypeText:
		return exo.Text(s)
	case exo.TypeBool:
		return exo.Bool(s == "true")
	case exo.TypeTime:
		if t, ok := scalar.ParseTime(s); ok {
			return exo.Time(t)
		}
		return exo.Value{}
	}
	return Canonical(kind, s)
}

// ExactValue makes a Value of the text of an exact number. One that is beyond
// what its kind holds is shown as its digits.
func ExactValue(kind, s string) exo.Value {
	switch kind {
	case exo.TypeFloat:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return exo.Float(f)
		}
	case exo.TypeInt:
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return exo.Int(i)
		}
	}
	if v := Canonical(exo.TypeDecimal, s); !v.IsZero() {
		return v
	}
	if d, ok := number.Parse(s); ok { // of more digits than a program may write
		if text, ok := number.Text(d).(string); ok {
			return exo.Text(text)
		}
	}
	return exo.Value{}
}
