// Package sqlname writes the names of tables and columns into SQL. No other package quotes names.
package sqlname

import (
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Quote writes a name as a delimited identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Plain writes a name for a statement that a person reads and may run. It adds quotes only if SQLite or PostgreSQL would otherwise read
// another name or a keyword.
func Plain(name string) string {
	if name == "" || reserved[name] {
		return Quote(name)
	}
	for i, r := range name {
		if !('a' <= r && r <= 'z' || r == '_' || i > 0 && '0' <= r && r <= '9') {
			return Quote(name)
		}
	}
	return name
}

// List writes names in the form of Plain, with commas.
func List(names []string) string { return strings.Join(scalar.Each(names, Plain), ", ") }

// Path writes a name after its schema, or alone if the schema is empty.
func Path(schema, name string) string {
	if schema == "" {
		return Plain(name)
	}
	return Plain(schema) + "." + Plain(name)
}

// reserved are the words that PostgreSQL reserves or refuses as names of columns or functions, and all keywords of SQLite.
var reserved = scalar.Words(`abort action add after all alter always analyse analyze and any array as asc asymmetric attach authorization autoincrement
	before begin between bigint binary bit boolean both by
	cascade case cast char character check coalesce collate collation column commit concurrently conflict constraint create cross current current_catalog current_date
	current_role current_schema current_time current_timestamp current_user
	database dec decimal default deferrable deferred delete desc detach distinct do drop
	each else end escape except exclude exclusive exists explain extract
	fail false fetch filter first float following for foreign freeze from full
	generated glob grant greatest group grouping groups having
	if ignore ilike immediate in index indexed initially inner inout insert instead int integer intersect interval into is isnull
	join json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value key
	last lateral leading least left like limit localtime localtimestamp
	match materialized merge_action national natural nchar no none normalize not nothing notnull null nullif nulls numeric
	of offset on only or order others out outer over overlaps overlay
	partition placing plan position pragma preceding precision primary query
	raise range real recursive references regexp reindex release rename replace restrict returning right rollback row rows
	savepoint select session_user set setof similar smallint some substring symmetric system_user
	table tablesample temp temporary then ties time timestamp to trailing transaction treat trigger trim true
	unbounded union unique update user using vacuum values varchar variadic verbose view virtual
	when where window with without
	xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)
