package gen

import (
	"slices"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// enum is an enum of the database that a declared column has as its type.
type enum struct {
	e      *schema.Enum
	name   string   // name is the name of the Go type
	consts []string // consts has one constant for each value
}

// enumOf returns the enum of a text column, or nil.
func (p *pack) enumOf(c *schema.Column) *enum {
	if c.Enum == nil || c.Kind != schema.Text {
		return nil
	}
	for _, e := range p.enums {
		if e.e.Name == *c.Enum {
			return e
		}
	}
	i := slices.IndexFunc(p.db.Enums, func(e *schema.Enum) bool { return e.Name == *c.Enum })
	if i < 0 || len(p.db.Enums[i].Values) == 0 {
		return nil
	}
	e := &enum{e: p.db.Enums[i]}
	p.enums = append(p.enums, e)
	return e
}

// claim chooses the names of the type and its constants.
func (e *enum) claim(names scope) {
	base := naming.Pascal(e.e.Name.Name)
	e.name = names.claim(nil, base, base+"Enum")
	for _, v := range e.e.Values {
		word := ""
		for _, w := range naming.Words(v) {
			word += upper(w) // capitals stay, as in NC17
		}
		switch {
		case v == "":
			word = "Empty"
		case word == "": // the value has no letters or digits
			word = "Other"
		}
		e.consts = append(e.consts, names.claim(nil, e.name+word, e.name+word+"Value"))
	}
}
