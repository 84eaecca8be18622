package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/exoagent/exoagent/exo"
)

// object reads the fields of one object into those of a struct, by their exact names. It returns the number of bytes that it read. encoding/json
// accepts "Step" for "step", and of two fields with one name it uses the last. Other readers may do otherwise, so the function object refuses both.
func object(b []byte, into any) (int64, error) { return objectAnd(b, into, nil) }

// objectAnd reads an object like the function object. Numbers under other names that begin with a capital go into rest.
func objectAnd(b []byte, into any, rest map[string]int64) (int64, error) {
	fields := fieldsOf(into)
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return d.InputOffset(), errors.Join(err, errors.New("want a JSON object"))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return d.InputOffset(), err
		}
		name, _ := key.(string)
		field, known := fields[name]
		if !known && rest != nil && name != "" && name[0] >= 'A' && name[0] <= 'Z' {
			var n int64
			field, known = &n, true
			defer func() { rest[name] = n }()
		}
		switch {
		case !known:
			return d.InputOffset(), fmt.Errorf("unknown field %.40q", name)
		case field == nil:
			return d.InputOffset(), fmt.Errorf("field %q is given twice", name)
		default:
			if err := d.Decode(field); err != nil {
				return d.InputOffset(), fmt.Errorf("field %q: %w", name, err)
			}
			fields[name] = nil
		}
	}
	_, err := d.Token()
	return d.InputOffset(), err
}

// fieldsOf returns pointers to the fields of a struct, by their names in JSON.
func fieldsOf(into any) map[string]any {
	v := reflect.ValueOf(into).Elem()
	fields := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := f.Tag.Get("json")
		name = cmp.Or(name, f.Name)
		fields[name] = v.Field(i).Addr().Interface()
	}
	return fields
}

func (f *failure) UnmarshalJSON(b []byte) error  { _, err := object(b, f); return err }
func (c *constant) UnmarshalJSON(b []byte) error { _, err := object(b, c); return err }
func (c *cut) UnmarshalJSON(b []byte) error      { _, err := object(b, c); return err }
func (s *start) UnmarshalJSON(b []byte) error    { _, err := object(b, s); return err }
func (r *reply) UnmarshalJSON(b []byte) error    { _, err := object(b, r); return err }
func (p *prepared) UnmarshalJSON(b []byte) error { _, err := object(b, p); return err }

// limits has the limits of the gate, by their names in exo.Limits, and the bounds of the evaluator.
type limits struct {
	exo.Limits
	bounds map[string]int64
}

func (l *limits) UnmarshalJSON(b []byte) error {
	bounds := map[string]int64{}
	_, err := objectAnd(b, &l.Limits, bounds)
	if len(bounds) > 0 {
		l.bounds = bounds
	}
	return err
}
