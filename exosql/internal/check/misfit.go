package check

// This file describes the values that a column of PostgreSQL accepts, for errors about a value that it does not accept.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// ranges has the least and the greatest whole number of each type.
var ranges = map[string][2]int64{"smallint": {-1 << 15, 1<<15 - 1}, "integer": {-1 << 31, 1<<31 - 1}}

// maxEnum bounds the values of an enum that an error lists.
const maxEnum = 20

// Misfit describes the values that a column accepts, if it does not accept v; "" if it accepts v or if that is unknown.
func Misfit(live *schema.Database, c *schema.Column, v value.Value) string {
	typ, args, _ := strings.Cut(strings.TrimSuffix(c.Type, ")"), "(")
	if c.Enum != nil && c.Kind == schema.Text && v.Type() == value.TypeText {
		for _, e := range live.Enums {
			if e.Name != *c.Enum || slices.Contains(e.Values, v.Text()) {
				continue
			}
			more := ""
			values := e.Values
			if len(values) > maxEnum {
				more, values = fmt.Sprintf(", and %d more", len(values)-maxEnum), values[:maxEnum]
			}
			return "must be one of '" + strings.Join(values, "', '") + "'" + more
		}
		return ""
	}
	switch typ {
	case "character varying", "character":
		if n, err := strconv.Atoi(args); err == nil && utf8.RuneCountInString(strings.TrimRight(v.Text(), " ")) > n {
			return fmt.Sprintf("must have at most %d characters", n)
		}
	case "smallint", "integer":
		if r := ranges[typ]; v.Type() == value.TypeInt && (v.Int() < r[0] || v.Int() > r[1]) {
			return fmt.Sprintf("must be from %d to %d", r[0], r[1])
		}
	case "numeric":
		precision, scale, _ := strings.Cut(args, ",")
		p, err := strconv.Atoi(precision)
		s, _ := strconv.Atoi(scale)
		number := v.Text()
		switch v.Type() {
		case value.TypeInt:
			number = strconv.FormatInt(v.Int(), 10)
		case value.TypeFloat:
			number = strconv.FormatFloat(v.Float(), 'f', -1, 64)
		}
		number, ok := scalar.Canonical(value.TypeDecimal, number)
		if whole, _, _ := strings.Cut(strings.TrimPrefix(number, "-"), "."); ok && err == nil && whole != "0" && len(whole) > p-s {
			return fmt.Sprintf("must have at most %d digits before the point", p-s)
		}
	}
	return ""
}
