package rowsec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Granted is one grant, with the facets that programs reach by it.
type Granted struct {
	Grant  *scope.Grant
	Facets []*decl.Facet
}

// table is one table of the script: the role's rights to its columns and rows.
type table struct {
	live    *schema.Table
	columns map[string][]string // columns has the columns that the role may use, by command: SELECT, INSERT and UPDATE
	delete  bool
	rows    map[string][]string // rows has conditions for each command; one of them must be true
}

// commands are in the order that the script writes.
var commands = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

var role = scalar.Pattern(`^[a-z_][a-z0-9_]{0,39}$`)

// Script returns the SQL that gives a role the rights of the grants. reads are the columns that queries use.
func Script(to string, live *schema.Database, grants []Granted, reads []*decl.Column) (string, error) {
	if !role().MatchString(to) {
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "%q can't be the name of the role: want up to 40 small letters, digits and _, as policies are named after it", to)
	}
	s := &script{live: live, tables: map[string]*table{}, settings: map[string]bool{}}
	for _, g := range grants {
		if err := s.grant(g); err != nil {
			return "", err
		}
	}
	for _, c := range reads {
		if s.isView(c.Table) {
			continue
		}
		t, err := s.table(c.Table)
		if err != nil {
			return "", err
		}
		t.add("SELECT", c)
	}
	return s.text(to)
}

type script struct {
	live     *schema.Database
	tables   map[string]*table
	settings map[string]bool
	views    []string      // views are left out of the script
	marks    *schema.Table // marks is the table exo_runs, into which each run inserts its ID; nil if the role only reads or the database lacks the table
}

// isView reports whether t is a view. A view can't have a policy, so the role gets no right to it, and PostgreSQL refuses queries that read it.
func (s *script) isView(t *decl.Table) bool {
	if s.live.View(schema.Name{Name: t.Name}) == nil {
		return false
	}
	if !slices.Contains(s.views, t.Name) {
		s.views = append(s.views, t.Name)
	}
	return true
}

func (s *script) table(t *decl.Table) (*table, error) {
	if x := s.tables[t.Name]; x != nil {
		return x, nil
	}
	live := s.live.Table(schema.Name{Name: t.Name})
	if live == nil {
		return nil, fail.Errorf(fail.Invalid, t.Name, "there is no such table in the database: create the table first, or correct the name in its declaration")
	}
	x := &table{live: live, columns: map[string][]string{}, rows: map[string][]string{}}
	s.tables[t.Name] = x
	return x, nil
}

func (t *table) add(command string, cols ...*decl.Column) {
	for _, c := range cols {
		if !slices.Contains(t.columns[command], c.Name) {
			t.columns[command] = append(t.columns[command], c.Name)
		}
	}
}

func (s *script) grant(g Granted) error {
	names := namesOf(g.Grant)
	for _, n := range names {
		s.settings[n] = true
	}
	all := map[*decl.Table]bool{}
	for _, scopes := range []scope.Scopes{g.Grant.Scopes, g.Grant.Chain} {
		for t := range scopes {
			all[t] = true
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(all), byName) {
		if err := s.rows(g, names, t, "SELECT"); err != nil {
			return err
		}
	}
	for _, f := range g.Facets {
		if err := s.rights(g, names, f); err != nil {
			return err
		}
	}
	return nil
}

// rows adds the rows in a grant's scope to the rows that the role may use with a command.
func (s *script) rows(g Granted, names names, t *decl.Table, command string) error {
	if s.isView(t) {
		return nil
	}
	x, err := s.table(t)
	if err != nil {
		return err
	}
	of := g.Grant
	if of.Scopes[t] == nil {
		of = of.Base()
	}
	e, err := of.Enter(t, nil, nil)
	if err != nil {
		return err
	}
	for _, c := range e.Conditions() {
		if c.Link != nil && s.isView(c.Link.From) {
			return fail.Errorf(fail.Invalid, t.Name, "the scope of the table uses the view %s, which a policy would read with rights that the role doesn't get: scope the table by its own columns, or through a table", c.Link.From.Name)
		}
	}
	w := &writer{names: names, table: t.Bare(), path: s.path}
	text, err := w.conditions(e.Conditions(), t.Bare())
	if err == nil && !slices.Contains(x.rows[command], text) {
		x.rows[command] = append(x.rows[command], text)
	}
	return err
}

// rights adds to the script the rights for the writes that a facet allows, and for the columns that scopes, links and hooks fill in.
func (s *script) rights(g Granted, names names, f *decl.Facet) error {
	r := f.Rights
	if s.isView(f.Table) {
		return nil
	}
	x, err := s.table(f.Table)
	if err != nil || !r.Any() {
		return err
	}
	s.marks = s.live.Table(schema.Name{Name: decl.MarksTable})
	e, err := g.Grant.Enter(f.Table, nil, nil)
	if err != nil {
		return err
	}
	may := map[string]bool{"INSERT": len(r.Insert) > 0, "UPDATE": len(r.Update) > 0, "DELETE": r.Delete}
	x.delete = x.delete || r.Delete
	x.add("INSERT", r.Insert...)
	x.add("UPDATE", r.Update...)
	for _, command := range []string{"INSERT", "UPDATE"} {
		if may[command] { // hooks fill these columns even if programs may not write them
			x.add(command, f.Table.Fills...)
		}
	}
	if may["INSERT"] {
		fixed, _ := e.Parts()
		for _, y := range fixed {
			x.add("INSERT", y.Col)
		}
		for _, from := range g.Facets {
			for _, l := range from.Links {
				if l.To == f && !l.L.One {
					for _, p := range l.L.Pairs {
						x.add("INSERT", p.To)
					}
				}
			}
		}
	}
	for _, command := range commands {
		if may[command] {
			if err := s.rows(g, names, f.Table, command); err != nil {
				return err
			}
		}
	}
	return nil
}

// path returns a table's name for statements of the script.
func (s *script) path(t *decl.Table) string { return inFull(s.live.Table(schema.Name{Name: t.Name})) }

// inFull returns a table's name with its schema, since the owner who runs the script may have another search path.
func inFull(t *schema.Table) string {
	return sqlname.Quote(t.Schema) + "." + sqlname.Quote(t.Name.Name)
}

func (s *script) text(to string) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("-- What the role %s may read and change, as programs are granted it. Made by exosql.Policies; run it as the owner of", to)
	line("-- the tables, and again when it changes: what the role had before is taken back, and a notice names each table that it may not use any more.")
	line("-- Another role that does not own a table sees no row of it until it has a policy of its own.")
	line("-- The values are those of the grant that runs, set by exosql.OpenOptions.RowSecurity:")
	for _, n := range slices.Sorted(maps.Keys(s.settings)) {
		line("--   %s", n)
	}
	for _, name := range s.views {
		line("-- Left out is the view %s, on which no policy can be: the role gets no right to it.", strings.Join(strings.Fields(name), " "))
	}
	line("BEGIN;")
	line("%s", do(fmt.Sprintf("BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = %s) THEN CREATE ROLE %s LOGIN NOSUPERUSER NOBYPASSRLS; END IF; END", literal(to), sqlname.Quote(to))))
	line("%s", do(s.takeBack(to)))
	var schemas []string
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		if in := s.tables[name].live.Schema; !slices.Contains(schemas, in) {
			schemas = append(schemas, in)
			line("GRANT USAGE ON SCHEMA %s TO %s;", sqlname.Quote(in), sqlname.Quote(to))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		s.tableText(line, s.tables[name], to)
	}
	if s.marks != nil {
		s.marksText(line, to, schemas)
	}
	line("COMMIT;")
	return b.String(), nil
}

// takeBack revokes the rights that an earlier script gave the role to sequences, and to tables that this script does not name. Otherwise
// a table would stay readable after its grant was removed. tableText revokes the rights to the tables that are named.
func (s *script) takeBack(to string) string {
	var named, policies []string
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		named = append(named, literal(inFull(s.tables[name].live)))
	}
	if s.marks != nil {
		named = append(named, literal(inFull(s.marks)))
	}
	for _, c := range commands {
		name := to + "_" + strings.ToLower(c)
		policies = append(policies, literal(name), literal(name+"_rows"))
	}
	return strings.NewReplacer("{role}", sqlname.Quote(to), "{text}", literal(to), "{tables}", strings.Join(named, ", "), "{policies}", strings.Join(policies, ", ")).Replace(takeBack)
}

const takeBack = `
DECLARE
	role oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = {text});
	tables oid[] := CAST(ARRAY[{tables}]::pg_catalog.regclass[] AS oid[]);
	x record;
BEGIN
	FOR x IN SELECT c.oid, c.relkind, pg_catalog.pg_has_role(c.relowner, 'USAGE') AS ours FROM pg_catalog.pg_class AS c
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.oid <> ALL (tables) AND
			(EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) AS a WHERE a.grantee = role) OR
			EXISTS (SELECT FROM pg_catalog.pg_attribute AS t, pg_catalog.aclexplode(t.attacl) AS a WHERE t.attrelid = c.oid AND a.grantee = role))
	LOOP
		IF NOT x.ours THEN
			RAISE WARNING 'the role % has rights on %, which another role owns: they stay', {text}, x.oid::pg_catalog.regclass;
		ELSIF x.relkind = 'S' THEN
			EXECUTE 'REVOKE ALL ON SEQUENCE ' || x.oid::pg_catalog.regclass || ' FROM {role}';
		ELSE
			RAISE NOTICE 'the role % may do nothing with % any more', {text}, x.oid::pg_catalog.regclass;
			EXECUTE 'REVOKE ALL ON ' || x.oid::pg_catalog.regclass || ' FROM {role}';
		END IF;
	END LOOP;
	FOR x IN SELECT p.polname, p.polrelid FROM pg_catalog.pg_policy AS p JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
		WHERE p.polroles = ARRAY[role] AND p.polname IN ({policies}) AND p.polrelid <> ALL (tables) AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
	LOOP
		EXECUTE pg_catalog.format('DROP POLICY %I ON %s', x.polname, x.polrelid::pg_catalog.regclass);
	END LOOP;
END`

func (s *script) tableText(line func(string, ...any), t *table, to string) {
	on := inFull(t.live)
	line("")
	line("ALTER TABLE %s ENABLE ROW LEVEL SECURITY;", on)
	line("REVOKE ALL ON %s FROM %s;", on, sqlname.Quote(to))
	for _, command := range commands[:3] {
		if cols := t.columns[command]; len(cols) > 0 {
			slices.Sort(cols)
			line("GRANT %s (%s) ON %s TO %s;", command, strings.Join(scalar.Each(cols, sqlname.Quote), ", "), on, sqlname.Quote(to))
		}
	}
	if t.delete {
		line("GRANT DELETE ON %s TO %s;", on, sqlname.Quote(to))
	}
	if len(t.columns["INSERT"]) > 0 {
		for _, c := range t.live.Columns {
			if c.Identity == schema.ByDefault { // PostgreSQL checks the right to a serial column's sequence at each insert
				line("%s", do(fmt.Sprintf("DECLARE s text := pg_catalog.pg_get_serial_sequence(%s, %s); BEGIN IF s IS NOT NULL THEN EXECUTE 'GRANT USAGE ON SEQUENCE ' || s || ' TO %s'; END IF; END", literal(on), literal(c.Name), sqlname.Quote(to))))
			}
		}
	}
	for _, command := range commands {
		s.policy(line, t, to, command)
	}
}

// marksText lets the role insert and read marks of runs, but change none: see
// exosql.OpenOptions.Witness. A mark belongs to no tenant, so the table has no policies.
func (s *script) marksText(line func(string, ...any), to string, schemas []string) {
	on := inFull(s.marks)
	line("")
	if !slices.Contains(schemas, s.marks.Schema) {
		line("GRANT USAGE ON SCHEMA %s TO %s;", sqlname.Quote(s.marks.Schema), sqlname.Quote(to))
	}
	line("REVOKE ALL ON %s FROM %s;", on, sqlname.Quote(to))
	line("GRANT SELECT, INSERT ON %s TO %s;", on, sqlname.Quote(to))
}

// policy writes two policies for a command: a permissive one, without which no row is visible, and a restrictive
// one with the condition. So permissive policies of others add nothing, not even those for PUBLIC.
func (s *script) policy(line func(string, ...any), t *table, to, command string) {
	on := inFull(t.live)
	rows := t.rows[command]
	condition := "false"
	if len(rows) == 1 {
		condition = rows[0]
	} else if len(rows) > 1 {
		condition = "(" + strings.Join(rows, ")\n\tOR (") + ")"
	}
	name := to + "_" + strings.ToLower(command)
	line("DROP POLICY IF EXISTS %s ON %s;", sqlname.Quote(name), on)
	line("DROP POLICY IF EXISTS %s ON %s;", sqlname.Quote(name+"_rows"), on)
	clause := func(x string) string {
		switch command {
		case "INSERT":
			return "WITH CHECK (" + x + ")"
		case "UPDATE":
			return "USING (" + x + ")\n\tWITH CHECK (" + x + ")"
		}
		return "USING (" + x + ")"
	}
	if len(rows) > 0 {
		line("CREATE POLICY %s ON %s FOR %s TO %s %s;", sqlname.Quote(name), on, command, sqlname.Quote(to), strings.ReplaceAll(clause("true"), "\n\t", " "))
	}
	line("CREATE POLICY %s ON %s AS RESTRICTIVE FOR %s TO %s\n\t%s;", sqlname.Quote(name+"_rows"), on, command, sqlname.Quote(to), clause(condition))
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// do returns a statement that runs a body of PL/pgSQL. It chooses a quoting tag that the body does not contain. A table or
// column with the tag in its name would end the body, and the rest would run as the owner.
func do(body string) string {
	tag := "$exo$"
	for n := 1; strings.Contains(body, tag); n++ {
		tag = fmt.Sprintf("$exo%d$", n)
	}
	return "DO " + tag + " " + strings.TrimSpace(body) + " " + tag + ";"
}
