package writing

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// A write changes rows in scope, and leaves them in scope. A query chooses the rows of an update or a delete; the statement finds these by their
// keys. In a new row, the scope or the link fills in the columns that it fixes. Rows that written keys point to must be in scope: queries check
// that before the write, in the same transaction. The error for a row out of scope is the one for a missing row, so it does not reveal whether
// another tenant's row exists.

// Plan plans a program's message that writes. sets are the sets of columns that its literals give (GivenBy). If images is set, an insert returns the
// keys of the new rows, and an update on PostgreSQL the changed rows (see compile.After). grants has the grants of the message first, then other grants of the same programs.
func Plan(d expr.Engine, m *exo.Message, grants []shape.Prepared, sets [][]string, images bool) (*Writing, error) {
	all, n := shape.Grants(grants), len(m.Objects)
	w := &writer{d: d, m: m, grants: all[:n], beside: all[n:], sets: sets, w: &Writing{}, images: images}
	return w.planned()
}

// planned makes all plans of the write, and returns them as a Writing.
func (w *writer) planned() (*Writing, error) {
	make := w.change
	if w.w.Kind = writeKind(w.m.Root.Name); w.w.Kind == Inserts {
		make = w.insert
	}
	if err := make(); err != nil {
		return nil, err
	}
	return w.w, nil
}

// change plans an update or a delete.
func (w *writer) change() error {
	root := w.m.Root
	if w.chain != nil && !narrowed(w.chain) {
		return fail.Errorf(fail.Invalid, "", "this call would %s every row: write Where before it, or Where(exosql.AllRows[T]()) if you mean all rows, where T is the struct of a row", root.Name)
	}
	if w.chain == nil && !conditioned(root.Recv) {
		return fail.Errorf(fail.Invalid, "", "this call would %s every row: write .where(…) before it, or .all().%s(…) if you mean all rows", root.Name, root.Name)
	}
	s := w.statement()
	p, err := w.changed(s)
	if err != nil {
		return err
	}
	w.w.Change, w.w.Found = p, w.chain == nil && calls(root.Recv, language.IfUnchanged)
	if w.chain == nil {
		if w.w.Misfits, err = w.statement().Misfits(root.Recv, s); err != nil {
			return err
		}
	}
	if s.Fenced() {
		p.Open = w.openChange(fence.Form{Open: true})
	}
	return nil
}

// openChange returns the plan of an update or a delete in an open form (see package fence), or nil if the write reads any further table.
func (w *writer) openChange(form fence.Form) *plan.Plan {
	return compile.Opened(w.d, w.m, w.grants, form, func(s *compile.Statement) (*plan.Plan, error) {
		once := &writer{d: w.d, m: w.m, grants: w.grants, sets: w.sets, w: &Writing{}, images: w.images}
		return once.changed(s)
	})
}

// Guarded returns the open plan of an update or a delete that guards some tables (see package fence), as compile.Guarded does for queries.
func Guarded(d expr.Engine, m *exo.Message, grants []shape.Prepared, sets [][]string, images bool, form fence.Form) *plan.Plan {
	w := &writer{d: d, m: m, grants: shape.Grants(grants), sets: sets, images: images}
	if p := w.openChange(form); p != nil {
		return p
	}
	return &plan.Plan{}
}

// changed returns the plan of an update or a delete, or nil if its open form has none: see compile.Statement.Changed.
func (w *writer) changed(s *compile.Statement) (*plan.Plan, error) {
	root := w.m.Root
	if err := w.rows(s); err != nil {
		return nil, err
	}
	if !s.Whole() {
		return nil, fail.Errorf(fail.Invalid, "", "%s changes the rows of one table, so it can't follow join, select, groupBy and similar calls: write conditions on other tables in where", root.Name)
	}
	g, fc, _ := s.Row()
	t := fc.Table
	w.w.Table, w.w.Facet, w.w.Grant = t, fc, g
	if err := compile.HasKey(t); err != nil {
		return nil, err
	}
	entry, err := g.Enter(t, nil, nil) // entry has the whole scope: the query that finds the rows may leave out conditions that its links imply
	if err != nil {
		return nil, err
	}
	update := root.Name == language.Update
	w.entry = entry
	if err := s.Change(entry, update, w.images && !w.w.Facet.Rights.Act()); err != nil { // PostgreSQL refuses RETURNING where a rule acts instead
		return nil, err
	}
	var set []written
	var rows, whole [][]written
	if update {
		if set, err = w.set(s, fc); err != nil {
			return nil, err
		}
		rows, whole = [][]written{set}, [][]written{w.standing(entry, set)}
	} else if !fc.Rights.Delete {
		return nil, fail.Errorf(fail.Denied, "", "rows can't be deleted: the host granted no right to delete them")
	}
	if err := w.law(rows, whole); err != nil {
		return nil, err
	}
	p, err := s.Changed(set)
	if err != nil || p == nil {
		return nil, err
	}
	return w.noted(p), nil
}

// standing returns set, the values of an update, followed by the scope's values for the columns that set leaves out.
func (w *writer) standing(entry scope.Entry, set []written) []written {
	fixed, _ := entry.Parts()
	for _, x := range fixed {
		if len(x.Slots) == 1 && !slices.ContainsFunc(set, func(v written) bool { return v.Col == x.Col }) {
			set = append(set[:len(set):len(set)], written{Col: x.Col, Src: compile.FixedSource(x)})
		}
	}
	return set
}

// conditioned reports whether a chain of calls chooses rows by a condition or a limit, or all rows by all().
func conditioned(n *message.Node) bool {
	for ; n != nil; n = n.Recv {
		switch n.Name {
		case "where", "limit", language.IfUnchanged, language.First, language.All, language.DistinctBy:
			if n.Op == message.OpCall {
				return true
			}
		}
	}
	return false
}

// calls reports whether a chain of calls includes a method.
func calls(n *message.Node, method string) bool {
	for ; n != nil; n = n.Recv {
		if n.Op == message.OpCall && n.Name == method {
			return true
		}
	}
	return false
}

// set returns the columns that an update changes, with their new values.
func (w *writer) set(s *compile.Statement, fc *decl.Facet) ([]written, error) {
	arg := w.m.Root.Args[0]
	if arg.Op == message.OpLambda {
		arg = s.Callback(arg)
	}
	var out []written
	add := func(name string, value func(*decl.Column) (written, error)) error {
		col := column(fc.Rights.Update, fc, name)
		if col == nil {
			return fail.Errorf(fail.Denied, "", "`%s` can't be changed: leave it out", name)
		}
		if col.Key { // a facet never lets programs change a key
			return ofHook(hook(written{Col: col, Filled: filled(name)}), fail.Errorf(fail.Invalid, "", "the key `%s` can't be changed, since it identifies the row: leave it out", col.Name))
		}
		v, err := value(col)
		out = append(out, v)
		return err
	}
	for i, n := range w.sets[0] { // the first set has the columns of the literal and of hooks
		if arg.Op == message.OpRecord && !filled(n) {
			return nil, expr.ErrNode(arg)
		}
		if err := add(n, func(col *decl.Column) (written, error) { return w.given(col, w.sets[0], 0, i), nil }); err != nil {
			return nil, err
		}
	}
	switch arg.Op {
	case message.OpLit:
	case message.OpRecord:
		for i, n := range arg.Names {
			if err := add(n, func(col *decl.Column) (written, error) { return s.Calculate(col, arg.Args[i]) }); err != nil {
				return nil, err
			}
		}
	default:
		return nil, expr.ErrNode(arg)
	}
	if len(out) == 0 {
		return nil, fail.Errorf(fail.Invalid, "", "there is nothing to change: give update an object of columns and values")
	}
	return out, nil
}

// belongs adds the check that the row at the start of link l is in scope. Updated rows are in scope by l, so they stay there.
func (w *writer) belongs(l *decl.Link, rows [][]written) error {
	for _, c := range w.entry.Conditions() {
		if c.Kind == scope.Linked && c.Link == l {
			if err := w.reach(c.Grant, l.From, l, rows, true); err != nil {
				return err
			}
		}
	}
	return nil
}
