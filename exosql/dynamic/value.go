package dynamic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/terms"
)

func place(col *decl.Column) string { return col.Table.Name + "." + col.Name }

// readValue converts a Go value to the column's type. A value of another type is an error, since SQLite would compare it as the type that it looks like.
func readValue(r terms.Reader, at, kind string, enum []string, x any) (value.Value, error) {
	v := typed(kind, x)
	if v.IsZero() {
		return v, noValue(r, at, kind, x)
	}
	if enum != nil && !slices.Contains(enum, v.Text()) {
		return v, wrong(at, "%q is none of the column's values: want one of %s", v.Text(), list(slices.Clone(enum)))
	}
	return v, nil
}

// typed returns x as a value of the type, or the zero Value if x is no such value.
func typed(kind string, x any) value.Value {
	switch x := x.(type) {
	case time.Time:
		if kind == value.TypeTime {
			return value.Time(x)
		}
		return value.Value{}
	case json.Number:
		return numeral(kind, x.String())
	case exosql.Decimal:
		return only(value.TypeDecimal, kind, string(x))
	case exosql.Date:
		return only(value.TypeDate, kind, x.String())
	case exosql.Interval:
		return only(value.TypeInterval, kind, x.String())
	}
	r := reflect.ValueOf(x)
	switch r.Kind() {
	case reflect.Pointer:
		if k := r.Elem().Kind(); k != reflect.Invalid && k != reflect.Pointer && k != reflect.Interface { // a pointer to itself would never end
			return typed(kind, r.Elem().Interface())
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer(kind, r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if r.Uint() <= math.MaxInt64 {
			return integer(kind, int64(r.Uint()))
		}
		if kind == value.TypeDecimal {
			return plan.Canonical(kind, strconv.FormatUint(r.Uint(), 10))
		}
	case reflect.Float32, reflect.Float64:
		return float(kind, r.Float(), r.Type().Bits())
	case reflect.Bool:
		if kind == value.TypeBool {
			return value.Bool(r.Bool())
		}
	case reflect.String:
		return text(kind, r.String())
	case reflect.Array:
		if kind == value.TypeUUID && r.Len() == 16 && r.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, 16)
			for i := range b { // reflect.Copy panics if the elements have a named type
				b[i] = byte(r.Index(i).Uint())
			}
			return plan.Canonical(kind, fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}
	case reflect.Slice:
		if kind == value.TypeBytes && r.Type().Elem().Kind() == reflect.Uint8 && !r.IsNil() {
			return value.Text(base64.StdEncoding.EncodeToString(r.Bytes()))
		}
	}
	return value.Value{}
}

// only converts a text for a column of the type want, and returns the zero Value for other columns.
func only(want, kind, s string) value.Value {
	if want != kind {
		return value.Value{}
	}
	return plan.Canonical(kind, s)
}

// exact is the bound below which a float represents each whole number.
const exact = 1 << 53

func integer(kind string, n int64) value.Value {
	switch kind {
	case value.TypeInt:
		return value.Int(n)
	case value.TypeFloat:
		if -exact <= n && n <= exact {
			return value.Float(float64(n))
		}
	case value.TypeDecimal:
		return plan.Canonical(kind, strconv.FormatInt(n, 10))
	}
	return value.Value{}
}

func float(kind string, f float64, bits int) value.Value {
	switch kind {
	case value.TypeFloat:
		return value.Float(f)
	case value.TypeInt: // encoding/json decodes numbers as floats by default
		if f == math.Trunc(f) && math.Abs(f) <= exact {
			return value.Int(int64(f))
		}
	case value.TypeDecimal:
		return plan.Canonical(kind, strconv.FormatFloat(f, 'f', -1, bits))
	}
	return value.Value{}
}

// numeral converts a number in the syntax of JSON.
func numeral(kind, s string) value.Value {
	switch kind {
	case value.TypeInt:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return value.Int(n)
		}
	case value.TypeFloat:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return value.Float(f)
		}
	case value.TypeDecimal:
		return plan.Canonical(kind, s)
	}
	return value.Value{}
}

func text(kind, s string) value.Value {
	switch kind {
	case value.TypeText:
		return value.Text(s)
	case value.TypeTime:
		if t, ok := scalar.ParseTime(s); ok {
			return value.Time(t)
		}
	case value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID:
		return plan.Canonical(kind, s)
	}
	return value.Value{}
}

// noValue makes the error for a value that does not fit. It names the type of x, and shows x if it is short; a text is quoted.
func noValue(reader terms.Reader, at, kind string, x any) error {
	if kind == value.TypeList || kind == value.TypeJSON {
		kind = "JSON or an array, which can't be compared"
	}
	shown := ""
	switch r := reflect.ValueOf(x); r.Kind() {
	case reflect.Invalid:
		return wrong(at, "the column is %s, and nil can't be its value; for NULL use IsNull or IsNotNull", kind)
	case reflect.String:
		shown = fmt.Sprintf("%.100q of ", r.String())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		shown = fmt.Sprintf("%v of ", r)
	}
	return wrong(at, "the column is %s, and its value can't be %s", kind, reader.Value(x, shown))
}
