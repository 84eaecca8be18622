package proof

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Value is a cell or a constant. Times are milliseconds since 1970. Decimals,
// days, intervals, UUIDs and documents are the text that the database is given;
// bytes are in base64.
type Value struct {
	Null bool    `json:",omitempty"`
	Kind Kind    `json:",omitempty"`
	I    int64   `json:",omitempty"`
	F    float64 `json:",omitempty"`
	S    string  `json:",omitempty"`
	B    bool    `json:",omitempty"`
	Form int     `json:",omitempty"` // of a time: how it is written to the database
	L    []Value `json:",omitempty"` // of an array

	R *big.Rat `json:"-"` // of a number that was calculated
}

// Data is the rows of each table: a value for each slot, by number.
type Data [][][]Value

// The domains are small, so that values repeat and meet, and hostile.
//
// Not in them, since the engines can't agree: -0 (SQLite stores it as 0), NaN and
// infinity (SQLite has none), and letters whose case
// changed between versions of Unicode.
var (
	bigInts  = []int64{9007199254740993, -9007199254740993, 9007199254740992, -1 << 63, 1<<63 - 1}
	texts    = []string{"a", "b", "B", "", "aa", "ä", "日本", "😀", "a%", "'; --", "\"q\"", "z\\", "a_b", "ß", "İ", "ΟΣ", "ΟΣ.", "e\u0301", "É", "\u00a0a\t", "😀😀b", "ab%_\\"}
	floats   = []float64{0, 1, 2, 2.5, -1, 0.1, 1e10, 3, -2.5, -0.5, 0.5, 1e300, 1e-300, 9007199254740992, -1e21}
	times    = []int64{1704067200000, 1704067200001, 1704153600000, 1704164645123, 946684800000, -86400000, 1709251199999, -62135596800000, 253402300799999, -1}
	decimals = []string{"0", "1", "2.50", "-0.5", "0.5", "-2.5", "12.500", "100", "-0.00", "0.1", "123456789012345678901234567890", "0.000000000000000000000000000001", "-99999999999999999999.9900", "9007199254740993", "0.005"}
	days     = []string{"2024-02-29", "2024-01-31", "1999-12-31", "2024-01-01", "1970-01-01", "0001-01-01", "9999-12-31", "1900-02-28", "2023-03-01"}
	spans    = []string{"P1M", "P30D", "P31D", "PT720H", "P1Y2M3DT4H5M6.789S", "P-1M", "PT0S", "P1Y", "P1MT0.000001S", "P-3DT-1M-1S", "P1M-30D", "PT-0.5S", "P360D"}
	uuids    = []string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000000"}
	blobs    = []string{"", "AP8Q", "AA==", "/w==", "AP8="}
	docs     = []string{`{"a":[1,2.5,null]}`, `[]`, `"x"`, `null`, `{"b":"ß%"}`, `9007199254740991`, `{"0":true,"a":"x","b":-2.5}`, `[true,"X",{"b":3}]`, `{"a":{"a":[false],"b":"y"},"b":true}`}
)

// genValue draws from the domain of a kind.
func genValue(d *draws, k Kind) Value {
	switch k {
	case Int:
		if d.oneIn(25) {
			return Value{Kind: Int, I: pick(d, bigInts)}
		}
		if d.n(3) > 0 {
			return Value{Kind: Int, I: int64(d.n(3))}
		}
		return Value{Kind: Int, I: int64(d.n(8)) - 2}
	case Text:
		if d.oneIn(3) {
			return Value{Kind: Text, S: pick(d, texts)}
		}
		return Value{Kind: Text, S: texts[d.n(3)]}
	case Float:
		return Value{Kind: Float, F: pick(d, floats)}
	case Bool:
		return Value{Kind: Bool, B: d.n(2) == 1}
	case Time:
		return Value{Kind: Time, I: pick(d, times)}
	case Tags, Nums:
		v := Value{Kind: k}
		for range d.n(4) {
			item := Value{Null: true}
			if !d.oneIn(6) {
				item = genValue(d, map[Kind]Kind{Tags: Text, Nums: Int}[k])
			}
			v.L = append(v.L, item)
		}
		return v
	}
	return Value{Kind: k, S: pick(d, map[Kind][]string{Decimal: decimals, Day: days, Span: spans, UUID: uuids, Bytes: blobs, JSON: docs}[k])}
}

// canary is the text of one row that is in no other. secret is the same for the hidden column.
func canary(table, row int) string { return fmt.Sprintf("zq%dx%dk", table, row) }
func secret(table, row int) string { return fmt.Sprintf("hs%dx%dk", table, row) }

// genData fills the tables. Foreign keys point anywhere: into other tenants, to
// nothing, at the row itself.
func genData(d *draws, s *Schema) Data {
	out := make(Data, len(s.Tables))
	for t, tab := range s.Tables {
		n := 3 + d.n(6)
		seen := map[string]bool{}
		for i := range n {
			row := make([]Value, len(slots))
			for c := range slots {
				row[c] = Value{Null: true, Kind: slots[c].kind}
			}
			for _, c := range tab.Cols {
				if slots[c].null && d.n(4) == 3 {
					continue
				}
				row[c] = genValue(d, slots[c].kind)
				if slots[c].kind == Time && !tab.ISO {
					row[c].Form = d.n(4)
				}
			}
			row[slotTenant].I = int64(d.n(5) / 2) // 0, 1, and now and then 2
			row[slotNote].S, row[slotSecret].S = canary(t, i), secret(t, i)
			key := ""
			for tries := 0; ; tries++ {
				key = ""
				for _, k := range tab.Keys {
					key += fmt.Sprint(row[k].I, row[k].S, "|")
				}
				if !seen[key] {
					break
				}
				if k := tab.Keys[len(tab.Keys)-1]; slots[k].kind == Int {
					row[k].I = int64(tries)
				} else {
					row[k].S = strings.Repeat("b", tries/4) + texts[tries%4]
				}
			}
			seen[key] = true
			out[t] = append(out[t], row)
		}
	}
	return out
}

const isoTime = "2006-01-02T15:04:05.000Z"

// stored is a value as it is written to SQLite.
func (v Value) stored() any {
	if v.Null {
		return nil
	}
	switch v.Kind {
	case Int:
		return v.I
	case Float:
		return v.F
	case Bool:
		return v.B
	case Bytes:
		b, _ := base64.StdEncoding.DecodeString(v.S)
		return append([]byte{}, b...)
	case Tags, Nums:
		list := []any{}
		for _, x := range v.L {
			list = append(list, x.stored())
		}
		b, _ := json.Marshal(list)
		return string(b)
	case Time:
	default:
		return v.S
	}
	t := time.UnixMilli(v.I).UTC()
	if y := t.Year(); y == 1 || y == 9999 { // in another zone it would be in year 0
		return t.Format(isoTime)
	}
	switch v.Form {
	case 1:
		return t.Format("2006-01-02 15:04:05.000")
	case 2:
		return t.In(time.FixedZone("", 2*3600)).Format("2006-01-02T15:04:05.000-07:00")
	case 3:
		if v.I%86400000 == 0 {
			return t.Format("2006-01-02")
		}
	}
	return t.Format(isoTime)
}

// literal is a value in a statement of PostgreSQL, as a text of no type yet.
func (v Value) literal() string {
	if v.Null {
		return "NULL"
	}
	s := v.S
	switch v.Kind {
	case Int:
		s = strconv.FormatInt(v.I, 10)
	case Float:
		s = strconv.FormatFloat(v.F, 'g', -1, 64)
	case Bool:
		s = strconv.FormatBool(v.B)
	case Time:
		finer := time.Duration(v.Form) * 300 * time.Microsecond // what must not count
		s = time.UnixMilli(v.I).UTC().Add(finer).Format("2006-01-02T15:04:05.000000Z")
	case Bytes:
		b, _ := base64.StdEncoding.DecodeString(v.S)
		s = fmt.Sprintf(`\x%x`, b)
	case Tags, Nums:
		var items []string
		for _, x := range v.L {
			switch {
			case x.Null:
				items = append(items, "NULL")
			case v.Kind == Nums:
				items = append(items, strconv.FormatInt(x.I, 10))
			default:
				items = append(items, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(x.S)+`"`)
			}
		}
		s = "{" + strings.Join(items, ",") + "}"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// fill creates the tables and writes the rows.
func fill(ctx context.Context, db *sql.DB, s *Schema, data Data) error {
	if _, err := db.ExecContext(ctx, s.DDL(false)); err != nil {
		return err
	}
	for t, tab := range s.Tables {
		for _, row := range data[t] {
			var args []any
			for _, c := range tab.Cols {
				args = append(args, row[c].stored())
			}
			q := "INSERT INTO " + quoteName(tableNames[tab.Name]) + " VALUES (?" + strings.Repeat(",?", len(args)-1) + ")"
			if _, err := db.ExecContext(ctx, q, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// script is the same for PostgreSQL: statements in one text.
func (data Data) script(s *Schema) string {
	var b strings.Builder
	b.WriteString(s.DDL(true))
	for t, tab := range s.Tables {
		fmt.Fprintf(&b, "INSERT INTO %s VALUES ", quoteName(tableNames[tab.Name]))
		for i, row := range data[t] {
			for j, c := range tab.Cols {
				v := row[c]
				if tab.ISO || tab.Decl == 2 {
					v.Form = 0
				}
				b.WriteString(map[bool]string{true: "(", false: ", "}[j == 0] + v.literal())
			}
			b.WriteString(map[bool]string{true: ");\n", false: "), "}[i == len(data[t])-1])
		}
	}
	return b.String()
}

// String prints the rows for a report.
func (data Data) print(s *Schema) string {
	var b strings.Builder
	for t, tab := range s.Tables {
		fmt.Fprintf(&b, "%s (", tableNames[tab.Name])
		for i, c := range tab.Cols {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(slots[c].db)
		}
		b.WriteString(")\n")
		for _, row := range data[t] {
			for _, c := range tab.Cols {
				fmt.Fprintf(&b, "\t%v", row[c].stored())
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
