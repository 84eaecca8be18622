package schema

import "strings"

// Column is a column of a table or a view.
type Column struct {
	Name    string
	Type    string // in the engine's form: "character varying(40)", "shop.mood", "shop.mood[]", "INTEGER"; "" on SQLite if none was declared. Types of extensions have no schema: "citext"
	Kind    Kind
	Elem    Kind  // the kind of the elements of a list
	Enum    *Name // the enum that is the type of the column or of its elements; nil: none
	Domain  *Name // the domain that is the type; nil: none. Type, Kind and Enum then describe the domain's values
	NotNull bool  // by NOT NULL on the column or its domain, or by a key. A column of SQLite's PRIMARY KEY may be NULL unless it has NOT NULL or is the rowid, or the table is STRICT or WITHOUT ROWID

	Default   string // an expression; "" for none
	Generated Generated
	GenExpr   string // the expression of a generated column
	Identity  Identity

	Collation string // if it is not the default; "NOCASE" on SQLite
	Loose     bool   // the collation treats different texts as equal: NOCASE, RTRIM, a collation that a program registered, a nondeterministic one. The types citext and char(n) compare loosely without Loose

	Unreadable bool // PostgreSQL: the role may not read the column, so each query that names it fails

	Comment string

	// Untyped is, for a column without a type, the Misfits that it would have with each kind: a grant gives such a column a kind.
	Untyped map[Kind]int

	Misfits int // SQLite, after LookAtCells: the number of cells that are no value of Kind. For times, days and truth values see Cells

	Finer int // PostgreSQL, after LookAtTimes: the number of times finer than a millisecond; -1: the table can't be read

	Cells *Cells // SQLite, after LookAtCells; else nil
}

// Kind is the type of a column's values in programs: the scalar types of package exo. The zero Kind is no type.
type Kind string

const (
	Unknown  Kind = ""
	Bool     Kind = "bool"
	Int      Kind = "int" // up to 64 bits
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
	Virtual      Generated = "VIRTUAL" // computed when it is read
)

// Identity says whether the engine numbers rows by the column.
type Identity string

const (
	NotIdentity Identity = ""
	ByDefault   Identity = "BY DEFAULT" // if no value is given. Also a default of nextval(…), as of serial, and SQLite's rowid; Default is empty then
	Always      Identity = "ALWAYS"
)

// setDefault stores a default, or turns it into an identity.
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
