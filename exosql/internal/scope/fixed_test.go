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
		"one of a list":               {holds(&decl.Pred{Op: "in", Col: owner, Args: []decl.Held{{}}}), -1},
		"one column and a range":      {holds(eq(owner, 0), &decl.Pred{Op: "gt", Col: code, Args: []decl.Held{{}}}), -1},
		"the zero predicate":          {holds(nil), -1},
		"everything":                  {holds(&decl.Pred{Op: "all"}), -1},
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
	g.Scopes[table] = &decl.Scope{Kind: decl.ScopeShared, Table: table}
	if fixed, ok := (Entry{g, table, nil}).Fixed(); !ok || len(fixed) != 0 {
		t.Errorf("a shared table: %v %t", fixed, ok)
	}
}
