package check

// Which columns of PostgreSQL are texts to programs and have another type in the database, and what the database can do with that.

import (
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// ordered are PostgreSQL's own types without a kind that have an order, and no two equal values whose texts differ, as numrange has.
// Those that are true have min and max.
var ordered = map[string]bool{
	"inet": true, "cidr": false, "macaddr": false, "macaddr8": false, "money": true, "bit": false, "bit varying": false, "oid": true, "pg_lsn": true, "tid": true,
	"time without time zone": true, "time with time zone": true, `"char"`: false,
	"int4range": false, "int8range": false, "daterange": false, "tsrange": false, "tstzrange": false,
	"int4multirange": false, "int8multirange": false, "datemultirange": false, "tsmultirange": false, "tstzmultirange": false,
}

// native is the type of a column that is declared a text and is none.
func native(col *decl.Column, x *schema.Column) decl.Native {
	switch {
	case col.Kind == exo.TypeList:
		return decl.Native{Type: x.Type, Address: strings.HasPrefix(x.Type, "inet[")}
	case col.Kind != exo.TypeText || x.Kind != schema.Unknown && x.Enum == nil:
		return decl.Native{}
	case x.Enum != nil && x.Domain != nil: // no operator of enums takes a domain
		return decl.Native{Type: x.Domain.Name}
	case x.Enum != nil:
		return decl.Native{Type: x.Enum.Name, Ordered: true, Extreme: true}
	}
	plain := unbounded(x.Type)
	extreme, is := ordered[plain]
	if x.Domain != nil && strings.HasSuffix(plain, "range") { // nor one of ranges
		is = false
	}
	return decl.Native{Type: x.Type, Ordered: is, Extreme: is && extreme, Address: plain == "inet"}
}

// plainArrays are the types of elements whose arrays an answer of the server names.
var plainArrays = map[string]bool{
	"boolean": true, "smallint": true, "integer": true, "bigint": true, "real": true, "double precision": true, "numeric": true,
	"text": true, "character varying": true, "character": true, "bpchar": true, "name": true, "uuid": true, "bytea": true, "json": true, "jsonb": true,
	"timestamp with time zone": true, "timestamp without time zone": true, "date": true, "interval": true,
}

func plainArray(x *schema.Column) bool {
	of := unbounded(strings.TrimRight(x.Type, "[]"))
	return x.Enum == nil && (plainArrays[of] || strings.HasPrefix(of, "interval "))
}

// unbounded is a type without its length or precision, wherever that stands: time(3) without time zone.
func unbounded(typ string) string {
	before, rest, _ := strings.Cut(typ, "(")
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}
