package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// table compares one table, and all of its columns.
func (c *Checker) table(t *decl.Table) {
	u := c.uses[t]
	live := c.TableOf(schema.Name{Name: t.Name})
	if live != nil && t.Schema == "" && !c.Live.Engine.Is(live.Name.Name, t.Name) {
		c.missing(t) // statements would use this name, dot included, as the name of a table
		return
	}
	if live == nil {
		if v := c.Live.View(schema.Name{Name: t.Name}); v != nil {
			c.view(t, v)
			return
		}
		if !c.unusable(t) && !c.leftOut(t) {
			c.missing(t)
		}
		return
	}
	if live.Virtual {
		c.Add(Finding{Kind: NotReadable, Table: t.Name, Warning: !u.granted, Problem: "is a virtual table: its module reads other tables, which SQLite's access check does not allow, so each query of it fails",
			Fix: "a declaration of the table that it indexes; programs search that by " + t.Reader.Search()})
	}
	cols := live.Columns
	if live.RowID {
		cols = append(slices.Clip(cols), *live.Column("rowid"))
	}
	c.columns(t, cols, c.Live.Listed(live), false)
	if c.Writes != nil {
		c.Writes.Needs(t, live)
	}
	c.key(t, live)
	c.loose(t, live, live.Columns)
	c.functions(t, live)
	for _, p := range u.scopes {
		c.scope(t, live, p)
	}
	c.security(t, live)
	c.relatives(t, live)
	c.readable(t, live.Columns)
	c.handler(t, live)
	if u.written && c.Writes != nil {
		c.Writes.Table(t, live)
	}
}

// leftOut adds a finding if a table or view exists but can't be queried, and reports whether that is so.
func (c *Checker) leftOut(t *decl.Table) bool {
	l := c.Live.Left(schema.Name{Name: t.Name})
	if l == nil {
		return false
	}
	c.Add(Finding{Kind: MissingTable, Table: t.Name, Problem: "the table is there, but " + l.Reason(),
		Fix: "a definition that SQLite can use here without the application's own functions and modules; or leave it out of what is declared"})
	return true
}

func (c *Checker) missing(t *decl.Table) {
	names := scalar.Each(c.Live.Tables, func(o *schema.Table) string { return o.Name.Name })
	f := Finding{Kind: MissingTable, Table: t.Name, Problem: "there is no such table"}
	f.Problem += c.Live.Where()
	if in, bare, ok := strings.Cut(t.Name, "."); ok && c.Live.Engine == schema.Postgres {
		f.Fix = fmt.Sprintf("%s.InSchema(%q)", t.Reader.Table(bare), in)
		if !slices.Contains(c.Live.Path, in) {
			f.Fix = fmt.Sprintf("search_path=%s,%s in the URL of the database, and %s", strings.Join(c.Live.Path, ","), in, f.Fix)
		}
	} else if near := scalar.Nearest(t.Name, byName(names)); near != "" {
		f.Fix = t.Reader.Table(near)
	} else {
		cols := scalar.Each(t.Cols, c.define)
		if key := decl.Names(t.Keys); len(key) > 0 {
			cols = append(cols, "PRIMARY KEY ("+sqlname.List(key)+")")
		}
		f.Fix = fmt.Sprintf("CREATE TABLE %s (%s)", c.declared(t), strings.Join(cols, ", "))
	}
	c.Add(f)
}

// FindColumn returns the database's column with a name, or nil if no column has it.
func (c *Checker) FindColumn(cols []schema.Column, name string) *schema.Column {
	i := slices.IndexFunc(cols, func(x schema.Column) bool { return c.Live.Engine.Is(x.Name, name) })
	if i < 0 {
		return nil
	}
	return &cols[i]
}

func (c *Checker) columns(t *decl.Table, live []schema.Column, listed map[string][]string, view bool) {
	for _, col := range t.Cols {
		x := c.FindColumn(live, col.Name)
		if x == nil {
			c.missingColumn(t, col, live)
			continue
		}
		c.columnType(t, col, x, listed[x.Name])
		switch {
		case view: // engines do not know which columns of a view may be NULL
		case col.Key && !x.NotNull:
			c.Add(Finding{Kind: NullableKey, Table: t.Name, Column: col.Name, Problem: "is part of the key and may be NULL in the database: rows with NULL would have the same key",
				Fix: c.setNotNull(t, col, "a definition with "+sqlname.Plain(col.Name)+" … NOT NULL (SQLite can't change a column)"), Warning: !c.uses[t].granted})
		case !col.Null && !x.NotNull:
			c.Add(Finding{Kind: NullMismatch, Table: t.Name, Column: col.Name, Problem: "is declared as never NULL and may be NULL in the database: programs read null there, and reading such a row in Go fails",
				Fix: c.setNotNull(t, col, t.Reader.Nullable())})
		case col.Null && x.NotNull:
			c.Add(Finding{Kind: NullMismatch, Table: t.Name, Column: col.Name, Problem: "is declared nullable and is never NULL in the database", Fix: t.Reader.NotNull(), Warning: true})
		}
	}
}

func (c *Checker) setNotNull(t *decl.Table, col *decl.Column, sqlite string) string {
	if c.Live.Engine == schema.SQLite {
		return sqlite
	}
	return fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL", c.declared(t), sqlname.Plain(col.Name))
}

func (c *Checker) missingColumn(t *decl.Table, col *decl.Column, live []schema.Column) {
	names := scalar.Each(live, func(x schema.Column) string { return x.Name })
	f := Finding{Kind: MissingColumn, Table: t.Name, Column: col.Name, Problem: "there is no such column"}
	if near := scalar.Nearest(col.Name, names); near != "" {
		f.Fix = fmt.Sprintf("the name %q in the declaration", near)
	} else {
		if other := undeclared(t, names); other != "" {
			f.Problem += "; if it was renamed (" + other + " has no declaration), use that name in the declaration, or run exo gen again; if it is new, add it to the table"
		}
		f.Fix = fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s", c.declared(t), c.define(col))
	}
	c.Add(f)
}

// undeclared lists some of the columns that the database has and the declaration lacks.
func undeclared(t *decl.Table, live []string) string {
	var out []string
	for _, n := range live {
		if !slices.ContainsFunc(t.Cols, func(col *decl.Column) bool { return col.Name == n }) {
			out = append(out, strconv.Quote(n))
		}
	}
	if len(out) > 3 {
		return strings.Join(out[:3], ", ") + ", …"
	}
	return strings.Join(out, ", ")
}

// define returns a column's definition in SQL.
func (c *Checker) define(col *decl.Column) string {
	s := sqlname.Plain(col.Name) + " " + c.typeName(col)
	if !col.Null {
		s += " NOT NULL"
	}
	return s
}

// key checks that the declared key is unique.
func (c *Checker) key(t *decl.Table, live *schema.Table) {
	granted := c.uses[t].granted
	keys := live.Keys()
	for p := live; p.PartitionOf != nil; { // the catalogue lists only a partition's own keys
		if p = c.TableOf(*p.PartitionOf); p == nil {
			break
		}
		keys = append(keys, p.Keys()...)
	}
	if t.Keyless {
		return
	}
	if len(t.Keys) == 0 {
		f := Finding{Kind: NoKey, Table: t.Name, Problem: "has no key in its declaration: rows with equal values have no fixed order", Warning: !granted}
		if live.PrimaryKey != nil {
			f.Fix = t.Reader.Key(strings.Join(live.PrimaryKey.Columns, ", "))
		} else {
			f.Fix = fmt.Sprintf("a PRIMARY KEY for %s, and %s; %s, if nothing makes its rows unique", c.declared(t), t.Reader.Key("its columns"), t.Reader.NoKey())
		}
		c.Add(f)
		return
	}
	declared := decl.Names(t.Keys)
	if live.RowID && slices.Contains(declared, "rowid") {
		return
	}
	if live.Inherited { // rows of heirs are among the table's rows, but its keys don't cover them
		c.Add(Finding{Kind: NoKey, Table: t.Name, Problem: fmt.Sprintf("other tables inherit from this one, and no key spans them all: nothing makes (%s) unique", strings.Join(declared, ", ")), Warning: !granted, Fix: c.Disinherit(live)})
		return
	}
	for _, k := range keys {
		if c.Within(k, declared) {
			return
		}
	}
	f := Finding{Kind: NoKey, Table: t.Name, Problem: fmt.Sprintf("nothing makes (%s) unique: two rows can have the same key, so limits and pages have no single answer", strings.Join(declared, ", ")), Warning: !granted}
	if c.Live.Engine == schema.Postgres && live.PrimaryKey == nil {
		f.Fix = fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s)", c.declared(t), sqlname.List(declared))
	} else {
		f.Fix = fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", sqlname.Plain(FreeName(c.Live, t.Bare()+"_key")), c.declared(t), sqlname.List(declared))
	}
	c.Add(f)
}

// Within reports whether all names are also in the list `of`.
func (c *Checker) Within(names, of []string) bool {
	for _, n := range names {
		if !slices.ContainsFunc(of, func(o string) bool { return c.Live.Engine.Is(o, n) }) {
			return false
		}
	}
	return true
}

// security refuses policies that bind no role, or not the role that runs the queries.
func (c *Checker) security(t *decl.Table, live *schema.Table) {
	if c.Live.Engine != schema.Postgres || !live.RowSecurity && len(live.Policies) == 0 && !live.ForceRowSecurity {
		return
	}
	f := Finding{Kind: RowSecurity, Table: t.Name}
	role := c.Live.Role
	switch {
	case !live.RowSecurity:
		f.Problem = fmt.Sprintf("has %s, but row-level security is not enabled, so they have no effect", count(len(live.Policies), "policy", "policies"))
		f.Fix = fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", c.declared(t))
	case role.Unbound(live) != "":
		// The grants' scopes alone decide, as without policies. That is an error only if the host opened the database with RowSecurity.
		f.Problem = fmt.Sprintf("has row-level security, but the role %s %s: the scope alone decides which rows are read", role.Name, role.Unbound(live))
		f.Warning = !c.Secured
		switch {
		case role.Superuser:
			f.Fix = "a URL with a role that has no more rights than it needs"
		case role.BypassRLS:
			f.Fix = fmt.Sprintf("ALTER ROLE %s NOBYPASSRLS", sqlname.Plain(role.Name))
		default:
			f.Fix = fmt.Sprintf("ALTER TABLE %s FORCE ROW LEVEL SECURITY", c.declared(t))
			if i := slices.IndexFunc(live.Policies, func(p schema.Policy) bool { return len(p.Unset) > 0 }); i >= 0 {
				f.Fix += fmt.Sprintf(", once the policy %s does not fail: %s", live.Policies[i].Name, c.setting(live.Policies[i].Unset[0], "the policy"))
			}
		}
	case len(live.Policies) == 0:
		f.Problem, f.Warning = "has row-level security and no policy: every query of it is empty", true
		f.Fix = fmt.Sprintf("CREATE POLICY … ON %s USING (…)", c.declared(t))
	default:
		c.unsetOfPolicies(t, live)
		return
	}
	c.Add(f)
}

// unsetOfPolicies refuses policies that read a setting which the connection lacks.
func (c *Checker) unsetOfPolicies(t *decl.Table, live *schema.Table) {
	for _, p := range live.Policies {
		binds := slices.Contains(p.Roles, "public") || slices.Contains(p.Roles, c.Live.Role.Name)
		c.unset(Finding{Kind: RowSecurity, Table: t.Name, Warning: !binds}, "the policy "+p.Name, "the policy", p.Unset)
	}
}

// unset reports settings that a definition reads and that the connection lacks, so that each query fails. A
// function may read a setting only in some cases, or handle the error, so unset only warns of functions.
func (c *Checker) unset(f Finding, what, in string, settings []schema.Setting) {
	for _, s := range settings {
		f, what, in := f, what, in
		fails := "each query of the table fails"
		if s.Function != "" {
			what, in, f.Warning = what+" calls "+s.Function+", which", "the function", true
			fails = "a query fails when the function reads it"
		}
		f.Problem = fmt.Sprintf("%s reads the setting %s by current_setting('%s'), which fails if the setting is missing: %s", what, s.Name, s.Name, fails)
		f.Fix = c.setting(s, in)
		c.Add(f)
	}
}

// setting returns the fix for a current_setting that fails because the setting is missing.
func (c *Checker) setting(s schema.Setting, in string) string {
	return fmt.Sprintf("current_setting('%s', true) in %s; or ALTER ROLE %s SET %s = '' (or, if that text casts the setting, a value that the cast accepts)", s.Name, in, sqlname.Plain(c.Live.Role.Name), s.Name)
}

// handler refuses a foreign table that can't be read.
func (c *Checker) handler(t *decl.Table, live *schema.Table) {
	if live != nil && live.Handlerless != "" {
		c.Add(Finding{Kind: NotReadable, Table: t.Name, Warning: !c.uses[t].granted, Problem: fmt.Sprintf("reads the foreign table %s, and the wrapper %s has no HANDLER: each query of it fails", live.Name, live.Handlerless),
			Fix: fmt.Sprintf("ALTER FOREIGN DATA WRAPPER %s HANDLER …, of the extension that has it; or a declaration of another table", sqlname.Plain(live.Handlerless))})
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "a " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Spanning reports unique keys that span tenants: if an insert fails, it reveals that some tenant
// has the value. Keys that the engine numbers are skipped, since they reveal only how many rows
// exist.
func (c *Checker) Spanning(t *decl.Table, live *schema.Table) {
	var tenant []string
	for _, p := range c.uses[t].scopes {
		tenant = append(tenant, decl.Names(fixed(p, nil))...)
	}
	for _, k := range live.Keys() {
		if first := live.Column(k[0]); len(k) == 1 && (first == nil || first.Identity != schema.NotIdentity || first.Kind == schema.UUID) {
			continue // the database numbers the key, or it is hard to guess
		}
		if slices.ContainsFunc(k, func(col string) bool { return c.Within([]string{col}, tenant) }) {
			continue
		}
		f := Finding{Kind: SpanningUnique, Table: t.Name, Problem: fmt.Sprintf("the unique key (%s) spans tenants: an insert that it refuses reveals that another tenant has the value", strings.Join(k, ", ")), Warning: true}
		if len(tenant) > 0 {
			f.Fix = fmt.Sprintf("UNIQUE (%s)", sqlname.List(append(slices.Clone(tenant[:1]), k...)))
		}
		c.Add(f)
	}
}
