package databases

// A database, the rows that it has, and the tools that are made of it: by the draft of exo init, and by declarations in Go.

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// world is a database with a tool whose programs may use all that can be granted of it.
type world struct {
	e      tu.Engine
	name   string // of the database
	way    string // how it was granted
	db     *exosql.DB
	raw    *sql.DB
	live   *schema.Database
	tables []*table
	tool   *codemode.Tool
}

// table is a table or a view. out says why it is not granted.
type table struct {
	name, alias, grant string
	live               *schema.Table
	view               bool
	columns            []*column
	links              []*link
	searched           []*column
	writes             bool // programs may insert, update and delete
	out                string

	rows []row
}

type column struct {
	name, guest string
	live        *schema.Column
	out         string
	stored      string // the form of its cells, where the declaration says it
}

type link struct {
	name                string
	to                  *table
	columns, references []string
	one                 bool
}

// row is a row of a table, by the names of the columns in the database.
type row map[string]cell

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// shown are the columns that programs see.
func (t *table) shown() (out []*column) {
	for _, c := range t.columns {
		if c.out == "" {
			out = append(out, c)
		}
	}
	return out
}

// held reports whether each cell of a column is a value of its type.
func (t *table) held(c *column) bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool { return r[c.name].bad })
}

// identity are columns by which results are matched with rows: the key, if programs see it and can read it, or else all that can be read.
func (t *table) identity() (out []*column) {
	for _, k := range t.live.RowKey() {
		if c := t.column(k); c != nil && c.out == "" && t.held(c) {
			out = append(out, c)
		} else {
			out = nil
			break
		}
	}
	if out != nil {
		return out
	}
	for _, c := range t.shown() {
		if t.held(c) {
			out = append(out, c)
		}
	}
	return out
}

// columnExpr reads a column as the oracle wants it: on PostgreSQL as text.
func (w *world) columnExpr(c *schema.Column) string {
	q := quote(c.Name)
	if w.e == tu.SQLite {
		return "typeof(" + q + "), CASE WHEN 1 THEN " + q + " END" // an expression: the driver makes times of columns by their declared types
	}
	switch c.Kind {
	case schema.Interval:
		return "(extract(year from @)::int * 12 + extract(month from @)::int) || ' ' || extract(day from @)::int || ' ' || (extract(hour from @) * 3600000000 + extract(minute from @) * 60000000 + extract(second from @) * 1000000)::bigint"
	case schema.List:
		return "to_json(@)::text"
	}
	if c.Type == "inet" { // as it is printed: its text has the length of the mask always
		return "CASE WHEN @ IS NOT NULL THEN format('%s', @) END"
	}
	return "@::text"
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// read reads all rows anew.
func (w *world) read(ctx context.Context) error {
	for _, t := range w.tables {
		rows, err := w.readTable(ctx, w.raw, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		t.rows = rows
	}
	return nil
}

func (w *world) readTable(ctx context.Context, q querier, t *table) (out []row, err error) {
	var list []string
	for i := range t.live.Columns {
		list = append(list, strings.ReplaceAll(w.columnExpr(&t.live.Columns[i]), "@", quote(t.live.Columns[i].Name)))
	}
	rows, err := q.QueryContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quote(t.name))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		n := len(t.live.Columns)
		r, dest := row{}, []any{}
		classes, values, texts := make([]string, n), make([]any, n), make([]*string, n)
		for i := range n {
			if w.e == tu.SQLite {
				dest = append(dest, &classes[i], &values[i])
			} else {
				dest = append(dest, &texts[i])
			}
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		for i, c := range t.live.Columns {
			if w.e == tu.SQLite {
				r[c.Name] = heldCell(t.column(c.Name).stored, c.Kind, classes[i], values[i])
			} else {
				r[c.Name] = postgresCell(c.Kind, texts[i])
			}
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// run runs a program. Numbers of the result keep their digits.
func (w *world) run(ctx context.Context, program string) (any, error) {
	res := w.tool.Run(ctx, program)
	if res.Err != nil {
		return nil, res.Err
	}
	d := json.NewDecoder(bytes.NewReader(res.JSON))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

// open opens the guarded database of a world whose raw one is filled.
func open(ctx context.Context, e tu.Engine, name, url string, raw *sql.DB) (*world, error) {
	db, err := exosql.Open(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	live, err := db.Catalog(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &world{e: e, name: name, db: db, raw: raw, live: live}, nil
}

// list makes a table for each table and view of the catalogue.
func (w *world) list() {
	w.tables = nil
	for _, t := range w.live.Tables {
		w.tables = append(w.tables, &table{name: t.Name.Name, live: t})
	}
	for _, v := range w.live.Views {
		w.tables = append(w.tables, &table{name: v.Name.Name, live: w.live.Rows(v.Name), view: true})
	}
	for i, t := range w.tables {
		t.alias, t.grant = fmt.Sprintf("t%d", i), fmt.Sprintf("g%d", i)
		for j := range t.live.Columns {
			t.columns = append(t.columns, &column{name: t.live.Columns[j].Name, live: &t.live.Columns[j]})
		}
	}
}

// inGo grants every table, view and column that package dynamic takes, with all rights, to the rows of everybody.
func (w *world) inGo(ctx context.Context) error {
	w.list()
	w.way = "Go"
	effects := map[*table][]string{}
	for range 6 { // what a write sets off besides is allowed by the names that the findings give
		again, err := w.declare(ctx, effects)
		if err != nil || !again {
			return err
		}
	}
	return errors.New("the findings name new effects without end")
}

var allowed = regexp.MustCompile(`Permit\("((?:[^"\\]|\\.)*)"\)`)

func (w *world) declare(ctx context.Context, effects map[*table][]string) (again bool, err error) {
	trial, d := dynamic.New(w.live), dynamic.New(w.live)
	made, facets := map[*table]*dynamic.Table{}, map[*table]*dynamic.Facet{}
	var scopes []dynamic.Scope
	for _, t := range w.tables {
		t.links, t.out = nil, ""
		tt, err := trial.Table(t.name)
		if err != nil {
			t.out = err.Error()
			continue
		}
		var specs []dynamic.ColumnSpec
		var names []string
		for i, c := range t.columns {
			c.guest, c.stored = camel(c.name), ""
			if x := c.live.Cells; x != nil && c.live.Kind != schema.JSON {
				if form, n := x.Form(c.live.Kind); n == x.Held || x.Plain == 0 { // as exo gen declares it
					c.stored = form
				}
			}
			if c.live.Kind == schema.Unknown || c.live.Kind == schema.List && c.live.Elem == schema.Unknown {
				c.out = "its type is not known"
				continue
			}
			if _, err := tt.Facet(t.alias, append(slices.Clone(names), c.name)...); err != nil {
				c.guest = fmt.Sprintf("col%d", i)
				specs = append(specs, dynamic.ColumnSpec{Name: c.name, As: c.guest, Stored: exosql.StoredForm(c.stored)})
			} else if c.stored != "" {
				specs = append(specs, dynamic.ColumnSpec{Name: c.name, Stored: exosql.StoredForm(c.stored)})
			}
			names = append(names, c.name)
		}
		dt, err := d.Table(t.name, specs...)
		if err != nil {
			t.out = err.Error()
			continue
		}
		names = nil
		for _, c := range t.columns {
			if c.out != "" && c.out != "its type is not known" {
				c.out = ""
			}
			if _, err := dt.Facet(t.alias, append(slices.Clone(names), c.name)...); err != nil {
				c.out = err.Error()
			} else if c.out == "" {
				names = append(names, c.name)
			}
		}
		if names == nil {
			t.out = "no column of it is granted"
			continue
		}
		f, err := dt.Facet(t.alias, names...)
		if err != nil {
			return false, err
		}
		made[t], facets[t] = dt, f
		scopes = append(scopes, dynamic.ScopeShared(dt))
		t.searched = nil
		for _, c := range t.shown() {
			if c.live.Kind == schema.Text && len(t.searched) < 8 && t.held(c) {
				t.searched = append(t.searched, c)
			}
		}
		if len(t.searched) > 0 && f.Search(columnNames(t.searched)...) != nil {
			t.searched = nil
		}
		if t.writes = !t.view && w.rights(t, f); t.writes {
			if err := f.Permit(effects[t]...); err != nil && len(effects[t]) > 0 {
				return false, fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	if len(scopes) == 0 {
		return false, nil // of no table a column can be granted
	}
	w.addLinks(made, facets)
	set, err := dynamic.NewScopes(scopes...)
	if err != nil {
		return false, err
	}
	grants := codemode.Grants{}
	for _, t := range w.tables {
		if t.out != "" {
			continue
		}
		o, err := facets[t].Of(w.db, set.Rows(made[t]))
		if err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		grants[t.grant] = o
		findings, err := exosql.Findings(ctx, w.db, exosql.Granted(o))
		if err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		for _, f := range findings {
			for _, m := range allowed.FindAllStringSubmatch(f.Fix, -1) {
				of := w.find(f.Table)
				if name := strings.ReplaceAll(m[1], `\"`, `"`); of != nil && !slices.Contains(effects[of], name) {
					effects[of], again = append(effects[of], name), true
				}
			}
		}
	}
	if again {
		return true, nil
	}
	w.tool, err = newTool(grants)
	return false, err
}

func newTool(grants codemode.Grants) (*codemode.Tool, error) {
	return codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, DeclarationTokens: -1})
}

func columnNames(cs []*column) (out []string) {
	for _, c := range cs {
		out = append(out, c.name)
	}
	return out
}

func (w *world) find(name string) *table {
	for _, t := range w.tables {
		if t.name == name {
			return t
		}
	}
	return nil
}

// rights allows all writes of columns that can be written.
func (w *world) rights(t *table, f *dynamic.Facet) bool {
	key := t.live.RowKey()
	for _, c := range t.shown() {
		if c.live.Generated != schema.NotGenerated || c.live.Identity == schema.Always {
			continue
		}
		_ = f.AllowInsert(c.name)
		if !slices.Contains(key, c.name) {
			_ = f.AllowUpdate(c.name)
		}
	}
	return f.AllowDelete() == nil
}

// addLinks adds a link there and one back for each foreign key between tables that are granted.
func (w *world) addLinks(made map[*table]*dynamic.Table, facets map[*table]*dynamic.Facet) {
	n := 0
	for _, from := range w.tables {
		if from.out != "" {
			continue
		}
		for _, k := range from.live.ForeignKeys {
			to := w.find(k.Table.Name)
			refs := k.References
			if len(refs) == 0 && to != nil && to.live.PrimaryKey != nil {
				refs = to.live.PrimaryKey.Columns
			}
			if to == nil || to.out != "" || len(refs) != len(k.Columns) || slices.ContainsFunc(k.Columns, func(c string) bool { return from.column(c) == nil }) {
				continue
			}
			n++
			there, err := made[from].Link(dynamic.LinkSpec{Name: fmt.Sprintf("to%d", n), Columns: k.Columns, To: made[to], References: refs, One: true})
			if err != nil {
				continue
			}
			back, err := made[to].Link(dynamic.LinkSpec{Name: fmt.Sprintf("back%d", n), Columns: refs, To: made[from], References: k.Columns})
			if err != nil || facets[from].Add(there, facets[to]) != nil || facets[to].Add(back, facets[from]) != nil {
				continue
			}
			from.links = append(from.links, &link{fmt.Sprintf("to%d", n), to, k.Columns, refs, true})
			to.links = append(to.links, &link{fmt.Sprintf("back%d", n), from, refs, k.Columns, false})
		}
	}
}

// drafted grants what exo init drafts for a database of one tenant, and opens the file as every command does.
func (w *world) drafted(ctx context.Context) error {
	w.list()
	w.way = "init"
	opt := draft.Options{Name: "d", URL: "env:D", Tenant: draft.None, Out: map[string]string{}}
	for range len(w.tables) + 2 { // as exo init leaves out what exo validate finds something in
		d, err := draft.New(w.live, opt)
		if err != nil {
			return err
		}
		if d.Granted() == 0 {
			w.leaveOut(d)
			return nil
		}
		f, err := grantfile.Parse("exo.yaml", []byte(d.Text(nil)))
		if err != nil {
			return fmt.Errorf("%w\n%s", err, d.Text(nil))
		}
		declared, findings, err := f.DeclareAndCheck(ctx, &grantfile.Options{Databases: map[string]*exosql.DB{"d": w.db}})
		if err != nil {
			return fmt.Errorf("%w\n%s", err, d.Text(nil))
		}
		again := false
		for _, x := range findings {
			if !x.Warning && x.Table != "" && opt.Out[x.Table] == "" {
				opt.Out[x.Table], again = x.String(), true
			}
		}
		if again {
			continue
		}
		if err := grantfile.Refusal("exo.yaml", findings); err != nil {
			return err
		}
		return w.bind(d, f, declared)
	}
	return errors.New("exo init would never end")
}

// bind makes the tool of a grant file, and reads from the file what programs see.
func (w *world) bind(d *draft.Draft, f *grantfile.File, declared *grantfile.Declared) error {
	p, err := f.Bind(map[string]any{})
	if err != nil {
		return err
	}
	grants, err := declared.Grants(p)
	if err != nil {
		return err
	}
	m, err := declared.Manifest()
	if err != nil {
		return err
	}
	by := map[string]*table{}
	w.leaveOut(d)
	for _, x := range m.Facets {
		t := w.find(x.Table)
		t.alias, t.out = x.Name, ""
		by[x.Name] = t
		for _, c := range x.Columns {
			col := t.column(c.Name)
			for _, y := range f.Facets {
				for _, z := range y.Columns {
					if y.Text == x.Name && z.Text == c.Name {
						col.stored = z.Stored
					}
				}
			}
			if col.out, col.guest = "", c.As; c.As == "" {
				col.guest = camel(c.Name)
			}
		}
	}
	for _, x := range m.Facets {
		for _, l := range x.Links {
			by[x.Name].links = append(by[x.Name].links, &link{l.Name, by[l.To], l.Columns, l.References, l.One})
		}
	}
	for _, g := range m.Grants {
		by[g.Facet].grant = g.Name
	}
	w.tool, err = newTool(grants)
	return err
}

// camel is the name of a column in programs, where the file gives no other.
func camel(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	for _, part := range strings.Split(rest, "_") {
		if part != "" {
			first += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return first
}

// leaveOut notes why a draft leaves out tables, and that it grants no other column than those which bind finds.
func (w *world) leaveOut(d *draft.Draft) {
	for _, t := range w.tables {
		t.out = "the draft leaves it out"
		for _, x := range d.Facets {
			if x.Table == t.name && x.Out != "" {
				t.out = x.Out
			}
		}
		for _, c := range t.columns {
			c.out = "the draft leaves it out"
		}
	}
}
