package proof

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// Value is a cell or a constant. Times are milliseconds since 1970.
type Value struct {
	Null bool    `json:",omitempty"`
	Kind Kind    `json:",omitempty"`
	I    int64   `json:",omitempty"`
	F    float64 `json:",omitempty"`
	S    string  `json:",omitempty"`
	B    bool    `json:",omitempty"`
	Form int     `json:",omitempty"` // of a time: how it is written to the database
}

// Data is the rows of each table: a value for each slot, by number.
type Data [][][]Value

var (
	bigInts = []int64{9007199254740993, -9007199254740993, 9007199254740992}
	texts   = []string{"a", "b", "B", "", "aa", "ä", "日本", "😀", "a%", "'; --", "\"q\"", "z\\"}
	floats  = []float64{0, 1, 2, 2.5, -1, 0.1, 1e10, 3}
	times   = []int64{1704067200000, 1704067200001, 1704153600000, 1704164645123, 946684800000, -86400000}
)

// genValue draws from a domain so small that values repeat and meet.
func genValue(d *draws, k Kind) Value {
	switch k {
	case Int:
		if d.oneIn(25) {
			return Value{Kind: Int, I: pick(d, bigInts)}
		}
		if d.n(3) > 0 {
			return Value{Kind: Int, I: int64(d.n(3))}
		}
		return Value{Kind: Int, I: int64(d.n(6))}
	case Text:
		if d.oneIn(4) {
			return Value{Kind: Text, S: pick(d, texts)}
		}
		return Value{Kind: Text, S: texts[d.n(3)]}
	case Float:
		return Value{Kind: Float, F: pick(d, floats)}
	case Bool:
		return Value{Kind: Bool, B: d.n(2) == 1}
	}
	return Value{Kind: Time, I: pick(d, times)}
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

// stored is a value as it is written to the database.
func (v Value) stored() any {
	if v.Null {
		return nil
	}
	switch v.Kind {
	case Int:
		return v.I
	case Text:
		return v.S
	case Float:
		return v.F
	case Bool:
		return v.B
	}
	t := time.UnixMilli(v.I).UTC()
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
	return t.Format("2006-01-02T15:04:05.000Z")
}

// fill creates the tables and writes the rows.
func fill(ctx context.Context, db *sql.DB, s *Schema, data Data) error {
	_, postgres := db.Driver().(*stdlib.Driver)
	if postgres { // the case before was filled into the same schema
		if _, err := db.ExecContext(ctx, `DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE; CREATE SCHEMA ' || current_schema(); END $$`); err != nil {
			return err
		}
	}
	if _, err := db.ExecContext(ctx, s.DDL(postgres)); err != nil {
		return err
	}
	for t, tab := range s.Tables {
		for _, row := range data[t] {
			var args []any
			for _, c := range tab.Cols {
				v := row[c].stored()
				if postgres && v != nil && slots[c].kind == Time {
					at := time.UnixMilli(row[c].I).UTC()
					if !tab.ISO && tab.Decl != 2 {
						at = at.Add(time.Duration(row[c].Form) * 300 * time.Microsecond) // what must not count
					}
					v = at
				}
				args = append(args, v)
			}
			values := "?" + strings.Repeat(",?", len(args)-1)
			if postgres {
				values = "$1"
				for i := range args[1:] {
					values += fmt.Sprintf(",$%d", i+2)
				}
			}
			q := "INSERT INTO " + quoteName(tableNames[tab.Name]) + " VALUES (" + values + ")"
			if _, err := db.ExecContext(ctx, q, args...); err != nil {
				return err
			}
		}
	}
	return nil
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
