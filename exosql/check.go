package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// Declared is something that [Check] compares with the database: a *Table, a Link, a
// *Facet with all that it reaches, a Relation with its scopes, a [Scope], and what
// [Granted] and [Written] make.
type Declared interface{ declared(*writing.Checker) }

// Check compares declarations with the live database, and returns a *[CheckError]
// with all findings at once, or nil. A host calls it when it starts:
//
//	err := exosql.Check(ctx, db, exosql.Granted(grants["currentUser"]))
//
// Of what is granted, tables and columns must be there with their types; keys must be unique; links and scopes must have indexes;
// virtual columns of SQLite must call only functions that are known to be cheap; the role must be able to read, and policies must
// bind it where OpenOptions.RowSecurity says that they are there; and PUBLIC may not create on the search path. What is only
// declared and not granted must be there with its types too; the rest is a warning then. For tables that programs may write
// through a grant, or that are [Written], the triggers, rules and cascades of such a write must be permitted, and everything that
// is checked before the first write must hold (TestCheckedAsWritten). Check fails for what is no warning; [Findings] returns the
// warnings as well.
//
// Descriptions that are made after a Check show which columns an insert needs: call it before codemode.New.
func Check(ctx context.Context, db *DB, what ...Declared) error {
	found, err := Findings(ctx, db, what...)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return !f.Warning }) {
		return &CheckError{Findings: found}
	}
	return nil
}

// Findings compares as [Check] does and returns all that it found, warnings too. It returns an
// error only where nothing could be compared: without a connection, or for a grant that no
// query could use.
func Findings(ctx context.Context, db *DB, what ...Declared) ([]Finding, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	c, err := gather(what)
	if err != nil {
		return nil, err
	}
	c.Secured = db.db.Secured
	live, err := db.db.Pool.Catalog(ctx, true)
	if err != nil {
		return nil, err
	}
	db.db.Learn(live)
	return findings(c.Compare(live)), nil
}

// CatalogFindings compares as [Findings] does, with a catalogue that [DB.Catalog] has read: for a host that declares from it, and would
// have it read twice.
func CatalogFindings(live *schema.Database, what ...Declared) ([]Finding, error) {
	if live == nil {
		return nil, errors.New("exosql: CatalogFindings was given no catalogue: DB.Catalog reads one")
	}
	c, err := gather(what)
	if err != nil {
		return nil, err
	}
	return findings(c.Compare(live)), nil
}

// gather collects what is declared.
func gather(what []Declared) (*writing.Checker, error) {
	c := writing.NewChecker()
	var objs []*answer.Object
	for _, d := range what {
		if d == nil {
			return nil, errNilDeclared
		}
		d.declared(c)
		if g, ok := d.(granted); ok && c.Ready() == nil {
			if o, _ := answer.Of(g.o); o != nil && !onlyReads(g.o) {
				objs = append(objs, o)
			}
		}
	}
	if !slices.ContainsFunc(objs, func(o *answer.Object) bool { return o.Facet.Writes() }) {
		objs = nil
	}
	for _, o := range objs {
		if err := o.Prepare(); err != nil {
			return nil, err
		}
	}
	for i, o := range objs { // what is granted together is held against each other, as before a write
		others := slices.DeleteFunc(slices.Clone(objs), func(x *answer.Object) bool { return x == objs[i] || x.DB != o.DB })
		if err := o.Writes(c, others); err != nil {
			return nil, err
		}
	}
	return c, c.Ready()
}

var errNilDeclared = errors.New("exosql: Check was given nil")

func (t *Table[T]) declared(c *writing.Checker) {
	switch {
	case t == nil:
		c.Fail(errNilDeclared)
	case t.t == nil:
		c.Fail(errors.New("exosql: Check was given a zero Table: NewTable makes one"))
	default:
		c.Use(t.t)
	}
}

func (l Link[A, B]) declared(c *writing.Checker) {
	if l.l == nil {
		c.Fail(errors.New("exosql: Check was given a zero Link"))
		return
	}
	c.UseLink(l.l, false)
}

func (f *Facet[T]) declared(c *writing.Checker) {
	switch {
	case f == nil:
		c.Fail(errNilDeclared)
	case f.f == nil:
		c.Fail(errors.New("exosql: Check was given a zero Facet: NewFacet makes one"))
	default:
		c.Facet(f.f, true)
	}
}

func (s Scope) declared(c *writing.Checker) { c.ScopeOf(s.s) }

func (r Relation[T]) declared(c *writing.Checker) {
	if c.Relation(r.r); r.r != nil && r.r.Err == nil {
		c.Reads(r.r.Table.Cols...) // its All reads whole rows
	}
}

// Granted is an object that [Facet.Of] made, for [Check]: with its facets, its
// scopes, and whatever is wrong with them together. The grants of one call of Check count as those of the same programs:
// rows that they write through one could come into the scope of another. Where [exo.Wrap] attenuated it, the object itself is checked,
// without its rights to write if no method is left that writes. A service is passed over.
func Granted(o exo.Object) Declared { return granted{o} }

type granted struct{ o exo.Object }

func (g granted) declared(c *writing.Checker) {
	o, err := answer.Of(g.o)
	if err != nil {
		c.Fail(fmt.Errorf("exosql: Granted: %w", err))
	}
	if o == nil {
		c.Services++
		return
	}
	if err := o.Check(); err != nil {
		c.Fail(err)
		return
	}
	c.Facet(o.Facet, !onlyReads(g.o))
	c.Relation(o.Rel)
}

// Written tells [Check] that rows of t may be inserted, changed or deleted: then
// triggers, rules and foreign keys that carry a change on to other rows must be
// permitted in known, or Check refuses them. It is for Check alone: what lets a write through is [Facet.Permit], or [Table.Permit] for Go code.
func Written[T any](t *Table[T], known ...Permission) Declared {
	w := writtenTable{known: permissions(known)}
	if t != nil {
		w.t = t.t
	}
	return w
}

type writtenTable struct {
	t     *decl.Table
	known []decl.Permission
}

func (w writtenTable) declared(c *writing.Checker) {
	if w.t == nil {
		c.Fail(errors.New("exosql: Check was given Written of a nil or zero Table"))
		return
	}
	c.Declare(writing.Write{Table: w.t, Rights: decl.Rights{Insert: w.t.Cols, Update: w.t.Cols, Delete: true, Permits: w.known}})
}

// Finding is one difference between what is declared and what the database has, or
// one property of the database that breaks the promise of scopes. Problem and Fix are one
// line each, of printable characters: others that a name has are spelled out.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Table   string      `json:"table"`             // "" if it is about the role or the search path
	Column  string      `json:"column,omitempty"`  // "" if it is not about one
	Problem string      `json:"problem"`           // what is wrong
	Fix     string      `json:"fix,omitempty"`     // what would be right: a statement for the database, or a change of the declaration
	Facet   string      `json:"facet,omitempty"`   // the alias of the facet by which programs write, if the finding is about that
	Link    string      `json:"link,omitempty"`    // "table.link", if the finding is about a link
	Effect  string      `json:"effect,omitempty"`  // the [Permission] that allows it, in the form of a grant file; "" if none does
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
	NoKey            FindingKind = check.NoKey            // the declared key is not unique
	NullableKey      FindingKind = check.NullableKey      // a column of the key may be NULL
	NoIndex          FindingKind = check.NoIndex          // for a link or a scope
	LooseEquality    FindingKind = check.LooseEquality    // different texts are equal
	RowSecurity      FindingKind = check.RowSecurity      // policies that have no effect, or none on this role
	HiddenEffect     FindingKind = check.HiddenEffect     // a write sets off a trigger, a rule or a cascade
	NotReadable      FindingKind = check.NotReadable      // the role may not read it
	RoleRights       FindingKind = check.RoleRights       // the role may do more than reading needs
	SearchPath       FindingKind = check.SearchPath       // others may create objects in a schema of the search path
	SpanningUnique   FindingKind = check.SpanningUnique   // a unique key spans tenants: a refused insert reveals another tenant's value
	LabelMismatch    FindingKind = check.LabelMismatch    // one declaration of a table labels a column, or demands trust for it, and another one does not
	NeededColumn     FindingKind = check.NeededColumn     // no row can be inserted: a column needs a value, and nothing gives it one
	UnfitPermission  FindingKind = check.UnfitPermission  // a Permission that matches nothing in the database
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
	Server string // the version of the server, like "13.23"; "" if it sent none
	Least  int    // the oldest major version that works
}

func (e *VersionError) Error() string { return (*postgres.VersionError)(e).Error() }
