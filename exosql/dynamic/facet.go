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
// Facets that link to each other share one list, which callers must not change.
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

// Add makes the facet show a link of its table. Programs follow the link to the rows of to.
func (f *Facet) Add(l *Link, to *Facet) error {
	switch {
	case f.zero() || to.zero():
		return undeclared("Facet", "Table.Facet")
	case l.zero():
		return undeclared("Link", "Table.Link")
	}
	at := f.t.t.Name + "." + l.l.Name
	if l.l.From != f.t.t {
		return wrong(at, "the link leads from table %s: want a link from this table", l.l.From.Name)
	}
	if l.l.To != to.t.t {
		return wrong(at, "the link leads to table %s, and the facet %s is of table %s: pass a facet of %[1]s", l.l.To.Name, to.f.Alias, to.t.t.Name)
	}
	if err := f.f.Change(func() error { return f.f.AddLink(l.l, to.f) }); err != nil {
		return wrap(at, err)
	}
	return nil
}

// Search lets programs search these text columns together. The facet must show them. See exosql.NewSearch.
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

// AllowInsert lets programs insert rows with values for these columns. The facet must show them. See the method of exosql.Facet.
func (f *Facet) AllowInsert(columns ...string) error {
	return f.allow(columns, func(cols []*decl.Column) decl.Rights { return decl.Rights{Insert: cols} })
}

// AllowUpdate lets programs change these columns. The facet must show them. See the method of exosql.Facet.
func (f *Facet) AllowUpdate(columns ...string) error {
	return f.allow(columns, func(cols []*decl.Column) decl.Rights { return decl.Rights{Update: cols} })
}

// AllowDelete lets programs delete rows. See the method of exosql.Facet.
func (f *Facet) AllowDelete() error { return f.rights(decl.Rights{Delete: true}) }

// AllowUndo lets a person with the facet undo runs. See the method of exosql.Facet.
func (f *Facet) AllowUndo(of exosql.UndoRuns) error { return f.rights(decl.Rights{Undo: of}) }

// AllowDeleteByTrusted lets programs delete rows if they have not read outsiders' words. See the method of exosql.Facet.
func (f *Facet) AllowDeleteByTrusted() error {
	return f.rights(decl.Rights{Delete: true, Wary: true})
}

// Admits lets programs that have read values under these tags insert, change and delete rows. See the method of exosql.Facet.
func (f *Facet) Admits(tags ...string) error {
	return f.rights(decl.Rights{Admits: value.NewLabel(tags...)})
}

// Permit lists side effects of writes that the host accepts, each in the form of a grant file, like "trigger touch" or "unique(code)". See the
// method of exosql.Facet, and the functions that make an exosql.Permission.
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

// ApprovalRule is a rule that requires a person's approval of a change: see Approve of exosql.Facet. Each field that is set demands approval on its
// own.
type ApprovalRule struct {
	Always  bool
	Rows    *int64 // Rows demands approval if a principal changes more than this many rows of the table in a day (UTC)
	Delete  bool
	Columns []string
	Who     changeset.Who
}

// Approve adds a rule of approval to the facet.
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

// Grant makes the object that gives a program the facet's rows that the predicate matches. Grant returns Of(db, table.Rows(scope, others...)). A
// table that links reach in several ways needs a scope among others, which the error names.
func (f *Facet) Grant(db *exosql.DB, scope Predicate, others ...Scope) (exo.Object, error) {
	if f.zero() {
		return nil, undeclared("Facet", "Table.Facet")
	}
	return f.Of(db, f.t.Rows(scope, others...))
}
