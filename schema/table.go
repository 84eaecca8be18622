package schema

// Table is a table with all that acts on its rows.
type Table struct {
	Name
	Comment     string
	Columns     []Column
	PrimaryKey  *Key         // nil if there is none
	Uniques     []Key        // UNIQUE constraints; unique indexes are among Indexes
	Exclusions  []Exclusion  // PostgreSQL
	Indexes     []Index      // indexes of CREATE INDEX; those of keys are not listed
	ForeignKeys []ForeignKey // from this table
	Checks      []Check
	Triggers    []Trigger
	Rules       []Rule // PostgreSQL: rewrite rules, but for those of views
	Policies    []Policy

	RowSecurity      bool // row-level security is enabled
	ForceRowSecurity bool // and binds the owner too
	Owned            bool // PostgreSQL, live: the role that read it owns it, alone or through a role it is in

	Writable      []string // PostgreSQL, live: of "INSERT", "UPDATE", "DELETE", "TRUNCATE", what the role may do to it, or to some of its columns
	PartPolicies  []Name   // PostgreSQL, live: partitions, and tables that inherit, at any depth, with row-level security of their own. It does not bind queries of this table
	WholePolicies []Name   // PostgreSQL, live: tables that this one is a partition of or inherits from, at any depth, with row-level security. It does not bind queries of this table

	PartitionBy string // the partition key: the table holds no rows of its own
	PartitionOf *Name  // the table whose partition this is; of keys, indexes, foreign keys, checks and triggers only its own are listed, not those that it has of that table
	Inherits    []Name // PostgreSQL, INHERITS: queries of these show its rows too
	Inherited   bool   // PostgreSQL, live: others, of any schema, inherit from it by INHERITS; its keys say nothing of their rows

	OnConflict   []string // SQLite: what rules of the table do in place of refusing a statement whole: REPLACE, IGNORE, FAIL
	Strict       bool     // SQLite: values have the declared types
	WithoutRowID bool     // SQLite
	RowID        bool     // SQLite, live: each row has a number besides its columns, the hidden column rowid. VACUUM may number them anew
	Virtual      bool     // SQLite: a module decides what the rows are, and a definition does not say what the columns are

	Extension   string // PostgreSQL, live: the extension that the table is part of
	Foreign     bool   // PostgreSQL: its rows are elsewhere, and it has no index here
	Handlerless string // PostgreSQL, live: the wrapper of a foreign table, if it has no handler: each query fails
}

// Key is a primary or unique key. SQLite's keys have no name.
type Key struct {
	Name          string
	Columns       []string // in the key's order
	NullsDistinct bool     // a unique key does not compare rows with NULL: always, except with NULLS NOT DISTINCT
	Deferrable    bool
	Include       []string // PostgreSQL: columns that its index carries along

	// Parts are those of the index behind it, where one has a collation that is not its column's,
	// or another direction; else nil. SQLite's constraints may say both.
	Parts []Part
}

// Index is an index that was made as such.
type Index struct {
	Name       string
	Parts      []Part
	Include    []string // columns that are carried along
	Unique     bool
	Method     string // PostgreSQL: "btree", "gin", ...; "" on SQLite
	Where      string // which rows a partial index has; "" for all
	NullsAlike bool   // a unique index with NULLS NOT DISTINCT
	Invalid    bool   // PostgreSQL, live: it was not built to the end, so nothing uses it
}

// Exclusion is a constraint that no two rows may be alike by all of its operators: EXCLUDE USING gist (room WITH =, during WITH &&).
type Exclusion struct {
	Name      string
	Parts     []Part   // columns and expressions alone
	Operators []string // one for each part
	Where     string   // the rows that it is about; "" for all
}

// Part is one column or one expression of an index.
type Part struct {
	Column     string // "" for an expression
	Expr       string
	Desc       bool
	NullsFirst bool   // PostgreSQL: NULLs come first, as they do with Desc if nothing is said. SQLite's are the smallest
	Collation  string // if it is not the column's
	OpClass    string // PostgreSQL, if it is not the default: "text_pattern_ops"
}

// ForeignKey says that a row refers to one of another table (or of the same). SQLite's have no name.
type ForeignKey struct {
	Name       string
	Columns    []string
	Table      Name
	References []string // columns of Table, as many as Columns
	OnDelete   Action
	OnUpdate   Action
	Deferrable bool
	NotValid   bool // PostgreSQL: rows may refer to no row: those that were there before it, or all while a trigger that enforces it is disabled
}

// Action is what happens to rows when the row they refer to is deleted or changed.
type Action string

const (
	NoAction   Action = "NO ACTION"
	Restrict   Action = "RESTRICT"
	Cascade    Action = "CASCADE"
	SetNull    Action = "SET NULL"
	SetDefault Action = "SET DEFAULT"
)

// Check is a condition on every row. On SQLite the name may be empty.
type Check struct {
	Name     string
	Expr     string
	NotValid bool // PostgreSQL, live: rows that were there before it may break it
}

// Trigger is code that runs when rows change. Those that PostgreSQL makes for
// constraints are not listed, nor those that it makes for a part of a table, unless one is enabled and the one that it was made of is not.
type Trigger struct {
	Name     string
	Timing   string   // "BEFORE", "AFTER", "INSTEAD OF"
	Events   []string // of "INSERT", "UPDATE", "DELETE", "TRUNCATE", in this order
	Columns  []string // UPDATE OF: it runs for an update of one of these; nil: of any column
	Function string   // PostgreSQL: the name of what it calls, without its schema
	Disabled bool
}

// Rule is a rewrite rule of PostgreSQL.
type Rule struct {
	Name  string
	Event string // "INSERT", "UPDATE", "DELETE": the statements that it rewrites
}

// Policy is a row-level security policy. It has no effect unless RowSecurity is set.
type Policy struct {
	Name        string
	Restrictive bool
	Command     string   // "ALL", "SELECT", "INSERT", "UPDATE", "DELETE"
	Roles       []string // sorted; "public" is everybody
	Using       string
	Check       string
	Unset       []Setting // PostgreSQL, live: each query fails by them
}

// Setting is one that a policy or a view reads by current_setting('x'), which fails where the connection does not have it.
type Setting struct {
	Name     string
	Function string // the function that reads it; "": the definition itself reads it
}
