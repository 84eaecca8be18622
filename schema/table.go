package schema

// Table is a table with everything that acts on its rows.
type Table struct {
	Name
	Comment     string
	Columns     []Column
	PrimaryKey  *Key         // PrimaryKey is nil if there is none
	Uniques     []Key        // Uniques are UNIQUE constraints; unique indexes are among Indexes
	Exclusions  []Exclusion  // Exclusions are PostgreSQL's exclusion constraints
	Indexes     []Index      // Indexes are made by CREATE INDEX; the indexes of keys are not among them
	ForeignKeys []ForeignKey // ForeignKeys lead from this table to others, or to itself
	Checks      []Check
	Triggers    []Trigger
	Rules       []Rule // Rules are PostgreSQL's rewrite rules, without those of views
	Policies    []Policy

	RowSecurity      bool // RowSecurity: row-level security is enabled
	ForceRowSecurity bool // ForceRowSecurity: row-level security binds the owner too
	Owned            bool // Owned: the PostgreSQL role that read the catalogue owns the table, itself or through a role that it is in

	Writable      []string // Writable has the statements, among "INSERT", "UPDATE", "DELETE" and "TRUNCATE", that the PostgreSQL role may run on the table or some of its columns
	PartPolicies  []Name   // PartPolicies are PostgreSQL's partitions and heirs, at any depth, that have row-level security of their own; a query of this table bypasses it
	WholePolicies []Name   // WholePolicies are PostgreSQL's tables above this one, by partition or inheritance, at any depth, that have row-level security; a query of this table bypasses it

	PartitionBy string // PartitionBy is the partition key; "" for a table with its own rows
	PartitionOf *Name  // PartitionOf is the table that this one is a partition of, or nil. Keys, indexes, foreign keys, checks and triggers that come from that table are not listed
	Inherits    []Name // Inherits are PostgreSQL's parents by INHERITS; their queries return this table's rows too
	Inherited   bool   // Inherited: PostgreSQL tables of any schema inherit from this one by INHERITS, and its keys don't cover their rows

	OnConflict   []string // OnConflict are the actions of SQLite's constraints that do not undo a whole statement: REPLACE, IGNORE, FAIL
	Strict       bool     // Strict: SQLite's values have the declared types
	WithoutRowID bool     // WithoutRowID is SQLite's WITHOUT ROWID
	RowID        bool     // RowID: each row of SQLite has a number in the hidden column rowid; VACUUM may change the numbers
	Virtual      bool     // Virtual: a module of SQLite provides the rows, and the definition does not list the columns

	Extension   string // Extension is the PostgreSQL extension that the table is part of
	Foreign     bool   // Foreign: the rows are on another server, and PostgreSQL has no index of them
	Handlerless string // Handlerless is the foreign table's wrapper if that has no handler, so that each query fails
}

// Key is a primary or unique key. SQLite's keys have no name.
type Key struct {
	Name          string
	Columns       []string // Columns are in the key's order
	NullsDistinct bool     // NullsDistinct: rows with NULL are never equal; false only with NULLS NOT DISTINCT
	Deferrable    bool
	Include       []string // Include are further columns in the key's index on PostgreSQL

	// Parts are the parts of the key's index if one has another collation than its column or a descending order, or else nil. SQLite's
	// constraints may declare both.
	Parts []Part
}

// Index is an index made by CREATE INDEX.
type Index struct {
	Name       string
	Parts      []Part
	Include    []string // Include are further columns in the index
	Unique     bool
	Method     string // Method is PostgreSQL's access method, like "btree" or "gin"; "" on SQLite
	Where      string // Where is the condition of a partial index; "" for all rows
	NullsAlike bool   // NullsAlike: a unique index with NULLS NOT DISTINCT
	Invalid    bool   // Invalid: PostgreSQL did not finish building the index, so no query uses it
}

// Exclusion forbids that two rows match by all of its operators, as in EXCLUDE USING gist (room WITH =, during WITH &&).
type Exclusion struct {
	Name      string
	Parts     []Part   // Parts have only columns and expressions
	Operators []string // Operators has one operator for each part
	Where     string   // Where is the constraint's condition; "" for all rows
}

// Part is one column or one expression of an index.
type Part struct {
	Column     string // Column is "" for an expression
	Expr       string
	Desc       bool
	NullsFirst bool   // NullsFirst is PostgreSQL's NULLS FIRST, the default with Desc. In SQLite NULLs sort as the smallest
	Collation  string // Collation is set if it differs from the column's
	OpClass    string // OpClass is set on PostgreSQL if it differs from the default, like "text_pattern_ops"
}

// ForeignKey is a foreign key: a row refers to a row of another table, or of the same one. SQLite's foreign keys have no name.
type ForeignKey struct {
	Name               string
	Columns            []string
	Table              Name
	References         []string // References are columns of Table, as many as Columns
	OnDelete, OnUpdate Action
	Deferrable         bool
	NotValid           bool // NotValid: a PostgreSQL row may refer to a missing row, if it is older than the key, or if a trigger that enforces the key is disabled
}

// Action is how the database changes a row when the row that it refers to is deleted or changed.
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
	Name, Expr string
	NotValid   bool // NotValid: PostgreSQL rows that are older than the check may break it
}

// Trigger is code that runs when rows change. The triggers that PostgreSQL makes for constraints are not listed. The triggers that it makes for
// a partition are listed only if the partition's is enabled and the parent's is not.
type Trigger struct {
	Name     string
	Timing   string   // Timing is "BEFORE", "AFTER" or "INSTEAD OF"
	Events   []string // Events are some of "INSERT", "UPDATE", "DELETE" and "TRUNCATE", in this order
	Columns  []string // Columns are the columns of UPDATE OF; nil means that an update of any column starts the trigger
	Function string   // Function is the PostgreSQL function that the trigger calls, without its schema
	Disabled bool
}

// Rule is a rewrite rule of PostgreSQL.
type Rule struct {
	Name  string
	Event string // Event is the statement that the rule rewrites: "INSERT", "UPDATE" or "DELETE"
}

// Policy is a row-level security policy. It has no effect unless RowSecurity is set.
type Policy struct {
	Name         string
	Restrictive  bool
	Command      string   // Command is "ALL", "SELECT", "INSERT", "UPDATE" or "DELETE"
	Roles        []string // Roles are sorted; "public" means every role
	Using, Check string
	Unset        []Setting // Unset are PostgreSQL settings that the connection lacks, so that each query fails
}

// Setting is a setting that a policy or a view reads by current_setting('x'), which fails if the connection lacks it.
type Setting struct {
	Name     string
	Function string // Function is the function that reads the setting; "" if the definition itself does
}
