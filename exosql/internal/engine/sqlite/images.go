package sqlite

// This file keeps images of rows, from before and after a unit. SQLite's pre-update hook reports each row before it changes, whatever changes it:
// REPLACE, a trigger, a cascade. It does not report later rollbacks. So the row before its first event is kept, and at the end each such row is read
// again by its key.

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// imageTable is a table in the form in which the hook reports its rows.
type imageTable struct {
	engine.Layout
	numbers []int32 // numbers are the columns' numbers for the hook, which also counts generated ones
	rowid   string  // rowid is the name of the row's number, or "" for WITHOUT ROWID
	now     *stmt   // now is the compiled query of byKey; nil until it is needed
}

// imageKey identifies a row while its unit runs.
type imageKey struct {
	t   *imageTable
	row int64
	key string // key has the key's literals if the table is WITHOUT ROWID
}

type touched struct {
	key    []engine.Cell
	before []engine.Cell // before is the row before the unit; nil if no such row existed
}

// images has the changed rows of one unit, as they were before.
type images struct {
	w           *Writer
	tables      map[string]*imageTable // a table's entry is nil if its rows are not kept
	rows, bytes int
	net         *engine.Net
	touched     map[imageKey]touched
	size        int
	err         error
}

// Capture implements engine.Imager.
func (w *Writer) Capture(_ context.Context, rows, bytes int) error {
	if !w.Open() {
		return errNoUnit
	}
	tables, err := w.imageTables()
	if err != nil {
		return serial(err)
	}
	h, ok := w.C.driver.(sqlite.HookRegisterer)
	if !ok {
		return fmt.Errorf("%w: the SQLite driver has no pre-update hook: use the version of modernc.org/sqlite that this module requires", engine.ErrNoImages)
	}
	if w.unhooked { // without the hook, SQLite compiles the deletion of all rows in a form that no hook notices (TestImagesOfAllRows)
		for p := range maps.Collect(w.Stmts.All()) {
			w.Stmts.Remove(p)
		}
		w.unhooked = false
	}
	w.images = &images{w: w, tables: tables, rows: rows, bytes: bytes, net: engine.NewNet(rows, bytes), touched: map[imageKey]touched{}}
	h.RegisterPreUpdateHook(w.images.event)
	return nil
}

// forgetImages ends what Capture has begun.
func (w *Writer) forgetImages() {
	if w.images != nil {
		w.images = nil
		w.C.driver.(sqlite.HookRegisterer).RegisterPreUpdateHook(nil)
	}
}

// event keeps the state of a row that SQLite is about to change. SQLite calls it, and it must not run statements.
func (im *images) event(d sqlite.SQLitePreUpdateData) {
	if im.err != nil || d.DatabaseName != "main" {
		return
	}
	t, known := im.tables[d.TableName]
	if !known {
		im.err = fmt.Errorf("%w: the table %s was created after the run began, or it has columns named rowid, _rowid_ and oid", engine.ErrNoImages, schema.Printable(d.TableName))
	}
	if t == nil {
		return
	}
	if d.Op != sqlite3.SQLITE_INSERT {
		if k := (imageKey{t: t, row: d.OldRowID}); t.rowid == "" || !im.has(k) {
			im.touch(k, im.cells(t, sqlite3.Xsqlite3_preupdate_old), true)
		}
	}
	switch k := (imageKey{t: t, row: d.NewRowID}); {
	case d.Op == sqlite3.SQLITE_DELETE:
	case d.Op == sqlite3.SQLITE_INSERT && len(t.Fills) > 0:
		row := im.cells(t, sqlite3.Xsqlite3_preupdate_new)
		if im.touch(k, row, false); im.err == nil {
			var given []string
			if p := im.w.Guard.writes.Load(); p != nil && d.Depth() == 0 {
				given = p.Given
			}
			im.net.Born(&t.Layout, row, given)
		}
	case t.rowid == "":
		im.touch(k, im.cells(t, sqlite3.Xsqlite3_preupdate_new), false)
	default:
		im.touch(k, nil, false)
	}
}

func (im *images) has(k imageKey) bool {
	_, ok := im.touched[k]
	return ok
}

// touch keeps the state that a row had before its first change in the unit. there reports whether the row existed.
func (im *images) touch(k imageKey, row []engine.Cell, there bool) {
	if im.err != nil {
		return
	}
	x := touched{}
	if k.t.rowid == "" {
		for _, i := range k.t.Key {
			x.key = append(x.key, row[i])
			k.key += row[i].Text + "\x00" // no literal contains this byte
		}
		k.row = 0
	}
	if im.has(k) {
		return
	}
	if there {
		x.before = row
	}
	for _, c := range x.before {
		im.size += len(c.Text)
	}
	im.touched[k] = x
	if im.size += len(k.key); im.size > 4*im.bytes || len(im.touched) > 4*im.rows+4 {
		im.err, im.touched = engine.ErrTooManyImages, nil
	}
}

// cells reads the row that the hook reports.
func (im *images) cells(t *imageTable, read func(*libc.TLS, uintptr, int32, uintptr) int32) []engine.Cell {
	c := im.w.C
	out := make([]engine.Cell, len(t.numbers))
	for i, n := range t.numbers {
		if rc := read(c.Tls, c.Db, n, c.out); rc != sqlite3.SQLITE_OK {
			im.err = fmt.Errorf("exosql: SQLite can't read a changed row: error %d", rc)
			return out
		}
		out[i] = c.literal(pointerAt(c.out))
	}
	return out
}

// Captured implements engine.Imager.
func (w *Writer) Captured(context.Context) ([]engine.Image, error) {
	im := w.images
	switch {
	case im == nil || !w.Open():
		return nil, errNoUnit
	case im.err != nil:
		return nil, im.err
	}
	net := im.net.Again() // Captured may be called twice, so im.net must not change
	err := w.unguarded(func() error { return w.capturedIn(net) })
	if err != nil {
		return nil, serial(err)
	}
	return net.Images()
}

// capturedIn adds the present state of each touched row to net.
func (w *Writer) capturedIn(net *engine.Net) (err error) {
	for k, x := range w.images.touched {
		if k.t.now == nil {
			if k.t.now, err = w.C.prepare(k.t.byKey()); err != nil {
				return err
			}
		}
		row, err := w.rowNow(k.t.now, k, x)
		if err == nil && x.before != nil {
			err = net.Add(&k.t.Layout, x.before, -1)
		}
		if err == nil && row != nil {
			err = net.Add(&k.t.Layout, row, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetLayouts drops what imageTables has made.
func (w *Writer) forgetLayouts() {
	for _, t := range w.layouts {
		if t != nil && t.now != nil {
			w.C.finalize(t.now)
		}
	}
	w.layouts = nil
}

// KeepImages implements engine.Imager.
func (w *Writer) KeepImages(ctx context.Context, run string, at time.Time) error {
	all, err := w.Captured(ctx)
	if err != nil {
		return err
	}
	return serial(w.unguarded(func() error {
		st, err := w.C.prepare("INSERT INTO exo_undo (run, at_ms, image) VALUES (?, ?, ?)")
		if err != nil {
			return err
		}
		defer w.C.finalize(st)
		for _, im := range all {
			text, err := json.Marshal(im)
			if err == nil {
				err = w.C.bind(st, []value.Value{value.Text(run), value.Int(at.UnixMilli()), value.Text(string(text))})
			}
			if err == nil {
				_, err = w.C.step(st)
			}
			if w.C.reset(st); err != nil {
				return err
			}
		}
		return nil
	}))
}

// KeptImages implements engine.Imager.
func (w *Writer) KeptImages(_ context.Context, run string) ([]engine.Image, error) {
	rows, err := w.texts("SELECT image FROM exo_undo WHERE run = ? ORDER BY n", 1, value.Text(run))
	if err == nil && len(rows) == 0 {
		err = engine.ErrNotKept
	}
	out := make([]engine.Image, len(rows))
	for i := range out {
		if err == nil {
			err = json.Unmarshal([]byte(rows[i][0]), &out[i])
		}
	}
	return out, serial(err)
}

// Unkept implements engine.Imager: the hook reports all tables.
func (w *Writer) Unkept(context.Context, []string) (string, error) { return "", nil }

// trimAtOnce bounds the rows that one transaction deletes, since others wait for it.
const trimAtOnce = 1000

// TrimImages implements engine.Imager. The oldest rows have the lowest numbers, so it reads at most one batch of rows that it does not delete.
func (w *Writer) TrimImages(ctx context.Context, before time.Time) error {
	for {
		if err := w.bound(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		n, err := w.texts(fmt.Sprintf("DELETE FROM exo_undo WHERE n IN (SELECT n FROM (SELECT n, at_ms FROM exo_undo ORDER BY n LIMIT %d) WHERE at_ms < ?) RETURNING n", trimAtOnce),
			1, value.Int(before.UnixMilli()))
		if err == nil {
			err = w.bound(ctx, "COMMIT")
		}
		if err = errors.Join(err, w.Rollback(ctx)); err != nil || len(n) < trimAtOnce {
			return err
		}
	}
}

// byKey returns a query that selects one row by its key.
func (t *imageTable) byKey() string {
	where := "main." + sqlname.Quote(t.Table.Name) + "." + t.rowid + " = ?"
	if t.rowid == "" {
		keys := scalar.Each(t.Key, func(i int) string { return sqlname.Quote(t.Columns[i]) + " = ?" })
		where = strings.Join(keys, " AND ")
	}
	columns := scalar.Each(t.Columns, sqlname.Quote)
	return "SELECT " + strings.Join(columns, ", ") + " FROM main." + sqlname.Quote(t.Table.Name) + " WHERE " + where
}

// rowNow returns a row in its present state, or nil if it does not exist. SQLite may treat unequal keys as equal, as with NOCASE. Another row that
// it finds so is skipped, since that row has its own event.
func (w *Writer) rowNow(st *stmt, k imageKey, x touched) (row []engine.Cell, err error) {
	w.C.lock()
	defer w.C.unlock()
	defer w.C.reset(st)
	if k.t.rowid != "" {
		if rc := sqlite3.Xsqlite3_bind_int64(w.C.Tls, st.P, 1, k.row); rc != sqlite3.SQLITE_OK {
			return nil, w.C.fault(rc)
		}
	} else if err := w.C.bindCells(st, x.key); err != nil {
		return nil, err
	}
	for {
		more, err := w.C.step(st)
		if err != nil || !more {
			return row, err
		}
		cells := make([]engine.Cell, len(k.t.Columns))
		for i := range cells {
			cells[i] = w.C.literal(sqlite3.Xsqlite3_column_value(w.C.Tls, st.P, int32(i)))
		}
		if same := func(i, at int) bool { return cells[at] == x.key[i] }; k.t.rowid != "" || allOf(k.t.Key, same) {
			row = cells
		}
	}
}

func allOf(list []int, ok func(i, x int) bool) bool {
	for i, x := range list {
		if !ok(i, x) {
			return false
		}
	}
	return true
}

// readTables reads the columns of all tables. A key that is the row's own number has the position -1.
const readTables = `SELECT l.name, l.type = 'table' AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND lower(l.name) NOT IN ('exo_runs', 'exo_undo'), l.wr, x.cid, x.name, x.hidden <> 0, x.pk,
	x.pk > 0 AND NOT l.wr AND NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name) AS i WHERE i.origin = 'pk'), coalesce(x.dflt_value, 'NULL')
	FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS x WHERE l.schema = 'main' AND l.type IN ('table', 'shadow') ORDER BY l.name, x.cid`

// imageTables returns the layouts of all tables. The unit's snapshot keeps them valid.
func (w *Writer) imageTables() (map[string]*imageTable, error) {
	version, err := w.texts("PRAGMA schema_version", 1)
	if err != nil {
		return nil, err
	}
	if w.layouts != nil && w.layoutsOf == version[0][0] {
		return w.layouts, nil
	}
	rows, err := w.texts(readTables, 9)
	if err != nil {
		return nil, err
	}
	out := map[string]*imageTable{}
	names := map[*imageTable][]string{}
	places := map[*imageTable]map[int]int{} // places has the column at each place of a key
	for _, r := range rows {
		t := out[r[0]]
		if t == nil {
			if out[r[0]] = nil; r[1] == "0" {
				continue
			}
			t = &imageTable{rowid: "rowid"}
			t.Table.Name = r[0]
			if out[r[0]] = t; r[2] == "1" {
				t.rowid = ""
			}
			places[t] = map[int]int{}
		}
		names[t] = append(names[t], strings.ToLower(r[4]))
		if r[5] == "1" { // the column is generated
			continue
		}
		i := len(t.Columns)
		number, _ := strconv.Atoi(r[3])
		t.Columns, t.numbers = append(t.Columns, r[4]), append(t.numbers, int32(number))
		if place, _ := strconv.Atoi(r[6]); place > 0 {
			places[t][place] = i
		}
		if r[7] == "1" || !constant().MatchString(r[8]) {
			t.Fills = append(t.Fills, i)
		}
		if r[7] == "1" {
			t.rowid = sqlname.Quote(r[4])
		}
	}
	for t, of := range places {
		for _, place := range slices.Sorted(maps.Keys(of)) {
			t.Key = append(t.Key, of[place])
		}
		if t.rowid == "rowid" { // a column may be named rowid
			free := slices.DeleteFunc([]string{"rowid", "_rowid_", "oid"}, func(n string) bool { return slices.Contains(names[t], n) })
			if len(free) == 0 {
				delete(out, t.Table.Name) // a change of this table is an error
				continue
			}
			t.rowid = free[0]
		}
	}
	w.forgetLayouts()
	w.layouts, w.layoutsOf = out, version[0][0]
	return out, nil
}

// constant matches a default that has the same value each time.
var constant = scalar.Pattern(`(?is)^\s*([-+]?[0-9.]+(e[-+]?[0-9]+)?|0x[0-9a-f]+|x?'([^']|'')*'|"([^"]|"")*"|null|true|false)\s*$`)

// unguarded calls f while the authorizer allows everything, for our constant statements that no plan contains.
func (w *Writer) unguarded(f func() error) error {
	w.Guard.Admit(&map[string]map[string]bool{})
	w.Guard.learning = map[question]bool{}
	defer func() {
		w.Guard.learning = nil
		w.Guard.Admit(nil)
	}()
	return f()
}

// texts runs a constant statement, unguarded to its end, and returns its rows as texts. SQLite compiles the pragmas in it only while it runs.
func (w *Writer) texts(text string, columns int, args ...value.Value) (out [][]string, err error) {
	err = w.unguarded(func() error {
		st, err := w.C.prepare(text)
		if err != nil {
			return err
		}
		defer w.C.finalize(st)
		w.C.lock()
		defer w.C.unlock()
		defer w.C.reset(st)
		if err := w.C.bind(st, args); err != nil {
			return err
		}
		for {
			more, err := w.C.step(st)
			if err != nil || !more {
				return err
			}
			row := make([]string, columns)
			for i := range row {
				row[i] = libc.GoString(sqlite3.Xsqlite3_column_text(w.C.Tls, st.P, int32(i)))
			}
			out = append(out, row)
		}
	})
	return out, err
}

// literal writes a value so that Literal reads exactly the same value. quote() alone would end a text at its first NUL.
func (c *conn) literal(v uintptr) engine.Cell {
	bytes := func(p uintptr) []byte { return libc.GoBytes(p, int(sqlite3.Xsqlite3_value_bytes(c.Tls, v))) }
	switch sqlite3.Xsqlite3_value_type(c.Tls, v) {
	case sqlite3.SQLITE_INTEGER:
		return engine.Cell{Text: strconv.FormatInt(sqlite3.Xsqlite3_value_int64(c.Tls, v), 10)}
	case sqlite3.SQLITE_FLOAT:
		return engine.Cell{Text: floatLiteral(sqlite3.Xsqlite3_value_double(c.Tls, v))}
	case sqlite3.SQLITE_TEXT:
		b := bytes(sqlite3.Xsqlite3_value_text(c.Tls, v))
		if utf8.Valid(b) && !slices.Contains(b, 0) {
			return engine.Cell{Text: "'" + strings.ReplaceAll(string(b), "'", "''") + "'"}
		}
		return engine.Cell{Text: "CAST(X'" + strings.ToUpper(hex.EncodeToString(b)) + "' AS TEXT)"}
	case sqlite3.SQLITE_BLOB:
		return engine.Cell{Text: "X'" + strings.ToUpper(hex.EncodeToString(bytes(sqlite3.Xsqlite3_value_blob(c.Tls, v)))) + "'"}
	}
	return engine.Cell{Null: true}
}

func floatLiteral(f float64) string {
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64)[:1], "+") + "9.0e+999"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// Literal returns the value of a cell in the driver's types: nil, an int64, a float64, a string or bytes.
func Literal(c engine.Cell) (driver.Value, error) {
	text := c.Text
	switch {
	case c.Null:
		return nil, nil
	case strings.HasPrefix(text, "'"):
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'"), nil
	case strings.HasPrefix(text, "CAST(X'"):
		b, err := hex.DecodeString(strings.TrimSuffix(text[len("CAST(X'"):], "' AS TEXT)"))
		return string(b), err
	case strings.HasPrefix(text, "X'"):
		return hex.DecodeString(strings.TrimSuffix(text[2:], "'"))
	case strings.ContainsAny(text, ".e"):
		f, err := strconv.ParseFloat(text, 64)
		if math.IsInf(f, 0) {
			err = nil
		}
		return f, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// bindCells binds cells to the parameters of a statement. reset frees them.
func (c *conn) bindCells(st *stmt, cells []engine.Cell) error {
	values := make([]driver.Value, len(cells))
	size := 0
	for i, x := range cells {
		var err error
		if values[i], err = Literal(x); err != nil {
			return err
		}
		size += len(x.Text)
	}
	if !c.reserve(size) {
		return errNoMemory
	}
	at := c.text
	put := func(s string) (uintptr, int32) {
		p := at
		copy(libc.GoBytes(p, len(s)), s)
		at += uintptr(len(s))
		return p, int32(len(s))
	}
	for i, v := range values {
		n, rc := int32(i+1), int32(sqlite3.SQLITE_OK)
		switch v := v.(type) {
		case nil:
			rc = sqlite3.Xsqlite3_bind_null(c.Tls, st.P, n)
		case int64:
			rc = sqlite3.Xsqlite3_bind_int64(c.Tls, st.P, n, v)
		case float64:
			rc = sqlite3.Xsqlite3_bind_double(c.Tls, st.P, n, v)
		case string:
			p, size := put(v)
			rc = sqlite3.Xsqlite3_bind_text(c.Tls, st.P, n, p, size, 0)
		case []byte:
			p, size := put(string(v))
			rc = sqlite3.Xsqlite3_bind_blob(c.Tls, st.P, n, p, size, 0)
		}
		if st.texts = append(st.texts, n); rc != sqlite3.SQLITE_OK {
			return c.fault(rc)
		}
	}
	return nil
}
