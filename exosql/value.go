package exosql

import (
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// bound is a value as the driver takes it. Times are text in exo.TimeFormat,
// truth values 0 and 1.
func bound(v exo.Value) (any, error) {
	switch v.Kind() {
	case exo.KindNull:
		return nil, nil
	case exo.KindBool:
		if v.Bool() {
			return int64(1), nil
		}
		return int64(0), nil
	case exo.KindInt:
		return v.Int(), nil
	case exo.KindFloat:
		return v.Float(), nil
	case exo.KindText:
		return v.Text(), nil
	case exo.KindTime:
		return v.Time().Format(exo.TimeFormat), nil
	}
	return nil, exo.Errorf(exo.Invalid, "", "this value can't be compared with a column")
}

// decode turns what the driver read into a Value of the declared kind. SQLite
// stores any value in any column; what contradicts the declaration is an error
// for the host, not a guess.
func (c *cell) decode(x any) (exo.Value, error) {
	v := exo.Value{}
	switch c.kind {
	case exo.TypeInt:
		if i, ok := x.(int64); ok {
			v = exo.Int(i)
		}
	case exo.TypeFloat:
		switch f := x.(type) {
		case float64:
			v = exo.Float(f)
		case int64:
			v = exo.Float(float64(f))
		}
	case exo.TypeBool:
		switch b := x.(type) {
		case bool:
			v = exo.Bool(b)
		case int64:
			if b == 0 || b == 1 {
				v = exo.Bool(b == 1)
			}
		}
	case exo.TypeText:
		if s, ok := x.(string); ok {
			v = exo.Text(s)
		}
	case exo.TypeTime:
		switch t := x.(type) {
		case time.Time:
			v = exo.Time(t)
		case string:
			if t, ok := exo.ParseTime(t); ok {
				v = exo.Time(t)
			}
		}
	}
	if x == nil && (c.null || c.kind == exo.TypeNull) {
		return exo.Null(), nil
	}
	if v.Kind() == exo.NoValue {
		return v, &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: %s is declared %s (null: %t) but holds a %T", c.name, c.kind, c.null, x)}
	}
	return v, nil
}
