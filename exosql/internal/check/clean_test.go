package check

import (
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

// TestCleanChecks: a CHECK makes a column clean that says so of this column, and that no misfit satisfies: NULL satisfies a CHECK.
func TestCleanChecks(t *testing.T) {
	for _, c := range []struct {
		expr, column, kind string
		want               bool
	}{
		{"typeof(title) = 'text'", "title", value.TypeText, true},
		{`typeof("Title") IN ('text', 'null')`, "title", value.TypeText, true},
		{"typeof(name) = 'text'", "title", value.TypeText, false},
		{"typeof(NAME) = 'text'", "title", value.TypeText, false},
		{"typeof(title) = 'text' OR 1", "title", value.TypeText, false},
		{"typeof(n) IN ('integer', 'text')", "n", value.TypeInt, false},
		{"d IS date(d)", "d", value.TypeDate, true},
		{"date(d) IS d", "d", value.TypeDate, true},
		{"date(d) = d", "d", value.TypeDate, false}, // of what is no day it is NULL
		{"done IN (0, 1)", "done", value.TypeBool, true},
		{"done IN (0, 1, 2)", "done", value.TypeBool, false},
	} {
		if got := ensures(c.expr, c.column, c.kind); got != c.want {
			t.Errorf("%s of %s: %t", c.expr, c.column, got)
		}
	}
}
