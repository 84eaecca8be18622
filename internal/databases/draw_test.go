package databases

// Databases that are drawn: engine × type × default, collation, nullability, generated or not × key or none × number of tables.

import (
	"fmt"
	"math/rand/v2"
	"strings"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// drawnType is a type of an engine, with values as tools write them.
type drawnType struct {
	name     string
	values   []string // literals of SQL
	defaults []string // expressions
	odd      []string // values of SQLite that the type does not hold, or in a form that few tools write
}

var sqliteTypes = []drawnType{
	{"INTEGER", []string{"0", "1", "-7", "9007199254740993", "-9223372036854775808"}, []string{"0", "(unixepoch())"}, []string{"'x'", "1.5", "''"}},
	{"BIGINT", []string{"5", "9223372036854775807"}, []string{"1"}, nil},
	{"tinyint(1)", []string{"0", "1"}, []string{"'0'"}, nil},
	{"BOOLEAN", []string{"0", "1", "TRUE"}, []string{"FALSE"}, []string{"'t'", "2"}},
	{"REAL", []string{"0.1", "-1e300", "2", "1e-7"}, []string{"0.0"}, []string{"'x'"}},
	{"DOUBLE PRECISION", []string{"0.30000000000000004", "5"}, nil, nil},
	{"DECIMAL(10,2)", []string{"12.50", "0.1", "-3", "1000000"}, []string{"0"}, []string{"''", "'1,5'"}},
	{"NUMERIC", []string{"7", "0.07"}, nil, nil},
	{"TEXT", []string{"'a'", "'B'", "'ä'", "''", "'it''s 100%'", "'two words'"}, []string{"''", "'new'", "(lower(hex(randomblob(4))))"}, []string{"x'00ff'"}},
	{"VARCHAR(40)", []string{"'x y'", "'Zebra'", "'zebra'"}, []string{"'none'"}, nil},
	{"CHAR(3)", []string{"'EUR'", "'usd'"}, nil, nil},
	{"DATETIME", []string{"'2024-01-02 03:04:05'", "'2024-01-02 03:04:05.123'", "'2024-01-02T03:04:05Z'", "'2023-12-31 23:59:59.5'", "'2024-03-31 04:00:00+02:00'"}, []string{"CURRENT_TIMESTAMP", "(datetime('now'))"}, []string{"1704164645123", "'2025-01-02 03:04:05.5 +0000 UTC'", "'x'"}},
	{"TIMESTAMP", []string{"'2024-02-29 00:00:00'", "'1969-07-20 20:17:40'"}, []string{"CURRENT_TIMESTAMP"}, []string{"0"}},
	{"DATE", []string{"'2024-02-29'", "'1999-12-31'"}, []string{"CURRENT_DATE"}, []string{"'2024-01-02 00:00:00'"}},
	{"UUID", []string{"'5b7a2f60-aaaa-4000-8000-000000000001'", "'5B7A2F60-AAAA-4000-8000-000000000002'"}, nil, []string{"'no'"}},
	{"JSON", []string{`'{"a":1}'`, "'[1,2]'", "'null'", "'5'"}, []string{"'{}'", "(json('[]'))"}, []string{"'{'"}},
	{"BLOB", []string{"x'00'", "x'ff'", "x''"}, nil, nil},
}

var postgresTypes = []drawnType{
	{"bigint", []string{"0", "-7", "9007199254740993", "-9223372036854775808"}, []string{"0"}, nil},
	{"smallint", []string{"1", "-1"}, nil, nil},
	{"boolean", []string{"true", "false"}, []string{"false"}, nil},
	{"double precision", []string{"0.1", "-1e300", "2", "'Infinity'"}, []string{"0"}, nil},
	{"real", []string{"0.5", "0.1"}, nil, nil},
	{"numeric(12,4)", []string{"12.5", "-0.0001"}, []string{"0"}, nil},
	{"numeric", []string{"123456789012345678901234567890.5", "0.1", "7"}, nil, nil},
	{"text", []string{"'a'", "'B'", "'ä'", "''", "'it''s 100%'", "'two words'"}, []string{"''", "'new'", "md5(random()::text)"}, nil},
	{"varchar(40)", []string{"'Zebra'", "'zebra'"}, nil, nil},
	{"char(3)", []string{"'EUR'", "'us'"}, nil, nil},
	{"timestamptz", []string{"'2024-01-02 03:04:05+00'", "'2024-03-31 04:00:00+02'", "'1969-07-20 20:17:40.5+00'"}, []string{"now()"}, []string{"'infinity'"}},
	{"timestamp(3)", []string{"'2024-02-29 00:00:00'", "'2024-01-02 03:04:05.123'"}, []string{"CURRENT_TIMESTAMP"}, nil},
	{"date", []string{"'2024-02-29'", "'1999-12-31'"}, []string{"CURRENT_DATE"}, []string{"'infinity'"}},
	{"interval", []string{"'1 day'", "'1 mon 2 days 03:04:05'"}, nil, nil},
	{"uuid", []string{"'5b7a2f60-aaaa-4000-8000-000000000001'", "'00000000-0000-0000-0000-000000000000'"}, []string{"gen_random_uuid()"}, nil},
	{"jsonb", []string{`'{"a":1}'`, "'[1,2]'", "'null'"}, []string{"'{}'"}, nil},
	{"bytea", []string{`'\x00'`, `'\xff'`, `'\x'`}, nil, nil},
	{"text[]", []string{"'{a,b}'", "'{}'"}, []string{"'{}'"}, nil},
	{"int[]", []string{"'{1,NULL}'", "'{3}'"}, nil, nil},
	{"mood", []string{"'sad'", "'ok'", "'happy'"}, []string{"'ok'"}, nil},
	{"inet", []string{"'10.0.0.1'"}, nil, nil},
	{"time", []string{"'08:00'"}, nil, nil},
}

// drawScript draws the script of a database.
func drawScript(r *rand.Rand, e tu.Engine) string {
	types := postgresTypes
	var b strings.Builder
	if e == tu.SQLite {
		types = sqliteTypes
	} else {
		b.WriteString("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');\n")
	}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	one := func(n int) bool { return r.IntN(n) == 0 }
	keys := map[int]string{} // the name of the key of the tables that have one column as theirs, a number
	for t := range 1 + r.IntN(4) {
		var columns, names, rules []string
		var values []func(row int) string
		add := func(name, definition string, value func(row int) string) {
			columns, names, values = append(columns, name+" "+definition), append(names, name), append(values, value)
		}
		number := func(row int) string { return fmt.Sprint(row + 1) }
		switch r.IntN(7) {
		case 0: // none
		case 1:
			add("code", e.Pick("TEXT PRIMARY KEY", "text PRIMARY KEY"), func(row int) string { return fmt.Sprintf("'k%d'", row) })
		case 2:
			add("a", e.Pick("INTEGER NOT NULL", "int NOT NULL"), number)
			add("b", e.Pick("TEXT NOT NULL", "text NOT NULL"), func(row int) string { return fmt.Sprintf("'k%d'", row%2) })
			rules = append(rules, "PRIMARY KEY (a, b)")
		case 3:
			add("ref", e.Pick("INTEGER NOT NULL UNIQUE", "int NOT NULL UNIQUE"), number)
		case 4:
			add("id", e.Pick("INTEGER PRIMARY KEY", "int PRIMARY KEY"), number)
			keys[t] = "id"
		default:
			add("id", e.Pick("INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL", "bigint GENERATED BY DEFAULT AS IDENTITY (START 1000) PRIMARY KEY"), number)
			keys[t] = "id"
		}
		for c := range 2 + r.IntN(4) {
			typ := types[r.IntN(len(types))]
			definition, null := typ.name, one(2)
			if !null {
				definition += " NOT NULL"
			}
			if len(typ.defaults) > 0 && one(2) {
				definition += " DEFAULT " + pick(typ.defaults)
			}
			if text := strings.HasPrefix(typ.values[0], "'") && (strings.Contains(strings.ToLower(typ.name), "text") || strings.Contains(strings.ToLower(typ.name), "char")) && !strings.Contains(typ.name, "["); text && one(4) {
				definition += e.Pick(" COLLATE "+pick([]string{"NOCASE", "RTRIM", "BINARY"}), ` COLLATE "C"`)
			}
			odd := len(typ.odd) > 0 && one(5)
			add(fmt.Sprintf("c%d_%s", c, strings.Trim(strings.ToLower(strings.NewReplacer("(", "_", ")", "", " ", "_", ",", "_", "[]", "s").Replace(typ.name)), "_")), definition, func(int) string {
				switch {
				case null && one(3):
					return "NULL"
				case odd && one(2):
					return pick(typ.odd)
				}
				return pick(typ.values)
			})
		}
		for to := range t + 1 {
			key := keys[to]
			if key == "" {
				continue
			}
			if (to != t || one(2)) && one(2) {
				null := one(2)
				add(fmt.Sprintf("t%d_%s", to, key), e.Pick("INTEGER", "bigint")+map[bool]string{true: "", false: " NOT NULL"}[null]+fmt.Sprintf(" REFERENCES t%d (%s)", to, key)+pick([]string{"", " ON DELETE CASCADE", " ON DELETE RESTRICT", " ON UPDATE CASCADE"}), func(int) string {
					if null && one(3) {
						return "NULL"
					}
					return "1"
				})
			}
		}
		if strings.Contains("id code a ref", names[0]) && one(4) {
			columns = append(columns, fmt.Sprintf("made %s GENERATED ALWAYS AS (coalesce(CAST(%s AS %s), '') || '!') %s", e.Pick("TEXT", "text"), names[0], e.Pick("TEXT", "text"), e.Pick(pick([]string{"STORED", "VIRTUAL"}), "STORED")))
		}
		fmt.Fprintf(&b, "CREATE TABLE t%d (%s);\n", t, strings.Join(append(columns, rules...), ", "))
		for row := range 1 + r.IntN(5) {
			var list []string
			for _, v := range values {
				list = append(list, v(row))
			}
			fmt.Fprintf(&b, "INSERT INTO t%d (%s) VALUES (%s);\n", t, strings.Join(names, ", "), strings.Join(list, ", "))
		}
		if one(4) {
			fmt.Fprintf(&b, "CREATE VIEW v%d AS SELECT * FROM t%d;\n", t, t)
		}
	}
	return b.String()
}
