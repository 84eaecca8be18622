package checks_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
)

type bindInner struct {
	Deep [2]string
	None struct{}
	Next *string
}

type bindRow struct {
	bindInner
	ID    int64
	Named struct{ Inner bindInner }
	Away  *bindInner
}

var bindGlobal string

// A field function leads into the row that it is given, and to a field of its own: two
// users' queries would share anything else.
func TestFieldOfItsRow(t *testing.T) {
	for name, c := range map[string]struct {
		bind func(*exosql.Table[bindRow])
		want string // of the panic; "" where the binding is right
	}{
		"a field": {func(x *exosql.Table[bindRow]) { exosql.NewKey(x, "b", func(r *bindRow) *int64 { return &r.ID }) }, ""},
		"an embedded one": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(r *bindRow) *string { return &r.Deep[0] })
		}, ""},
		"its neighbour": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(r *bindRow) *string { return &r.Deep[1] })
		}, ""},
		"behind an empty one": {func(x *exosql.Table[bindRow]) {
			exosql.NewNullable(x, "b", func(r *bindRow) **string { return &r.Next })
		}, ""},
		"a nested one": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(r *bindRow) *string { return &r.Named.Inner.Deep[1] })
		}, ""},
		"a global": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(*bindRow) *string { return &bindGlobal })
		}, "column z.b: the field function does not return a field of its argument; want func(row *checks_test.bindRow)"},
		"its own variable": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(*bindRow) *string { return new(string) })
		}, "does not return a field"},
		"a nil pointer": {func(x *exosql.Table[bindRow]) { exosql.NewColumn(x, "b", func(*bindRow) *string { return nil }) }, "does not return a field"},
		"another row's": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(*bindRow) *int64 { return &new(bindRow).ID })
		}, "does not return a field"},
		"behind a pointer": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "b", func(r *bindRow) *string { return &r.Away.Deep[0] })
		}, "column z.b: the field function panics on a new row"},
		"another column's": {func(x *exosql.Table[bindRow]) {
			exosql.NewColumn(x, "a", func(r *bindRow) *string { return &r.Deep[1] })
			exosql.NewColumn(x, "b", func(r *bindRow) *string { return &r.Deep[1] })
		}, "column z.b: the field function returns the field of column z.a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := panicOf(func() { c.bind(exosql.NewTable[bindRow]("z")) })
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("panics with %q, want %q in it", got, c.want)
			}
		})
	}
	if got := panicOf(func() { exosql.NewKey(exosql.NewTable[int64]("z"), "id", func(r *int64) *int64 { return r }) }); got != "" {
		t.Errorf("a row that is one value: %s", got)
	}
}
