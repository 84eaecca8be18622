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
