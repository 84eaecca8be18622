package check

// Finding is a difference between declarations and database. exosql.Finding describes the fields.
type Finding struct {
	Kind          string // Kind is one of the constants below
	Table, Column string
	Problem, Fix  string
	Facet, Link   string // of the declarations, if the finding is about one
	Effect        string // the permission that would allow the problem; "" if none does
	Warning       bool
}

// These are the kinds of findings, which package exosql describes.
const (
	MissingTable     = "missing table"
	MissingColumn    = "missing column"
	TypeMismatch     = "type"
	NullMismatch     = "null"
	NoKey            = "no key"
	NullableKey      = "nullable key"
	NoIndex          = "no index"
	LooseEquality    = "loose"
	RowSecurity      = "row security"
	HiddenEffect     = "hidden effect"
	NotReadable      = "not readable"
	NotWritable      = "not writable"
	RoleRights       = "role"
	SearchPath       = "search path"
	SpanningUnique   = "spanning key"
	UnlistedFunction = "function"
	LabelMismatch    = "label"
	NeededColumn     = "needed column"
	UnfitPermission  = "permission"
	OtherForm        = "stored form"
)
