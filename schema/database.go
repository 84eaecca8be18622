package schema

// Engine is a kind of database.
type Engine string

const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Database is the catalogue of one database.
type Database struct {
	Engine  Engine
	Path    []string // PostgreSQL: the schemas in which names without one are looked up, in order, without the system's own
	Tables  []*Table
	Views   []*View
	Enums   []*Enum
	Domains []*Domain
	LeftOut []LeftOut // SQLite: tables and views that can't be used, and are not among the others
	Role    Role      // PostgreSQL, live: who read the catalogue

	Creators []Creator // PostgreSQL, live: roles that were granted CREATE on a schema that was asked for
	Hidden   []Name    // PostgreSQL, live: tables and views of schemas that are in the search path and that the role may not use: it does not find them
}

// LeftOut is a table or view whose columns SQLite can't list: a view of a table that is gone, a table of a module or with a
// function that is an application's own. Or it is where a virtual table keeps what it has indexed.
type LeftOut struct {
	Name
	Why    string // each query of it fails, as SQLite has it
	Unread bool   // Why is that the text of its definition can't be read: queries may work, by collations that are not known
	Of     string // the virtual table that keeps it
}

// Kind is Reason in a few words, for a list of what has the same one.
func (l *LeftOut) Kind() string {
	switch {
	case l.Of != "":
		return "indexes of virtual tables"
	case l.Unread:
		return "their definitions can't be read"
	}
	return "each query of them fails"
}

// Reason says why nothing can be read of it.
func (l *LeftOut) Reason() string {
	if l.Of != "" {
		return "the virtual table " + Printable(l.Of) + " keeps its index in it, which no program reads: search by the table whose rows it has indexed"
	}
	if l.Unread {
		return l.Why + "; so its collations and rules are not known: make the table anew, by a CREATE TABLE in SQLite's plain form"
	}
	return "each query of it fails: " + l.Why
}

// Name is the name of a table, view or type. Schema is empty on SQLite.
type Name struct{ Schema, Name string }

// View is a view. Its columns are known from a live database only; none of them is a key.
type View struct {
	Name
	Materialized bool
	Columns      []Column
	Comment      string
	Extension    string    // PostgreSQL, live: the extension that the view is part of
	Reads        []Name    // live: the tables that it reads, through other views, too; on SQLite all whose names stand in their texts
	Calls        bool      // live: it may read any table: by functions or operators that are not PostgreSQL's own, or by a virtual table of SQLite
	Unset        []Setting // PostgreSQL, live: each query fails by them
	Bypasses     []Name    // PostgreSQL, live: tables with row-level security that bind the view's owner, or the role that refreshes it, and not its readers
}

// Enum is a type of listed texts.
type Enum struct {
	Name
	Values  []string // in the order in which they sort
	Comment string
}

// Domain is a type with checks on the values of another.
type Domain struct {
	Name
	Type    string // the type of the values, as the engine writes it
	Kind    Kind
	Elem    Kind
	NotNull bool
	Default string
	Checks  []Check
	Comment string
}

// Creator is a role that may create tables, functions and operators in a schema that
// it does not own. Superusers may anyway, and are not listed for it.
type Creator struct {
	Schema string
	Role   string // "" is everybody: PUBLIC
}

// Role is who read a live PostgreSQL.
type Role struct {
	Name      string
	Superuser bool // no right and no policy restricts it
	BypassRLS bool // no row-level security restricts it
}

// Unbound says why the policies of a table do not apply to the role; "": they do.
func (r Role) Unbound(t *Table) string {
	switch {
	case r.Superuser:
		return "is a superuser, whom it does not bind"
	case r.BypassRLS:
		return "bypasses it"
	case t.Owned && !t.ForceRowSecurity:
		return "owns the table, and owners are not bound"
	}
	return ""
}
