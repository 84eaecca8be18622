package schema

import "strings"

// postgresKinds are the types of PostgreSQL that hold what a program can have.
// Others (money, time, inet, tsvector, ranges, ...) are Unknown.
var postgresKinds = map[string]Kind{
	"boolean": Bool, "smallint": Int, "integer": Int, "bigint": Int, "real": Float, "double precision": Float, "numeric": Decimal,
	"text": Text, "character varying": Text, "character": Text, "bpchar": Text, "name": Text, "citext": Text,
	"timestamp with time zone": Time, "timestamp without time zone": Time, "date": Date, "interval": Interval,
	"uuid": UUID, "bytea": Bytes, "json": JSON, "jsonb": JSON,
}

// postgresKind is the kind of a type as format_type writes it.
func postgresKind(typ string) (kind, elem Kind) {
	if of, ok := strings.CutSuffix(typ, "[]"); ok {
		e, _ := postgresKind(strings.TrimSuffix(of, "[]"))
		return List, e
	}
	// numeric(10,2), timestamp(3) with time zone, interval day to second(3)
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

// sqliteWords are first words of declared types, which say more than SQLite's
// own rules do: these look for INT, CHAR and the like anywhere in the type.
var sqliteWords = map[string]Kind{
	"BOOL": Bool, "BOOLEAN": Bool, "DATE": Date, "DATETIME": Time, "TIMESTAMP": Time, "TIMESTAMPTZ": Time, "TIME": Unknown, "TIMETZ": Unknown,
	"DECIMAL": Decimal, "NUMERIC": Decimal, "DEC": Decimal, "NUMBER": Decimal, "MONEY": Decimal, "INTERVAL": Interval, "UUID": UUID, "GUID": UUID,
	"JSON": JSON, "JSONB": JSON, "BYTEA": Bytes, "VARBINARY": Bytes, "BINARY": Bytes,
	"POINT": Unknown, "STRING": Text, // by SQLite's rules an integer and a number
}

// sqliteKind is what a declared type means to whoever wrote it. SQLite itself
// stores any value in any column but those of STRICT tables.
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

// Affinity is what a column of SQLite makes of the values that are stored in it or
// compared with it, by SQLite's own rules: "INTEGER", "TEXT", "BLOB" (nothing), "REAL"
// or "NUMERIC". All but TEXT and BLOB make numbers of texts: in a column of the type
// STRING, UUID or DATE the texts 1000, 1e3 and 1000.0 are equal. In a STRICT table ANY is left alone.
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

// sqliteLoose reports whether a collation takes different texts for equal. Nothing is known of
// those that a program registered.
func sqliteLoose(collation string) bool { return collation != "" && asciiUpper(collation) != "BINARY" }
