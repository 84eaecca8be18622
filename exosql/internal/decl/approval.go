package decl

// This file has the rules that require a person's approval of a change before it is kept.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
)

// Approval is one rule for changes that a person must approve. The zero Approval applies to no change.
type Approval struct {
	Always  bool
	Counted bool // Counted: a person must approve if more than Over rows are changed in a day
	Over    int64
	Delete  bool
	Columns []*Column
	Who     changeset.Who
}

// approve adds rules of approval to a facet.
func (f *Facet) approve(rules []Approval) error {
	for _, a := range rules {
		switch {
		case !a.Always && !a.Counted && !a.Delete && len(a.Columns) == 0:
			return fmt.Errorf("exosql: facet %s: an approval applies to no change: let it apply always, above a number of rows, to deletes, or to columns", f.Alias)
		case a.Counted && a.Over < 0:
			return fmt.Errorf("exosql: facet %s: an approval can't begin above %d rows: write 0 or more", f.Alias, a.Over)
		case a.Who.By != "" && a.Who.By != changeset.Self && a.Who.By != changeset.Other:
			return fmt.Errorf("exosql: facet %s: an approval can't be by %q: write self or other", f.Alias, a.Who.By)
		case a.Who.Least != "" && a.Who.Least != changeset.Page:
			return fmt.Errorf("exosql: facet %s: an approval can't have least %q: write page, or leave least out", f.Alias, a.Who.Least)
		}
		for _, c := range a.Columns {
			if c == nil {
				return fmt.Errorf("exosql: facet %s: an approval names a nil column: name one that the facet shows", f.Alias)
			}
			if !slices.Contains(f.Cols, c) {
				return fmt.Errorf("exosql: facet %s: an approval names the column %s, which the facet does not show. Add it to the facet, or leave it out of the approval", f.Alias, c.Name)
			}
		}
	}
	f.Rights.Approvals = append(f.Rights.Approvals, rules...)
	return nil
}

// Asks returns the approvals that the rule a needs for a change of rows, or may need together with other changes of that day. set has the names of
// the written columns in the database.
func (f *Facet) Asks(a Approval, kind WriteKind, set []string, rows int64) (out []changeset.Ask) {
	ask := func(rule string) { out = append(out, changeset.Ask{Rule: rule, Rows: rows, Who: a.Who}) }
	if a.Always {
		ask(kind.String() + " of " + f.Alias)
	}
	if a.Delete && kind == Deletes {
		ask("delete of " + f.Alias)
	}
	if a.Counted {
		rule := fmt.Sprintf("more than %d rows of %s in a day", a.Over, f.Alias)
		count := fmt.Sprintf("%s>%d", f.Table.Name, a.Over)
		if a.Who != (changeset.Who{}) {
			count += fmt.Sprintf(" %s %s", a.Who.By, a.Who.Least)
		}
		out = append(out, changeset.Ask{Rule: rule, Count: count, Rows: rows, Over: a.Over, Who: a.Who})
	}
	var named []string
	for _, c := range a.Columns {
		if kind != Deletes && slices.Contains(set, c.Name) {
			named = append(named, c.Guest)
		}
	}
	if named != nil {
		ask(strings.Join(named, ", ") + " of " + f.Alias)
	}
	return out
}
