package exosql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope says which rows of one table a grant reaches, however they are reached.
// A grant has one for every table: the granted one's is the predicate given to
// Grant; those that can be reached in one way only have that way; the others
// must be declared. The zero Scope makes the grant unusable.
type Scope struct{ s *scope }

type scope struct {
	kind  scopeKind
	table *table
	pred  *pred
	link  *link
}

type scopeKind uint8

const (
	noScope     scopeKind = iota
	scopeRoot             // the predicate given to Grant
	scopeStart            // only the relation that was handed out
	scopeRows             // a predicate, usually on a tenant column
	scopeVia              // the rows that a link reaches from rows in scope
	scopeShared           // every row, for everybody
)

// ScopeRows limits table t to the rows for which p holds: usually a tenant column.
func ScopeRows[T any](t *Table[T], p Predicate[T]) Scope {
	return Scope{&scope{kind: scopeRows, table: t.t, pred: p.p}}
}

// ScopeVia limits the link's target to rows that the link reaches from a row in scope.
func ScopeVia[A, B any](l Link[A, B]) Scope {
	if l.l == nil {
		return Scope{}
	}
	return Scope{&scope{kind: scopeVia, table: l.l.to, link: l.l}}
}

// ScopeShared opens every row of table t to everybody: countries, plans, tags
// that belong to no tenant. It is the only scope that does not narrow.
func ScopeShared[T any](t *Table[T]) Scope {
	return Scope{&scope{kind: scopeShared, table: t.t}}
}

// scopes is a closed set of scopes: one for each table that a grant reaches.
type scopes map[*table]*scope

// closeScopes finds the scope of every table that the links reach, and fails
// where a table can be reached by two ways that may mean different rows: then
// only the host can know which is meant. (Scope through links alone let
// tag.projects() leave the tenant, legally.)
//
// root is the granted table with its predicate; start, if not nil, is the table
// of the relation handed out, which is in scope by that relation.
//
// chain holds the scopes of the tables that the host's own Follow came through:
// they stay what they are, whatever the facets' links lead to.
func closeScopes(root *relation, start *table, chain scopes, links []*link) (scopes, error) {
	declared := root.scopes
	out := scopes{root.table: {kind: scopeRoot, table: root.table, pred: root.pred}}
	for _, d := range declared {
		if d.s == nil {
			return nil, fmt.Errorf("exosql: a zero Scope was given to Grant")
		}
		if d.s.table == root.table {
			return nil, fmt.Errorf("exosql: table %s is the granted one: its scope is the predicate given to Grant", root.table.name)
		}
		if out[d.s.table] != nil {
			return nil, fmt.Errorf("exosql: two scopes for table %s", d.s.table.name)
		}
		if d.s.kind == scopeRows && d.s.pred == nil {
			return nil, fmt.Errorf("exosql: the scope of table %s is the zero Predicate, which matches nothing; use ScopeShared if you mean every row", d.s.table.name)
		}
		if d.s.kind == scopeRows && d.s.pred.err != nil {
			return nil, d.s.pred.err
		}
		out[d.s.table] = d.s
	}
	for t, s := range chain {
		if out[t] == nil {
			out[t] = s
		}
	}
	if start != nil && out[start] == nil {
		out[start] = &scope{kind: scopeStart, table: start}
	}
	ways := map[*table][]*link{}
	for _, l := range links {
		if !slices.Contains(ways[l.to], l) {
			ways[l.to] = append(ways[l.to], l)
		}
	}
	var several []*table
	for _, reached := range links {
		t := reached.to
		if out[t] != nil || slices.Contains(several, t) {
			continue
		}
		var in []*link
		for _, l := range ways[t] {
			// A link that only leads back over the keys by which its own start was
			// reached from t is no way into t. What is in scope by the grant itself was
			// not reached from t, whatever leads back to it.
			if len(ways[t]) > 1 && l.from != t && !out[l.from].own() && onlyBack(l, ways[l.from], declaredFor(declared, l.from)) {
				continue
			}
			in = append(in, l)
		}
		if len(in) != 1 || in[0].from == t {
			several = append(several, t)
			continue
		}
		out[t] = &scope{kind: scopeVia, table: t, link: in[0]}
	}
	if several != nil {
		return nil, severalWays(several, ways)
	}
	return out, out.founded(start == nil)
}

// severalWays names all tables whose scope must be declared, as arguments of Grant to
// complete: told one by one they would be found one build after the other.
func severalWays(tables []*table, ways map[*table][]*link) error {
	msg := fmt.Sprintf("exosql: table %s can be reached in more than one way (%s)", tables[0].name, linkNames(ways[tables[0]]))
	for _, t := range tables[1:] {
		msg += fmt.Sprintf(", and so can %s (%s)", t.name, linkNames(ways[t]))
	}
	msg += ": give Grant the scope of each (or ScopeVia one of its links, or ScopeShared)"
	for _, t := range tables {
		msg += fmt.Sprintf("\n\texosql.ScopeRows(%s, …),", goName(t.name))
	}
	return errors.New(msg)
}

// goName is the name that exo gen gives to the variable of a table, mostly.
func goName(table string) string {
	name := ""
	for part := range strings.FieldsFuncSeq(table, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r, size := utf8.DecodeRuneInString(part)
		name += string(unicode.ToUpper(r)) + part[size:]
	}
	return name
}

// own reports whether the table is in scope by the grant, not by a link.
func (s *scope) own() bool { return s != nil && (s.kind == scopeRoot || s.kind == scopeStart) }

func declaredFor(ds []Scope, t *table) *scope {
	for _, d := range ds {
		if d.s != nil && d.s.table == t {
			return d.s
		}
	}
	return nil
}

// onlyBack reports whether l leads from its start back over the keys by which
// the start is in scope: its declared scope, or else every way into it.
func onlyBack(l *link, into []*link, declared *scope) bool {
	if declared != nil {
		return declared.kind == scopeVia && l.inverse(declared.link)
	}
	for _, m := range into {
		if !l.inverse(m) {
			return false
		}
	}
	return len(into) > 0
}

func linkNames(ls []*link) string {
	s := ""
	for i, l := range ls {
		if i > 0 {
			s += ", "
		}
		s += l.from.name + "." + l.name
	}
	return s
}

// founded checks that every ScopeVia leads back to a table with a scope of its
// own. With partly, those that do not are left out: a chain of Follow needs the
// scopes of its own tables only, and a table without one can't enter a query.
func (ss scopes) founded(partly bool) error {
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

func (ss scopes) foundedOne(t *table, s *scope) error {
	seen := map[*table]bool{}
	for s.kind == scopeVia {
		if seen[s.table] {
			return fmt.Errorf("exosql: the scope of table %s goes in a circle", t.name)
		}
		seen[s.table] = true
		next := ss[s.link.from]
		if next == nil {
			return fmt.Errorf("exosql: the scope of table %s begins at table %s, which the grant does not reach", t.name, s.link.from.name)
		}
		s = next
	}
	return nil
}
