// Package sealed has the sizes of sealed values. For limits each counts as the largest size that its column or field allows,
// whatever its content, and a larger value does not leave. A visible size would reveal a value that a program may not read.
package sealed

import (
	"github.com/exoagent/exoagent/exo/value"
)

// Most is the largest size that can be declared: a larger value would meet other limits, which would reveal its size.
const Most = 512 << 10

// TooLarge replaces a text that is larger than its declared size.
const TooLarge = "[too large]"

// Size returns the size of a type's values if none is declared.
func Size(typ string) int {
	switch typ {
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeTime, value.TypeDate, value.TypeUUID:
		return 64
	}
	return 1 << 10
}

// Fit returns v if it fits into most bytes. It returns a replacement for a larger value, and for the zero Value, which can't be read.
func Fit(v value.Value, most int) value.Value {
	switch {
	case v.IsZero():
		return value.Null()
	case v.Bytes() <= most+value.TextBytes(0):
		return v
	case v.Type() == value.TypeText:
		return value.Text(TooLarge)
	}
	return value.Null()
}
