package game

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
)

// Reach is what programs can reach in a target, from the catalogue with which programs are checked.
type Reach struct {
	Names        []Name `json:"names"` // the objects with rows that a program finds in its scope
	Ways         []Way  `json:"ways"`  // the objects without rows: actions of a program
	Kinds        []Kind `json:"kinds"` // the kinds of rows
	Declarations string `json:"declarations"`
}

// Name is a granted object.
type Name struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // the kind of its rows
}

// Way is a granted object with methods that do something, such as sending a letter.
type Way struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Methods []string `json:"methods"`
}

// Kind is a kind of row, with its columns and its links.
type Kind struct {
	Name    string  `json:"name"`
	Columns []Field `json:"columns"`
	Links   []Link  `json:"links"`
}

// Field is a column as programs see it.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc,omitempty"`
}

// Link is a method that leads to other rows.
type Link struct {
	Name string `json:"name"`
	To   string `json:"to"` // the name of the Kind
}

// Reach makes the target's database in memory, reads what programs can reach, and drops the database.
func (t *Target) Reach(ctx context.Context) (*Reach, error) {
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Conns: 1, Setup: func(ctx context.Context, db *sql.DB) error {
		return t.fill(ctx, db, "", func(s string) string { return s })
	}})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	grants := t.Grants(db)
	tool, err := codemode.New(grants, &codemode.Options{Limits: DefaultLimits().Limits, Bounds: DefaultLimits().Bounds, Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Principal: "reach", Review: review.InMemory()})
	if err != nil {
		return nil, err
	}
	gate, err := exo.NewGate(exo.Config{Grants: grants, Record: exo.Unrecorded, Review: review.InMemory()})
	if err != nil {
		return nil, err
	}
	r := &Reach{Ways: []Way{}, Declarations: tool.Declarations()}
	cat := gate.Catalog()
	for _, g := range gate.Granted() {
		if g.Type.Args["row"] == nil {
			r.Ways = append(r.Ways, Way{g.Name, g.Doc, cat[g.Type.Name].Order})
			continue
		}
		r.Names = append(r.Names, Name{g.Name, rowOf(g.Type)})
	}
	for _, n := range cat.Names() {
		i := cat[n]
		if !slices.Contains(i.Is, value.TypeRow) {
			continue
		}
		k := Kind{Name: n, Columns: []Field{}, Links: []Link{}}
		for _, m := range i.Order {
			if f := i.Fields[m]; f != nil {
				k.Columns = append(k.Columns, Field{m, typeWord(f.Type), f.Doc})
			} else if l := i.Methods[m]; l != nil && l.Result != nil && l.Result.Con != nil {
				k.Links = append(k.Links, Link{m, rowOf(l.Result.Con)})
			}
		}
		r.Kinds = append(r.Kinds, k)
	}
	return r, nil
}

// rowOf returns the kind of row in a query's type.
func rowOf(t *message.Type) string {
	if row := t.Args["row"]; row != nil {
		return row.Name
	}
	return t.Name
}

// typeWord returns a column's type in one word.
func typeWord(t *message.Type) string {
	if of := t.Args["of"]; of != nil {
		t = of
	}
	w := strings.ToLower(t.Name)
	if len(t.Enum) > 0 {
		w = strings.Join(t.Enum, " | ")
	}
	if t.Null {
		w += " or null"
	}
	return w
}
