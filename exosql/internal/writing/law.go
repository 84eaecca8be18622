package writing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file is the law of writes. It lists everything that can depend on a written column. Each kind has a discharge: code that permits, checks
// or refuses the write. DESIGN.md states the law; plan.go and insert.go apply it to a message, rules.go to a catalogue.

// kind is a kind of dependant: a thing that depends on a written column. The law denies by default: a kind without a case in its switch refuses every
// write (TestLaw).
type kind uint8

// These kinds come from declarations: writer.discharge judges them for each message.
const (
	decides kind = iota + 1 // a condition, an order or a search of a grant decides by the columns which rows are in scope
	belongs                 // a link ends at the columns, and brings the row into scope
	reaches                 // a link starts at the columns, and brings rows of another table into scope
	counts                  // a limit or an offset of a grant decides by counting which rows are in scope

	// These kinds come from the catalogue: refusing.discharge judges them once for each catalogue and plan.
	identifies // the declared key, with which statements find rows
	resolves   // an ON CONFLICT clause of SQLite, which replaces or leaves out rows
	fires      // a trigger acts
	rewrites   // a rule of PostgreSQL rewrites the statement
	unites     // a unique rule or an exclusion constraint compares rows
	orders     // an index sorts rows by the columns
	admits     // a check, a policy or the bounds of a partition accepts or refuses a row
	calculates // a generated column is calculated from the columns
	refers     // a foreign key of the table refers to another row
	referred   // a foreign key of another table that refers to the table
	exposes    // labelled data that a row reveals by being in scope
	repeats    // another declared table that may show the same rows
	compares   // a link begins or ends at the table, and its ends may have different types
	awaits     // a link would bring rows of another table, which wait for a new row, into scope
	equates    // an equality of the database may be wider than exact
)

// dependant is one thing that depends on columns of a written row.
type dependant struct {
	kind kind

	// These fields describe a dependant of a grant.
	table *decl.Table // table is the table with the columns in cols
	cols  []*decl.Column
	link  *decl.Link
	skips bool // skips: the grant has an offset
	// more is set if another grant has the dependant, and shows or allows more of the row than the grant that writes.
	more bool

	// These fields describe a dependant of the catalogue.
	name, why string // name is the dependant's name in a permission; why describes how its error would reveal labelled values
	reads     func(of func(string) bool) bool
	parts     []schema.Part // parts are the columns and expressions of a rule, index, check or key, with those that an index includes
	again     bool          // again: the dependant may refuse a row even if its own columns are not written
	unique    unique
	trigger   schema.Trigger
	key       schema.ForeignKey
	child     *schema.Table // child is the table with the foreign key
	reveals   decl.Revealed
}

// dependants lists everything in grant g that depends on columns of table t.
func dependants(g *scope.Grant, t *decl.Table) (out []dependant) {
	add := func(k kind, l *decl.Link, cols ...*decl.Column) {
		if len(cols) > 0 {
			out = append(out, dependant{kind: k, table: t, link: l, cols: cols})
		}
	}
	var from []*decl.Link
	starts := func(l *decl.Link) {
		if l.From == t && !slices.Contains(from, l) {
			from = append(from, l)
		}
	}
	cut, granted, limited, skips := false, byGranted(g, t), false, false // cut: a later step of the chain has a limit or an offset
	for s := g.Rel; s != nil; s = s.Prev {
		cut, skips = cut || s.Kind == decl.StepLimit || s.Kind == decl.StepOffset, skips || s.Kind == decl.StepOffset
		if s.Kind == decl.StepFollow {
			starts(s.Link)
			if s.Link.From == t && (cut || granted) { // a row of t may be in scope by rows that another row of t, or the row itself, leads to
				add(decides, nil, s.Link.Starts()...)
			}
		}
		if s.Table != t {
			continue
		}
		if s.Kind == decl.StepGrant || s.Kind == decl.StepWhere {
			add(decides, nil, s.Pred.Columns()...)
		}
		for _, o := range s.Order {
			add(decides, nil, o.Col)
		}
		if s.Search != nil {
			add(decides, nil, s.Search.Cols...)
		}
		if s.Kind == decl.StepFollow { // this link reached the row, so the row is in scope or leads to rows in scope
			add(decides, nil, s.Link.Ends()...)
		}
		limited = limited || cut
	}
	own := g.Scopes[t]
	for _, ss := range []scope.Scopes{g.Scopes, g.Chain} {
		for _, s := range ss {
			if s.Kind == decl.ScopeVia {
				starts(s.Link)
			}
		}
		s := ss[t]
		if s == nil {
			continue
		}
		add(decides, nil, s.Pred.Columns()...)
		if s.Kind == decl.ScopeVia && own != nil && s.Link == own.Link {
			add(belongs, s.Link, s.Link.Ends()...)
		} else if s.Kind == decl.ScopeVia {
			add(decides, nil, s.Link.Ends()...)
		}
	}
	slices.SortFunc(from, func(a, b *decl.Link) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range from {
		if add(reaches, l, l.Starts()...); cut { // if the link no longer leads to a row, the limit lets another row in
			add(decides, nil, l.Starts()...)
			limited = true
		}
	}
	if limited {
		out = append(out, dependant{kind: counts, table: t, skips: skips})
	}
	return out
}

// law judges everything that depends on the written columns, in the grant that writes and in the other grants of the same programs. A write through one
// grant could otherwise widen what another shows. A program that may add a row to memberships could join every project and read it (TestBesideGrants).
// A program that may assign tickets could read what only the assignee may (TestBesideShowsMore). rows has the values that the program writes. whole
// also has those that the scope fixes, so that a foreign key with such a column is checked with all its columns.
func (w *writer) law(rows, whole [][]written) error {
	g, t := w.w.Grant, w.w.Table
	all := dependants(g, t)
	for _, d := range all {
		if d.kind != reaches { // reaches comes after points, which notes the links that it checks in w.pointed
			if err := w.discharge(g, d, rows); err != nil {
				return err
			}
		}
	}
	if err := w.points(g, w.w.Facet, whole); err != nil {
		return err
	}
	for _, b := range slices.Concat([]*scope.Grant{g}, slices.DeleteFunc(slices.Concat(w.grants, w.beside), func(b *scope.Grant) bool { return b == g })) {
		if b == g {
			all = slices.DeleteFunc(all, func(d dependant) bool { return d.kind != reaches })
		} else {
			all = dependants(b, t)
			more := reveals(b, g, t, w.w.Facet, nil)
			if !more && !slices.ContainsFunc(all, func(d dependant) bool { return d.kind == reaches || d.kind == counts }) {
				all = nil // a row in the scope of b was in the scope of g, which shows as much of it
			}
			for i := range all {
				all[i].more = more
			}
		}
		for _, o := range twice(b, t) {
			all = append(all, dependants(b, o)...)
		}
		for _, d := range all {
			if err := w.discharge(b, d, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// discharge judges a write by one dependant of grant b: it permits the write, adds a check before it, or refuses it.
func (w *writer) discharge(b *scope.Grant, d dependant, rows [][]written) error {
	own, update := b == w.w.Grant, w.m.Root.Name == language.Update
	if d.table != w.w.Table { // two declarations can be compared by the names of columns only
		named := func(v written) bool {
			return slices.ContainsFunc(d.cols, func(c *decl.Column) bool { return strings.EqualFold(c.Name, v.Col.Name) })
		}
		if d.kind == counts || (update || d.kind == reaches) && slices.ContainsFunc(slices.Concat(rows...), named) {
			return fail.Errorf(fail.Denied, "", "these rows can't be changed: their table is declared twice, and another grant depends on the changed columns. Ask the host to declare the table once")
		}
		return nil
	}
	var given []written // given are the written values in columns of d
	for _, v := range slices.Concat(rows...) {
		if slices.Contains(d.cols, v.Col) {
			given = append(given, v)
		}
	}
	switch d.kind {
	case decides, belongs:
		by := "which rows you may see"
		if !own {
			by = "which rows another grant shows"
		}
		switch {
		case !update || given == nil:
			return nil // the scope fills in a new row's columns, or insert reads the row back in scope
		case own && d.kind == belongs:
			return w.belongs(d.link, rows)
		case d.kind == belongs && !d.more:
			return nil
		}
		return ofHook(hook(given[0]), fail.Errorf(fail.Denied, "", "`%s` can't be changed: it decides %s; leave it out", given[0].Col.Guest, by))
	case reaches:
		switch {
		case !slices.ContainsFunc(given, func(v written) bool { return !v.Null }):
			return nil
		case own && w.pointed[d.link], !own && covered(b, w.w.Grant, w.w.Table, w.w.Facet, d.link, w.pointed[d.link]):
			return nil // a check looks for the row at the link's end in scope before the write
		case d.link.ToKey():
			return w.reach(b, d.link.To, d.link, rows, false)
		case !update:
			return nil // an insert of a row that others refer to already is judged as the kind awaits
		}
		return w.closed(d.link, rows)
	case counts:
		switch {
		case rows == nil && own:
			return fail.Errorf(fail.Denied, "", "rows can't be deleted: this program sees only the first rows, and a deletion would bring further rows into view. Ask the host for a grant without a limit")
		case rows == nil:
			return fail.Errorf(fail.Denied, "", "rows can't be deleted: another grant shows only the first rows, and a deletion would bring further rows into its view. Ask the host to grant these rows without a limit")
		case !own && !update && d.skips:
			return fail.Errorf(fail.Denied, "", "rows can't be inserted: another grant leaves out the first rows, and a new row would move one of them into its view. Ask the host to grant these rows without an offset")
		}
		return nil // the kind decides judges the columns that the limit sorts by
	}
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the write was refused, because exosql has no rule for dependants of kind %d: this is a fault of exosql, please report it", d.kind)}
}

// dependantsOn lists everything in the database that depends on columns of table t, or acts when its rows are written.
func (c *rules) dependantsOn(t *schema.Table) (out []dependant) {
	add := func(d dependant) {
		if d.reads == nil {
			d.reads = func(of func(string) bool) bool { return c.reads(t, d.parts, of) }
		}
		out = append(out, d)
	}
	columns := func(names []string) []schema.Part { return keyParts(&schema.Key{Columns: names}) }
	for _, what := range t.OnConflict {
		add(dependant{kind: resolves, name: what})
	}
	for _, tr := range t.Triggers {
		if !tr.Disabled {
			add(dependant{kind: fires, name: tr.Name, trigger: tr})
		}
	}
	for _, r := range t.Rules {
		d := dependant{kind: rewrites, name: r.Name, trigger: schema.Trigger{Events: []string{r.Event}}}
		if r.Event == "" {
			d.trigger.Events = nil // a rule without a known event may act on every write
		}
		add(d)
	}
	for _, u := range uniquesOf(t) {
		add(dependant{kind: unites, name: u.name(), unique: u, parts: unique{Parts: u.Parts, where: u.where}.entry()})
		if len(u.include) > 0 {
			add(dependant{kind: orders, parts: u.entry()})
		}
	}
	for _, x := range t.Indexes {
		if !x.Unique {
			add(dependant{kind: orders, parts: unique{Parts: x.Parts, where: x.Where, include: x.Include}.entry()})
		}
	}
	for _, k := range t.Checks {
		add(dependant{kind: admits, name: "check(" + k.Expr + ")", why: "the error for a value that breaks the check would reveal them", parts: []schema.Part{{Expr: k.Expr}}, again: k.NotValid || goesByClock(k.Expr)})
	}
	places := []string{t.PartitionBy} // the bounds of partitions act as a check, since a row may have no partition
	for _, p := range t.Policies {
		if t.RowSecurity && p.Command != "SELECT" {
			places = append(places, p.Using, p.Check)
		}
	}
	for _, r := range places {
		if r != "" {
			add(dependant{kind: admits, name: "check(" + r + ")", why: "the error for a row that breaks the check would reveal them", parts: []schema.Part{{Expr: r}}})
		}
	}
	for i := range t.Columns {
		if g := &t.Columns[i]; g.Generated != schema.NotGenerated {
			add(dependant{kind: calculates, name: g.Name, why: "the error for a value that can't be calculated would reveal them", reads: func(of func(string) bool) bool { return t.Calculates(g, of) }})
		}
	}
	for _, fk := range t.ForeignKeys {
		add(dependant{kind: refers, name: "foreign key(" + strings.Join(fk.Columns, ", ") + ")", why: "the error for a value that refers to no row would reveal them", parts: columns(fk.Columns), key: fk, child: t})
	}
	for _, child := range c.Live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table == t.Name {
				add(dependant{kind: referred, name: c.Called(child) + "(" + strings.Join(fk.Columns, ", ") + ")", parts: columns(references(fk, t)), key: fk, child: child})
			}
		}
	}
	return out
}

// dependants lists the dependants of w that come from grants, but are judged by the catalogue.
func (w Write) dependants() (out []dependant) {
	out = append(out, dependant{kind: identifies}, dependant{kind: equates})
	for _, x := range w.Reveals {
		out = append(out, dependant{kind: exposes, reveals: x})
	}
	for _, o := range w.Beside {
		out = append(out, dependant{kind: repeats, table: o})
	}
	for _, l := range slices.Concat(w.Leading, w.Links, w.Into, w.Through) {
		out = append(out, dependant{kind: compares, link: l})
	}
	for _, l := range w.Leading {
		out = append(out, dependant{kind: awaits, link: l})
	}
	return out
}

// discharge adds the reasons to refuse change x that come from dependant d, which depends on changed columns: a trigger, a unique index or
// a foreign key. It adds none if d allows x.
func (r refusing) discharge(x change, d dependant) {
	c, w, of := r.c, r.w, x.table
	switch d.kind {
	case identifies:
		r.key()
	case resolves:
		if of == r.t {
			r.unless(decl.Permission{Kind: decl.PermitConflict, On: d.name}, check.HiddenEffect, "rules of the table without ON CONFLICT "+d.name, "",
				"programs may write the table, and one of its rules has ON CONFLICT %s: a row that breaks the rule would delete other rows, be left out without an error, or leave a statement half done", d.name)
		}
	case fires:
		if !x.heir && c.fires(d.trigger, x.altered) {
			r.unless(r.named(x.altered, d), check.HiddenEffect, c.dropTrigger(d.name, of), ", if it may act", "a write sets off%s the trigger %s of %s (%s)", r.through(x.altered), d.name, c.Called(of), when(d.trigger))
		}
	case rewrites:
		if !x.heir && c.fires(d.trigger, x.altered) {
			r.unless(r.named(x.altered, d), check.HiddenEffect, fmt.Sprintf("DROP RULE %s ON %s", sqlname.Plain(d.name), check.InFull(of)), ", if it may act", "a write is rewritten%s by the rule %s of %s", r.through(x.altered), d.name, c.Called(of))
		}
	case unites:
		r.united(x, d)
	case orders:
		r.ordered(x, d)
	case admits:
		// With d.again, existing rows may break the check, since it is NOT VALID or depends on the clock.
		if x.secrets.beside(x.changed, d.reads) || d.again && len(x.cols) > 0 && d.reads(x.secrets.has) {
			r.learns(x, d.name, d.why)
		}
	case calculates:
		if of == r.t {
			r.calculated(d)
		}
		if x.secrets.beside(x.changed, d.reads) {
			r.learns(x, "generated("+d.name+")", d.why)
		}
	case refers:
		if r.own(of) {
			r.refers(of, d.key)
		}
		if x.secrets.beside(x.changed, d.reads) {
			r.learns(x, d.name, d.why)
		}
	case referred:
		r.cascades(x, d)
	case exposes:
		r.exposed(d)
	case repeats:
		if c.Shows(d.table, r.t) {
			r.unless(decl.Permission{Kind: decl.PermitRows, On: d.table.Name}, check.HiddenEffect, "one declaration for both", ", if no write here brings a row into that scope",
				"programs may write the table, and another grant may show the same rows through the declaration %s: a write could bring rows into the scope of that grant", d.table.Name)
		}
	case compares:
		r.compared(d.link)
	case awaits:
		if len(w.Rights.Insert) > 0 {
			r.awaited(d.link)
		}
	case equates:
		c.widely(r.t, w, r)
	default: // a kind without a discharge refuses each write
		r.because(check.HiddenEffect, "a rule for that kind in package writing", "programs may write the table, and no rule judges what depends on its columns by the kind %d", d.kind)
	}
}

// own reports whether the write itself changes a table. Otherwise the database carries the change on to the table.
func (r refusing) own(t *schema.Table) bool { return slices.Contains(r.parts, t) }

// united judges a unique rule or an exclusion constraint.
func (r refusing) united(x change, d dependant) {
	c, w, of := r.c, r.w, x.table
	if u := d.unique; r.own(of) && !w.Trusted && confirms(c.Live, r.t, u, w) {
		r.unless(u.permission(), check.SpanningUnique, c.fixUnique(u, w), ", if programs may learn which values other tenants have", "programs may write the table, and %s is unique among the rows of all tenants: the error that a value is taken would reveal rows out of scope", u.said())
	}
	switch changes := len(x.cols) > 0 && d.reads(x.changed.has); {
	case d.reads(x.secrets.has) && (changes || x.moves || x.insert && (d.unique.numbered(c.Live, of) || !d.unique.fresh(c.Live, of, w.given()))):
		r.learns(x, d.name, "the error that a value is taken would reveal them")
	case x.indexed && changes: // the rows are changed one by one, in the order of the index
		r.learns(x, d.name, "rows are changed in the order of an index, and the error that a value is taken would reveal this order")
	}
}

// ordered judges an index. The database may fail to make an index entry: its expression may divide by zero, or its columns may be too long. The
// condition of a partial index decides whether an entry exists. So an error could reveal a labelled value.
func (r refusing) ordered(x change, d dependant) {
	c, of := r.c, x.table
	if x.secrets.beside(x.changed, d.reads) && (slices.ContainsFunc(d.parts, func(p schema.Part) bool { return p.Column == "" }) ||
		c.Live.Engine == schema.Postgres && slices.ContainsFunc(d.parts, func(p schema.Part) bool { return c.dependsOn(of, p, x.changed.has) && !fixedSize(of, p) })) {
		r.learns(x, "index"+unique{Parts: d.parts}.said(), "the error for an index entry that can't be made would reveal them")
	}
}

// cascades judges a foreign key of another table.
func (r refusing) cascades(x change, d dependant) {
	changed := d.reads(x.changed.has)
	if !x.heir && (x.deletes() && carries(d.key.OnDelete) || changed && carries(d.key.OnUpdate)) {
		p := decl.Permission{Kind: decl.PermitCascade, On: r.c.Called(d.child), Of: strings.Join(d.key.Columns, ", ")}
		r.unless(p, check.HiddenEffect, fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s) without actions", sqlname.List(d.key.Columns), check.InFull(x.table), sqlname.List(references(d.key, x.table))), ", if it may act",
			"a write also changes the rows that refer to the written ones%s, by the foreign key %s (ON DELETE %s, ON UPDATE %s)", r.through(x.altered), d.name, d.key.OnDelete, d.key.OnUpdate)
	}
	if x.deletes() || changed {
		r.referred(x, d, changed)
	}
}

// exposed judges labelled data that decides which rows a program can change. So a change would reveal that data to all who read the table without the
// label. The labels of each message refuse such a write anyway; this reports it beforehand.
func (r refusing) exposed(d dependant) {
	if l := d.reveals.Label.Secrecy(); !r.w.Trusted && !l.FlowsTo(r.w.Table.Label.Secrecy()) {
		r.unless(decl.Permission{Kind: decl.PermitRevealing, On: d.reveals.Name}, check.HiddenEffect, r.w.Table.Reader.RowLabel(r.w.Table.Name), ", if programs may learn that",
			"programs may write the table, and which of its rows are in scope depends on %s, which is labelled %s: a write would reveal it to readers of the table, which has no such label", d.reveals.Name, l)
	}
}

// compared judges a link that begins or ends at the table.
func (r refusing) compared(l *decl.Link) {
	if why := r.c.Unlike(l); why != "" {
		r.unless(decl.Permission{Kind: decl.PermitTypes, On: l.From.Name, Of: l.Name}, check.LooseEquality, "one type for both columns", ", if no value is stored in two forms",
			"programs may write the table, and its link %s treats different values as equal, since %s: a written row could belong to another tenant's row", l.Name, why)
	}
}
