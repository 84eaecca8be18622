package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet lists the columns and links of a table that programs see. Everything else is hidden. Build facets in a function and connect them with Add;
// links in both directions are normal. Of makes the object to grant. It freezes the facet and all facets that it links to.
type Facet[T any] struct{ f *decl.Facet }

// core returns the declaration inside, or nil for a facet that NewFacet did not make.
func (f *Facet[T]) core() *decl.Facet {
	if f == nil {
		return nil
	}
	return f.f
}

// Member is a column of T, or a link from T with the facet of its target: see Via.
type Member[T any] interface {
	addTo(f *decl.Facet, _ *T) error
}

func (c *Column[T, V]) addTo(f *decl.Facet, _ *T) error {
	if c.core() == nil {
		return fmt.Errorf("exosql: facet %s: a Column was not declared: make it with NewColumn, NewKey or NewNullable", f.Alias)
	}
	return f.AddColumn(c.c)
}

type via[A any] struct {
	l *decl.Link
	f *decl.Facet
}

func (m via[A]) addTo(f *decl.Facet, _ *A) error {
	switch {
	case m.l == nil:
		return fmt.Errorf("exosql: facet %s: Via of a zero Link: make one with Many or One", f.Alias)
	case m.f == nil:
		return fmt.Errorf("exosql: facet %s: Via of link %s got a %s", f.Alias, m.l.Name, zeroFacet)
	}
	return f.AddLink(m.l, m.f)
}

const zeroFacet = answer.ZeroFacet

// Via makes a link a member of a facet. Programs follow the link to f.
func Via[A, B any](l Link[A, B], f *Facet[B]) Member[A] { return via[A]{l.l, f.core()} }

// NewFacet begins a facet. alias is the name of one row in programs.
func NewFacet[T any](t *Table[T], alias constant, members ...Member[T]) *Facet[T] {
	f, err := decl.NewFacet(t.must("NewFacet"), string(alias))
	if err != nil {
		panic(err.Error())
	}
	return (&Facet[T]{f}).Add(members...)
}

// Add adds columns and links. It panics on errors in the declaration: a frozen facet, names that clash, and members that are nil or zero.
func (f *Facet[T]) Add(members ...Member[T]) *Facet[T] {
	if f.core() == nil {
		panic("exosql: Add to a " + zeroFacet)
	}
	err := f.f.Change(func() error {
		for _, m := range members {
			if m == nil {
				return fmt.Errorf("exosql: facet %s: a Member is nil: pass a column, or Via", f.f.Alias)
			}
			if err := m.addTo(f.f, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err.Error())
	}
	return f
}

// AllowInsert lets programs insert rows with values for these columns, which the facet must show. Columns that the scope fixes are filled in,
// listed or not. Without AllowInsert programs can't insert rows. AllowInsert, like the methods below, panics on a frozen facet, without columns, and
// for a column that the facet does not show.
func (f *Facet[T]) AllowInsert(columns ...Member[T]) *Facet[T] {
	return f.allow("AllowInsert", decl.Rights{Insert: f.columns("AllowInsert", columns)})
}

// AllowUpdate lets programs change these columns, which the facet must show. A key, or a column of the scope, can't be among them.
func (f *Facet[T]) AllowUpdate(columns ...Member[T]) *Facet[T] {
	return f.allow("AllowUpdate", decl.Rights{Update: f.columns("AllowUpdate", columns)})
}

// AllowDelete lets programs delete rows. If the table has a [Column.Trusted] column, even a hidden one, a program that has read outsiders'
// words (see value.Untrusted) can't delete. Nor can it if a cascade would delete or change rows with such a column.
func (f *Facet[T]) AllowDelete() *Facet[T] { return f.allow("AllowDelete", decl.Rights{Delete: true}) }

// UndoRuns are the runs whose changes a person may undo: see [Facet.AllowUndo].
type UndoRuns = decl.UndoRuns

const (
	UndoOwn = decl.UndoOwn // runs of their own
	UndoAny = decl.UndoAny // runs of other principals, too
)

// AllowUndo lets a person with the facet undo runs, by [DB.UndoFor], if all rows that a run changed are in the scopes of such facets. An undo writes all
// columns of these rows, hidden ones too. Programs get no right by it. A table with labels, or with rules of Approve, can't have AllowUndo: an undo
// asks nobody, and shows which values a run has changed. UndoFor does not ask whether access was revoked (exo/revoke). With UndoAny at a table that
// decides scopes, such as memberships, persons with the facet can take back their own removal. A key gets its old value even if its row is out of the
// person's scope by now.
func (f *Facet[T]) AllowUndo(of UndoRuns) *Facet[T] {
	return f.allow("AllowUndo", decl.Rights{Undo: of})
}

// AllowDeleteByTrusted lets programs delete rows unless they have read outsiders' words, even if no column of the table is Trusted.
func (f *Facet[T]) AllowDeleteByTrusted() *Facet[T] {
	return f.allow("AllowDeleteByTrusted", decl.Rights{Delete: true, Wary: true})
}

// Admits lets programs use, in writes, values that they have read under these tags. Programs may write them into all columns that they may change,
// and choose by them which rows they insert or delete. Readers of the rows may learn those values. [Column.Admits] does this for one column.
func (f *Facet[T]) Admits(tags ...string) *Facet[T] {
	return f.allow("Admits", decl.Rights{Admits: value.NewLabel(tags...)})
}

// Permit lists side effects of writes that the host accepts: triggers, rules and cascades, and facts that programs may learn about rows out of
// scope, such as that a value is taken. Programs can't write a table if a write has any other side effect. [Check] names each missing permission,
// and each permission that matches nothing.
func (f *Facet[T]) Permit(known ...Permission) *Facet[T] {
	return f.allow("Permit", decl.Rights{Permits: permissions(known)})
}

// Approve lists rules that require a person's approval of changes of the facet's table, whichever of the granted facets makes them. They need a Reviewer
// in the tool (codemode.Options.Review), and a database opened with [OpenOptions.Images], which bounds the rows that a person is shown. Without a
// Reviewer the facet can't be granted. With no rules, as from an empty list, nobody is asked.
func (f *Facet[T]) Approve(rules ...Approval) *Facet[T] {
	var r decl.Rights
	for _, a := range rules {
		r.Approvals = append(r.Approvals, a.a)
	}
	return f.allow("Approve", r)
}

func (f *Facet[T]) columns(op string, members []Member[T]) (out []*decl.Column) {
	if len(members) == 0 {
		panic("exosql: " + op + " needs at least one column: pass columns that the facet shows")
	}
	for _, m := range members {
		c, ok := m.(interface{ core() *decl.Column })
		if !ok {
			panic("exosql: " + op + " takes only columns of the facet, but got a link, a measure or a search: leave that out")
		}
		out = append(out, c.core())
	}
	return out
}

func (f *Facet[T]) allow(op string, r decl.Rights) *Facet[T] {
	if f.core() == nil {
		panic("exosql: " + op + " of a " + zeroFacet)
	}
	if err := f.f.Change(func() error { return f.f.Allow(r) }); err != nil {
		panic(err.Error())
	}
	return f
}

// Of makes the object through which a program reaches r: the rows of r with the columns and links of f. It freezes f and every facet that f links
// to. Errors in the declaration are reported when the object is granted.
func (f *Facet[T]) Of(r Relation[T]) exo.Object { return answer.NewObject(r.db.core(), f.core(), r.r) }

// Package exosql/dynamic makes its objects with these two functions.
var _ = bridge.Provide(func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) {
	d, _ := db.(*DB)
	return answer.NewObject(d.core(), f, r), d.core().Ready()
}, func(like exo.Object, relation func(key any) (*decl.Relation, error)) func(any) exo.Object {
	return like.(*answer.Object).Like(relation)
})
