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

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/terms"
)

func place(col *decl.Column) string { return col.Table.Name + "." + col.Name }

// value is a Go value as one of the column's type. What has another type is an error: SQLite
// would compare it as whatever it looks like.
func value(r terms.Reader, at, kind string, enum []string, x any) (exo.Value, error) {
	v := typed(kind, x)
	if v.IsZero() {
		return v, noValue(r, at, kind, x)
	}
	if enum != nil && !slices.Contains(enum, v.Text()) {
		return v, wrong(at, "%q is none of its values, which are %s", v.Text(), list(slices.Clone(enum)))
	}
	return v, nil
}

// typed is the zero Value for what is no value of the type.
func typed(kind string, x any) exo.Value {
	switch x := x.(type) {
	case time.Time:
		if kind == exo.TypeTime {
			return exo.Time(x)
		}
		return exo.Value{}
	case json.Number:
		return numeral(kind, x.String())
	case exosql.Decimal:
		return only(exo.TypeDecimal, kind, string(x))
	case exosql.Date:
		return only(exo.TypeDate, kind, x.String())
	case exosql.Interval:
		return only(exo.TypeInterval, kind, x.String())
	}
	r := reflect.ValueOf(x)
	switch r.Kind() {
	case reflect.Pointer:
		if k := r.Elem().Kind(); k != reflect.Invalid && k != reflect.Pointer && k != reflect.Interface { // one that leads to itself would have no end
			return typed(kind, r.Elem().Interface())
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer(kind, r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if r.Uint() <= math.MaxInt64 {
			return integer(kind, int64(r.Uint()))
		}
		if kind == exo.TypeDecimal {
			return plan.Canonical(kind, strconv.FormatUint(r.Uint(), 10))
		}
	case reflect.Float32, reflect.Float64:
		return float(kind, r.Float(), r.Type().Bits())
	case reflect.Bool:
		if kind == exo.TypeBool {
			return exo.Bool(r.Bool())
		}
	case reflect.String:
		return text(kind, r.String())
	case reflect.Array:
		if kind == exo.TypeUUID && r.Len() == 16 && r.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, 16)
			for i := range b { // reflect.Copy panics where the elements are of a named type
				b[i] = byte(r.Index(i).Uint())
			}
			return plan.Canonical(kind, fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}
	case reflect.Slice:
		if kind == exo.TypeBytes && r.Type().Elem().Kind() == reflect.Uint8 && !r.IsNil() {
			return exo.Text(base64.StdEncoding.EncodeToString(r.Bytes()))
		}
	}
	return exo.Value{}
}

// only is a text of one type, for a column of that type and no other.
func only(want, kind, s string) exo.Value {
	if want != kind {
		return exo.Value{}
	}
	return plan.Canonical(kind, s)
}

// exact is the largest whole number below which a float has each.
const exact = 1 << 53

func integer(kind string, n int64) exo.Value {
	switch kind {
	case exo.TypeInt:
		return exo.Int(n)
	case exo.TypeFloat:
		if -exact <= n && n <= exact {
			return exo.Float(float64(n))
		}
	case exo.TypeDecimal:
		return plan.Canonical(kind, strconv.FormatInt(n, 10))
	}
	return exo.Value{}
}

func float(kind string, f float64, bits int) exo.Value {
	switch kind {
	case exo.TypeFloat:
		return exo.Float(f)
	case exo.TypeInt: // numbers of JSON are floats, unless the decoder was told otherwise
		if f == math.Trunc(f) && math.Abs(f) <= exact {
			return exo.Int(int64(f))
		}
	case exo.TypeDecimal:
		return plan.Canonical(kind, strconv.FormatFloat(f, 'f', -1, bits))
	}
	return exo.Value{}
}

// numeral is a number as JSON writes it.
func numeral(kind, s string) exo.Value {
	switch kind {
	case exo.TypeInt:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return exo.Int(n)
		}
	case exo.TypeFloat:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return exo.Float(f)
		}
	case exo.TypeDecimal:
		return plan.Canonical(kind, s)
	}
	return exo.Value{}
}

func text(kind, s string) exo.Value {
	switch kind {
	case exo.TypeText:
		return exo.Text(s)
	case exo.TypeTime:
		if t, ok := scalar.ParseTime(s); ok {
			return exo.Time(t)
		}
	case exo.TypeDecimal, exo.TypeDate, exo.TypeInterval, exo.TypeUUID:
		return plan.Canonical(kind, s)
	}
	return exo.Value{}
}

// noValue refuses x by its type, and shows what is short: a text is quoted.
func noValue(reader terms.Reader, at, kind string, x any) error {
	if kind == exo.TypeList || kind == exo.TypeJSON {
		kind = "JSON or an array, which can't be compared"
	}
	shown := ""
	switch r := reflect.ValueOf(x); r.Kind() {
	case reflect.Invalid:
		return wrong(at, "the column is %s, and nil is no value; for NULL use IsNull or IsNotNull", kind)
	case reflect.String:
		shown = fmt.Sprintf("%.100q of ", r.String())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		shown = fmt.Sprintf("%v of ", r)
	}
	return wrong(at, "the column is %s, and %s is no value of it", kind, reader.Value(x, shown))
}
