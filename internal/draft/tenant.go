package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Tenant is a table that may own the rows of other tables. It may also be a column of these tables that refers to no table.
type Tenant struct {
	Table   string   // Table is the name for -tenant: a table, or a column
	Column  string   // Column is the key of the table; "" if there is no table
	Claim   string   // Claim is the name of the principal's claim in the file
	Type    string   // Type is the type of that claim
	Direct  []string // Direct has each "table.column" that refers to the table of tenants
	ByName  int      // ByName is how many of Direct are guesses from the column's name, without a foreign key
	Through int      // Through is how many tables refer to the table of tenants through other tables
	Of      int      // Of is the number of other tables
	Sure    string   // Sure is "sure", "likely" or Guess

	facet *Facet
	score float64
	leads map[*Facet]*lead
	usual string // the most common name, without prefixes, of columns that refer to the table
}

// Guess is the value of Tenant.Sure if there is little evidence for the table.
const Guess = "a guess"

// called returns the name of a column without the table's prefix.
func (f *Facet) called(column string) string { return strings.Join(f.bare(column), "_") }

// lead is how a table refers to the table of tenants: by one column, or by several.
type lead struct {
	columns []string // with several columns, a person has to choose
	byName  bool
}

// A table's name hints at who owns its rows. The weights are guesses. Sure rates the distance between the best table and the second.
var (
	tenantWords = scalar.Words("tenant organization organisation org account company workspace team client firm agency school clinic shop store site business")
	actorWords  = scalar.Words("customer user member owner employee person patient student")
	lookupWords = scalar.Words("country city language category currency status type address region state role unit tag kind genre actor product")
)

func weight(table string) float64 {
	ws := naming.Words(naming.Singular(table))
	if len(ws) == 0 {
		return 1
	}
	switch w := strings.ToLower(ws[len(ws)-1]); {
	case tenantWords[w]:
		return 2
	case actorWords[w]:
		return 1.2
	case lookupWords[w]:
		return 0.4
	}
	return 1
}

func claimType(k schema.Kind) string {
	return map[schema.Kind]string{schema.Int: value.TypeInt, schema.Text: value.TypeText, schema.UUID: value.TypeUUID}[k]
}

// findTenant finds the table that most other tables refer to.
func (d *Draft) findTenant() error {
	w := d.newWays()
	leads := map[string]bool{} // names of columns that refer to a possible table of tenants
	for i := range d.Facets {
		if t := d.tenant(w, i); t != nil {
			d.Tenants = append(d.Tenants, *t)
			if t.score > 0 {
				leads[t.usual] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.called)) {
		if ws := strings.Split(name, "_"); len(ws) < 2 || ws[len(ws)-1] != "id" && ws[len(ws)-1] != "uuid" || !tenantWords[ws[len(ws)-2]] || leads[name] {
			continue
		}
		if t := d.columnTenant(w, name, d.byName); t != nil && len(t.Direct) > 1 {
			d.Tenants = append(d.Tenants, *t)
		}
	}
	if t := d.namedTenant(w); t != nil {
		d.Tenants = append(d.Tenants, *t)
	}
	slices.SortStableFunc(d.Tenants, func(a, b Tenant) int { return cmp.Compare(b.score, a.score) })
	var names []string
	for i := range d.Tenants {
		t := &d.Tenants[i]
		names = append(names, t.Table)
		second := 0.0 // the best score among the other tables
		if j := min(1-min(i, 1), len(d.Tenants)-1); j != i {
			second = d.Tenants[j].score
		}
		share := float64(len(t.Direct)+t.Through) / float64(max(1, t.Of))
		switch {
		case share >= 0.6 && t.score >= 1.5*second && t.ByName < len(t.Direct):
			t.Sure = "sure"
		case share >= 0.4 && t.score >= 1.2*second:
			t.Sure = "likely"
		default:
			t.Sure = Guess
		}
	}
	switch {
	case d.opt.Tenant == None:
	case d.opt.Tenant != "":
		i := slices.Index(names, d.opt.Tenant)
		switch {
		case i < 0 && len(names) == 0:
			return fail.Errorf(fail.Invalid, "", "-tenant: no foreign key refers to a table %s, and no table has a column %[1]s: give the column that has a row's tenant, or %[2]s if every user may see every row", schema.Printable(d.opt.Tenant), None)
		case i < 0:
			return fail.Errorf(fail.Invalid, "", "-tenant: no foreign key refers to a table %s, and no table has a column %[1]s: want one of %[2]s, or another column with a row's tenant, or %[3]s", schema.Printable(d.opt.Tenant), schema.Printable(strings.Join(names[:min(len(names), 12)], ", ")), None)
		}
		d.Tenant = &d.Tenants[i]
		d.Tenant.Sure = "you said so"
	case len(d.Tenants) > 0 && d.Tenants[0].score > 0:
		d.Tenant = &d.Tenants[0]
	}
	return nil
}

// ways indexes the references of a draft by its facets. The draft looks up, for many facets, which facets refer to them. A loop over all
// references for each of them would be too slow.
type ways struct {
	into   [][]*reference // the references to each facet, by its number
	at     map[*Facet]int
	called map[string][]int             // the facets that have a column with this name, without the table's prefix
	names  map[*Facet]map[string]string // the column of a facet for each such name
	refers map[*Facet]map[string]bool   // the columns by which a facet refers to others
	fit    int                          // the number of granted facets
	seen   []int                        // for each facet, the number of the last search that found it
	number int
}

func (d *Draft) newWays() *ways {
	n := len(d.Facets)
	w := &ways{into: make([][]*reference, n), at: map[*Facet]int{}, called: map[string][]int{}, names: map[*Facet]map[string]string{}, refers: map[*Facet]map[string]bool{}, seen: make([]int, n)}
	for i, f := range d.Facets {
		w.at[f] = i
		w.refers[f], w.names[f] = map[string]bool{}, map[string]string{}
		if f.Out == "" {
			w.fit++
		}
		for k := range f.table.Columns {
			name := f.called(f.table.Columns[k].Name)
			if w.names[f][name] == "" {
				w.names[f][name] = f.table.Columns[k].Name
				w.called[name] = append(w.called[name], i)
			}
		}
	}
	for _, r := range d.refs {
		r.place = w.at[r.from]
		w.into[w.at[r.to]] = append(w.into[w.at[r.to]], r)
		for _, c := range r.columns {
			w.refers[r.from][c] = true
		}
	}
	return w
}

// tenant collects the evidence that a table is the table of tenants. It returns nil if no table refers to it.
func (d *Draft) tenant(w *ways, at int) *Tenant {
	f := d.Facets[at]
	if f.Out != "" || f.table.PrimaryKey == nil || len(f.table.PrimaryKey.Columns) != 1 {
		return nil
	}
	key := f.table.Column(f.table.PrimaryKey.Columns[0])
	if key == nil || claimType(key.Kind) == "" || key.Enum != nil {
		return nil
	}
	t := &Tenant{Table: f.Table, Column: key.Name, Type: claimType(key.Kind), facet: f, leads: map[*Facet]*lead{}}
	called := map[string]int{}     // how often each name occurs among the columns that refer to the table
	var near []int                 // the facets that refer to the table, in their order
	counted := map[*Facet]string{} // for each such facet, the column, if several rows of the facet may refer to one row
	for _, r := range w.into[at] {
		if r.from != f && len(r.columns) == 1 && r.references[0] == key.Name {
			l := t.leads[r.from]
			if l == nil {
				l = &lead{}
				t.leads[r.from] = l
				near = append(near, w.at[r.from])
			}
			l.columns = append(l.columns, r.columns[0])
			l.byName = l.byName || r.guess
			// A unique column makes a row a part of the row that it refers to, like settings of a user. Such a reference does not show who owns other
			// rows.
			if !r.unique {
				called[r.from.called(r.columns[0])]++
				counted[r.from] = r.columns[0]
			}
		}
	}
	for name, n := range called {
		if cmp.Or(called[t.usual]-n, len(name)-len(t.usual), strings.Compare(name, t.usual)) < 0 { // prefer team_id to current_team_id
			t.usual = name
		}
	}
	t.Of = w.fit - 1
	if t.usual != "" && t.usual != "id" {
		for _, i := range d.byName(w, t.usual, t.Type) {
			if x := d.Facets[i]; x != f && t.leads[x] == nil {
				column := w.names[x][t.usual]
				t.leads[x], counted[x] = &lead{[]string{column}, true}, column
				near = append(near, i)
			}
		}
	}
	if len(near) == 0 {
		return nil
	}
	slices.Sort(near)
	w.number++
	w.seen[at] = w.number
	var level []int // the facets at this distance from the table
	for _, i := range near {
		x := d.Facets[i]
		if _, ok := counted[x]; ok && x.Out == "" {
			w.seen[i] = w.number
			level = append(level, i)
			l := t.leads[x]
			t.Direct = append(t.Direct, x.Table+"."+strings.Join(l.columns, "/"))
			if l.byName {
				t.ByName++
			}
			t.score++
		}
	}
	d.through(w, t, level)
	t.score *= weight(f.table.Name.Name)
	t.Claim = claimName(role(strings.Split(t.usual, "_"), naming.Lower(naming.Singular(f.table.Name.Name))))
	return t
}

// namedTenant returns the tenant for a column of ids that a person named, unless another tenant has that name. The column may have any name.
func (d *Draft) namedTenant(w *ways) *Tenant {
	if slices.ContainsFunc(d.Tenants, func(t Tenant) bool { return t.Table == d.opt.Tenant }) {
		return nil
	}
	name := strings.ToLower(strings.Join(naming.Words(d.opt.Tenant), "_"))
	t := d.columnTenant(w, name, d.having)
	if t != nil {
		t.Table = d.opt.Tenant
	}
	return t
}

// having returns the facets that have a column with this name and type.
func (d *Draft) having(w *ways, name, typ string) (out []int) {
	for _, i := range w.called[name] {
		x := d.Facets[i]
		if c := x.table.Column(w.names[x][name]); x.Out == "" && c != nil && claimType(c.Kind) == typ && c.Enum == nil {
			out = append(out, i)
		}
	}
	return out
}

// byName returns the facets with a column of this name that refers to no other table: it is no foreign key, not the key, and not unique.
func (d *Draft) byName(w *ways, name, typ string) (out []int) {
	for _, i := range d.having(w, name, typ) {
		x := d.Facets[i]
		column := w.names[x][name]
		if !w.refers[x][column] && !slices.ContainsFunc(x.table.Keys(), func(key []string) bool { return len(key) == 1 && key[0] == column }) {
			out = append(out, i)
		}
	}
	return out
}

// columnTenant returns the tenant for a column that refers to no table, like tenant_id if another database has the tenants. The function with finds the
// facets that have the column. columnTenant returns nil if no facet has it.
func (d *Draft) columnTenant(w *ways, name string, with func(w *ways, name, typ string) []int) *Tenant {
	ws := strings.Split(name, "_")
	var t *Tenant
	for _, typ := range []string{value.TypeInt, value.TypeUUID, value.TypeText} {
		found := with(w, name, typ)
		if len(found) == 0 || t != nil && len(found) <= len(t.Direct) {
			continue
		}
		t = &Tenant{Table: name, Type: typ, leads: map[*Facet]*lead{}, usual: name, Of: w.fit}
		for _, i := range found {
			x := d.Facets[i]
			column := w.names[x][name]
			t.leads[x] = &lead{[]string{column}, true}
			t.Direct = append(t.Direct, x.Table+"."+column)
		}
	}
	if t == nil {
		return nil
	}
	t.ByName, t.score, t.Claim = len(t.Direct), float64(len(t.Direct)), claimName(role(ws, name))
	w.number++
	var level []int
	for f := range t.leads {
		w.seen[w.at[f]] = w.number
		level = append(level, w.at[f])
	}
	slices.Sort(level)
	d.through(w, t, level)
	t.score *= weight(strings.Join(ws[:len(ws)-1], "_"))
	return t
}

// claimName returns a claim's name for a table or a column.
func claimName(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 127 {
			return '_'
		}
		return r
	}, s)
}

// through counts the facets that refer to a tenant through other facets.
func (d *Draft) through(w *ways, t *Tenant, level []int) {
	for gain := 0.6; len(level) > 0; gain *= 0.6 {
		var next []int
		for _, i := range level {
			for _, r := range w.into[i] {
				if j := r.place; w.seen[j] != w.number && r.from.Out == "" {
					w.seen[j] = w.number
					next = append(next, j)
					t.Through++
					t.score += gain
				}
			}
		}
		level = next
	}
}

// findScopes gives each facet a scope: the rows with the principal's tenant in a column, or the rows that a link from such rows leads to. It
// leaves out a facet with neither.
func (d *Draft) findScopes() {
	done := map[*Facet]bool{}
	if d.Tenant != nil {
		d.scopeByColumn(done)
		d.scopeByLinks(done)
		d.noteOtherOwners(done)
	}
	for _, f := range d.Facets {
		switch {
		case f.Out != "" || done[f]:
		case d.Tenant != nil:
			f.leave("no column says who owns their rows", d.whyUnscoped(f, done))
		case d.opt.Tenant != None:
			f.leave("no column says who owns their rows", "no column says who owns its rows")
		}
	}
}

// scopeByColumn gives a scope to each facet that has the tenant in a column, and adds it to done.
func (d *Draft) scopeByColumn(done map[*Facet]bool) {
	t := d.Tenant
	if t.facet != nil {
		t.facet.rows, done[t.facet] = condition(t.Column, t.Claim), true
	}
	for _, f := range d.Facets {
		l := t.leads[f]
		switch {
		case f.Out != "" || l == nil:
		case len(l.columns) > 1:
			f.leave("several columns could say who owns their rows", fmt.Sprintf("%s refer to %s: choose the one that says who owns a row", strings.Join(l.columns, " and "), t.Table))
		default:
			f.rows, done[f] = condition(l.columns[0], t.Claim), true
			if l.byName {
				f.note = fmt.Sprintf("%s is no foreign key: its name says that it holds the tenant", l.columns[0])
			}
		}
	}
}

// scopeByLinks gives a scope to each facet that refers to one with a scope, and adds it to done. First it uses only links that every row has (sure),
// even if the way is long. Then it uses shorter ways, with links that some rows lack.
func (d *Draft) scopeByLinks(done map[*Facet]bool) {
	for sure := true; ; {
		more := false
		last := maps.Clone(done)
		for _, f := range d.Facets {
			if f.Out != "" || done[f] {
				continue
			}
			for _, r := range d.refs { // a sure link is better than the first one
				if r.from == f && last[r.to] && (r.sure || !sure && f.via == nil) && (f.via == nil || !f.via.sure) {
					f.via, done[f], more = r, true, true
				}
			}
			if f.via != nil {
				f.note = f.via.notes()
			}
		}
		if !more && !sure {
			break
		}
		sure = more
	}
}

// notes says what a person has to know of a scope by this link.
func (r *reference) notes() string {
	var notes []string
	if r.guess {
		notes = append(notes, fmt.Sprintf("%s is no foreign key: its name says where it leads", strings.Join(r.columns, ", ")))
	}
	if !r.sure {
		notes = append(notes, fmt.Sprintf("rows in which %s is NULL belong to no tenant", strings.Join(r.columns, ", ")))
	}
	return strings.Join(notes, "; ")
}

// noteOtherOwners notes where a row may have another owner by another way, as an item of an order whose product is of another shop.
func (d *Draft) noteOtherOwners(done map[*Facet]bool) {
	for _, f := range d.Facets {
		var others []string
		for _, r := range d.refs {
			if f.via != nil && r.from == f && r != f.via && done[r.to] && !r.to.ownedThrough(f) && (r.sure || !f.via.sure) {
				others = append(others, strings.Join(r.columns, ", "))
			}
		}
		if others != nil {
			note := fmt.Sprintf("by %s; %s would lead to %s too: choose the one that says who owns a row", strings.Join(f.via.columns, ", "), strings.Join(others, " or "), d.Tenant.Table)
			f.note = strings.TrimPrefix(f.note+"; "+note, "; ")
		}
	}
}

// whyUnscoped says why no column or link gives a facet a scope.
func (d *Draft) whyUnscoped(f *Facet, done map[*Facet]bool) string {
	t := d.Tenant
	why := fmt.Sprintf("no foreign key leads from it to %s, so no column says who owns its rows", t.Table)
	if t.facet == nil {
		why = fmt.Sprintf("it has no column %s of the type %s, and no foreign key leads from it to a table that has, so no column says who owns its rows", t.Table, t.Type)
	}
	if i := slices.IndexFunc(d.refs, func(r *reference) bool { return r.to == f && done[r.from] }); i >= 0 {
		why += fmt.Sprintf("; rows of %s lead to it", d.refs[i].from.Table)
	}
	if i := slices.IndexFunc(d.refs, func(r *reference) bool { return r.from == f && r.to.Out != "" && r.to != f }); i >= 0 {
		why += fmt.Sprintf("; it leads to %s, which is left out", d.refs[i].to.Table)
	}
	return why
}

// condition returns a scope: the column equals the principal's tenant.
func condition(column, claim string) string {
	return (&grantfile.Expr{Op: "eq", Column: grantfile.Name{Text: column}, Values: []grantfile.Operand{{Claim: claim}}}).String()
}

// ownedThrough reports whether the way from a row of f to its owner passes a row of other.
func (f *Facet) ownedThrough(other *Facet) bool {
	for ; f != nil && f != other; f = f.via.to {
		if f.via == nil {
			return false
		}
	}
	return f == other
}
