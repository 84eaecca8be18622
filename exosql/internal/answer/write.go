package answer

// This file answers a message that writes.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// change answers a message that writes.
func (db *DB) change(ctx context.Context, a *asked, u *work) (value.Value, error) {
	a.given = writing.GivenBy(a.m)
	err := a.beforeWrite(ctx)
	var w *keptWrite
	if err == nil {
		w, err = db.writing(ctx, a)
	}
	if err == nil {
		err = db.trusts(ctx, w, a)
	}
	if err == nil {
		err = db.writable(ctx, w, a)
	}
	if err != nil {
		return value.Value{}, unit.Undone("", err)
	}
	x := db.newChanging(ctx, a, u, w.Writing)
	v, err := x.run.Do()
	if err == nil {
		x.wrote(decl.RowWrite{Run: a.m.Run(), Facet: w.Facet.Alias}, v)
	}
	if err != nil && !a.unit.Over() && !x.run.Kept { // once the whole unit has ended, the program can't go on
		err = unit.Undone("", err)
	}
	return v, err
}

// trusts refuses two kinds of writes to a program that has read outsiders' words. One is an insert through a link that fills in a trusted
// column, since the program chose the parent row, and so the column's value. Such an insert is allowed if the host granted that one row,
// and the program does not narrow it. The other is a write that also deletes or changes further rows with such a column, even if the host
// permitted that cascade, conflict or trigger. If outsiders wrote the value in the parent row, every program is refused the insert.
func (db *DB) trusts(ctx context.Context, w *keptWrite, a *asked) error {
	wary := a.m.InputLabel().Integrity()
	if w.Link != nil {
		from, chose := a.m.Root.Recv.Recv, wary
		if from.Op == message.OpRef && slices.Contains(a.m.UnitObjects(), exo.Object(a.objs[from.Slot])) {
			chose = value.Label{}
		}
		for _, p := range w.Link.Pairs {
			if by := chose.Join(p.From.Label.Integrity()); p.To.Trust && !by.Empty() {
				return a.m.UntrustedError(by, "they could have chosen `"+p.To.Guest+"`, which the link fills in")
			}
		}
	}
	if wary.Empty() {
		return nil
	}
	trusted, err := db.trusting(a.objs, a.m.UnitObjects())
	if err != nil {
		return err
	}
	live, _, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	if writing.DemandsTrust(live, w.Table, w.Kind, w.Given(), trusted, w.Facet.Rights.Permits) != "" {
		return a.m.UntrustedError(wary, "the call would also delete or change rows or columns that only trusted programs may change, by a cascade, a calculation or a trigger")
	}
	return nil
}

// trusting returns the columns that demand trust, in all tables that objs or granted objects reach. A service may have returned some of objs.
func (db *DB) trusting(objs []*Object, granted []exo.Object) (out []*decl.Column, err error) {
	for _, x := range granted {
		if o, ok := x.(*Object); ok && o.DB == db {
			objs = append(slices.Clip(objs), o)
		}
	}
	for _, o := range objs {
		reach, err := o.Facet.Close()
		if err != nil {
			return nil, err
		}
		for _, f := range reach {
			out = append(out, f.Table.Trusting()...)
		}
	}
	return out, nil
}

// Demands returns, for exo.Gate.Flows, trusted columns that a write reaches without naming them: by cascades, calculations and links. A
// program that has read outsiders' words is refused such a write. Without an answer of the database it returns none.
func (o *Object) Demands(of, method string, granted []exo.Object) (by []string) {
	ctx, cancel := context.WithTimeout(context.Background(), equalityFor)
	defer cancel()
	live, _, err := o.DB.catalogue(ctx)
	trusted, bad := o.DB.trusting(nil, granted)
	reach, _ := o.Facet.Close()
	i := slices.IndexFunc(reach, func(f *decl.Facet) bool { return f.QueryType().Name == of })
	if err != nil || bad != nil || i < 0 {
		return nil
	}
	t, kind, gives := reach[i].Table, writing.Inserts, reach[i].Rights.Insert
	switch method {
	case language.Delete:
		if at := writing.DemandsTrust(live, t, writing.Deletes, nil, trusted, reach[i].Rights.Permits); at != "" {
			return []string{at}
		}
		return nil
	case language.Update:
		kind, gives = writing.Updates, reach[i].Rights.Update
	}
	for _, c := range gives {
		if at := writing.DemandsTrust(live, t, kind, []string{c.Name}, trusted, reach[i].Rights.Permits); at != "" {
			by = append(by, c.Guest+" (which changes "+at+")")
		}
	}
	for _, from := range reach {
		for _, l := range from.Links {
			for _, p := range l.L.Pairs {
				if l.To == reach[i] && !l.L.One && p.To.Trust && strings.HasPrefix(method, language.Insert) {
					by = append(by, p.To.Guest+" (which "+from.Alias+"."+l.L.Name+" fills in, except from a granted row)")
				}
			}
		}
	}
	return by
}

// writing finds or makes the plan of a message that writes.
func (db *DB) writing(ctx context.Context, a *asked) (*keptWrite, error) {
	var err error
	if a.beside, a.labelled, err = db.otherGrants(a); err != nil {
		return nil, err
	}
	var keys [512]byte
	key := db.appendSets(shapeKey(keys[:0], a), a)
	for _, o := range a.beside {
		key = strconv.AppendUint(append(key, '+'), o.Ready().Grant.Shape, 10)
		a.vals = append(a.vals, o.Ready().Grant.Vals)
	}
	for _, o := range a.labelled { // the write was judged harmless together with these objects
		key = strconv.AppendUint(append(key, '~'), o.Ready().Grant.Shape, 10)
	}
	if a.hooked != nil {
		key = writing.AppendHookLinks(key, a.hooked.Table)
	}
	w, ok := db.writes.Get(key)
	if !ok {
		made, err := writing.Plan(db.Engine(ctx), a.m, grantsOf(slices.Concat(a.objs, a.beside)), a.given.Sets, db.Images > 0)
		if err != nil {
			return nil, err
		}
		w = db.writes.Add(key, &keptWrite{Writing: made})
	}
	if len(w.Table.Hooks) > 0 && (a.hooked == nil || a.hooked.Table != w.Table) { // the hooks of the table must have been asked before every write
		return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the write to table %s was refused, because its hooks were not called before it: this is a fault of exosql, please report it", w.Table.Name)}
	}
	return w, nil
}

// appendSets adds to a key the properties of a write, in addition to its shape: the given columns, and for images the label with which cells are sealed.
func (db *DB) appendSets(key []byte, a *asked) []byte {
	if key = writing.AppendSets(key, a.given.Sets); db.Images > 0 {
		key = fmt.Appendf(key, "images %q ", a.m.RunLabel().Secrecy().Tags())
	}
	return key
}

// otherGrants returns two lists of objects of the same programs. A written row may bring rows into the scopes of the
// objects in `beside`. The objects in labelled reach labelled columns or rows, which a rule of the database may reveal.
func (db *DB) otherGrants(a *asked) (beside, labelled []*Object, err error) {
	for _, x := range a.m.UnitObjects() {
		o, ok := x.(*Object)
		if !ok || o.DB != db {
			continue
		}
		if err := o.Prepare(); err != nil {
			return nil, nil, err
		}
		if len(o.Ready().secrets)+len(o.Ready().hidden) > 0 {
			labelled = append(labelled, o)
		}
		if o.Ready().Grant.Depends() && !slices.Contains(a.objs, o) { // the message has no such grant itself
			beside = append(beside, o)
		}
	}
	return beside, labelled, nil
}
