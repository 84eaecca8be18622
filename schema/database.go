package schema

// Engine is the kind of a database.
type Engine string

const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Database is the catalogue of one database.
type Database struct {
	Engine  Engine
	Path    []string // Path has PostgreSQL's schemas in which names without a schema are looked up, in order, without the system's own
	Tables  []*Table
	Views   []*View
	Enums   []*Enum
	Domains []*Domain
	LeftOut []LeftOut // LeftOut are SQLite's tables and views that can't be used; Tables and Views lack them
	Role    Role      // Role is the PostgreSQL role that read the catalogue

	Creators []Creator // Creators are PostgreSQL roles with the right CREATE on one of the requested schemas
	Hidden   []Name    // Hidden are PostgreSQL tables and views that the role can't find, because it may not use their schemas in the search path
}

// LeftOut is a table or view that programs can't query. Either SQLite can't list its columns: it is a view of a missing table, or needs a module
// or a function of some application. Or it is part of the index of a virtual table.
type LeftOut struct {
	Name
	Why    string // Why is SQLite's reason why each query of the table fails
	Unread bool   // Unread: the definition can't be parsed, so queries may work, but with unknown collations
	Of     string // Of is the virtual table that this table belongs to
}

// Kind returns Reason in a few words, for a list of tables with the same reason.
func (l *LeftOut) Kind() string {
	switch {
	case l.Of != "":
		return "indexes of virtual tables"
	case l.Unread:
		return "their definitions can't be read"
	}
	return "each query of them fails"
}

// Reason returns why programs can't query the table or view.
func (l *LeftOut) Reason() string {
	if l.Of != "" {
		return "it is part of the index of the virtual table " + Printable(l.Of) + ", which programs can't read: search the indexed table"
	}
	if l.Unread {
		return l.Why + "; so its collations and rules are not known: make the table again, by a CREATE TABLE in SQLite's plain form"
	}
	return "each query of it fails: " + l.Why
}

// Name is the name of a table, view or type. Schema is empty on SQLite.
type Name struct{ Schema, Name string }

// View is a view. Its columns are known, and none of them is a key.
type View struct {
	Name
	Materialized bool
	Columns      []Column
	Comment      string
	Extension    string    // Extension is the PostgreSQL extension that the view is part of
	Reads        []Name    // Reads are the tables that the view reads, also through other views; on SQLite all tables that the views' texts name
	Calls        bool      // Calls: the view may read any table, since it uses functions or operators that are not PostgreSQL's own, or a virtual table of SQLite
	Unset        []Setting // Unset are PostgreSQL settings that the connection lacks, so that each query fails
	Bypasses     []Name    // Bypasses are PostgreSQL tables with row-level security that binds the view's owner, or the role that refreshes it, but not its readers
}

// Enum is a type that has a list of texts as its values.
type Enum struct {
	Name
	Values  []string // Values are in the order in which they sort
	Comment string
}

// Domain is a type that adds checks to another type.
type Domain struct {
	Name
	Type       string // Type is the type of the domain's values, in the engine's form
	Kind, Elem Kind
	NotNull    bool
	Default    string
	Checks     []Check
	Comment    string
}

// Creator is a role that may create tables, functions and operators in a schema that it does not own. Superusers are not listed, since they always
// may.
type Creator struct {
	Schema string
	Role   string // Role is the role's name; "" means PUBLIC, which is every role
}

// Role is the role that read the catalogue of a PostgreSQL database.
type Role struct {
	Name      string
	Superuser bool // Superuser: no right and no policy restricts the role
	BypassRLS bool // BypassRLS: no row-level security restricts the role
}

// Unbound returns why the policies of a table do not apply to the role, or "" if they do.
func (r Role) Unbound(t *Table) string {
	switch {
	case r.Superuser:
		return "is a superuser, whom no policy binds"
	case r.BypassRLS:
		return "bypasses it"
	case t.Owned && !t.ForceRowSecurity:
		return "owns the table, and owners are not bound"
	}
	return ""
}
