package schema

// Table is a table with everything that acts on its rows.
type Table struct {
	Name
	Comment     string
	Columns     []Column
	PrimaryKey  *Key         // nil if there is none
	Uniques     []Key        // UNIQUE constraints; unique indexes are among Indexes
	Exclusions  []Exclusion  // PostgreSQL
	Indexes     []Index      // indexes made by CREATE INDEX, without those of keys
	ForeignKeys []ForeignKey // from this table
	Checks      []Check
	Triggers    []Trigger
	Rules       []Rule // PostgreSQL: rewrite rules, without those of views
	Policies    []Policy

	RowSecurity      bool // row-level security is enabled
	ForceRowSecurity bool // row-level security binds the owner, too
	Owned            bool // PostgreSQL: the role that read the catalogue owns the table, itself or through a role that it is in

	Writable      []string // PostgreSQL: those of "INSERT", "UPDATE", "DELETE" and "TRUNCATE" that the role may do to the table or some of its columns
	PartPolicies  []Name   // PostgreSQL: partitions and heirs, at any depth, with row-level security of their own, which does not bind queries of this table
	WholePolicies []Name   // PostgreSQL: the tables above it, by partition or inheritance, at any depth, with row-level security, which does not bind queries of this table

	PartitionBy string // the partition key; "" for a table that has rows of its own
	PartitionOf *Name  // the table of which this is a partition; nil: none. Keys, indexes, foreign keys, checks and triggers that come from that table are not listed
	Inherits    []Name // PostgreSQL, INHERITS: the parents; their queries return its rows too
	Inherited   bool   // PostgreSQL: tables of any schema inherit from it by INHERITS; its keys don't cover their rows

	OnConflict   []string // SQLite: what the table's constraints do instead of refusing a whole statement: REPLACE, IGNORE, FAIL
	Strict       bool     // SQLite: values have the declared types
	WithoutRowID bool     // SQLite
	RowID        bool     // SQLite: each row has a number in the hidden column rowid. VACUUM may change the numbers
	Virtual      bool     // SQLite: a module provides the rows, and the definition does not list the columns

	Extension   string // PostgreSQL: the extension that the table is part of
	Foreign     bool   // PostgreSQL: its rows are elsewhere, and it has no index
	Handlerless string // PostgreSQL: the foreign table's wrapper, if that has no handler, so that each query fails
}

// Key is a primary or unique key. SQLite's keys have no name.
type Key struct {
	Name          string
	Columns       []string // in the key's order
	NullsDistinct bool     // rows with NULL are never equal: true except with NULLS NOT DISTINCT
	Deferrable    bool
	Include       []string // PostgreSQL: further columns in its index

	// Parts are the parts of the key's index, if one has another collation than its column or a descending order; else nil. SQLite's constraints
	// may declare both.
	Parts []Part
}

// Index is an index made by CREATE INDEX.
type Index struct {
	Name       string
	Parts      []Part
	Include    []string // further columns in the index
	Unique     bool
	Method     string // PostgreSQL: "btree", "gin", ...; "" on SQLite
	Where      string // the condition of a partial index; "" for all rows
	NullsAlike bool   // a unique index with NULLS NOT DISTINCT
	Invalid    bool   // PostgreSQL: its build did not finish, so no query uses it
}

// Exclusion is a constraint: no two rows may match by all of its operators, as in EXCLUDE USING gist (room WITH =, during WITH &&).
type Exclusion struct {
	Name      string
	Parts     []Part   // only columns and expressions are set
	Operators []string // one for each part
	Where     string   // its condition; "" for all rows
}

// Part is one column or one expression of an index.
type Part struct {
	Column     string // "" for an expression
	Expr       string
	Desc       bool
	NullsFirst bool   // PostgreSQL: NULLs come first, which is the default with Desc. In SQLite NULLs sort as the smallest
	Collation  string // if it differs from the column's
	OpClass    string // PostgreSQL, if it differs from the default: "text_pattern_ops"
}

// ForeignKey is a foreign key: a row refers to a row of another table, or of the same. SQLite's have no name.
type ForeignKey struct {
	Name       string
	Columns    []string
	Table      Name
	References []string // columns of Table, as many as Columns
	OnDelete   Action
	OnUpdate   Action
	Deferrable bool
	NotValid   bool // PostgreSQL: a row may refer to a missing row: one that is older than the key, or any row while a trigger that enforces the key is disabled
}

// Action is what happens to a row when the row that it refers to is deleted or changed.
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
	NotValid bool // PostgreSQL: rows that are older than the check may break it
}

// Trigger is code that runs when rows change. Triggers that PostgreSQL makes for constraints are not listed. Those that it makes for a partition
// are listed only if the partition's is enabled and the parent's is not.
type Trigger struct {
	Name     string
	Timing   string   // "BEFORE", "AFTER", "INSTEAD OF"
	Events   []string // some of "INSERT", "UPDATE", "DELETE", "TRUNCATE", in this order
	Columns  []string // UPDATE OF: an update of one of these starts it; nil: of any column
	Function string   // PostgreSQL: the function that it calls, without its schema
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
	Roles       []string // sorted; "public" means every role
	Using       string
	Check       string
	Unset       []Setting // PostgreSQL: settings that the connection lacks, so each query fails
}

// Setting is a setting that a policy or a view reads by current_setting('x'), which fails if the connection lacks it.
type Setting struct {
	Name     string
	Function string // the function that reads it; "": the definition itself reads it
}
