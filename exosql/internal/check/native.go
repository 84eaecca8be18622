package check

// This file finds columns of PostgreSQL that are text for programs but have another type in the database, and the operations of that type.

import (
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// ordered are PostgreSQL types that are text for programs, have an order, and give equal values equal texts. (Equal values of numrange may have different texts.)
var ordered = map[string]struct {
	extreme bool // extreme: PostgreSQL has min and max for the type
	sample  string
}{
	"inet": {true, "10.0.0.1"}, "cidr": {false, "10.0.0.0/8"}, "macaddr": {false, "08:00:2b:01:02:03"}, "macaddr8": {false, "08:00:2b:01:02:03:04:05"}, "money": {true, "1"},
	"bit": {false, "0"}, "bit varying": {false, "0"}, "oid": {true, "1"}, "pg_lsn": {true, "0/0"}, "tid": {true, "(0,0)"}, `"char"`: {false, "a"},
	"time without time zone": {true, "00:00"}, "time with time zone": {true, "00:00Z"},
	"int4range": {false, "empty"}, "int8range": {false, "empty"}, "daterange": {false, "empty"}, "tsrange": {false, "empty"}, "tstzrange": {false, "empty"},
	"int4multirange": {false, "{}"}, "int8multirange": {false, "{}"}, "datemultirange": {false, "{}"}, "tsmultirange": {false, "{}"}, "tstzmultirange": {false, "{}"},
}

// native returns the database's type of a list, or of a column that is declared text and has another type. For other columns it returns the zero Native.
func native(live *schema.Database, col *decl.Column, x *schema.Column) decl.Native {
	switch {
	case col.Kind == value.TypeList:
		return decl.Native{Type: x.Type, Address: strings.HasPrefix(x.Type, "inet[")}
	case col.Kind != value.TypeText || x.Kind != schema.Unknown && x.Enum == nil:
		return decl.Native{}
	case x.Enum != nil && x.Domain != nil: // operators of enums don't accept a domain over an enum
		return decl.Native{Type: x.Domain.Name}
	case x.Enum != nil:
		n := decl.Native{Type: x.Enum.Name, Ordered: true, Extreme: true}
		if values := live.Values(x); len(values) > 0 {
			n.Sample = values[0]
		}
		return n
	}
	plain := unbounded(x.Type)
	of, is := ordered[plain]
	if x.Domain != nil && strings.HasSuffix(plain, "range") { // operators of ranges don't accept a domain over a range
		is = false
	}
	n := decl.Native{Type: x.Type, Ordered: is, Address: plain == "inet"}
	if is {
		n.Extreme, n.Sample = of.extreme, of.sample
	}
	return n
}

// plainArrays are the element types of arrays that the engine recognizes in the server's answers.
var plainArrays = map[string]bool{
	"boolean": true, "smallint": true, "integer": true, "bigint": true, "real": true, "double precision": true, "numeric": true,
	"text": true, "character varying": true, "character": true, "bpchar": true, "name": true, "uuid": true, "bytea": true, "json": true, "jsonb": true,
	"timestamp with time zone": true, "timestamp without time zone": true, "date": true, "interval": true,
}

func plainArray(x *schema.Column) bool {
	of := unbounded(strings.TrimRight(x.Type, "[]"))
	return x.Enum == nil && (plainArrays[of] || strings.HasPrefix(of, "interval "))
}

// unbounded returns a type without its length or precision, which may be in the middle, as in time(3) without time zone.
func unbounded(typ string) string {
	before, rest, _ := strings.Cut(typ, "(")
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}
