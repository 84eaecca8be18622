package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// readable refuses granted columns that the role may not read, since each query that names one
// fails. It checks the columns that facets, scopes and links use: others need no right, and should
// have none.
func (c *Checker) readable(t *decl.Table, live []schema.Column) {
	u, role := c.uses[t], c.Live.Role.Name
	var hidden []string
	all := true
	for _, col := range t.Cols {
		x := c.FindColumn(live, col.Name)
		if x == nil {
			continue
		}
		all = all && x.Unreadable
		if x.Unreadable && (!u.granted || u.reads[col]) {
			hidden = append(hidden, col.Name)
		}
	}
	if len(hidden) == 0 {
		return
	}
	f := Finding{Kind: NotReadable, Table: t.Name, Warning: !u.granted, Fix: fmt.Sprintf("GRANT SELECT (%s) ON %s TO %s", sqlname.List(hidden), c.declared(t), sqlname.Plain(role))}
	if all {
		f.Problem = fmt.Sprintf("the role %s may not read this table: each query of it fails", role)
	} else {
		f.Problem = fmt.Sprintf("the role %s may not read (%s): each query that names one of these columns fails", role, strings.Join(hidden, ", "))
	}
	c.Add(f)
}

// unusable adds a finding if a table is in a schema that the role may not use, and reports whether that
// is so. PostgreSQL skips such a schema, and its error is that there is no such table.
func (c *Checker) unusable(t *decl.Table) bool {
	i := slices.IndexFunc(c.Live.Hidden, func(n schema.Name) bool { return n.Name == t.Name })
	if i < 0 {
		return false
	}
	in, role := c.Live.Hidden[i].Schema, c.Live.Role.Name
	c.Add(Finding{Kind: NotReadable, Table: t.Name, Warning: !c.uses[t].granted, Problem: fmt.Sprintf("this table is in the schema %s, which the role %s may not use: each query of it fails", in, role),
		Fix: fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", sqlname.Plain(in), sqlname.Plain(role))})
	return true
}

// role warns of a role with more rights than queries need. Queries run in read-only transactions,
// and the role's rights are a second protection. role only warns, so that a host may develop as a superuser.
func (c *Checker) role() {
	role := c.Live.Role
	var writes, grants, schemas []string
	for _, t := range c.tables {
		live, u := c.TableOf(schema.Name{Name: t.Name}), c.uses[t]
		if live == nil {
			live = c.Live.Rows(schema.Name{Name: t.Name}) // live is the table behind a view
		}
		if live == nil || !u.granted {
			continue
		}
		if !u.written && len(live.Writable) > 0 {
			writes = append(writes, fmt.Sprintf("%s (%s)", t.Name, strings.Join(live.Writable, ", ")))
		}
		var cols []string
		for _, col := range t.Cols {
			if u.reads[col] {
				cols = append(cols, col.Name)
			}
		}
		if len(cols) > 0 {
			grants = append(grants, fmt.Sprintf("GRANT SELECT (%s) ON %s TO ", sqlname.List(cols), InFull(live)))
		}
		if s := fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO ", sqlname.Plain(live.Schema)); !slices.Contains(schemas, s) {
			schemas = append(schemas, s)
		}
	}
	f := Finding{Kind: RoleRights, Warning: true}
	switch {
	case len(schemas) == 0:
		return // without a granted table there is nothing to check
	case role.Superuser:
		f.Problem = fmt.Sprintf("the role %s is a superuser: no right or policy restricts it, and even in a read-only transaction it can use files and programs of the server", role.Name)
	case len(writes) > 0:
		f.Problem = fmt.Sprintf("the role %s may write to tables that are only read: %s", role.Name, strings.Join(writes, ", "))
	default:
		return
	}
	own := "exo"
	if role.Name == own {
		own = "exo_reader"
	}
	f.Fix = "a URL with a role of its own: CREATE ROLE " + own + " LOGIN NOSUPERUSER NOBYPASSRLS"
	if c.Writes != nil {
		grants = append(grants, c.Writes.Rights()...)
	}
	for _, g := range append(schemas, grants...) {
		f.Fix += "; " + g + own
	}
	c.Add(f)
}

// path refuses a search path with a schema in which everybody may create objects. An attacker's table
// there can replace a declared one. An attacker's operator = there can decide which values of an enum or a domain equal the scope's. If a single role
// may create there, path only warns, since that may be intended.
func (c *Checker) path() {
	granted := slices.ContainsFunc(c.tables, func(t *decl.Table) bool { return c.uses[t].granted })
	for _, x := range c.Live.Creators {
		who, from := "the role "+x.Role, sqlname.Plain(x.Role)
		if x.Role == "" {
			who, from = "everybody", "PUBLIC"
		}
		c.Add(Finding{Kind: SearchPath, Warning: x.Role != "" || !granted, Fix: fmt.Sprintf("REVOKE CREATE ON SCHEMA %s FROM %s", sqlname.Plain(x.Schema), from),
			Problem: fmt.Sprintf("%s may create objects in the schema %s of the search path: a table there can replace a declared one, and an operator can replace =", who, x.Schema)})
	}
}

// relatives refuses policies that queries bypass: PostgreSQL applies only the policies of the table
// that a query names, even to rows of its partitions and heirs.
func (c *Checker) relatives(t *decl.Table, live *schema.Table) {
	if live.RowSecurity {
		return // the table has policies of its own
	}
	for _, r := range []struct {
		names []schema.Name
		are   string
	}{{live.PartPolicies, "tables that are part of it or inherit from it have"}, {live.WholePolicies, "the tables that it is part of or inherits from have"}} {
		names := scalar.Each(r.names, func(n schema.Name) string { return n.Name })
		if len(names) == 0 {
			continue
		}
		c.Add(Finding{Kind: RowSecurity, Table: t.Name, Warning: c.Live.Role.Unbound(live) != "" && !c.Secured, Problem: fmt.Sprintf("has no row-level security, but %s (%s): their policies do not restrict queries of %s", r.are, strings.Join(names, ", "), t.Name),
			Fix: fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY, and policies of its own", c.declared(t))})
	}
}
