package check

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// Finding is one difference between what is declared and what the database has, or
// one thing of the database that the promise does not survive. Problem and Fix are one
// line each, of printable characters: others that a name has are spelled out.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Table   string      `json:"table"`             // "" if it is about the role or the search path
	Column  string      `json:"column,omitempty"`  // "" if it is not about one
	Problem string      `json:"problem"`           // what is wrong
	Fix     string      `json:"fix,omitempty"`     // what would be right: a statement for the database, or a change of the declaration
	Warning bool        `json:"warning,omitempty"` // Check does not fail for it
}

// FindingKind says what a finding is about.
type FindingKind string

const (
	MissingTable     FindingKind = "missing table"
	MissingColumn    FindingKind = "missing column"
	TypeMismatch     FindingKind = "type"
	NullMismatch     FindingKind = "null"
	NoKey            FindingKind = "no key"        // the declared key does not tell rows apart
	NullableKey      FindingKind = "nullable key"  // a column of the key may be NULL
	NoIndex          FindingKind = "no index"      // for a link or a scope
	LooseEquality    FindingKind = "loose"         // different texts are equal
	RowSecurity      FindingKind = "row security"  // policies that bind nobody, or not this role
	HiddenEffect     FindingKind = "hidden effect" // a write sets off a trigger, a rule or a cascade
	NotReadable      FindingKind = "not readable"  // the role may not read it
	RoleRights       FindingKind = "role"          // the role may do more than reading needs
	SearchPath       FindingKind = "search path"   // others may create where names are looked up
	SpanningUnique   FindingKind = "spanning key"  // a unique key that tenants share confirms values
	UnlistedFunction FindingKind = "function"      // a virtual column calls what the authorizer would not admit
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
