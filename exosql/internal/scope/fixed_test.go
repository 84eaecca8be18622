package scope

import (
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// TestFixed: only a scope that is one value for each of some columns, or every row, can be
// found by a search. Each other case is a scope of which a search finds rows that are out of it.
func TestFixed(t *testing.T) {
	table := &decl.Table{Name: "notes"}
	owner, code := &decl.Column{Table: table, Name: "owner"}, &decl.Column{Table: table, Name: "code"}
	eq := func(c *decl.Column, slots ...int) *decl.Pred {
		p := &decl.Pred{Op: "eq", Col: c}
		for _, s := range slots {
			p.Args = append(p.Args, decl.Held{Slot: s})
		}
		return p
	}
	list := func(c *decl.Column, n int) *decl.Pred {
		p := &decl.Pred{Op: "in", Col: c}
		for s := range n {
			p.Args = append(p.Args, decl.Held{Slot: s})
		}
		return p
	}
	and := func(ps ...*decl.Pred) *decl.Pred { return &decl.Pred{Op: "and", Subs: ps} }
	g := &Grant{Scopes: Scopes{table: {Kind: decl.ScopeRows, Table: table}}}
	holds := func(ps ...*decl.Pred) (must []Condition) {
		for _, p := range ps {
			must = append(must, g.holds(p))
		}
		return must
	}
	for name, c := range map[string]struct {
		must []Condition
		want int // columns, -1: it can't be found
	}{
		"one column":                  {holds(eq(owner, 0)), 1},
		"two columns":                 {holds(and(eq(owner, 0), eq(code, 1))), 2},
		"two conditions":              {holds(eq(owner, 0), eq(code, 1)), 2},
		"the same value twice":        {holds(eq(owner, 0), eq(owner, 0)), 1},
		"two values of a column":      {holds(eq(owner, 0), eq(owner, 1)), -1},
		"either":                      {holds(&decl.Pred{Op: "or", Subs: []*decl.Pred{eq(owner, 0), eq(code, 1)}}), -1},
		"not":                         {holds(&decl.Pred{Op: "not", Subs: []*decl.Pred{eq(owner, 0)}}), -1},
		"a range":                     {holds(&decl.Pred{Op: "gt", Col: owner, Args: []decl.Held{{}}}), -1},
		"one of a list":               {holds(list(owner, 2)), 1},
		"one of a long list":          {holds(list(owner, maxList+1)), -1},
		"one of none":                 {holds(list(owner, 0)), -1},
		"a value and a list":          {holds(eq(owner, 0), list(owner, 2)), -1},
		"two lists":                   {holds(list(owner, 2), list(owner, 3)), -1},
		"a value that is none":        {holds(eq(owner, 0, 1)), -1},
		"one column and a range":      {holds(eq(owner, 0), &decl.Pred{Op: "gt", Col: code, Args: []decl.Held{{}}}), -1},
		"the zero predicate":          {holds(nil), -1},
		"everything":                  {holds(&decl.Pred{Op: "all"}), 0},
		"everything and a column":     {holds(&decl.Pred{Op: "all"}, eq(owner, 0)), 1},
		"an empty and":                {holds(and()), -1},
		"a link":                      {[]Condition{{Kind: Linked, Grant: g}}, -1},
		"a column and a link":         {append(holds(eq(owner, 0)), Condition{Kind: Followed, Grant: g}), -1},
		"what the link implies":       {nil, -1},
		"one column of a bounded set": {append(holds(eq(owner, 0)), Condition{Kind: Among, Grant: g}), -1},
	} {
		fixed, ok := (Entry{g, table, c.must}).Fixed()
		if ok != (c.want >= 0) || ok && len(fixed) != c.want {
			t.Errorf("%s: %v %t, want %d", name, fixed, ok, c.want)
		}
	}
	// Through a link: the value at its start, where that is the key that the link joins by.
	users := &decl.Table{Name: "users"}
	id, name, day := &decl.Column{Table: users, Name: "id", Kind: "int"}, &decl.Column{Table: users, Name: "name", Kind: "text"}, &decl.Column{Table: users, Name: "day", Kind: "int"}
	owner.Kind, code.Kind = "int", "text"
	byOwner := &decl.Link{From: users, To: table, Pairs: []decl.Pair{{From: id, To: owner}}}
	for name, c := range map[string]struct {
		users *decl.Scope
		link  *decl.Link
		want  int
	}{
		"its key":          {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: eq(id, 7)}, byOwner, 1},
		"its key and more": {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: and(eq(id, 7), eq(name, 8))}, byOwner, 1},
		"another column":   {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: eq(day, 7)}, byOwner, -1},
		"a list":           {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: list(id, 2)}, byOwner, -1},
		"every row":        {&decl.Scope{Kind: decl.ScopeShared, Table: users}, byOwner, -1},
		"two pairs":        {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: eq(id, 7)}, &decl.Link{From: users, To: table, Pairs: []decl.Pair{{From: id, To: owner}, {From: name, To: code}}}, -1},
		"two kinds":        {&decl.Scope{Kind: decl.ScopeRows, Table: users, Pred: eq(id, 7)}, &decl.Link{From: users, To: table, Pairs: []decl.Pair{{From: id, To: code}}}, -1},
	} {
		g := &Grant{Scopes: Scopes{users: c.users, table: {Kind: decl.ScopeVia, Table: table, Link: c.link}}}
		for _, must := range [][]Condition{nil, {{Kind: Linked, Grant: g, Link: c.link}}} {
			fixed, ok := (Entry{grant: g, table: table, must: must}).Fixed()
			if ok != (c.want >= 0) || ok && (len(fixed) != 1 || fixed[0].Col != owner || fixed[0].Slots[0] != 7 || fixed[0].Pred.Col != owner || fixed[0].Via == nil || fixed[0].Via.Link != c.link) {
				t.Errorf("through a link, %s: %v %t", name, fixed, ok)
			}
		}
	}
	// Through two links: where the second begins at the column that has the value of the first, of a relation that is
	// followed and nothing else.
	teams := &decl.Table{Name: "teams"}
	team, boss := &decl.Column{Table: teams, Name: "id", Kind: "int"}, &decl.Column{Table: teams, Name: "boss", Kind: "int"}
	byTeam := &decl.Link{From: teams, To: users, Pairs: []decl.Pair{{From: team, To: id}}}
	byBoss := &decl.Link{From: teams, To: users, Pairs: []decl.Pair{{From: boss, To: day}}}
	byDay := &decl.Link{From: users, To: table, Pairs: []decl.Pair{{From: day, To: owner}}}
	root := &decl.Relation{Kind: decl.StepGrant, Table: teams, Pred: eq(team, 7)}
	follow := func(l *decl.Link) *decl.Relation {
		return &decl.Relation{Kind: decl.StepFollow, Table: users, Link: l, Prev: root}
	}
	for name, c := range map[string]struct {
		first, second *decl.Link
		rel           *decl.Relation
		want          bool
	}{
		"the key of both":      {byTeam, byOwner, follow(byTeam), true},
		"another column":       {byTeam, byDay, follow(byTeam), false},
		"of another start":     {byBoss, byDay, follow(byBoss), false},
		"a relation in search": {byTeam, byOwner, &decl.Relation{Kind: decl.StepSearch, Table: users, Prev: follow(byTeam)}, false},
	} {
		every := Scopes{teams: {Kind: decl.ScopeRoot, Table: teams, Pred: root.Pred}, users: {Kind: decl.ScopeVia, Table: users, Link: c.first}, table: {Kind: decl.ScopeVia, Table: table, Link: c.second}}
		g := &Grant{Scopes: every, Chain: every}
		for _, must := range [][]Condition{{{Kind: Linked, Grant: g, Link: c.second}}, {{Kind: Followed, Grant: g, Link: c.second, Rel: c.rel}}} {
			if must[0].Kind == Linked && c.rel.Kind == decl.StepSearch {
				continue
			}
			e := Entry{grant: g, table: table, must: must}
			fixed, ok := e.Fixed()
			if ok != c.want || ok && (len(fixed) != 1 || fixed[0].Col != owner || fixed[0].Slots[0] != 7 || fixed[0].Via.Link != c.second) {
				t.Errorf("through two links, %s: %v %t", name, fixed, ok)
			}
			if fixed, rest := e.Parts(); len(fixed) != 0 || len(rest) != 1 {
				t.Errorf("through two links, %s: a write is told %v, and is to see to %v", name, fixed, rest)
			}
		}
	}
	// What the start of the link demands besides is not left out.
	every := Scopes{teams: {Kind: decl.ScopeRoot, Table: teams, Pred: root.Pred}, users: {Kind: decl.ScopeVia, Table: users, Link: byBoss}, table: {Kind: decl.ScopeVia, Table: table, Link: byOwner}}
	narrowed := &Grant{Scopes: every, Chain: every, Rel: &decl.Relation{Kind: decl.StepWhere, Table: users, Pred: eq(id, 7), Prev: follow(byBoss)}}
	if fixed, ok := (Entry{grant: narrowed, table: table, must: []Condition{{Kind: Linked, Grant: narrowed, Link: byOwner}}}).Fixed(); ok {
		t.Errorf("one user of a set: %v", fixed)
	}
	g.Scopes[table] = &decl.Scope{Kind: decl.ScopeShared, Table: table}
	if fixed, ok := (Entry{g, table, nil}).Fixed(); !ok || len(fixed) != 0 {
		t.Errorf("a shared table: %v %t", fixed, ok)
	}
}

// TestRefusedChangesNothing: two links to one column are refused, and the first one's condition is still there.
func TestRefusedChangesNothing(t *testing.T) {
	col := &decl.Column{Name: "owner"}
	first, second := &Condition{Kind: Linked}, &Condition{Kind: Linked}
	one, _ := add(nil, Fixed{Col: col, Slots: []int{0}, Via: first})
	if again, ok := add(one, Fixed{Col: col, Slots: []int{0}, Via: second}); ok || one[0].Via != first || again[0].Via != first {
		t.Errorf("%v %v, want the first link's condition", one, ok)
	}
	plain, _ := add(nil, Fixed{Col: col, Slots: []int{0}})
	if both, ok := add(plain, Fixed{Col: col, Slots: []int{0}, Via: second}); !ok || plain[0].Via != nil || both[0].Via != second {
		t.Errorf("%v %v, want both", both, ok)
	}
}
