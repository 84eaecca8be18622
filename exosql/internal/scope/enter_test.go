package scope

import (
	"errors"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

var (
	users = &decl.Table{ID: 1, Name: "users"}
	todos = &decl.Table{ID: 2, Name: "todos"}

	userTodos = &decl.Link{ID: 3, Name: "todos", From: users, To: todos}
	todoOwner = &decl.Link{ID: 4, Name: "owner", From: todos, To: users}

	me, tenant, open = &decl.Pred{Op: "me"}, &decl.Pred{Op: "tenant"}, &decl.Pred{Op: "open"}
)

// TestEnter: a table enters a query with every condition of its scope, and those alone are
// left out that the way by which it was reached implies.
func TestEnter(t *testing.T) {
	root := &decl.Relation{Kind: decl.StepGrant, Table: users, Pred: me}
	narrowed := &decl.Relation{Kind: decl.StepWhere, Table: users, Pred: open, Prev: root}
	limited := &decl.Relation{Kind: decl.StepLimit, Table: users, N: 5, Prev: narrowed}
	followed := &decl.Relation{Kind: decl.StepFollow, Table: todos, Link: userTodos, Prev: root}
	back := &decl.Relation{Kind: decl.StepFollow, Table: users, Link: todoOwner, Prev: followed}
	is := func(k decl.ScopeKind, t *decl.Table, p *decl.Pred, l *decl.Link) *decl.Scope {
		return &decl.Scope{Kind: k, Table: t, Pred: p, Link: l}
	}
	rooted := Scopes{users: is(decl.ScopeRoot, users, me, nil), todos: is(decl.ScopeVia, todos, nil, userTodos)}
	for name, c := range map[string]struct {
		rel   *decl.Relation
		every Scopes
		table *decl.Table
		by    *decl.Link
		from  bool // the row that it was reached from is of this grant
		want  []Condition
	}{
		"the granted table":                       {root, rooted, users, nil, false, []Condition{{Kind: Holds, Pred: me}}},
		"a narrowed relation":                     {narrowed, rooted, users, nil, false, []Condition{{Kind: Holds, Pred: open}, {Kind: Holds, Pred: me}}},
		"a narrowed relation by a link":           {narrowed, rooted, users, todoOwner, true, []Condition{{Kind: Holds, Pred: open}, {Kind: Holds, Pred: me}}},
		"a limited relation":                      {limited, rooted, users, nil, false, []Condition{{Kind: Among, Rel: limited}, {Kind: Holds, Pred: me}}},
		"by the link of the scope":                {root, rooted, todos, userTodos, true, nil},
		"by the link of the scope, another grant": {root, rooted, todos, userTodos, false, []Condition{{Kind: Linked, Link: userTodos}}},
		"by no link":                              {root, rooted, todos, nil, false, []Condition{{Kind: Linked, Link: userTodos}}},
		"by another link":                         {root, rooted, todos, todoOwner, true, []Condition{{Kind: Linked, Link: userTodos}}},
		"declared rows":                           {root, Scopes{todos: is(decl.ScopeRows, todos, tenant, nil)}, todos, userTodos, true, []Condition{{Kind: Holds, Pred: tenant}}},
		"declared shared":                         {root, Scopes{todos: is(decl.ScopeShared, todos, nil, nil)}, todos, userTodos, true, nil},
		"a followed relation":                     {followed, rooted, todos, nil, false, []Condition{{Kind: Followed, Link: userTodos, Rel: root}}},
		"followed there and back":                 {back, rooted, users, nil, false, []Condition{{Kind: Followed, Link: todoOwner, Rel: followed}, {Kind: Holds, Pred: me}, {Kind: Holds, Pred: me}}},
	} {
		g := &Grant{Rel: c.rel, Scopes: c.every, Chain: rooted}
		var from *Grant
		if c.from {
			from = g
		}
		e, err := g.Enter(c.table, c.by, from)
		if err != nil || e.Table() != c.table || e.Grant() != g {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		got := slices.Clone(e.Conditions())
		for i := range got {
			if got[i].Grant != g && got[i].Grant != g.Base() {
				t.Errorf("%s: condition %d is of another grant", name, i)
			}
			got[i].Grant = nil
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\nhas  %+v\nwant %+v", name, got, c.want)
		}
	}
}

// TestNoEntry: a table without a scope gets no entry, and without an entry it is in no FROM.
func TestNoEntry(t *testing.T) {
	root := &decl.Relation{Kind: decl.StepGrant, Table: users, Pred: me}
	out := &decl.Relation{Kind: decl.StepFollow, Table: todos, Link: userTodos, Prev: root}
	for name, g := range map[string]*Grant{
		"no scope":             {Rel: root, Scopes: Scopes{}},
		"no kind":              {Rel: root, Scopes: Scopes{todos: {Table: todos}}},
		"of no relation":       {Rel: root, Scopes: Scopes{todos: {Kind: decl.ScopeStart, Table: todos}}},
		"followed, no scope":   {Rel: out, Scopes: Scopes{todos: {Kind: decl.ScopeStart, Table: todos}}},
		"a grant of no scopes": {},
	} {
		e, err := g.Enter(todos, nil, nil)
		if err == nil {
			t.Errorf("%s: entered with %+v", name, e.Conditions())
		}
		var s Sources
		if err := s.Add(e, "t0", func([]Condition) error { return nil }); fail.KindOf(err) != fail.Internal || s.Len() != 0 {
			t.Errorf("%s: a FROM takes the zero Entry: %v", name, err)
		}
	}
	g := &Grant{Rel: out, Scopes: Scopes{}, Chain: Scopes{}}
	if _, _, err := g.Begin(out); !errors.Is(err, fail.ErrDenied) {
		t.Errorf("a relation began on a table without a scope: %v", err)
	}
}

// TestBegin: a relation begins with its last Follow, or with its grant.
func TestBegin(t *testing.T) {
	root := &decl.Relation{Kind: decl.StepGrant, Table: users, Pred: me}
	where := &decl.Relation{Kind: decl.StepWhere, Table: users, Pred: open, Prev: root}
	limit := &decl.Relation{Kind: decl.StepLimit, Table: users, N: 1, Prev: where}
	g := &Grant{Scopes: Scopes{users: {Kind: decl.ScopeRoot, Table: users, Pred: me}}}
	g.Chain = g.Scopes
	e, after, err := g.Begin(limit)
	if err != nil || len(e.Conditions()) != 1 || e.Conditions()[0].Pred != me || !slices.Equal(after, []*decl.Relation{where, limit}) {
		t.Errorf("%+v, then %v, %v", e, after, err)
	}
}
