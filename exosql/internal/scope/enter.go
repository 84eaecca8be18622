package scope

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Entry is a table that may enter a query, with the conditions that put its rows in scope. Only
// Enter and Begin make one, and a FROM takes only an Entry (Sources.Add), so a query that forgets a
// scope does not compile.
type Entry struct {
	grant *Grant
	table *decl.Table
	must  []Condition
}

// Condition is one condition of the scope of a table.
type Condition struct {
	Kind  ConditionKind
	Grant *Grant         // Grant has the scopes and values that apply
	Pred  *decl.Pred     // Pred is the predicate of a Holds
	Link  *decl.Link     // Link is the link of a Linked or a Followed
	Rel   *decl.Relation // Rel is the relation of a Followed or an Among
}

// ConditionKind is the kind of a Condition.
type ConditionKind uint8

const (
	Holds    ConditionKind = iota + 1 // Pred is true of the row
	Linked                            // Link leads to the row from a row in the scope of Grant
	Followed                          // Link leads to the row from a row of Rel
	Among                             // Rel, which has a limit, includes a row with the same key
)

// Grant returns the grant that contains the scope.
func (e Entry) Grant() *Grant { return e.grant }

// Table returns the entry's table, or nil for the zero Entry, which no FROM takes.
func (e Entry) Table() *decl.Table { return e.table }

// Conditions returns the conditions of the scope. All of them must be true.
func (e Entry) Conditions() []Condition { return e.must }

// Enter lets a table into a query. If a link leads there from a row, by is that link and from is
// that row's grant; otherwise both are nil.
func (g *Grant) Enter(t *decl.Table, by *decl.Link, from *Grant) (Entry, error) {
	must, err := g.conditions(t, by, from)
	if err != nil {
		return Entry{}, err
	}
	return Entry{g, t, must}, nil
}

// Begin lets the table of a relation into a query. The scope is the relation's last Grant or
// Follow. Begin also returns the steps after it, in order.
func (g *Grant) Begin(r *decl.Relation) (Entry, []*decl.Relation, error) {
	var after []*decl.Relation
	s := r
	for ; s.Kind != decl.StepGrant && s.Kind != decl.StepFollow; s = s.Prev {
		after = append([]*decl.Relation{s}, after...)
	}
	if s.Kind == decl.StepGrant {
		return Entry{g, r.Table, []Condition{g.holds(s.Pred)}}, after, nil
	}
	must, err := g.followed(s)
	if err != nil {
		return Entry{}, nil, err
	}
	return Entry{g, r.Table, must}, after, nil
}

// conditions returns the conditions of a table's scope in the grant.
func (g *Grant) conditions(t *decl.Table, by *decl.Link, from *Grant) (must []Condition, err error) {
	s := g.Scopes[t]
	if s == nil {
		return nil, noScopeFor(t)
	}
	r := g.Rel
	granted := r != nil && r.Table == t
	if granted {
		// The granted relation may be only some of the rows that this grant reaches. Links back to this
		// table must not reach other rows.
		if must, err = g.within(r); err != nil {
			return nil, err
		}
	}
	switch s.Kind {
	case decl.ScopeStart:
		if !granted {
			return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: rows of table %s are in scope only in a grant of that table, and this grant is of another table, so nothing ran: this is a fault of exosql, please report it", t.Name)}
		}
	case decl.ScopeRoot:
		if granted && !r.Followed() && !r.Limited() {
			return must, nil // r begins with the predicate, so within has required it
		}
		must = append(must, g.holds(s.Pred))
	case decl.ScopeRows:
		must = append(must, g.holds(s.Pred))
	case decl.ScopeVia:
		if granted && !r.Limited() && r.LastLink() == s.Link {
			return must, nil // r ends with this link from rows in scope, so within has required it
		}
		if by == s.Link && from == g {
			// The link `by` is the one that the scope requires, and it leads from a row in scope, so it
			// implies the scope. TestImpliedScope and TestRandomPrograms check that.
			return must, nil
		}
		must = append(must, Condition{Kind: Linked, Grant: g, Link: s.Link})
	case decl.ScopeShared:
	default:
		return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: table %s has a scope of an unknown kind, so nothing ran: this is a fault of exosql, please report it", t.Name)}
	}
	return must, nil
}

func (g *Grant) holds(p *decl.Pred) Condition { return Condition{Kind: Holds, Grant: g, Pred: p} }

// within returns the conditions under which a row belongs to the relation r of its table.
func (g *Grant) within(r *decl.Relation) (must []Condition, err error) {
	if r.Limited() {
		return []Condition{{Kind: Among, Grant: g, Rel: r}}, nil // only running the relation shows which rows its limit leaves
	}
	for s := r; s != nil; s = s.Prev {
		switch s.Kind {
		case decl.StepGrant, decl.StepWhere:
			must = append(must, g.holds(s.Pred))
		case decl.StepFollow:
			more, err := g.followed(s)
			return append(must, more...), err // the steps before this link belong to the other table
		}
	}
	return must, nil
}

// followed returns the conditions that the step's link leads to a row. If the chain has a narrower
// scope for the row's table, its conditions are added.
func (g *Grant) followed(s *decl.Relation) ([]Condition, error) {
	must := []Condition{{Kind: Followed, Grant: g, Link: s.Link, Rel: s.Prev}}
	base := g.Base()
	d := base.Scopes[s.Table]
	if d == nil {
		return nil, noScopeFor(s.Table)
	}
	if d.Kind == decl.ScopeVia && d.Link == s.Link {
		return must, nil
	}
	more, err := base.conditions(s.Table, nil, nil)
	return append(must, more...), err
}

func noScopeFor(t *decl.Table) error {
	return &fail.Error{Kind: fail.Denied, Err: fmt.Errorf("exosql: table %s has no scope in this grant: declare it at Grant, with ScopeVia or ScopeRows", t.Name)}
}

// There returns the conditions on the rows that c compares with: those at the start of its link or,
// for Among, those before the limit.
func (c Condition) There() ([]Condition, error) {
	switch c.Kind {
	case Linked:
		return c.Grant.conditions(c.Link.From, nil, nil)
	case Followed:
		return c.Grant.within(c.Rel)
	case Among:
		var out []Condition
		for s := c.Rel; s != nil; s = s.Prev {
			switch s.Kind {
			case decl.StepGrant, decl.StepWhere:
				out = append(out, c.Grant.holds(s.Pred))
			case decl.StepFollow:
				more, err := c.Grant.followed(s)
				return append(out, more...), err
			}
		}
		return out, nil
	}
	return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a condition of a scope has the unknown kind %d, so nothing ran: this is a fault of exosql, please report it", c.Kind)}
}
