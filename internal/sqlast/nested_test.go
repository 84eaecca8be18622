package sqlast

import (
	"strings"
	"testing"
)

// TestNested: rows as one value keep their order, have no more cells than SQLite's functions take, and each a size.
func TestNested(t *testing.T) {
	inner := func() *Select {
		return &Select{Columns: []Output{{Column{"b", "id"}, "c0"}, {Column{"b", "text"}, "c1"}}, From: []Source{{Table: "notes", Alias: "b"}},
			Where: []Expr{Call{Eq, []Expr{Column{"b", "folder"}, Column{"a", "id"}}}}, OrderBy: []Order{{Expr: Column{"b", "id"}, NotNull: true}}, Offset: []Expr{Zero}}
	}
	render := func(d Dialect, n Nested) (string, error) {
		text, _, err := Render(&Select{Columns: []Output{{n, "c0"}}, From: []Source{{Table: "folders", Alias: "a"}}}, d)
		return text, err
	}
	good := func() Nested { return Nested{Sub: inner(), Alias: "d", Sizes: []Size{Fixed, AsText}} }
	for d, want := range map[Dialect]string{
		SQLite:   `(SELECT exo_rows("d"."c0", "d"."c1") FROM (SELECT "b"."id" AS "c0", "b"."text" AS "c1" FROM "notes" AS "b" WHERE ("b"."folder" = "a"."id") ORDER BY "b"."id" LIMIT -1 OFFSET 0) AS "d")`,
		Postgres: `ARRAY(SELECT CASE WHEN SUM(16 + least(coalesce(octet_length(CAST("d"."c1" AS text)), 0), 1048577)) OVER (ROWS UNBOUNDED PRECEDING) <= 1048576 THEN ROW("d"."c0", "d"."c1") END FROM (SELECT "b"."id" AS "c0", "b"."text" AS "c1" FROM "notes" AS "b" WHERE ("b"."folder" = "a"."id") ORDER BY "b"."id" OFFSET 0) AS "d" LIMIT 10001)`,
	} {
		if text, err := render(d, good()); err != nil || !strings.Contains(text, want) {
			t.Errorf("%v\n%s\nwant\n%s", err, text, want)
		}
		one := good()
		one.One, one.Sub.OrderBy, one.Sub.Limit, one.Sub.Offset = true, nil, []Expr{One}, nil
		if text, err := render(d, one); err != nil || strings.Contains(text, "SUM(") || strings.Contains(text, "exo_rows") {
			t.Errorf("of one row: %v %s", err, text)
		}
		for name, spoil := range map[string]func(*Nested){
			"no bound":               func(n *Nested) { n.Sub.Offset = nil },
			"a size for each":        func(n *Nested) { n.Sizes = n.Sizes[:1] },
			"an alias in use":        func(n *Nested) { n.Alias = "A" },
			"an alias of the inside": func(n *Nested) { n.Alias = "b" },
			"no alias":               func(n *Nested) { n.Alias = "" },
			"a column out of sight":  func(n *Nested) { n.Sub.Columns[0].Expr = Column{"z", "id"} },
			"more cells than it takes": func(n *Nested) {
				for i := range MaxCells {
					n.Sub.Columns, n.Sizes = append(n.Sub.Columns, Output{One, "x" + strings.Repeat("x", i)}), append(n.Sizes, Fixed)
				}
			},
		} {
			n := good()
			spoil(&n)
			if text, err := render(d, n); err == nil {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}
