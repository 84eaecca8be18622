package exosql

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
)

// toValue turns a Go value into a Value. A value that no engine can store (NaN, NUL in text, a day that does not exist) becomes the zero Value,
// which every query refuses.
func toValue(v any) value.Value {
	switch x := v.(type) {
	case int64:
		return value.Int(x)
	case int:
		return value.Int(int64(x))
	case string:
		return value.Text(x)
	case bool:
		return value.Bool(x)
	case float64:
		return value.Float(x)
	case time.Time:
		return value.Time(x)
	case Decimal:
		return plan.Canonical(value.TypeDecimal, string(x))
	case Date:
		return plan.Canonical(value.TypeDate, x.String())
	case Interval:
		return value.Text(x.String())
	case JSON:
		return value.Value{} // no condition can compare JSON
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return value.Value{} // a nil pointer means NULL, with which no condition compares
		}
		return toValue(r.Elem().Interface())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return value.Int(r.Int())
	case reflect.Float32, reflect.Float64:
		return value.Float(r.Float())
	case reflect.String:
		return value.Text(r.String())
	case reflect.Bool:
		return value.Bool(r.Bool())
	case reflect.Array:
		b := make([]byte, r.Len())
		reflect.Copy(reflect.ValueOf(b), r)
		s := hex.EncodeToString(b)
		return plan.Canonical(value.TypeUUID, s[:8]+"-"+s[8:12]+"-"+s[12:16]+"-"+s[16:20]+"-"+s[20:])
	case reflect.Slice:
		if r.Type().Elem() == byteType {
			return value.Text(base64.StdEncoding.EncodeToString(r.Bytes()))
		}
		items := make([]value.Value, r.Len())
		for i := range items {
			if items[i] = toValue(r.Index(i).Interface()); items[i].IsZero() {
				return value.Value{}
			}
		}
		return value.List(items...)
	}
	return value.Value{}
}

// toStored is like toValue, but for values that are written: it also accepts JSON, and arrays with NULL elements.
func toStored(v any) value.Value {
	if j, ok := v.(JSON); ok {
		return toDocument(j)
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice || r.Type().Elem() == byteType {
		return toValue(v)
	}
	items := make([]value.Value, r.Len())
	for i := range items {
		if x := r.Index(i); x.Kind() == reflect.Pointer && x.IsNil() {
			items[i] = value.Null()
		} else if items[i] = toValue(x.Interface()); items[i].IsZero() {
			return value.Value{}
		}
	}
	return value.List(items...)
}

// toDocument returns JSON as plain data, or the zero Value for JSON that would not read back as it was written. null would read back as NULL, and
// a number that is too large for a float as text.
func toDocument(j JSON) value.Value {
	v := engine.DecodeJSON(j)
	if v.IsNull() {
		return value.Value{}
	}
	for d := json.NewDecoder(bytes.NewReader(j)); ; {
		if _, err := d.Token(); err == io.EOF {
			return v
		} else if err != nil {
			return value.Value{}
		}
	}
}

// setField stores a decoded value of the column's kind in the field. It returns false if the value does not fit: an int8 can't be 300, and a
// []string can't contain NULL.
func setField[V any](p *V, v value.Value) bool {
	switch x := any(p).(type) {
	case *int64:
		*x = v.Int()
	case *string:
		*x = v.Text()
	case *bool:
		*x = v.Bool()
	case *float64:
		*x = v.Float()
	case *time.Time:
		*x = v.Time()
	default:
		return setReflect(reflect.ValueOf(p).Elem(), v)
	}
	return true
}

func setReflect(r reflect.Value, v value.Value) bool {
	switch r.Type() {
	case timeType:
		r.Set(reflect.ValueOf(v.Time()))
		return true
	case dateType:
		t, _ := time.Parse(time.DateOnly, v.Text())
		r.Set(reflect.ValueOf(DateOf(t)))
		return true
	case intervalType:
		i, _ := scalar.ParseInterval(v.Text())
		r.Set(reflect.ValueOf(Interval(i)))
		return true
	case jsonType:
		b, _ := plan.AppendDocument(nil, v)
		r.SetBytes(b)
		return true
	}
	switch r.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		if r.OverflowInt(v.Int()) {
			return false
		}
		r.SetInt(v.Int())
	case reflect.Float32, reflect.Float64:
		if r.OverflowFloat(v.Float()) {
			return false
		}
		r.SetFloat(v.Float())
	case reflect.String:
		r.SetString(v.Text())
	case reflect.Bool:
		r.SetBool(v.Bool())
	case reflect.Array:
		b, _ := hex.DecodeString(strings.ReplaceAll(v.Text(), "-", ""))
		reflect.Copy(r, reflect.ValueOf(b))
	case reflect.Slice:
		if r.Type().Elem() == byteType {
			b, _ := base64.StdEncoding.DecodeString(v.Text())
			r.SetBytes(b)
			return true
		}
		r.Set(reflect.MakeSlice(r.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			item, x := r.Index(i), v.At(i)
			if item.Kind() == reflect.Pointer && !x.IsNull() {
				item.Set(reflect.New(item.Type().Elem()))
				item = item.Elem()
			}
			if x.IsNull() != (item.Kind() == reflect.Pointer) || !x.IsNull() && !setReflect(item, x) {
				return false
			}
		}
	}
	return true
}
