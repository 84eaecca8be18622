package exosql

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// toValue turns a Go value into a Value; what no engine can hold (NaN, NUL in
// text, a day that does not exist) becomes the zero Value, which every query refuses.
func toValue(v any) exo.Value {
	switch x := v.(type) {
	case int64:
		return exo.Int(x)
	case int:
		return exo.Int(int64(x))
	case string:
		return exo.Text(x)
	case bool:
		return exo.Bool(x)
	case float64:
		return exo.Float(x)
	case time.Time:
		return exo.Time(x)
	case Decimal:
		return canonical(exo.TypeDecimal, string(x))
	case Date:
		return canonical(exo.TypeDate, x.String())
	case Interval:
		return exo.Text(x.String())
	case JSON:
		return exo.Value{} // nothing compares it
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return exo.Int(r.Int())
	case reflect.Float32, reflect.Float64:
		return exo.Float(r.Float())
	case reflect.String:
		return exo.Text(r.String())
	case reflect.Bool:
		return exo.Bool(r.Bool())
	case reflect.Array:
		b := make([]byte, r.Len())
		reflect.Copy(reflect.ValueOf(b), r)
		s := hex.EncodeToString(b)
		return canonical(exo.TypeUUID, s[:8]+"-"+s[8:12]+"-"+s[12:16]+"-"+s[16:20]+"-"+s[20:])
	case reflect.Slice:
		if r.Type().Elem() == byteType {
			return exo.Text(base64.StdEncoding.EncodeToString(r.Bytes()))
		}
		items := make([]exo.Value, r.Len())
		for i := range items {
			if items[i] = toValue(r.Index(i).Interface()); items[i].Kind() == exo.NoValue {
				return exo.Value{}
			}
		}
		return exo.List(items...)
	}
	return exo.Value{}
}

func canonical(typ, s string) exo.Value {
	if t, ok := exo.Canonical(typ, s); ok {
		return exo.Text(t)
	}
	return exo.Value{}
}

// setField stores a decoded value; its kind is the column's.
func setField[V any](p *V, v exo.Value) {
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
		setReflect(reflect.ValueOf(p).Elem(), v)
	}
}

func setReflect(r reflect.Value, v exo.Value) {
	switch r.Type() {
	case timeType:
		r.Set(reflect.ValueOf(v.Time()))
		return
	case dateType:
		t, _ := time.Parse(time.DateOnly, v.Text())
		r.Set(reflect.ValueOf(DateOf(t)))
		return
	case intervalType:
		i, _ := exo.ParseInterval(v.Text())
		r.Set(reflect.ValueOf(i))
		return
	case jsonType:
		b, _ := json.Marshal(v)
		r.SetBytes(b)
		return
	}
	switch r.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		r.SetInt(v.Int())
	case reflect.Float32, reflect.Float64:
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
			return
		}
		r.Set(reflect.MakeSlice(r.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			setReflect(r.Index(i), v.At(i))
		}
	}
}
