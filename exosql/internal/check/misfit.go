package check

// This file says what a column of PostgreSQL takes, for the error of a value that it does not.

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

// ranges are the whole numbers of a type.
var ranges = map[string][2]int64{"smallint": {-1 << 15, 1<<15 - 1}, "integer": {-1 << 31, 1<<31 - 1}}

// maxEnum is how many values of an enum an error lists.
const maxEnum = 20

// Misfit says what a column takes, if it can't hold the value, and "" if it can, or nobody knows.
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
