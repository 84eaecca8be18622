package scope

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Scopes is a closed set of scopes: one for each table that a grant reaches.
type Scopes map[*decl.Table]*decl.Scope

// Close finds the scope of every table that the links reach. It fails if two ways lead to a table
// and may mean different rows, since only the host knows which rows are meant. (If each link alone
// were a scope, tag.projects() could lead to projects of another tenant.)
//
// root is the granted table with its predicate. start is the table of the relation that is granted,
// or nil; that relation is its scope.
//
// chain has the scopes of the tables that the host's own Follow went through. They remain, wherever
// the facets' links lead.
func Close(root *decl.Relation, start *decl.Table, chain Scopes, links []*decl.Link) (Scopes, error) {
	declared := root.Declared()
	out := Scopes{root.Table: {Kind: decl.ScopeRoot, Table: root.Table, Pred: root.Pred}}
	for _, d := range declared {
		if d == nil {
			return nil, fmt.Errorf("exosql: Grant got a zero Scope, or one of a nil or zero Table or Link: make it with ScopeRows, ScopeVia or ScopeShared")
		}
		if d.Table == root.Table {
			return nil, fmt.Errorf("exosql: table %s is the granted one: its scope is the predicate given to Grant, so leave this one out", root.Table.Name)
		}
		if out[d.Table] != nil {
			return nil, fmt.Errorf("exosql: there are two scopes for table %s: leave one out", d.Table.Name)
		}
		if d.Kind == decl.ScopeRows && d.Pred == nil {
			return nil, fmt.Errorf("exosql: the scope of table %s is the zero Predicate, which matches nothing; use ScopeShared if you mean every row", d.Table.Name)
		}
		if d.Kind == decl.ScopeRows && d.Pred.Err != nil {
			return nil, d.Pred.Err
		}
		if err := d.Pred.Of(d.Table); err != nil {
			return nil, err
		}
		out[d.Table] = d
	}
	for t, s := range chain {
		if out[t] == nil {
			out[t] = s
		}
	}
	if start != nil && out[start] == nil {
		out[start] = &decl.Scope{Kind: decl.ScopeStart, Table: start}
	}
	ways := map[*decl.Table][]*decl.Link{}
	for _, l := range links {
		if !slices.Contains(ways[l.To], l) {
			ways[l.To] = append(ways[l.To], l)
		}
	}
	var several []*decl.Table
	for _, reached := range links {
		t := reached.To
		if out[t] != nil || slices.Contains(several, t) {
			continue
		}
		var in []*decl.Link
		for _, l := range ways[t] {
			// Skip a link that only reverses the links by which its start is reached from t. If the start is
			// in scope by the grant itself, it does not depend on t, so its link counts.
			if len(ways[t]) > 1 && l.From != t && !out[l.From].Own() && onlyBack(l, ways[l.From], declaredFor(declared, l.From)) {
				continue
			}
			in = append(in, l)
		}
		if len(in) != 1 || in[0].From == t {
			several = append(several, t)
			continue
		}
		out[t] = &decl.Scope{Kind: decl.ScopeVia, Table: t, Link: in[0]}
	}
	if several != nil {
		return nil, severalWays(several, ways)
	}
	return out, out.founded(start == nil)
}

// severalWays returns one error for all tables that need a declared scope, with the links that lead
// to each: otherwise each build would find only the next. It names links by their facets' names,
// since the names of a host's variables are unknown, and exosql/dynamic has none.
func severalWays(tables []*decl.Table, ways map[*decl.Table][]*decl.Link) error {
	t := tables[0]
	msg, each := fmt.Sprintf("exosql: table %s can be reached by %s", t.Name, linkNames(ways[t], " and by ")), ""
	for i, t := range tables[1:] {
		if each = " for each"; i == len(tables)-2 {
			msg += ", and"
		} else {
			msg += ","
		}
		msg += fmt.Sprintf(" table %s by %s", t.Name, linkNames(ways[t], " and by "))
	}
	via := ways[t][0]
	if i := slices.IndexFunc(ways[t], func(l *decl.Link) bool { return l.From != t }); i > 0 {
		via = ways[t][i]
	}
	return fmt.Errorf("%s, which may mean different rows; declare%s which are in scope, %s", msg, each, t.Reader.Scope(via.From.Name+"."+via.Name))
}

func declaredFor(ds []*decl.Scope, t *decl.Table) *decl.Scope {
	for _, d := range ds {
		if d != nil && d.Table == t {
			return d
		}
	}
	return nil
}

// onlyBack reports whether l only reverses the links that put its start in scope: the link of the
// start's declared scope, or every link into the start.
func onlyBack(l *decl.Link, into []*decl.Link, declared *decl.Scope) bool {
	if declared != nil {
		return declared.Kind == decl.ScopeVia && l.Inverse(declared.Link)
	}
	for _, m := range into {
		if !l.Inverse(m) {
			return false
		}
	}
	return len(into) > 0
}

func linkNames(ls []*decl.Link, between string) string {
	s := ""
	for i, l := range ls {
		if i > 0 {
			s += between
		}
		s += l.From.Name + "." + l.Name
	}
	return s
}

// founded checks that every ScopeVia leads back to a table with its own scope. If partly is set, it
// removes scopes that do not lead back: a chain of Follow needs only its own tables' scopes, and a
// table without a scope can't enter a query.
func (ss Scopes) founded(partly bool) error {
	for t, s := range ss {
		if err := ss.foundedOne(t, s); err != nil {
			if !partly {
				return err
			}
			delete(ss, t)
		}
	}
	return nil
}

func (ss Scopes) foundedOne(t *decl.Table, s *decl.Scope) error {
	seen := map[*decl.Table]bool{}
	for s.Kind == decl.ScopeVia {
		if seen[s.Table] {
			return fmt.Errorf("exosql: the scope of table %s leads by links back to itself: give one of these tables a scope of its own rows", t.Name)
		}
		seen[s.Table] = true
		next := ss[s.Link.From]
		if next == nil {
			return fmt.Errorf("exosql: the scope of table %s begins at table %s, which the grant does not reach: begin at a table that a facet's link leads to", t.Name, s.Link.From.Name)
		}
		s = next
	}
	return nil
}
