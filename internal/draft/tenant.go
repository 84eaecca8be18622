package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// Tenant is a table whose rows may be those to whom the rows of the others belong.
type Tenant struct {
	Table   string
	Column  string   // its key
	Claim   string   // what the file calls it
	Type    string   // of the claim
	Direct  []string // "table.column" that lead to it
	ByName  []string // of these: by the name of the column alone, without a foreign key
	Through int      // tables that lead to it through others
	Of      int      // tables besides
	Sure    string   // "sure", "likely" or "a guess"

	facet *Facet
	score float64
	leads map[*Facet]*lead
}

// lead is the column of a table that holds the key of its tenant.
type lead struct {
	columns []string // several: somebody has to choose
	byName  bool
}

// What a table is called says who its rows are. The weights are guesses; Sure says how far the best is from the second.
var (
	tenantWords = set("tenant organization organisation org account company workspace team client firm agency school clinic shop store site business")
	actorWords  = set("customer user member owner employee person patient student")
	lookupWords = set("country city language category currency status type address region state role unit tag kind genre actor product")
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
	switch k {
	case schema.Int:
		return exo.TypeInt
	case schema.Text:
		return exo.TypeText
	case schema.UUID:
		return exo.TypeUUID
	}
	return ""
}

// findTenant finds the table to which most tables lead.
func (d *Draft) findTenant() error {
	w := d.newWays()
	for i := range d.Facets {
		if t := d.tenant(w, i); t != nil {
			d.Tenants = append(d.Tenants, *t)
		}
	}
	slices.SortStableFunc(d.Tenants, func(a, b Tenant) int { return cmp.Compare(b.score, a.score) })
	var names []string
	for i := range d.Tenants {
		t := &d.Tenants[i]
		names = append(names, t.Table)
		second := 0.0 // the best of the others
		if j := min(1-min(i, 1), len(d.Tenants)-1); j != i {
			second = d.Tenants[j].score
		}
		share := float64(len(t.Direct)+t.Through) / float64(max(1, t.Of))
		switch {
		case share >= 0.6 && t.score >= 1.5*second && len(t.ByName) < len(t.Direct):
			t.Sure = "sure"
		case share >= 0.4 && t.score >= 1.2*second:
			t.Sure = "likely"
		default:
			t.Sure = "a guess"
		}
	}
	switch {
	case d.opt.Tenant == None:
	case d.opt.Tenant != "":
		i := slices.Index(names, d.opt.Tenant)
		if i < 0 {
			return exo.Errorf(exo.Invalid, "", "no other table leads to a table %s by its key; there are %s, and %s", schema.Printable(d.opt.Tenant), schema.Printable(strings.Join(names, ", ")), None)
		}
		d.Tenant = &d.Tenants[i]
		d.Tenant.Sure = "you said so"
	case len(d.Tenants) > 0:
		d.Tenant = &d.Tenants[0]
	}
	return nil
}

// ways are the references of a draft by the places of its facets: each facet is asked who leads to it, so nothing may go through all
// facets or references for each.
type ways struct {
	into   [][]*reference // the references to each facet
	at     map[*Facet]int
	called map[string][]int           // the facets that have a column of a name
	refers map[*Facet]map[string]bool // by which columns a facet refers to others
	fit    int                        // facets that are not left out
	seen   []int                      // the number of the last search that found each facet
	number int
}

func (d *Draft) newWays() *ways {
	n := len(d.Facets)
	w := &ways{into: make([][]*reference, n), at: map[*Facet]int{}, called: map[string][]int{}, refers: map[*Facet]map[string]bool{}, seen: make([]int, n)}
	for i, f := range d.Facets {
		w.at[f] = i
		w.refers[f] = map[string]bool{}
		if f.Out == "" {
			w.fit++
		}
		for k := range f.table.Columns {
			w.called[f.table.Columns[k].Name] = append(w.called[f.table.Columns[k].Name], i)
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

// tenant is what speaks for a table; nil: nothing leads to it.
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
	called := map[string]int{} // by what the columns are called that lead there
	var near []int             // the facets that lead to it, in their order
	for _, r := range w.into[at] {
		if r.from != f && len(r.columns) == 1 && r.references[0] == key.Name {
			l := t.leads[r.from]
			if l == nil {
				l = &lead{}
				t.leads[r.from] = l
				near = append(near, w.at[r.from])
			}
			l.columns = append(l.columns, r.columns[0])
			called[r.columns[0]]++
		}
	}
	usual := ""
	for name, n := range called {
		if n > called[usual] || n == called[usual] && name < usual {
			usual = name
		}
	}
	t.Of = w.fit - 1
	if usual != "" && !strings.EqualFold(usual, "id") {
		for _, i := range w.called[usual] {
			x := d.Facets[i]
			if x == f || x.Out != "" || t.leads[x] != nil {
				continue
			}
			if c := x.table.Column(usual); c != nil && claimType(c.Kind) == t.Type && !w.refers[x][usual] && (x.table.PrimaryKey == nil || !slices.Contains(x.table.PrimaryKey.Columns, usual)) {
				t.leads[x] = &lead{[]string{usual}, true}
				near = append(near, i)
			}
		}
	}
	slices.Sort(near)
	w.number++
	w.seen[at] = w.number
	var level []int // the facets that are so far away
	for _, i := range near {
		x := d.Facets[i]
		if l := t.leads[x]; x.Out == "" {
			w.seen[i] = w.number
			level = append(level, i)
			t.Direct = append(t.Direct, x.Table+"."+strings.Join(l.columns, "/"))
			if l.byName {
				t.ByName = append(t.ByName, x.Table+"."+usual)
			}
			t.score++
		}
	}
	if len(t.Direct) == 0 {
		return nil
	}
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
	t.score *= weight(f.Table)
	t.Claim = role([]string{usual}, naming.Lower(naming.Singular(f.Table)))
	t.Claim = strings.Map(func(r rune) rune {
		if r > 127 {
			return '_'
		}
		return r
	}, t.Claim)
	return t
}

// findScopes gives each facet its rows: those whose column is the principal's tenant, or those that a link leads to from such rows. What has
// neither is left out.
func (d *Draft) findScopes() {
	t := d.Tenant
	if t == nil {
		for _, f := range d.Facets {
			if f.Out == "" && d.opt.Tenant != None {
				f.Out = "no table was found to whose rows those of the others belong"
			}
		}
		return
	}
	t.facet.rows = condition(t.Column, t.Claim)
	done := map[*Facet]bool{t.facet: true}
	for _, f := range d.Facets {
		l := t.leads[f]
		switch {
		case f.Out != "" || l == nil:
		case len(l.columns) > 1:
			f.Out = fmt.Sprintf("%s lead to %s: choose which of them says whose a row is", strings.Join(l.columns, " and "), t.Table)
		default:
			f.rows, done[f] = condition(l.columns[0], t.Claim), true
			if l.byName {
				f.note = fmt.Sprintf("%s is no foreign key: it is taken for the tenant by its name", l.columns[0])
			}
		}
	}
	for more := true; more; {
		more = false
		last := map[*Facet]bool{}
		for f := range done {
			last[f] = true
		}
		for _, f := range d.Facets {
			if f.Out != "" || done[f] {
				continue
			}
			var ways []*reference
			for _, r := range d.refs {
				if r.from == f && last[r.to] {
					ways = append(ways, r)
				}
			}
			if len(ways) == 0 {
				continue
			}
			slices.SortStableFunc(ways, func(a, b *reference) int {
				switch {
				case a.sure == b.sure:
					return 0
				case a.sure:
					return -1
				}
				return 1
			})
			f.via, done[f], more = ways[0], true, true
			if !f.via.sure {
				f.note = fmt.Sprintf("rows without %s are nobody's", strings.Join(f.via.columns, ", "))
			}
			if len(ways) > 1 {
				var others []string
				for _, w := range ways[1:] {
					others = append(others, strings.Join(w.columns, ", "))
				}
				f.note = strings.TrimPrefix(f.note+"; ", "; ") + fmt.Sprintf("by %s; %s would lead to %s as well", strings.Join(f.via.columns, ", "), strings.Join(others, " or "), t.Table)
			}
		}
	}
	for _, f := range d.Facets {
		if f.Out != "" || done[f] {
			continue
		}
		f.Out = fmt.Sprintf("no foreign key leads from it to %s, so nothing says whose its rows are", t.Table)
		for _, r := range d.refs {
			if r.to == f && done[r.from] {
				f.Out += fmt.Sprintf("; rows of %s lead to it", r.from.Table)
				break
			}
		}
		for _, r := range d.refs {
			if r.from == f && r.to.Out != "" && r.to != f {
				f.Out += fmt.Sprintf("; it leads to %s, which is left out", r.to.Table)
				break
			}
		}
	}
}

// condition is a scope by the principal's tenant.
func condition(column, claim string) string {
	return (&grantfile.Expr{Op: "eq", Column: grantfile.Name{Text: column}, Values: []grantfile.Operand{{Claim: claim}}}).String()
}
