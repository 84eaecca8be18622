package schema

import "strings"

// Column is a column of a table, a view or nothing else.
type Column struct {
	Name    string
	Type    string // as the engine writes it: "character varying(40)", "shop.mood", "shop.mood[]", "INTEGER"; "" on SQLite if none was declared. Types of extensions have no schema: "citext"
	Kind    Kind
	Elem    Kind  // the kind of the elements of a list
	Enum    *Name // the type, or that of the elements, is this enum
	Domain  *Name // the type is this domain; Type and Kind are of its values, Enum too
	NotNull bool  // by NOT NULL, a domain that is, or a key that makes it so. A column of SQLite's PRIMARY KEY may be NULL unless it says NOT NULL, is the rowid, or the table is STRICT or WITHOUT ROWID

	Default   string // an expression; "" for none
	Generated Generated
	GenExpr   string // the expression of a generated column
	Identity  Identity

	Collation string // if it is not the default; "NOCASE" on SQLite
	Loose     bool   // the collation takes different texts for equal: NOCASE, RTRIM, one that a program registered, a nondeterministic one. The types citext and char(n) compare loosely without it

	Unreadable bool // PostgreSQL, live: the role may not read it, so each query that names it fails

	Comment string

	// Untyped are such counts of a column without a type, which a grant gives one, by the kind.
	Untyped map[Kind]int

	Misfits int // SQLite, after LookAtCells: how many cells are no value of Kind. For times, days and truth values see Cells

	Finer int // PostgreSQL, after LookAtTimes: how many times are finer than a millisecond; -1: the table can't be read

	Cells *Cells // SQLite, after LookAtCells; else nil
}

// Kind is what values of a column are, in the words of a program: the scalar types
// of package exo. The zero Kind is a type that is none of them.
type Kind string

const (
	Unknown  Kind = ""
	Bool     Kind = "bool"
	Int      Kind = "int" // to 64 bits
	Float    Kind = "float"
	Text     Kind = "text"
	Time     Kind = "time"
	Decimal  Kind = "decimal"
	Date     Kind = "date"
	Interval Kind = "interval"
	UUID     Kind = "uuid"
	Bytes    Kind = "bytes"
	JSON     Kind = "json"
	List     Kind = "list" // an array; see Elem
)

// Generated says whether a column is computed from others, and when.
type Generated string

const (
	NotGenerated Generated = ""
	Stored       Generated = "STORED"
	Virtual      Generated = "VIRTUAL" // when it is read
)

// Identity says whether the engine numbers rows by the column.
type Identity string

const (
	NotIdentity Identity = ""
	ByDefault   Identity = "BY DEFAULT" // unless a value is given: also a default of nextval(…), as serial has, and the rowid of SQLite. Default is empty then
	Always      Identity = "ALWAYS"
)

// setDefault keeps a default, as an identity where it is one.
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
