package plan

import (
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Canonical returns a text as a value in the one form of its type, or the zero Value if the text is no value of the type.
func Canonical(typ, s string) value.Value {
	if t, ok := scalar.Canonical(typ, s); ok {
		return value.Text(t)
	}
	return value.Value{}
}

// TooMany is the error text for an aggregate that would need too much memory for rows in scope.
const TooMany = "a median has too many values, or a collected list is too long: ask for fewer rows with where"

// Collected returns the list of values for texts that toText made, or the zero Value if one of them is no value of the kind.
func Collected(kind string, texts value.Value) value.Value {
	if texts.Type() != value.TypeList {
		return value.Value{}
	}
	items := make([]value.Value, texts.Len())
	for i := range items {
		if items[i] = ofText(kind, texts.At(i).Text()); items[i].IsZero() {
			return value.Value{}
		}
	}
	return value.List(items...)
}

func ofText(kind, s string) value.Value {
	switch kind {
	case value.TypeInt, value.TypeFloat, value.TypeDecimal:
		return ExactValue(kind, s)
	case value.TypeText:
		return value.Text(s)
	case value.TypeBool:
		return value.Bool(s == "true")
	case value.TypeTime:
		if t, ok := scalar.ParseTime(s); ok {
			return value.Time(t)
		}
		return value.Value{}
	}
	return Canonical(kind, s)
}

// ExactValue returns the Value for the text of an exact number. If kind can't represent the number,
// it is a text of its digits.
func ExactValue(kind, s string) value.Value {
	switch kind {
	case value.TypeFloat:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return value.Float(f)
		}
	case value.TypeInt:
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return value.Int(i)
		}
	}
	if v := Canonical(value.TypeDecimal, s); !v.IsZero() {
		return v
	}
	if d, ok := number.Parse(s); ok { // the number has more digits than a program may write
		if text, ok := number.Text(d).(string); ok {
			return value.Text(text)
		}
	}
	return value.Value{}
}
