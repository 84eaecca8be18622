package codemode_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

type everything struct {
	ID    int64
	Name  string
	Done  bool
	Share float64
	Total exosql.Decimal
	At    time.Time
	Due   exosql.Date
	Took  exosql.Interval
	Code  [16]byte
	Raw   []byte
	Meta  exosql.JSON
	Tags  []string
	Nums  *[]int64
	Hint  *string
}

// kinds is a table of one row with an id and the columns that are named, or one
// of every kind.
func kinds(tb testing.TB, names ...string) exo.Object {
	tb.Helper()
	rows := exosql.NewTable[everything]("things")
	id := exosql.NewKey(rows, "id", func(r *everything) *int64 { return &r.ID })
	columns := map[string]exosql.Member[everything]{
		"name":  exosql.NewColumn(rows, "name", func(r *everything) *string { return &r.Name }),
		"done":  exosql.NewColumn(rows, "done", func(r *everything) *bool { return &r.Done }),
		"share": exosql.NewColumn(rows, "share", func(r *everything) *float64 { return &r.Share }),
		"total": exosql.NewColumn(rows, "total", func(r *everything) *exosql.Decimal { return &r.Total }),
		"at":    exosql.NewColumn(rows, "at", func(r *everything) *time.Time { return &r.At }),
		"due":   exosql.NewColumn(rows, "due", func(r *everything) *exosql.Date { return &r.Due }),
		"took":  exosql.NewColumn(rows, "took", func(r *everything) *exosql.Interval { return &r.Took }),
		"code":  exosql.NewColumn(rows, "code", func(r *everything) *[16]byte { return &r.Code }),
		"raw":   exosql.NewColumn(rows, "raw", func(r *everything) *[]byte { return &r.Raw }),
		"meta":  exosql.NewColumn(rows, "meta", func(r *everything) *exosql.JSON { return &r.Meta }),
		"tags":  exosql.NewColumn(rows, "tags", func(r *everything) *[]string { return &r.Tags }),
		"nums":  exosql.NewNullable(rows, "nums", func(r *everything) **[]int64 { return &r.Nums }),
		"hint":  exosql.NewNullable(rows, "hint", func(r *everything) **string { return &r.Hint }),
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(columns))
	}
	facet := exosql.NewFacet(rows, "thing", id)
	for _, n := range names {
		facet.Add(columns[n])
	}
	db, err := exosql.Open(context.Background(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE things(id INTEGER PRIMARY KEY, name TEXT, done BOOLEAN, share REAL, total TEXT, at TEXT, due TEXT, took TEXT, code TEXT, raw BLOB, meta TEXT, tags TEXT, nums TEXT, hint TEXT);
INSERT INTO things VALUES (1, 'Zoë😀!', 0, 0.5, '12.5', '2024-01-31T23:30:00.000Z', '2024-01-31', 'P1DT2H', '123e4567-e89b-12d3-a456-426614174000', x'0102', '{"a":[1]}', '["x","y"]', NULL, NULL)`)
		return err
	}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return facet.Of(exosql.Grant(db, rows, exosql.AllRows[everything]()))
}

// What columns of several kinds can do is declared once, for just those that can.
func TestSharedKinds(t *testing.T) {
	for _, c := range []struct {
		columns   []string // none: all
		has, hasn []string
	}{
		{nil, []string{
			"interface Column<V> { isNull(): Bool; isNotNull(): Bool }\n",
			"interface Comparable<V> extends Column<V> { // === !== ??\n  eq(",
			"interface Ordered<V> extends Comparable<V> { // < <= > >=\n  between(value: Arg<V>, high: Arg<V>): Bool;",
			"interface Numeric<V> extends Ordered<V> { // + - * / % Math.abs",
			"interface TimeOrDay<V> extends Ordered<V> {\n",
			"interface Int extends Numeric<number> {}\n",
			"interface Decimal extends Numeric<string> {} // exact, in rows too; text like '12.5' in results\n",
			"interface Day extends TimeOrDay<string> {} // a day, '2024-01-31'\n",
			"interface Interval extends Ordered<string> {} // ISO 8601, 'P1DT2H30M'\n",
			"interface Bytes extends Comparable<string> {} // base64\n",
			"interface Uuid extends Comparable<string> { toText(): Text }\n",
			"interface Json extends Column<any> { // t.x.key and t.x.list[0] reach in;",
			"interface Elements<I> extends Column<I[]> {\n  has(value: I): Bool; // one of its elements is the value\n",
			"type Sortable = Comparable<any> | Order;\n", "  tags: Elements<string>;", "  nums: Elements<number> | null;", "Dividing by 0 gives null", "use ??",
		}, nil},
		{[]string{"name", "done", "total"}, []string{
			"interface Column<V> { // === !== ??\n", "interface Ordered<V> extends Column<V> { // < <= > >= +\n", "interface Numeric<V> extends Ordered<V> {",
			"interface Bool extends Column<boolean> {} // && || ! ?:\n", "type Sortable = Column<any> | Order;\n",
		}, []string{"Comparable", "Elements", "base64", "8601"}},
		{[]string{"meta"}, []string{"type Sortable = Comparable<any> | Order;"}, []string{"Decimal"}},
	} {
		d := newTool(t, codemode.Grants{"things": kinds(t, c.columns...)}, nil).Declarations()
		for _, want := range c.has {
			if !strings.Contains(d, want) {
				t.Errorf("%v: no %q in\n%s", c.columns, want, d)
			}
		}
		for _, gone := range c.hasn {
			if strings.Contains(d, gone) {
				t.Errorf("%v: %q in\n%s", c.columns, gone, d)
			}
		}
		for _, once := range []string{" eq(", " between(", " isNull():", " asc(", " weekday(", " round("} {
			if strings.Count(strings.ReplaceAll(d, "// equal; eq(", ""), once) > 1 {
				t.Errorf("%v: %q is declared twice in\n%s", c.columns, once, d)
			}
		}
	}
}

// What the rules say of values holds, and they speak of no values that there are none of.
func TestRuleOfValues(t *testing.T) {
	all := codemode.Grants{"things": kinds(t)}
	tool := newTool(t, all, nil)
	for program, want := range map[string]string{
		"const [r] = await api.things; return [r.total, Number(r.total) + 1, r.due, r.took, r.raw, r.at]":                                      `["12.5",13.5,"2024-01-31","P1DT2H","AQI=","2024-01-31T23:30:00.000Z"]`,
		"return [await api.things.where(t => t.total === 12.5).count(), await api.things.where(t => t.total < '13').count()]":                  "[1,1]",
		"return [await api.things.where(t => t.due === '2024-01-31').count(), await api.things.where(t => t.due < new Date()).count()]":        "[1,1]",
		"return api.things.where(t => t.due === new Date('2024-02-01T00:30:00+02:00')).count()":                                                "1",
		"return api.things.where(t => t.due === '2024-02-01T00:30:00+02:00').count()":                                                          "1",
		"return api.things.where(t => t.took >= 'P1D' && t.raw === 'AQI=').count()":                                                            "1",
		"return api.things.select(t => ({ a: t.share / 0, b: `${t.hint}!`, c: t.name + t.hint, d: t.hint ?? 'x', e: t.name.length })).first()": `{"a":null,"b":null,"c":null,"d":"x","e":5}`,
	} {
		if o := call(t, tool, program); o.Error != nil {
			t.Errorf("%s: %+v", program, *o.Error)
		} else if j, _ := json.Marshal(o.Result); string(j) != normal(t, want) {
			t.Errorf("%s: %s, want %s", program, j, want)
		}
	}
	words := map[string]string{"at": "ISO string", "due": "local day", "total": "Decimals", "took": "8601", "raw": "base64"}
	rules, _, err := codemode.Prompted(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for column, word := range words {
		if !strings.Contains(rules["values"], word) {
			t.Errorf("no %s in %s", word, rules["values"])
		}
		only, _, err := codemode.Prompted(codemode.Grants{"things": kinds(t, column)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for other, w := range words {
			if strings.Contains(only["values"], w) != (other == column) {
				t.Errorf("of a table with %s: %s", column, only["values"])
			}
		}
	}
}
