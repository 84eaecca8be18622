package dynamic_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type (
	ownInt  int32
	ownByte byte
	ownID   [16]ownByte
	ownText string
	loop    *loop
)

const kinds = `CREATE TABLE kinds (id {int} PRIMARY KEY, n {int}, f {float}, d {decimal}, s text, b boolean, t {time}, day {date}, span {interval}, u {uuid}, raw {bytes}, tags {ints})`

// TestValues: the values that a host has when it reads data compare as what they are; whatever
// could only be compared as something else is an error that names the type.
func TestValues(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kinds, `INSERT INTO kinds VALUES (1, 7, 1.5, '12.5', 'a', true, '2024-01-02T03:04:05Z', '2024-01-02', 'P1D', '00112233-4455-6677-8899-aabbccddeeff', `+
			e.Pick(`x'0102', '[1,2]'`, `'\x0102', '{1,2}'`)+`), (2, 8, 2, '13', 'b', false, '2025-01-02T03:04:05Z', '2025-01-02', 'P2D', '00112233-4455-6677-8899-aabbccddee00', `+e.Pick(`x'03', '[3]'`, `'\x03', '{3}'`)+`)`)})
		live, err := db.Catalog(t.Context())
		must(t, err)
		table := get(dynamic.New(live).Table("kinds", dynamic.ColumnSpec{Name: "d", Type: value.TypeDecimal}, dynamic.ColumnSpec{Name: "t", Type: value.TypeTime}, dynamic.ColumnSpec{Name: "day", Type: value.TypeDate},
			dynamic.ColumnSpec{Name: "span", Type: value.TypeInterval}, dynamic.ColumnSpec{Name: "u", Type: value.TypeUUID}, dynamic.ColumnSpec{Name: "tags", Type: value.TypeList, Elem: value.TypeInt}))(t)
		facet := get(table.Facet("kind", "id"))(t)
		rows := func(p dynamic.Predicate) (string, error) {
			o, err := facet.Grant(db, p)
			if err != nil {
				return "", err
			}
			r := tu.NewRunner(t, map[string]exo.Object{"kinds": o}, exo.Limits{}).Run(t, "return (await kinds.orderBy(k => k.id)).map(k => k.id)")
			return r.JSON + r.Message, nil
		}
		seven, at := int16(7), time.Date(2024, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600))
		id := [16]byte{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
		for column, values := range map[string][]any{
			"n":    {7, int8(7), int16(7), int32(7), int64(7), uint(7), uint8(7), uint32(7), uint64(7), float32(7), 7.0, json.Number("7"), ownInt(7), &seven},
			"f":    {1.5, float32(1.5), json.Number("1.5"), json.Number("15e-1")},
			"d":    {"12.5", "12.50", 12.5, float32(12.5), json.Number("12.5"), exosql.Decimal("12.5"), ownText("12.5")},
			"s":    {"a", ownText("a")},
			"b":    {true},
			"t":    {at, &at, "2024-01-02T03:04:05Z", "2024-01-02 03:04:05"},
			"day":  {"2024-01-02", exosql.Date{Year: 2024, Month: 1, Day: 2}},
			"span": {"P1D", exosql.Interval{Days: 1}},
			"u":    {"00112233-4455-6677-8899-AABBCCDDEEFF", id, ownID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},
			"raw":  {[]byte{1, 2}},
		} {
			for _, v := range values {
				if got, err := rows(dynamic.Eq(column, v)); got != "[1]" || err != nil {
					t.Errorf("%s = %v (%T): %s, %v", column, v, v, got, err)
				}
			}
		}
		for want, preds := range map[string][]dynamic.Predicate{
			"[1,2]": {dynamic.In("n", []int64{7, 8}), dynamic.In("n", []any{7, 8.0}), dynamic.In("n", 7, []int32{8}), dynamic.In("s", []string{"a", "b"}), dynamic.In("raw", []byte{1, 2}, []byte{3}), dynamic.NotIn("n"), dynamic.NotIn("n", []int{}), dynamic.Between("n", 7, 8), dynamic.Like("s", "_")},
			"[1]":   {dynamic.NotIn("n", 8), dynamic.NotIn("n", []uint32{8, 9}), dynamic.Between("t", "2024-01-01T00:00:00Z", at), dynamic.ILike("s", "A"), dynamic.Includes("s", "a"), dynamic.StartsWith("s", "a"), dynamic.EndsWith("s", "a"), dynamic.Has("tags", 2), dynamic.Not(dynamic.Like("s", "b%"))},
			"[2]":   {dynamic.Lt("b", true)},
			"[]":    {dynamic.In("n", []int64{}), dynamic.In("n", []int64(nil)), dynamic.Like("s", "A"), dynamic.Between("n", 8, 7)},
		} {
			for i, p := range preds {
				got, err := rows(p)
				if got != want || err != nil {
					t.Errorf("%s, %d: %s, %v", want, i, got, err)
				}
			}
		}
		var forever loop
		forever = loop(&forever)
		for column, values := range map[string][]any{
			"n":    {"7", 7.5, uint64(math.MaxUint64), 1e300, json.Number("7.5"), json.Number("x"), true, at, exosql.Decimal("7"), (*int)(nil), []int{7}, map[string]int{}, struct{}{}, math.NaN(), func() {}, make(chan int), &forever, complex(7, 0)},
			"f":    {"1.5", math.Inf(1), math.NaN(), int64(1)<<53 + 1, json.Number("1e999")},
			"d":    {"twelve", math.NaN(), true, exosql.Date{}, json.Number("")},
			"s":    {7, []byte("a"), exosql.Decimal("1"), at, "a\xff", "a\x00"},
			"b":    {"true", 1},
			"t":    {"yesterday", 7, exosql.Date{Year: 2024, Month: 1, Day: 2}, time.Time{}.AddDate(-1, 0, 0)},
			"day":  {at, "2024-02-30", exosql.Date{}},
			"span": {"a day", 1, time.Hour},
			"u":    {"00112233", [15]byte{}, []byte("0011223344556677")},
			"raw":  {"AQI=", []byte(nil), []int{1}},
			"tags": {1, []int{1, 2}},
		} {
			for _, v := range values {
				_, err := rows(dynamic.Eq(column, v))
				if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), fmt.Sprintf("%T", v)) || !strings.HasPrefix(err.Error(), "kinds."+column+": ") {
					t.Errorf("%s = %v (%T): %v", column, v, v, err)
				}
			}
		}
		for i, p := range []dynamic.Predicate{dynamic.Eq("n", nil), dynamic.In("n", nil), dynamic.In("n", 7, nil), dynamic.In("n", []any{nil}), dynamic.In("n", []string{"7"}), dynamic.NotIn("n", [][]int{{7}}), dynamic.Like("n", "7"), dynamic.Like("s", "\x00"), dynamic.Has("n", 7), dynamic.Has("tags", "1"), dynamic.Between("n", 7, "8"), dynamic.IsNull("m")} {
			if _, err := rows(p); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%d is not refused: %v", i, err)
			}
		}
	})
}
