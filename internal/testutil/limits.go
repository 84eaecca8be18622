package testutil

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// ParseLimits reads limits like `Wall=50ms Rows=10`, with the field names of exo.Limits and exoeval.Bounds.
func ParseLimits(s string) (Both, error) {
	var l Both
	for _, f := range strings.Fields(s) {
		name, val, _ := strings.Cut(f, "=")
		v := reflect.ValueOf(&l).Elem().FieldByName(name)
		if !v.IsValid() {
			return l, fmt.Errorf("there is no limit %q: write a field of exo.Limits or exoeval.Bounds", name)
		}
		if d, err := time.ParseDuration(val); err == nil && v.Type() == reflect.TypeFor[time.Duration]() {
			v.SetInt(int64(d))
		} else if n, err := strconv.Atoi(val); err == nil && v.Kind() == reflect.Int {
			v.SetInt(int64(n))
		} else {
			return l, fmt.Errorf("the limit %q has a value of another type: write a number, or a time like 10ms", f)
		}
	}
	return l, nil
}
