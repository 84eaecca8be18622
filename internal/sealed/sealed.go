// Package sealed has the sizes of sealed values. A visible size would reveal a value that a program may not read. So for limits each value
// counts as the largest size that its column or field allows. A larger value does not leave.
package sealed

import "github.com/exoagent/exoagent/exo/value"

// Most is the largest size that can be declared. A larger value would reach other limits, which would reveal its size.
const Most = 512 << 10

// TooLarge replaces a text that is larger than the declared size.
const TooLarge = "[too large]"

// Size returns the size of a type's values that applies without a declaration.
func Size(typ string) int {
	switch typ {
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeTime, value.TypeDate, value.TypeUUID:
		return 64
	}
	return 1 << 10
}

// Fit returns v unless it has more bytes than the number most; then it returns a replacement. It replaces the zero Value, too, because that can't be read.
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
