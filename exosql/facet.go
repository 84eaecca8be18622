package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Facet is what a program may see of a table: the columns listed, and the links
// listed with the facet of what they lead to. Other columns and links do not exist
// for it. Build facets in a function, Add links to them (both ways is normal),
// and hand out Of; from then on they are frozen.
type Facet[T any] struct{ f *decl.Facet }

// core is nil for a facet that NewFacet did not make.
func (f *Facet[T]) core() *decl.Facet {
	if f == nil {
		return nil
	}
	return f.f
}

// Member is a column of T, or a link from T with the facet of its target; see Via.
type Member[T any] interface {
	addTo(f *decl.Facet, _ *T) error
}

func (c *Column[T, V]) addTo(f *decl.Facet, _ *T) error {
	if c.core() == nil {
		return fmt.Errorf("exosql: facet %s: a Column that was not declared: NewColumn, NewKey or NewNullable makes one", f.Alias)
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
		return fmt.Errorf("exosql: facet %s: Via of a zero Link: Many or One makes one", f.Alias)
	case m.f == nil:
		return fmt.Errorf("exosql: facet %s: Via of link %s leads to a %s", f.Alias, m.l.Name, zeroFacet)
	}
	return f.AddLink(m.l, m.f)
}

const zeroFacet = answer.ZeroFacet

// Via makes a link part of a facet; programs follow it to f.
func Via[A, B any](l Link[A, B], f *Facet[B]) Member[A] { return via[A]{l.l, f.core()} }

// NewFacet begins a facet. alias is what programs call one row of it.
func NewFacet[T any](t *Table[T], alias constant, members ...Member[T]) *Facet[T] {
	f, err := decl.NewFacet(t.must("NewFacet"), string(alias))
	if err != nil {
		panic(err.Error())
	}
	return (&Facet[T]{f}).Add(members...)
}

// Add adds columns and links. It panics on a frozen facet, on names that clash, and on
// members that are nil or zero: all are errors in the declaration.
func (f *Facet[T]) Add(members ...Member[T]) *Facet[T] {
	if f.core() == nil {
		panic("exosql: Add to a " + zeroFacet)
	}
	err := f.f.Change(func() error {
		for _, m := range members {
			if m == nil {
				return fmt.Errorf("exosql: facet %s: a nil Member; want a column, or Via", f.f.Alias)
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

// AllowInsert lets programs add rows with values for these columns, which the facet shows. Columns that
// the scope fixes are filled in, whether they are listed or not. Without it no row can be added. Like all that a facet is declared
// with, it panics on a frozen facet, and with no column or one that the facet does not show.
func (f *Facet[T]) AllowInsert(columns ...Member[T]) *Facet[T] {
	return f.allow("AllowInsert", decl.Rights{Insert: f.columns("AllowInsert", columns)})
}

// AllowUpdate lets programs change these columns, which the facet shows. A key, and a column of the
// scope, can't be among them.
func (f *Facet[T]) AllowUpdate(columns ...Member[T]) *Facet[T] {
	return f.allow("AllowUpdate", decl.Rights{Update: f.columns("AllowUpdate", columns)})
}

// AllowDelete lets programs delete rows. Where a column of the table is [Column.Trusted], shown or not, a program that has read what
// outsiders wrote (see value.Untrusted) can't, nor where rows with such a column would be deleted or changed along with the row.
func (f *Facet[T]) AllowDelete() *Facet[T] { return f.allow("AllowDelete", decl.Rights{Delete: true}) }

// AllowDeleteByTrusted is AllowDelete, but not for programs that have read what outsiders wrote, whatever the columns of the table are.
func (f *Facet[T]) AllowDeleteByTrusted() *Facet[T] {
	return f.allow("AllowDeleteByTrusted", decl.Rights{Delete: true, Wary: true})
}

// Admits lets what programs have read under these labels decide which rows they insert and delete, and what they write to any column that
// they may change. All who read the rows may learn it. [Column.Admits] does so for one column.
func (f *Facet[T]) Admits(tags ...string) *Facet[T] {
	return f.allow("Admits", decl.Rights{Admits: value.NewLabel(tags...)})
}

// Permit says what a write may do beyond the rows that it names: what may act, as a trigger, and what programs may learn of rows out of
// scope, such as that a value is taken there. [Check] names the permission that is missing, and reports one that fits nothing. No write runs
// on a table that would do more.
func (f *Facet[T]) Permit(known ...Permission) *Facet[T] {
	return f.allow("Permit", decl.Rights{Permits: permissions(known)})
}

func (f *Facet[T]) columns(op string, members []Member[T]) (out []*decl.Column) {
	if len(members) == 0 {
		panic("exosql: " + op + " of no column")
	}
	for _, m := range members {
		c, ok := m.(interface{ core() *decl.Column })
		if !ok {
			panic("exosql: " + op + " takes columns of the facet")
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

// Of makes the object by which a program reaches r: the rows of r as f shows
// them. It freezes f and every facet that f links to. Errors in the
// declaration are reported where the object is granted.
func (f *Facet[T]) Of(r Relation[T]) exo.Object { return answer.NewObject(r.db.core(), f.core(), r.r) }

// exosql/dynamic makes its objects through these.
var _ = bridge.Provide(func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) {
	d, _ := db.(*DB)
	return answer.NewObject(d.core(), f, r), d.core().Ready()
}, func(like exo.Object, relation func(key any) (*decl.Relation, error)) func(any) exo.Object {
	return like.(*answer.Object).Like(relation)
})
