package exosql

import (
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
)

// Finding is one difference between what is declared and what the database has, or
// one thing of the database that the promise does not survive.
type Finding = check.Finding

// FindingKind says what a finding is about.
type FindingKind = check.FindingKind

const (
	MissingTable     = check.MissingTable
	MissingColumn    = check.MissingColumn
	TypeMismatch     = check.TypeMismatch
	NullMismatch     = check.NullMismatch
	NoKey            = check.NoKey            // the declared key does not tell rows apart
	NullableKey      = check.NullableKey      // a column of the key may be NULL
	NoIndex          = check.NoIndex          // for a link or a scope
	LooseEquality    = check.LooseEquality    // different texts are equal
	RowSecurity      = check.RowSecurity      // policies that bind nobody, or not this role
	HiddenEffect     = check.HiddenEffect     // a write sets off a trigger, a rule or a cascade
	NotReadable      = check.NotReadable      // the role may not read it
	RoleRights       = check.RoleRights       // the role may do more than reading needs
	SearchPath       = check.SearchPath       // others may create where names are looked up
	SpanningUnique   = check.SpanningUnique   // a unique key that tenants share confirms values
	UnlistedFunction = check.UnlistedFunction // a virtual column calls what the authorizer would not admit
)

// CheckError is what [Check] returns: everything that it found, warnings too.
type CheckError = check.CheckError

// VersionError says that a PostgreSQL server is older than what statements need. Open
// gives it before anything was done in the database, OpenOptions.Setup included.
type VersionError = postgres.VersionError
