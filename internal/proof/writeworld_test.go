package proof

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Rights are what programs may change through a facet.
type Rights struct {
	Insert, Update []int
	Delete         bool
	Effects        bool // keys that are unique among the rows of all tenants are no reason to refuse
}

// Ref is a foreign key of the database: pairs of slots, the child's and the parent's.
type Ref struct {
	Child, Parent int
	Pairs         [][2]int
}

// serial reports whether the database numbers a table's new rows.
func (t *Table) serial() bool { return len(t.Keys) == 1 && t.Keys[0] == slotID }

// anchor is the number of a row of every such table that is in no tenant. What comes after it depends on no other row.
const anchor = 1000

// usual are the defaults of columns that the table declares one for.
var usual = map[int]Value{slotTenant: {Kind: Int, I: 1}, slotN1: {Kind: Int, I: 1}, slotName: {Kind: Text, S: "d"}, slotNote: {Kind: Text, S: "new"}, slotSecret: {Kind: Text},
	slotPrice: {Kind: Float, F: 2.5}, slotDone: {Kind: Bool}, slotMade: {Kind: Time, I: 1704067200000}, slotTotal: {Kind: Decimal, S: "1"}, slotNick: {Kind: Text, S: "nick"}, slotM1: {Kind: Int, I: 1}}

// forWrites makes of a case one whose programs write: tables get rules of the database, facets rights.
func (c *Case) forWrites(d *draws) {
	c.Only, c.Kept, c.Revocable, c.looked = false, nil, false, map[int]bool{}
	c.Grants = c.Grants[:1] // what one lets programs change may bring rows into the scope of another: their host has to see to it
	s := &c.Schema
	for i := range s.Tables {
		t := &s.Tables[i]
		if t.serial() && d.oneIn(3) {
			t.Keys = []int{slotTenant, slotID}
		}
		if has(t.Cols, slotName) && d.oneIn(2) {
			t.Unique = []int{slotTenant, slotName}
		}
		t.Small = has(t.Cols, slotN1) && d.oneIn(2)
		for _, col := range t.Cols {
			if _, ok := usual[col]; ok && !has(t.Keys, col) && (col == slotSecret || d.n(4) > 0 && col != slotTenant || d.oneIn(8)) {
				t.Usual = append(t.Usual, col)
			}
		}
	}
	for _, l := range s.Links {
		s.refer(d, l.From, l.To, l.Pairs)
		s.refer(d, l.To, l.From, inverted(l.Pairs))
	}
	for i := range s.Facets {
		s.Facets[i].Rights = genRights(d, s, i)
	}
	c.mend(d)
}

func inverted(pairs [][2]int) (out [][2]int) {
	for _, p := range pairs {
		out = append(out, [2]int{p[1], p[0]})
	}
	return out
}

// refer makes the database hold a link to a key, most of the time.
func (s *Schema) refer(d *draws, child, parent int, pairs [][2]int) {
	keys := s.Tables[parent].Keys
	if len(pairs) != len(keys) || d.oneIn(4) {
		return
	}
	for _, p := range pairs {
		if !has([]int{slotM0, slotM1, slotNick, slotN1}, p[0]) || !has(keys, p[1]) {
			return
		}
	}
	r := Ref{child, parent, pairs}
	for _, o := range s.Refs { // a column of two foreign keys has hardly a value
		if o.Child == child && slices.ContainsFunc(o.Pairs, func(p [2]int) bool {
			return slices.ContainsFunc(pairs, func(q [2]int) bool { return p[0] == q[0] })
		}) {
			return
		}
	}
	s.Refs = append(s.Refs, r)
}

func genRights(d *draws, s *Schema, facet int) (r Rights) {
	f := s.Facets[facet]
	t := &s.Tables[f.Table]
	none := d.oneIn(6)
	for _, col := range f.Cols {
		if none {
			continue
		}
		key := has(t.Keys, col)
		if key && t.serial() && !d.oneIn(12) {
			continue
		}
		if col == slotTenant && d.n(3) > 0 && !key {
			continue
		}
		if d.n(3) > 0 || key {
			r.Insert = append(r.Insert, col)
		}
		if !key && d.n(3) > 0 {
			r.Update = append(r.Update, col)
		}
	}
	r.Delete, r.Effects = !none && d.n(3) > 0, d.n(3) > 0
	return r
}

// mend makes the rows keep the rules of their tables.
func (c *Case) mend(d *draws) {
	s := &c.Schema
	for t := range s.Tables {
		tab := &s.Tables[t]
		seen := map[string]bool{}
		for i, row := range c.Data[t] {
			if row[slotID].Kind == Int && !row[slotID].Null && (row[slotID].I > 50 || row[slotID].I < -50) {
				row[slotID].I = int64(i)
			}
			if tab.Small && row[slotN1].I >= 5 {
				row[slotN1].I = 4
			}
			for n := 0; ; n++ {
				key, name := tab.text(tab.Keys, row), "u"+tab.text(tab.Unique, row)
				if seen[key] {
					if k := tab.Keys[len(tab.Keys)-1]; slots[k].kind == Int {
						row[k].I = int64(10 + n)
					} else {
						row[k].S = fmt.Sprint("k", n)
					}
				} else if len(tab.Unique) > 0 && seen[name] {
					row[slotName].S = fmt.Sprint("name", n)
				} else {
					seen[key], seen[name] = true, true
					break
				}
			}
		}
		if tab.serial() {
			row := slices.Clone(c.Data[t][0])
			row[slotID].I, row[slotTenant].I, row[slotNote].S, row[slotSecret].S = anchor, 9, canary(t, len(c.Data[t])), secret(t, len(c.Data[t]))
			c.Data[t] = append(c.Data[t], row)
		}
	}
	for _, r := range s.Refs {
		for _, row := range c.Data[r.Child] {
			parent := pick(d, c.Data[r.Parent])
			for _, p := range r.Pairs {
				if slots[p[0]].null && d.oneIn(4) {
					row[p[0]] = Value{Null: true, Kind: slots[p[0]].kind}
					continue
				}
				if tab := &s.Tables[r.Child]; p[0] == slotN1 && tab.Small && parent[p[1]].I >= 5 {
					parent = c.Data[r.Parent][0]
				}
				row[p[0]] = Value{Kind: slots[p[0]].kind, I: parent[p[1]].I, S: parent[p[1]].S}
			}
		}
	}
}

// text is what rows must not have twice.
func (t *Table) text(cols []int, row []Value) string {
	var b strings.Builder
	for _, col := range cols {
		b.WriteString(row[col].json() + "|")
	}
	return b.String()
}

// broken says which rule of the database the rows break, or "".
func (s *Schema) broken(data Data) string {
	for t := range s.Tables {
		tab := &s.Tables[t]
		seen := map[string]bool{}
		for _, row := range data[t] {
			for _, col := range tab.Cols {
				if row[col].Null && !slots[col].null {
					return "null"
				}
			}
			if tab.Small && row[slotN1].I >= 5 {
				return "check"
			}
			key, name := tab.text(tab.Keys, row), "u"+tab.text(tab.Unique, row)
			if seen[key] || len(tab.Unique) > 0 && seen[name] {
				return "unique"
			}
			seen[key], seen[name] = true, true
		}
	}
	for _, r := range s.Refs {
		for _, row := range data[r.Child] {
			if slices.ContainsFunc(r.Pairs, func(p [2]int) bool { return row[p[0]].Null }) {
				continue
			}
			if !slices.ContainsFunc(data[r.Parent], func(parent []Value) bool {
				return !slices.ContainsFunc(r.Pairs, func(p [2]int) bool { return order(row[p[0]], parent[p[1]]) != 0 })
			}) {
				return "foreign key"
			}
		}
	}
	return ""
}

// writeDDL creates the tables with their rules. On PostgreSQL foreign keys come when the rows are there.
func (s *Schema) writeDDL(postgres bool) string {
	var b strings.Builder
	for i, t := range s.Tables {
		fmt.Fprintf(&b, "CREATE TABLE %s (", quoteName(tableNames[t.Name]))
		for _, c := range t.Cols {
			typ := []string{"INTEGER", "TEXT", "DOUBLE", "BOOLEAN", []string{"TEXT", "TIMESTAMP", "DATETIME"}[t.Decl], "TEXT", "TEXT", "TEXT", "TEXT", "BLOB", "TEXT", "TEXT", "TEXT"}[slots[c].kind]
			if postgres {
				typ = []string{"bigint", "text", "double precision", "boolean", []string{"timestamptz", "timestamp", "timestamptz(3)"}[t.Decl],
					"numeric", "date", "interval", "uuid", "bytea", []string{"jsonb", "json", "jsonb"}[t.Decl], "text[]", "bigint[]"}[slots[c].kind]
				if c == slotID && t.serial() {
					typ += " GENERATED BY DEFAULT AS IDENTITY"
				}
			}
			fmt.Fprintf(&b, "%s %s", slots[c].db, typ)
			if !slots[c].null {
				b.WriteString(" NOT NULL")
			}
			if has(t.Usual, c) {
				v := usual[c]
				if text := v.literal(); postgres || v.Kind == Text || v.Kind == Time || v.Kind == Decimal {
					b.WriteString(" DEFAULT " + text)
				} else {
					b.WriteString(" DEFAULT " + v.json())
				}
			}
			b.WriteString(", ")
		}
		if len(t.Unique) > 0 {
			fmt.Fprintf(&b, "UNIQUE (%s), ", listed(t.Unique))
		}
		if t.Small {
			b.WriteString("CHECK (n_1 < 5), ")
		}
		for _, r := range s.Refs {
			if r.Child == i && !postgres {
				b.WriteString(s.reference(r) + ", ")
			}
		}
		fmt.Fprintf(&b, "PRIMARY KEY (%s));\n", listed(t.Keys))
	}
	return b.String()
}

func listed(cols []int) string {
	var names []string
	for _, c := range cols {
		names = append(names, slots[c].db)
	}
	return strings.Join(names, ", ")
}

func (s *Schema) reference(r Ref) string {
	var child, parent []int
	for _, p := range r.Pairs {
		child, parent = append(child, p[0]), append(parent, p[1])
	}
	return fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s)", listed(child), quoteName(tableNames[s.Tables[r.Parent].Name]), listed(parent))
}

// writeScript is what a schema of PostgreSQL is made of.
func (c *Case) writeScript() string {
	s := &c.Schema
	rows := c.Data.script(s)
	b := strings.Builder{}
	b.WriteString(s.writeDDL(true) + strings.TrimPrefix(rows, s.DDL(true)))
	for i, t := range s.Tables {
		for _, r := range s.Refs {
			if r.Child == i {
				fmt.Fprintf(&b, "ALTER TABLE %s ADD %s;\n", quoteName(tableNames[t.Name]), s.reference(r))
			}
		}
		fmt.Fprintf(&b, "CREATE TABLE b%d AS SELECT * FROM %s;\n", i, quoteName(tableNames[t.Name]))
	}
	return b.String() + s.numbering()
}

// numbering makes PostgreSQL number new rows from the anchor on.
func (s *Schema) numbering() string {
	var b strings.Builder
	for _, t := range s.Tables {
		if t.serial() {
			fmt.Fprintf(&b, "SELECT setval(pg_get_serial_sequence('%s', 'id'), %d);\n", quoteName(tableNames[t.Name]), anchor)
		}
	}
	return b.String()
}

// restore undoes whatever a program has done.
func (s *Schema) restore(postgres bool) string {
	var b strings.Builder
	b.WriteString("BEGIN;\n")
	if postgres {
		b.WriteString("SET LOCAL session_replication_role = replica; SET LOCAL synchronous_commit = off;\n")
	}
	for i, t := range s.Tables {
		fmt.Fprintf(&b, "DELETE FROM %[1]s; INSERT INTO %[1]s SELECT * FROM b%[2]d;\n", quoteName(tableNames[t.Name]), i)
	}
	if postgres {
		b.WriteString(s.numbering())
	}
	return b.String() + "COMMIT"
}

// store is a database that programs write to, on one engine.
type store struct {
	c      *Case
	engine tu.Engine
	db     *exosql.DB
	url    string
	raw    *sql.DB
	eval   exoeval.Runner // under the grants
	twin   exoeval.Runner // under grants of everything
	all    exoeval.Runner // shows all rows and columns
	before [][]string     // the rows of each table as the database spells them
	dirty  bool
	in     inTx
	errs   []error // of each call, in order
}

// openStore makes the database of c.
func (s *server) openStore(t testing.TB, e tu.Engine, c *Case) (w *store, err error) {
	ctx := context.Background()
	w = &store{c: c, engine: e}
	if e.Name == tu.Postgres.Name {
		if err := s.make(ctx, c.writeScript()); err != nil {
			return nil, err
		}
		w.url = s.url
		if w.raw, err = e.OpenSQL(w.url); err != nil {
			return nil, err
		}
	} else {
		file := filepath.Join(quickDir(t), "w.db")
		w.url = "sqlite:" + file
		if w.raw, err = sql.Open("sqlite", file+"?_pragma=synchronous(0)&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)"); err != nil {
			return nil, err
		}
		if err := fillWrites(ctx, w.raw, c); err != nil {
			return nil, err
		}
	}
	w.raw.SetMaxOpenConns(1)
	if w.before, err = w.rows(); err != nil {
		return nil, err
	}
	return w, w.connect(ctx)
}

// connect opens the database, of which it reads the rules then, and binds programs to it.
func (w *store) connect(ctx context.Context) (err error) {
	c := w.c
	if w.db, err = exosql.Open(ctx, w.url, &exosql.OpenOptions{Conns: 1}); err != nil {
		return err
	}
	var all []Grant
	for i := range c.Grants {
		all = append(all, c.Grants[i].everything(&c.Schema))
	}
	if w.eval, err = w.bind(c.Schema.declareWrites(false), c.Grants); err == nil {
		w.twin, err = w.bind(c.Schema.declareWrites(true), all)
	}
	if err == nil {
		w.all, err = w.shower()
	}
	return err
}

// quickDir is a directory in memory where the system has one: nothing here is to outlive the process.
func quickDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "exo")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func fillWrites(ctx context.Context, raw *sql.DB, c *Case) error {
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, c.Schema.writeDDL(false)); err != nil {
		return err
	}
	for t, tab := range c.Schema.Tables {
		for _, row := range c.Data[t] {
			var args []any
			for _, col := range tab.Cols {
				args = append(args, row[col].stored())
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+quoteName(tableNames[tab.Name])+" VALUES (?"+strings.Repeat(",?", len(args)-1)+")", args...); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE b%d AS SELECT * FROM %s", t, quoteName(tableNames[tab.Name]))); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (w *store) close() {
	w.db.Close()
	w.raw.Close()
}

// declareWrites declares the facets with their rights; wide ones let the host know of every unique key.
func (s *Schema) declareWrites(wide bool) *declaration {
	d := s.declare()
	for i, f := range s.Facets {
		t := d.tables[f.Table]
		var in, up []exosql.Member[Row]
		for _, c := range f.Rights.Insert {
			in = append(in, t.member(c))
		}
		for _, c := range f.Rights.Update {
			up = append(up, t.member(c))
		}
		x := d.facets[i]
		if len(in) > 0 {
			x.AllowInsert(in...)
		}
		if len(up) > 0 {
			x.AllowUpdate(up...)
		}
		if f.Rights.Delete {
			x.AllowDelete()
		}
		if f.Rights.Effects || wide {
			x.Permit(exosql.AllowUnique("id"), exosql.AllowUnique("part"), exosql.AllowUnique("id, part"), exosql.AllowUnique("part, id"), exosql.AllowUnique("tenant, id"), exosql.AllowUnique("tenant, name"))
			for _, k := range s.Known {
				x.Permit(tu.Permission(k))
			}
		}
	}
	return d
}

func (w *store) bind(d *declaration, grants []Grant) (exoeval.Runner, error) {
	objs := map[string]exo.Object{}
	for i := range grants {
		objs[grantNames[i]] = d.facets[grants[i].Facet].Of(grants[i].relation(w.db, &w.c.Schema, d))
	}
	g, err := exo.NewGate(exo.Config{Grants: objs, Record: exo.RecordFunc(func(e exo.Entry) error {
		if e.Call != 0 && (e.Step == exo.Outcome || e.Step == exo.Refused) {
			w.errs = append(w.errs, e.Err)
		}
		return nil
	})})
	if err != nil {
		return nil, err
	}
	return exoeval.InProcess{}.Bind(g, exoeval.Bounds{})
}

// shower grants all columns of all rows, to be looked at.
func (w *store) shower() (exoeval.Runner, error) {
	objs := map[string]exo.Object{}
	s := &w.c.Schema
	for i, t := range s.Tables {
		d := declare(t)
		f := declareFacet(i, d.table)
		for _, c := range t.Cols {
			f.Add(d.member(c))
		}
		objs[fmt.Sprint("t", i)] = f.Of(exosql.Grant(w.db, d.table, exosql.AllRows[Row]()))
	}
	g, err := exo.NewGate(exo.Config{Grants: objs, Record: exo.Unrecorded})
	if err != nil {
		return nil, err
	}
	return exoeval.InProcess{}.Bind(g, exoeval.Bounds{})
}

// rows are all rows of each table as the database spells them.
func (w *store) rows() (out [][]string, err error) {
	for _, t := range w.c.Schema.Tables {
		name := quoteName(tableNames[t.Name])
		q := "SELECT x::text FROM " + name + " AS x"
		if w.engine.Name == tu.SQLite.Name {
			var cols []string
			for _, c := range t.Cols {
				cols = append(cols, "quote("+slots[c].db+")")
			}
			q = "SELECT " + strings.Join(cols, " || ',' || ") + " FROM " + name
		}
		rows, err := w.raw.Query(q)
		if err != nil {
			return nil, err
		}
		var list []string
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return nil, err
			}
			list = append(list, text)
		}
		if err := rows.Close(); err != nil {
			return nil, err
		}
		slices.Sort(list)
		out = append(out, list)
	}
	return out, nil
}

// of is the row that has a secret.
func of(rows []string, secret string) string {
	for _, r := range rows {
		if strings.Contains(r, secret) {
			return r
		}
	}
	return ""
}

func (w *store) restore() error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	_, err := w.raw.Exec(w.c.Schema.restore(w.engine.Name == tu.Postgres.Name))
	return err
}
