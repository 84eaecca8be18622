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
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Declared is an argument of [Check]: a *Table, a Link, a *Facet with all that it reaches, a Relation with its scopes, a [Scope], or what
// [Granted] or [Written] returns.
type Declared interface{ declared(*writing.Checker) }

// Check compares declarations with the live database. It returns a *[CheckError] with all findings, or nil. A host calls it when it starts:
//
//	err := exosql.Check(ctx, db, exosql.Granted(grants["currentUser"]))
//
// Check fails if something that is granted does not pass these checks:
//   - tables and columns are there, with their types; keys are unique; links and scopes have indexes;
//   - the role may read them, and with OpenOptions.RowSecurity policies bind the role; PUBLIC may not create in a schema of the search path;
//   - virtual columns of SQLite call only functions that are known to be cheap.
//
// Declarations that are not granted are checked for names and types; other findings about them are warnings. A table that programs may write, or
// that is [Written], needs a permission for each trigger, rule and cascade. Such a table must pass all checks before its first write (TestCheckedAsWritten).
// Check does not fail for warnings; [Findings] returns them. Call Check before codemode.New: then descriptions show which columns an insert needs.
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

// Findings compares like [Check], and returns all findings, including warnings. It returns an error only if nothing could be compared: without a
// connection, or for a grant that no query could use.
func Findings(ctx context.Context, db *DB, what ...Declared) ([]Finding, error) {
	live, err := db.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	db.db.Learn(live)
	return CatalogFindings(db, live, what...)
}

// CatalogFindings returns [Findings] for the catalogue live, which [DB.Catalog] of db has read already. It is for a host that also makes declarations
// from the catalogue, so that the catalogue is read once.
func CatalogFindings(db *DB, live *schema.Database, what ...Declared) ([]Finding, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	if live == nil {
		return nil, errors.New("exosql: CatalogFindings got a nil catalogue: read one with DB.Catalog")
	}
	c, err := gather(what)
	if err != nil {
		return nil, err
	}
	c.Secured = db.db.Secured
	return findings(c.Compare(live)), nil
}

// gather collects declarations for one comparison.
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
	for i, o := range objs { // objects that are granted together are compared with each other, as before a write
		others := slices.DeleteFunc(slices.Clone(objs), func(x *answer.Object) bool { return x == objs[i] || x.DB != o.DB })
		if err := o.Writes(c, others); err != nil {
			return nil, err
		}
	}
	return c, c.Ready()
}

var errNilDeclared = errors.New("exosql: Check got nil: pass tables, links, facets or granted objects")

func (t *Table[T]) declared(c *writing.Checker) {
	switch {
	case t == nil:
		c.Fail(errNilDeclared)
	case t.t == nil:
		c.Fail(errors.New("exosql: Check got a zero Table: make one with NewTable"))
	default:
		c.Use(t.t)
	}
}

func (l Link[A, B]) declared(c *writing.Checker) {
	if l.l == nil {
		c.Fail(errors.New("exosql: Check got a zero Link: make one with Many or One"))
		return
	}
	c.UseLink(l.l, false)
}

func (f *Facet[T]) declared(c *writing.Checker) {
	switch {
	case f == nil:
		c.Fail(errNilDeclared)
	case f.f == nil:
		c.Fail(errors.New("exosql: Check got a zero Facet: make one with NewFacet"))
	default:
		c.Facet(f.f, true)
	}
}

func (s Scope) declared(c *writing.Checker) { c.ScopeOf(s.s) }

func (r Relation[T]) declared(c *writing.Checker) {
	if c.Relation(r.r); r.r != nil && r.r.Err == nil {
		c.Reads(r.r.Table.Cols...) // Relation.All reads whole rows
	}
}

// Granted passes an object of [Facet.Of] to [Check], with its facets and scopes. All objects of one call count as granted to the same programs:
// Check reports rows that a write through one object could bring into the scope of another. If [exo.Wrap] has removed all writing methods, Check
// ignores the object's rights to write. Services are skipped.
func Granted(o exo.Object) Declared { return granted{o} }

type granted struct{ o exo.Object }

func (g granted) declared(c *writing.Checker) {
	o, err := answer.Of(g.o)
	if err != nil {
		c.Fail(fmt.Errorf("exosql: Granted got an object that can't be checked: %w", err))
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

// Written makes [Check] treat rows of t as insertable, changeable and deletable. Check then reports each trigger, rule and cascade that is not in
// known. Written changes nothing at run time: [Facet.Permit] lets writes of programs through, and [Table.Permit] those of Go code.
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
		c.Fail(errors.New("exosql: Check got Written of a nil or zero Table: make one with NewTable"))
		return
	}
	c.Declare(writing.Write{Table: w.t, Rights: decl.Rights{Insert: w.t.Cols, Update: w.t.Cols, Delete: true, Permits: w.known}})
}

// Finding is a difference between the declarations and the database, or a property of the database that breaks the promise of scopes. Problem and
// Fix are one line each, of printable characters: other characters of a name are escaped.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Table   string      `json:"table"`             // Table is "" if the finding is about the role or the search path
	Column  string      `json:"column,omitempty"`  // Column is "" if the finding is not about a column
	Problem string      `json:"problem"`           // Problem describes the difference or the fault
	Fix     string      `json:"fix,omitempty"`     // Fix is the remedy: a statement for the database, or a change of the declaration
	Facet   string      `json:"facet,omitempty"`   // Facet is the alias of the facet through which programs write, if the finding is about a write
	Link    string      `json:"link,omitempty"`    // Link is "table.link" if the finding is about a link
	Effect  string      `json:"effect,omitempty"`  // Effect is the [Permission] that allows the problem, in the form of a grant file; "" if none does
	Warning bool        `json:"warning,omitempty"` // Warning means that Check does not fail because of this finding
}

func findings(found []check.Finding) []Finding {
	out := scalar.Each(found, func(f check.Finding) Finding {
		return Finding{FindingKind(f.Kind), f.Table, f.Column, f.Problem, f.Fix, f.Facet, f.Link, f.Effect, f.Warning}
	})
	return out
}

// FindingKind is the kind of problem that a finding reports.
type FindingKind string

// These are the kinds of findings.
const (
	MissingTable     FindingKind = check.MissingTable
	MissingColumn    FindingKind = check.MissingColumn
	TypeMismatch     FindingKind = check.TypeMismatch
	NullMismatch     FindingKind = check.NullMismatch
	NoKey            FindingKind = check.NoKey            // the declared key is not unique
	NullableKey      FindingKind = check.NullableKey      // a column of the key may be NULL
	NoIndex          FindingKind = check.NoIndex          // a link or a scope has no index
	LooseEquality    FindingKind = check.LooseEquality    // the database treats different texts as equal
	RowSecurity      FindingKind = check.RowSecurity      // policies have no effect, or none on this role
	HiddenEffect     FindingKind = check.HiddenEffect     // a write starts a trigger, a rule or a cascade
	NotReadable      FindingKind = check.NotReadable      // the role may not read the table or column
	NotWritable      FindingKind = check.NotWritable      // the role lacks a right for a write that a facet allows
	RoleRights       FindingKind = check.RoleRights       // the role has more rights than reading needs
	SearchPath       FindingKind = check.SearchPath       // others may create objects in a schema of the search path
	SpanningUnique   FindingKind = check.SpanningUnique   // a unique key spans tenants: a refused insert reveals another tenant's value
	LabelMismatch    FindingKind = check.LabelMismatch    // one declaration of a table labels a column, or demands trust for it, and another does not
	NeededColumn     FindingKind = check.NeededColumn     // no row can be inserted: a column needs a value, and nothing provides it
	UnfitPermission  FindingKind = check.UnfitPermission  // a Permission matches nothing in the database
	OtherForm        FindingKind = check.OtherForm        // SQLite stores values in another form than the declared one
	UnlistedFunction FindingKind = check.UnlistedFunction // a virtual column calls a function that the authorizer does not admit
)

// String returns the finding as a line of a report.
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

// CheckError is the error of [Check]. It has all findings, including warnings.
type CheckError struct{ Findings []Finding }

func (e *CheckError) Error() string {
	var b strings.Builder
	n := 0
	for _, f := range e.Findings {
		if !f.Warning {
			n++
		}
	}
	fmt.Fprintf(&b, "exosql: the database is not as declared (errors: %d", n)
	if w := len(e.Findings) - n; w > 0 {
		fmt.Fprintf(&b, ", warnings: %d", w)
	}
	b.WriteString("):")
	for _, f := range e.Findings {
		b.WriteString("\n\t" + f.String())
	}
	return b.String()
}

// VersionError reports a PostgreSQL server that is too old. Open returns it before it changes anything in the database, even before
// OpenOptions.Setup runs.
type VersionError struct {
	Server string // Server is the server's version, like "13.23"; "" if it sent none
	Least  int    // Least is the oldest major version that works
}

func (e *VersionError) Error() string { return (*postgres.VersionError)(e).Error() }
