package schema

import "strings"

// postgresKinds are PostgreSQL's types that programs can have. Others (money, time, inet, tsvector, ranges and so on) are Unknown.
var postgresKinds = map[string]Kind{
	"boolean": Bool, "smallint": Int, "integer": Int, "bigint": Int, "real": Float, "double precision": Float, "numeric": Decimal,
	"text": Text, "character varying": Text, "character": Text, "bpchar": Text, "name": Text, "citext": Text,
	"timestamp with time zone": Time, "timestamp without time zone": Time, "date": Date, "interval": Interval,
	"uuid": UUID, "bytea": Bytes, "json": JSON, "jsonb": JSON,
}

// postgresKind returns the kind of a type that format_type has written.
func postgresKind(typ string) (kind, elem Kind) {
	if of, ok := strings.CutSuffix(typ, "[]"); ok {
		e, _ := postgresKind(strings.TrimSuffix(of, "[]"))
		return List, e
	}
	// The parenthesis is no part of the type's name, as in numeric(10,2), timestamp(3) with time zone and interval day to second(3).
	if i := strings.IndexByte(typ, '('); i >= 0 {
		j := strings.IndexByte(typ[i:], ')')
		if j < 0 {
			return Unknown, ""
		}
		typ = typ[:i] + typ[i+j+1:]
	}
	if typ == "interval" || strings.HasPrefix(typ, "interval ") {
		return Interval, ""
	}
	return postgresKinds[typ], ""
}

// sqliteWords has kinds by the first word of a declared type. It is more precise than SQLite's own rules, which look for INT, CHAR and the like
// anywhere in a type.
var sqliteWords = map[string]Kind{
	"BOOL": Bool, "BOOLEAN": Bool, "DATE": Date, "DATETIME": Time, "TIMESTAMP": Time, "TIMESTAMPTZ": Time, "TIME": Unknown, "TIMETZ": Unknown,
	"DECIMAL": Decimal, "NUMERIC": Decimal, "DEC": Decimal, "NUMBER": Decimal, "MONEY": Decimal, "INTERVAL": Interval, "UUID": UUID, "GUID": UUID,
	"JSON": JSON, "JSONB": JSON, "BYTEA": Bytes, "VARBINARY": Bytes, "BINARY": Bytes,
	"POINT": Unknown, "STRING": Text, // SQLite's rules would make POINT an integer and STRING a number
}

// sqliteKind returns the kind that the author of a declared type meant. SQLite itself stores any value in any column, except in STRICT tables.
func sqliteKind(typ string) Kind {
	up := asciiUpper(typ)
	word := up
	if i := strings.IndexAny(up, " ("); i >= 0 {
		word = up[:i]
	}
	if k, ok := sqliteWords[word]; ok {
		return k
	}
	for _, rule := range []struct {
		has  string
		kind Kind
	}{{"INT", Int}, {"CHAR", Text}, {"CLOB", Text}, {"TEXT", Text}, {"BLOB", Bytes}, {"REAL", Float}, {"FLOA", Float}, {"DOUB", Float}} {
		if strings.Contains(up, rule.has) {
			return rule.kind
		}
	}
	return Unknown
}

// Affinity returns how SQLite converts values that are stored in a column or compared with it: "INTEGER", "TEXT", "BLOB" (not at all), "REAL" or
// "NUMERIC". All but TEXT and BLOB turn texts into numbers: in a column of type STRING, UUID or DATE the texts 1000, 1e3 and 1000.0 are equal. ANY
// in a STRICT table converts nothing.
func (t *Table) Affinity(c *Column) string {
	if up := asciiUpper(c.Type); t != nil && t.Strict && up == "ANY" {
		return "BLOB"
	}
	return sqliteAffinity(c.Type)
}

func sqliteAffinity(typ string) string {
	up := asciiUpper(typ)
	if up == "" {
		return "BLOB"
	}
	for _, rule := range [][2]string{{"INT", "INTEGER"}, {"CHAR", "TEXT"}, {"CLOB", "TEXT"}, {"TEXT", "TEXT"}, {"BLOB", "BLOB"}, {"REAL", "REAL"}, {"FLOA", "REAL"}, {"DOUB", "REAL"}} {
		if strings.Contains(up, rule[0]) {
			return rule[1]
		}
	}
	return "NUMERIC"
}

// sqliteLoose reports whether a collation may treat different texts as equal. BINARY and the default never do. NOCASE and RTRIM do, and a collation
// of some program may.
func sqliteLoose(collation string) bool { return collation != "" && asciiUpper(collation) != "BINARY" }
