package exosql

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/schema"
)

// Finding is one difference between what is declared and what the database has, or
// one property of the database that breaks the promise of scopes. Problem and Fix are one
// line each, of printable characters: others that a name has are spelled out.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Table   string      `json:"table"`             // "" if it is about the role or the search path
	Column  string      `json:"column,omitempty"`  // "" if it is not about one
	Problem string      `json:"problem"`           // what is wrong
	Fix     string      `json:"fix,omitempty"`     // what would be right: a statement for the database, or a change of the declaration
	Facet   string      `json:"facet,omitempty"`   // by which programs write, where it is about that
	Link    string      `json:"link,omitempty"`    // "table.link", where it is about one
	Effect  string      `json:"effect,omitempty"`  // the [Permission] that allows it, in the form of a grant file; "" where that is no way out
	Warning bool        `json:"warning,omitempty"` // Check does not fail for it
}

func findings(found []check.Finding) []Finding {
	var out []Finding
	for _, f := range found {
		out = append(out, Finding{FindingKind(f.Kind), f.Table, f.Column, f.Problem, f.Fix, f.Facet, f.Link, f.Effect, f.Warning})
	}
	return out
}

// FindingKind says what a finding is about.
type FindingKind string

// The kinds of findings.
const (
	MissingTable     FindingKind = check.MissingTable
	MissingColumn    FindingKind = check.MissingColumn
	TypeMismatch     FindingKind = check.TypeMismatch
	NullMismatch     FindingKind = check.NullMismatch
	NoKey            FindingKind = check.NoKey            // the declared key does not tell rows apart
	NullableKey      FindingKind = check.NullableKey      // a column of the key may be NULL
	NoIndex          FindingKind = check.NoIndex          // for a link or a scope
	LooseEquality    FindingKind = check.LooseEquality    // different texts are equal
	RowSecurity      FindingKind = check.RowSecurity      // policies that bind nobody, or not this role
	HiddenEffect     FindingKind = check.HiddenEffect     // a write sets off a trigger, a rule or a cascade
	NotReadable      FindingKind = check.NotReadable      // the role may not read it
	RoleRights       FindingKind = check.RoleRights       // the role may do more than reading needs
	SearchPath       FindingKind = check.SearchPath       // others may create where names are looked up
	SpanningUnique   FindingKind = check.SpanningUnique   // a unique key that tenants share confirms values
	LabelMismatch    FindingKind = check.LabelMismatch    // one declaration of a table labels a column, or demands trust for it, and another one does not
	NeededColumn     FindingKind = check.NeededColumn     // no row can be inserted: a column needs a value, and nobody gives it one
	UnfitPermission  FindingKind = check.UnfitPermission  // a Permission that fits nothing of the database
	OtherForm        FindingKind = check.OtherForm        // SQLite holds values in another form than is declared
	UnlistedFunction FindingKind = check.UnlistedFunction // a virtual column calls what the authorizer would not admit
)

// String is the finding as a line of a report.
func (f Finding) String() string {
	where := f.Table
	if f.Column != "" {
		where += "." + f.Column
	}
	s := f.Problem
	if where != "" {
		s = where + ": " + s
	}
	if f.Fix != "" {
		s += ". Right would be: " + f.Fix
	}
	if f.Warning {
		s = "warning: " + s
	}
	return schema.Printable(s)
}

// CheckError is what [Check] returns: everything that it found, warnings too.
type CheckError struct{ Findings []Finding }

func (e *CheckError) Error() string {
	var b strings.Builder
	n := 0
	for _, f := range e.Findings {
		if !f.Warning {
			n++
		}
	}
	fmt.Fprintf(&b, "exosql: the database is not as declared (%d to mend", n)
	if w := len(e.Findings) - n; w > 0 {
		fmt.Fprintf(&b, ", %d to know", w)
	}
	b.WriteString("):")
	for _, f := range e.Findings {
		b.WriteString("\n\t" + f.String())
	}
	return b.String()
}

// VersionError says that a PostgreSQL server is older than what statements need. Open
// gives it before anything was done in the database, OpenOptions.Setup included.
type VersionError struct {
	Server string // what the server says of itself, as "13.23"; empty if it says nothing
	Least  int    // the oldest major version that serves
}

func (e *VersionError) Error() string { return (*postgres.VersionError)(e).Error() }
