package exosql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/schema"
)

// AccessPath reports how the database reads a facet's rows when a program filters by one column, with = or a range, or sorts by it in either
// direction.
type AccessPath struct {
	Facet  string   `json:"facet"` // Facet is the alias of the facet
	Table  string   `json:"table"`
	Scope  []string `json:"scope,omitempty"`  // Scope are the columns to which the scope gives a value
	Column string   `json:"column,omitempty"` // Column is a column of the table; "" if the path is about all columns
	Uses   []string `json:"uses,omitempty"`   // Uses are "=", "range", "order" or "descending order"; none if the path is about all columns
	By     Access   `json:"by"`
	Index  string   `json:"index,omitempty"`  // Index is the index that is read, or ""; "PRIMARY KEY" for SQLite's own index of the key
	Unused string   `json:"unused,omitempty"` // Unused is an index that would serve, but the database's statistics prefer another
	Fix    *Fix     `json:"fix,omitempty"`    // Fix is a change that lets an index serve; nil if none is known or needed
}

// Fix is a change that lets an index serve: an index to create, or a change of the column's declaration.
type Fix struct {
	Table       string        // Table is the table of the index, without its schema
	Index       *schema.Index // Index is the index to make, under a free name; if nil, see Declaration
	Declaration string        // Declaration is what to add to the column's declaration, like "StoredISO()"
	If          string        // If is a condition that the column's values must meet before Declaration is added; "" if there is none
	Schema      string        // Schema is the schema of the table; "" on SQLite
}

// String returns the fix as a line of a report: SQL, or the change of the declaration. It returns "" for nil.
func (f *Fix) String() string {
	switch {
	case f == nil:
		return ""
	case f.Index != nil:
		return f.SQL()
	case f.If != "":
		return f.Declaration + " in the declaration, if the column " + f.If
	}
	return f.Declaration + " in the declaration"
}

// SQL returns the statement that creates the index, or "" for a change of the declaration.
func (f *Fix) SQL() string {
	if f == nil || f.Index == nil {
		return ""
	}
	return check.CreateIndex(schema.Name{Schema: f.Schema, Name: f.Table}, f.Index)
}

// fixJSON is the JSON form of a Fix. Its sql is for people who read it: Fix.SQL makes it from the other fields.
type fixJSON struct {
	Table       string        `json:"table,omitempty"`
	Index       *schema.Index `json:"index,omitempty"`
	SQL         string        `json:"sql,omitempty"`
	Declaration string        `json:"declaration,omitempty"`
	If          string        `json:"if,omitempty"`
	Schema      string        `json:"schema,omitempty"`
}

// MarshalJSON writes the fields of f, and the result of [Fix.SQL] as "sql".
func (f *Fix) MarshalJSON() ([]byte, error) {
	if f == nil {
		return []byte("null"), nil
	}
	return json.Marshal(fixJSON{f.Table, f.Index, f.SQL(), f.Declaration, f.If, f.Schema})
}

// UnmarshalJSON reads what MarshalJSON writes. It ignores "sql", which the other fields determine.
func (f *Fix) UnmarshalJSON(text []byte) error {
	if f == nil {
		return fail.Errorf(fail.Invalid, "exosql: Fix.UnmarshalJSON", "the receiver is a nil *Fix: write var f Fix, and json.Unmarshal(text, &f)")
	}
	var j fixJSON
	err := json.Unmarshal(text, &j)
	*f = Fix{j.Table, j.Index, j.Declaration, j.If, j.Schema}
	return err
}

// Access names the rows that the database reads.
type Access string

// The sets of rows that a database can read.
const (
	ByIndex Access = "index" // ByIndex: only the rows that are asked for
	ByTies  Access = "ties"  // ByTies: for an order, also all rows with the same value as the last row that is asked for
	ByScope Access = "scope" // ByScope: every row in scope
	ByTable Access = "table" // ByTable: also rows out of scope, since no index begins with the scope's columns or the database prefers another
	ByValue Access = "value" // ByValue: only the rows that are asked for, since the scope gives the column's value or a list of values
	ByNone  Access = "none"  // ByNone: every row in scope, since JSON is searched row by row and no index can serve
	ByFence Access = "fence" // ByFence: the database checks the scope before programs' conditions, so indexes serve only keys, and columns of AllowUnscopedLookup
)

// Served reports whether only the rows that are asked for are read, by an index or since the scope gives the column's value.
func (a AccessPath) Served() bool { return a.By == ByIndex || a.By == ByValue }

// String returns the path as a line of a report.
func (a AccessPath) String() string {
	s := a.Facet
	if a.Column != "" {
		s += "." + a.Column
	}
	if len(a.Uses) > 0 {
		s += ": " + strings.Join(a.Uses, ", ")
	}
	switch a.By {
	case ByIndex:
		s += ": by the index " + a.Index
	case ByTies:
		s += ": by the index " + a.Index + ", and all rows with the same value are read, to sort them by the key"
	case ByScope:
		s += ": every row in scope is read"
	case ByTable:
		s += ": rows out of scope are read"
		if a.Index != "" {
			s += ", by the index " + a.Index
		}
	case ByValue:
		s += ": the scope gives its value"
	case ByNone:
		s += ": no index of a column serves conditions on its contents"
	case ByFence:
		s += ": no index serves programs here, since exosql does not understand the database's plan"
		if a.Column == "" {
			s = a.Facet + ": indexes serve no filters and orders but those by the key: the scope of " + a.Table + " is not just one value, or a short list of values, of one column"
		}
	}
	if a.Unused != "" {
		s += "; the index " + a.Unused + " would serve, but the database estimates that it costs more"
	}
	if fix := a.Fix.String(); fix != "" {
		s += ". Would serve: " + fix
	}
	return schema.Printable(s)
}

// onlyReads reports whether a host wrapped an object in policies that leave programs no method that changes anything.
func onlyReads(o exo.Object) bool {
	if _, plain := o.(*answer.Object); plain {
		return false
	}
	d, err := o.Describe()
	return err == nil && !slices.ContainsFunc(d.Interfaces, func(i *message.Interface) bool {
		for _, m := range i.Methods {
			if m.Effect != message.NoEffect {
				return true
			}
		}
		return false
	})
}

// AccessPaths reports which filters and orders of each column an index serves, for each facet that programs can reach from an object of [Facet.Of].
// Such an index begins with the columns of the scope. For other filters and orders AccessPaths reports that every row in scope is read, and the
// index that would serve. The order is that of the declarations.
//
// AccessPaths asks the database for query plans, and runs no query. The queries have no fences (see DESIGN.md), so that indexes can serve programs'
// conditions. PostgreSQL is made to avoid scans and sorts, because a small table's plan does not predict a large table's. Its choice between
// indexes still depends on its statistics. Joins are not considered. Services, and facets with a scope of one row, are not reported.
func AccessPaths(ctx context.Context, o exo.Object) ([]AccessPath, error) {
	granted, err := answer.Of(o)
	if granted == nil {
		return nil, err
	}
	if err := granted.Prepare(); err != nil {
		return nil, err
	}
	if err := granted.DB.Ready(); err != nil {
		return nil, err
	}
	live, err := granted.DB.Pool.Catalog(ctx, true)
	if err == nil { // an index made since the last reading changes the ORDER BY that the compiler writes
		granted.DB.Learn(live)
	}
	if err != nil {
		return nil, err
	}
	reach, err := granted.Facet.Walk()
	if err != nil {
		return nil, err
	}
	asked, err := granted.DB.Pool.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	defer asked.Close()
	var out []AccessPath
	for _, fc := range reach {
		of, err := paths(ctx, granted, asked, live, fc)
		if err != nil {
			return nil, fmt.Errorf("exosql: the access paths of the facet %s can't be found: %w", fc.Alias, err)
		}
		out = append(out, of...)
	}
	return out, nil
}

// paths returns the access paths of one facet.
func paths(ctx context.Context, o *answer.Object, asked engine.Session, live *schema.Database, fc *decl.Facet) (out []AccessPath, err error) {
	for _, col := range fc.Cols {
		first := len(out)
		uses := compile.Uses(o.DB.Engine(ctx), col)
		if len(uses) == 0 {
			out = append(out, AccessPath{Facet: fc.Alias, Table: fc.Table.Name, Column: col.Name, By: ByNone})
		}
		for _, use := range uses {
			p, err := compile.NewProbe(o.Ready().Grant, o.DB.Engine(ctx), fc, col, use)
			if err != nil {
				return nil, err
			}
			path := AccessPath{Facet: fc.Alias, Table: fc.Table.Name}
			if p.Plan == nil {
				path.By = ByFence
				return []AccessPath{path}, nil
			}
			for _, e := range p.Plan.Tables[0].Scope {
				path.Scope = append(path.Scope, e.Column)
			}
			fixed := func(c *decl.Column) bool {
				return slices.ContainsFunc(path.Scope, func(name string) bool { return strings.EqualFold(name, c.Name) })
			}
			if !slices.ContainsFunc(fc.Table.Keys, func(k *decl.Column) bool { return !fixed(k) }) {
				return nil, nil // the scope has at most one row, so no index matters
			}
			if fixed(col) {
				path.Column, path.By = col.Name, ByValue
				out = append(out, path)
				break
			}
			a, err := asked.Access(ctx, p.Plan, p.Args, col.Name)
			if err != nil {
				return nil, err
			}
			path.Column, path.Index, path.By = col.Name, a.Index, accessOf(a, p, use)
			if path.By == ByScope {
				path.Index = "" // any index of the scope serves
			}
			// If the scope has several values, no index returns their rows in this order, but an index can still find the rows.
			list := slices.ContainsFunc(p.Plan.Tables[0].Scope, func(e fence.Equality) bool { return e.List }) && (use == compile.UseOrder || use == compile.UseDescending)
			if path.By == ByScope && !list || path.By == ByTable || path.By == ByTies {
				s := check.Serving(live, fc.Table, path.Scope, col, use == compile.UseEqual || list, path.By == ByTies)
				path.Unused = s.There
				if s.Index != nil || s.Declaration != "" {
					path.Fix = &Fix{Index: s.Index, Declaration: s.Declaration, If: s.If}
					if s.Index != nil {
						path.Fix.Table, path.Fix.Schema = s.Table.Name, s.Table.Schema
					}
				}
			}
			i := slices.IndexFunc(out[first:], func(x AccessPath) bool {
				return x.By == path.By && x.Index == path.Index && x.Fix.String() == path.Fix.String() && x.Unused == path.Unused
			})
			if i < 0 {
				out, i = append(out, path), len(out)-first
			}
			out[first+i].Uses = append(out[first+i].Uses, string(use))
		}
	}
	return out, nil
}

// accessOf turns the engine's judgement of the plan of a probe into an Access. use is how the probe uses the column.
func accessOf(a fence.Access, p *compile.Probe, use compile.Use) Access {
	asked := use == compile.UseEqual || use == compile.UseRange
	var wide *fence.OutOfScope
	switch {
	case asked && a.Searched && (a.Refused == nil || p.Bare && use == compile.UseEqual):
		return ByIndex
	case errors.As(a.Refused, &wide):
		return ByTable
	case a.Refused != nil: // the plan is not understood, so the fenced statement runs
		return ByFence
	case !asked && a.Ties:
		return ByTies
	case !asked && !a.Sorts:
		return ByIndex
	}
	return ByScope
}
