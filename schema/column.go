package schema

import "strings"

// Column is a column of a table or a view.
type Column struct {
	Name    string
	Type    string // Type is in the engine's form, like "character varying(40)", "shop.mood", "shop.mood[]" or "INTEGER"; "" on SQLite if none was declared. Types of extensions have no schema, like "citext"
	Kind    Kind
	Elem    Kind  // Elem is the kind of a list's elements
	Enum    *Name // Enum is the enum that is the type of the column or of its elements, or nil
	Domain  *Name // Domain is the domain that is the column's type, or nil; Type, Kind and Enum then describe the domain's values
	NotNull bool  // NotNull is set by NOT NULL on the column or its domain, or by a key. A column of SQLite's PRIMARY KEY may be NULL unless it has NOT NULL or is the rowid, or the table is STRICT or WITHOUT ROWID

	Default   string // Default is an expression; "" for none
	Generated Generated
	GenExpr   string // GenExpr is the expression of a generated column
	Identity  Identity

	Collation string // Collation is set if it is not the default, like "NOCASE" on SQLite
	Loose     bool   // Loose: the collation treats different texts as equal, like NOCASE, RTRIM, a program's own or a nondeterministic one. The types citext and char(n) compare loosely without Loose

	Unreadable bool     // Unreadable: PostgreSQL's role may not read the column, so each query that names it fails
	Unwritable []string // Unwritable has the statements, "INSERT" or "UPDATE", that PostgreSQL's role may not run on the column, and "USAGE" if it may not use Sequence
	Sequence   string   // Sequence is the sequence of PostgreSQL from which the default takes numbers, with its schema and quotes as in SQL; "" if there is none. Identity columns have none

	Comment string

	// Untyped is set for a column without a type, which a grant gives a kind. It has, for each kind, what Misfits would then be.
	Untyped map[Kind]int

	Misfits int // Misfits is, on SQLite after LookAtCells, the number of cells that are no value of Kind. For times, days and truth values see Cells

	Finer int // Finer is, on PostgreSQL after LookAtTimes, the number of times finer than a millisecond; -1 if the table can't be read

	Cells *Cells // Cells is set on SQLite by LookAtCells
}

// Kind is the type of a column's values in programs, a scalar type of package exo. The zero Kind is no type.
type Kind string

const (
	Unknown  Kind = ""
	Bool     Kind = "bool"
	Int      Kind = "int" // a whole number of up to 64 bits
	Float    Kind = "float"
	Text     Kind = "text"
	Time     Kind = "time"
	Decimal  Kind = "decimal"
	Date     Kind = "date"
	Interval Kind = "interval"
	UUID     Kind = "uuid"
	Bytes    Kind = "bytes"
	JSON     Kind = "json"
	List     Kind = "list" // an array, with elements of the type Elem
)

// Generated is whether a column is calculated from others, and when.
type Generated string

const (
	NotGenerated Generated = ""
	Stored       Generated = "STORED"
	Virtual      Generated = "VIRTUAL" // calculated when it is read
)

// Identity is whether the engine numbers rows by the column.
type Identity string

const (
	NotIdentity Identity = ""
	ByDefault   Identity = "BY DEFAULT" // numbered if no value is given. This includes defaults of nextval(…), like serial, and SQLite's rowid; Default is empty then
	Always      Identity = "ALWAYS"
)

// setDefault stores a column's default, or turns it into an identity.
func (c *Column) setDefault(text string, engine Engine) {
	c.Default = text
	up := asciiUpper(text)
	switch {
	case up == "NULL" || strings.HasPrefix(up, "NULL::"):
		c.Default = ""
	case engine == Postgres && (strings.HasPrefix(up, "NEXTVAL(") || strings.HasPrefix(up, "PG_CATALOG.NEXTVAL(")):
		c.Default, c.Identity = "", ByDefault
	}
}
