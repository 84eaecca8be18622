package dynamic

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet lists the columns and links of a table that programs see.
type Facet struct {
	t *Table
	f *decl.Facet
}

// Facet begins a facet of the table. alias is the name of one row in programs.
func (t *Table) Facet(alias string, columns ...string) (*Facet, error) {
	if t.zero() {
		return nil, undeclared("Table", "Declarations.Table")
	}
	f, err := decl.NewFacet(t.t, alias)
	if err != nil {
		return nil, wrap(t.t.Name, err)
	}
	for _, name := range columns {
		c, err := t.col(name)
		if err != nil {
			return nil, err
		}
		if c.Guest == "" {
			return nil, wrong(place(c), "programs can't use the column's name; give it another name with %s", c.Table.Reader.As())
		}
		if err := f.AddColumn(c); err != nil {
			return nil, wrap(place(c), err)
		}
	}
	return &Facet{t, f}, nil
}

// Reached returns the sorted aliases of all facets that programs can reach from the facet, including its own. The facets can't be changed any more.
// Facets that link to each other share one list; callers must not change it.
func (f *Facet) Reached() ([]string, error) {
	if f.zero() {
		return nil, undeclared("Facet", "Table.Facet")
	}
	aliases, err := f.f.Aliases()
	if err != nil {
		return nil, wrap(f.t.t.Name, err)
	}
	return aliases, nil
}

func (f *Facet) zero() bool { return f == nil || f.f == nil }

// Add shows a link from the table. Programs follow the link to the rows of to.
func (f *Facet) Add(l *Link, to *Facet) error {
	switch {
	case f.zero() || to.zero():
		return undeclared("Facet", "Table.Facet")
	case l.zero():
		return undeclared("Link", "Table.Link")
	}
	at := f.t.t.Name + "." + l.l.Name
	if l.l.From != f.t.t {
		return wrong(at, "the link is from table %s: want a link from this table", l.l.From.Name)
	}
	if l.l.To != to.t.t {
		return wrong(at, "the link is to table %s, and the facet %s is of table %s", l.l.To.Name, to.f.Alias, to.t.t.Name)
	}
	if err := f.f.Change(func() error { return f.f.AddLink(l.l, to.f) }); err != nil {
		return wrap(at, err)
	}
	return nil
}

// Search lets programs search these text columns together. The facet must show them; see exosql.NewSearch.
func (f *Facet) Search(columns ...string) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	var cols []*decl.Column
	for _, name := range columns {
		c, err := f.t.col(name)
		if err != nil {
			return err
		}
		cols = append(cols, c)
	}
	s, err := decl.NewSearch(f.t.t, cols)
	if err == nil {
		err = f.f.Change(func() error { return f.f.AddSearch(s) })
	}
	if err != nil {
		return wrap(f.t.t.Name, err)
	}
	return nil
}

// AllowInsert lets programs insert rows with values for these columns. The facet must show them; see exosql.Facet's.
func (f *Facet) AllowInsert(columns ...string) error {
	return f.allow(columns, func(cols []*decl.Column) decl.Rights { return decl.Rights{Insert: cols} })
}

// AllowUpdate lets programs change these columns. The facet must show them; see exosql.Facet's.
func (f *Facet) AllowUpdate(columns ...string) error {
	return f.allow(columns, func(cols []*decl.Column) decl.Rights { return decl.Rights{Update: cols} })
}

// AllowDelete lets programs delete rows; see exosql.Facet's.
func (f *Facet) AllowDelete() error { return f.rights(decl.Rights{Delete: true}) }

// AllowDeleteByTrusted lets programs delete rows if they have not read what outsiders wrote; see exosql.Facet's.
func (f *Facet) AllowDeleteByTrusted() error {
	return f.rights(decl.Rights{Delete: true, Wary: true})
}

// Admits lets programs that have read values under these tags insert, change and delete rows; see exosql.Facet's.
func (f *Facet) Admits(tags ...string) error {
	return f.rights(decl.Rights{Admits: value.NewLabel(tags...)})
}

// Permit lists side effects of writes that the host accepts, each in the form of a grant file: "trigger touch", "unique(code)". See exosql.Facet's
// and the functions that make an exosql.Permission.
func (f *Facet) Permit(known ...string) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	var r decl.Rights
	for _, text := range known {
		p, err := decl.ParsePermission(text)
		if err != nil {
			return wrap(f.t.t.Name, err)
		}
		r.Permits = append(r.Permits, p)
	}
	return f.rights(r)
}

// ApprovalRule is a rule by which a person must agree to a change: see exosql.Facet's Approve. What is set asks, each alone.
type ApprovalRule struct {
	Always  bool
	Rows    *int64 // it asks above this many rows in a day
	Delete  bool
	Columns []string
	Who     changeset.Who
}

// Approve adds a rule.
func (f *Facet) Approve(a ApprovalRule) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	rule := decl.Approval{Always: a.Always, Delete: a.Delete, Who: a.Who}
	if a.Rows != nil {
		rule.Counted, rule.Over = true, *a.Rows
	}
	for _, name := range a.Columns {
		c, err := f.t.col(name)
		if err != nil {
			return err
		}
		rule.Columns = append(rule.Columns, c)
	}
	return f.rights(decl.Rights{Approvals: []decl.Approval{rule}})
}

func (f *Facet) allow(columns []string, of func([]*decl.Column) decl.Rights) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	if len(columns) == 0 {
		return wrong(f.t.t.Name, "no columns are given: name those that programs may write")
	}
	var cols []*decl.Column
	for _, name := range columns {
		c, err := f.t.col(name)
		if err != nil {
			return err
		}
		cols = append(cols, c)
	}
	return f.rights(of(cols))
}

func (f *Facet) rights(r decl.Rights) error {
	if f.zero() {
		return undeclared("Facet", "Table.Facet")
	}
	if err := f.f.Change(func() error { return f.f.Allow(r) }); err != nil {
		return wrap(f.t.t.Name, err)
	}
	return nil
}

// Grant makes the object through which a program reaches the rows of the facet's table that the predicate matches: Of(db, table.Rows(scope,
// others...)). A table that links reach in several ways needs a scope among others: the error names it.
func (f *Facet) Grant(db *exosql.DB, scope Predicate, others ...Scope) (exo.Object, error) {
	if f.zero() {
		return nil, undeclared("Facet", "Table.Facet")
	}
	return f.Of(db, f.t.Rows(scope, others...))
}
