package postgres

// This file keeps images of rows, from before and after each change. The triggers that `exo gen undo` writes keep each changed row in the table
// exo_undo, if a setting of the transaction names its run. A rollback to a savepoint undoes these rows too. The role may call functions that show it
// only the rows of its own transaction.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/schema"
)

// errNoTriggers is the error of a database that lacks the functions of undo, or whose role may not call them.
var errNoTriggers = fmt.Errorf("%w: run the script of `exo gen undo`", engine.ErrNoImages)

// images has the state of a unit that keeps images.
type images struct {
	rows, bytes int
	tables      []string // tables are those that the unit has written, as statements name them
	affected    int64    // affected counts the rows that the unit's statements changed: each has an event
	kept        bool     // kept: KeepImages has named the run
	marked      int64    // marked is the number in affected when the current part began
	given       string   // given is the setting that the last single insert has made (see imagesGiven); "" if unknown
}

// imageStatements are prepared by a connection's first Capture.
type imageStatements struct{ given, blind, layouts, events, name, forget *pgconn.StatementDescription }

// reach lists the tables that a write of $1 can change: by inheritance, partitions and cascades. If any of them has a trigger or a rule of the host,
// it lists all tables, since a trigger may write any.
const reach = `WITH RECURSIVE reach (rel) AS (SELECT pg_catalog.to_regclass(t)::oid FROM pg_catalog.unnest($1::text[]) AS t UNION
		SELECT x.rel FROM reach AS r, LATERAL (SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = r.rel
			UNION ALL SELECT i.inhparent FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent WHERE i.inhrelid = r.rel AND p.relkind = 'p'
			UNION ALL SELECT k.conrelid FROM pg_catalog.pg_constraint AS k WHERE k.contype = 'f' AND k.confrelid = r.rel AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))) AS x (rel)),
	acts AS (SELECT EXISTS (SELECT FROM reach AS r JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = r.rel WHERE NOT t.tgisinternal AND t.tgname <> 'exo_undo')
		OR EXISTS (SELECT FROM reach AS r JOIN pg_catalog.pg_rewrite AS w ON w.ev_class = r.rel WHERE w.rulename <> '_RETURN') AS others)
	SELECT c.oid, c.oid::pg_catalog.regclass::text AS name FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'f') AND c.relname NOT IN ('exo_undo', 'exo_runs') AND (c.oid IN (SELECT rel FROM reach) OR (SELECT others FROM acts) AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_')`

// blind lists the tables that a write of the tables in $1 can change and that lack a working trigger for images. Such a trigger is missing, disabled,
// of one event or column only, or of another function, or turned off by a replica's setting.
const blind = `SELECT coalesce(string_agg(x.name, ', ' ORDER BY x.name), '') FROM (` + reach + `) AS x WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_proc AS f ON f.oid = t.tgfoid
	WHERE t.tgrelid = x.oid AND t.tgname = 'exo_undo' AND t.tgtype = 29 AND t.tgattr::text = '' AND f.proname = 'exo_undo_keep' AND f.prosecdef
		AND (t.tgenabled = 'A' OR t.tgenabled = 'O' AND pg_catalog.current_setting('session_replication_role') <> 'replica'))`

// layouts lists the tables in this transaction's events. Rows of a partition are shown as rows of the whole table. A column is filled if it is an
// identity, or if its default calls anything that is not immutable, like a function or CURRENT_TIMESTAMP.
const layouts = `SELECT coalesce(json_agg(json_build_array(r.rel::bigint, n.nspname, c.relname,
		(SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = r.rel AND a.attnum > 0 AND NOT a.attisdropped),
		(SELECT coalesce(json_agg(json_build_array(a.attname, coalesce(array_position(k.conkey, a.attnum), 0), a.attidentity <> '' OR x.text ~ 'SQLVALUEFUNCTION|NEXTVALUEEXPR|COERCEVIAIO' OR EXISTS (
				SELECT FROM pg_catalog.regexp_matches(x.text, ':(?:func|opfunc)id ([0-9]+)', 'g') AS m JOIN pg_catalog.pg_proc AS f ON f.oid = m[1]::oid WHERE f.provolatile <> 'i')) ORDER BY a.attnum), '[]')
			FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS y ON y.oid = a.atttypid LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum,
				LATERAL (SELECT coalesce(d.adbin::text, y.typdefaultbin::text, '') AS text) AS x
			WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''))), '[]')::text
	FROM (SELECT DISTINCT e.rel FROM exo_undo_changed() AS e) AS r
		JOIN pg_catalog.pg_class AS c ON c.oid = coalesce(pg_catalog.pg_partition_root(r.rel), r.rel) JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		LEFT JOIN pg_catalog.pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'`

const events = `SELECT e.rel::bigint::text, e.before, e.after, e.given FROM exo_undo_changed() AS e`

// ofRun replaces exo_undo_changed() for a role that may read the images of all runs.
const ofRun = `(SELECT u.rel::oid, u.before, u.after, u.given FROM exo_undo AS u WHERE u.xact = (SELECT r.xact FROM exo_undo AS r WHERE r.run = $1) AND u.run IS NULL ORDER BY u.n)`

// Capture implements engine.Imager. It does not take the unit's snapshot.
func (w *Writer) Capture(ctx context.Context, rows, bytes int) error {
	if !w.Open() {
		return errNoUnit
	}
	if w.imaging.events == nil {
		if time.Since(w.unable) < atOnceFor {
			return errNoTriggers
		}
		if err := w.prepareImages(ctx); err != nil {
			return err
		}
	}
	if err := w.begun(ctx); err != nil {
		return serial(err)
	}
	if err := w.constant(ctx, "SET LOCAL exo.run = 'on'"); err != nil {
		return serial(err)
	}
	w.images = &images{rows: rows, bytes: bytes}
	return nil
}

func (w *Writer) prepareImages(ctx context.Context) error {
	for _, p := range []struct {
		to         **pgconn.StatementDescription
		name, text string
	}{
		{&w.imaging.forget, "exo_forget", "SELECT exo_undo_forget()"}, // this statement comes first: if it fails, the functions are missing, and no other is prepared
		{&w.imaging.given, "exo_given", "SELECT set_config('exo.given', $1, true)"}, {&w.imaging.blind, "exo_blind", blind}, {&w.imaging.layouts, "exo_layouts", layouts},
		{&w.imaging.name, "exo_name", "SELECT exo_undo_name($1)"}, {&w.imaging.events, "exo_events", events},
	} {
		if *p.to != nil { // an earlier try prepared it, but found no functions of undo
			continue
		}
		st, err := w.describe(ctx, p.name, p.text, nil)
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "42883" || e.Code == "42501") { // the function is missing, or the role has no right to it
			w.unable = time.Now()
			err = fmt.Errorf("%w: %w", errNoTriggers, err)
		}
		if err != nil {
			return err
		}
		*p.to = st
	}
	return nil
}

// constant runs a statement without parameters in the unit.
func (w *Writer) constant(ctx context.Context, text string) error {
	w.busy = true
	_, err := w.Conn.ExecParams(ctx, text, nil, nil, nil, nil).Close()
	w.busy = false
	return boundError(err)
}

// imagesGiven returns the setting from which the triggers learn which columns the statements of p give, or nil if they need none.
func (w *Writer) imagesGiven(p *plan.Plan) []byte {
	if w.images == nil || !p.Write.Insert {
		return nil
	}
	given, err := json.Marshal(p.Write.Given)
	if err != nil {
		return []byte("[]")
	}
	return given
}

// gives sets the setting that imagesGiven returns before a single statement, unless it is set already.
func (w *Writer) gives(ctx context.Context, p *plan.Plan) error {
	given := w.imagesGiven(p)
	if given == nil || string(given) == w.images.given {
		return nil
	}
	w.images.given = string(given)
	return w.simple(ctx, w.imaging.given, given)
}

// wrote notes the tables and the number of rows that a Write has changed.
func (im *images) wrote(changes []engine.Change, n int64, err error) {
	if im == nil {
		return
	}
	if len(changes) > 1 || err != nil { // the setting was made within a savepoint, so it is lost
		im.given = ""
	}
	if err != nil {
		return
	}
	im.affected += n
	for _, c := range changes {
		if path := c.Plan.Write.Path(); !slices.Contains(im.tables, path) {
			im.tables = append(im.tables, path)
		}
	}
}

// Captured implements engine.Imager. The unit has locks on the tables that it has written, so no trigger there can be disabled or enabled before it ends. The unit's
// snapshot of the catalogue may be older than a disabled trigger, so the number of events is compared too.
func (w *Writer) Captured(ctx context.Context) ([]engine.Image, error) {
	im := w.images
	if im == nil || !w.Open() {
		return nil, errNoUnit
	}
	if w.statements.pending || len(im.tables) == 0 {
		return nil, nil
	}
	var unkept string
	net, seen, err := w.events(ctx, im, func(pl *pgconn.Pipeline) {
		w.send(pl, w.imaging.layouts, nil, nil, nil)
		w.send(pl, w.imaging.events, nil, nil, nil)
		w.send(pl, w.imaging.blind, [][]byte{encodeNames(im.tables)}, nil, nil)
	}, func(rr *pgconn.ResultReader) error {
		text, err := textIn(rr)
		unkept = string(text)
		return err
	})
	switch e, ok := errors.AsType[*pgconn.PgError](err); {
	case ok && e.Code == "42501": // the role may not call the functions
		return nil, fmt.Errorf("%w: %w", errNoTriggers, err)
	case err != nil:
		return nil, serial(err)
	case unkept != "":
		return nil, fmt.Errorf("%w: no trigger reports the changed rows of the tables %s: run the script of `exo gen undo`", engine.ErrNoImages, schema.Printable(unkept))
	case seen < im.affected:
		return nil, fmt.Errorf("%w: %d rows were changed, but the triggers reported %d: run the script of `exo gen undo` again", engine.ErrNoImages, im.affected, seen)
	}
	return net.Images()
}

// events adds up events, and counts them. The function send asks for the layouts and the events. more reads further results of send, unless it is nil.
func (w *Writer) events(ctx context.Context, im *images, send func(*pgconn.Pipeline), more func(*pgconn.ResultReader) error) (net *engine.Net, seen int64, err error) {
	net = engine.NewNet(im.rows, im.bytes)
	var of map[string]*partLayout
	n := 2
	if more != nil {
		n++
	}
	w.With(nil)
	err = w.guarded(ctx, n, send, func(i int, rr *pgconn.ResultReader) error {
		switch i {
		case 0:
			text, err := textIn(rr)
			if err == nil {
				of, err = readLayouts(text)
			}
			return err
		case 1:
			for rr.NextRow() {
				seen++
				if err := addEvent(net, of, rr.Values()); err != nil {
					return err
				}
			}
			return nil
		}
		return more(rr)
	})
	return net, seen, err
}

// KeepImages implements engine.Imager. The triggers have kept the images already, under the transaction's number.
func (w *Writer) KeepImages(ctx context.Context, run string, _ time.Time) error {
	if _, err := w.Captured(ctx); err != nil {
		return err
	}
	w.unit.writing = true
	defer func() { w.statements.writing = false }()
	err := w.guarded(ctx, 1, func(pl *pgconn.Pipeline) { w.send(pl, w.imaging.name, [][]byte{[]byte(run)}, nil, nil) }, nil)
	w.images.kept = err == nil
	return serial(err)
}

// KeptImages implements engine.Imager.
func (w *Writer) KeptImages(ctx context.Context, run string) ([]engine.Image, error) {
	if !w.Open() {
		return nil, errNoUnit
	}
	net, seen, err := w.events(ctx, &images{rows: math.MaxInt32, bytes: math.MaxInt32}, func(pl *pgconn.Pipeline) {
		for _, text := range []string{layouts, events} {
			pl.SendQueryParams(strings.Replace(text, "exo_undo_changed()", ofRun, 1), [][]byte{[]byte(run)}, nil, nil, nil)
		}
	}, nil)
	switch e, ok := errors.AsType[*pgconn.PgError](err); {
	case ok && e.Code == "42P01":
		return nil, errNoTriggers
	case err == nil && seen == 0:
		return nil, engine.ErrNotKept
	case err != nil:
		return nil, serial(err)
	}
	return net.Images()
}

// Unkept implements engine.Imager.
func (w *Writer) Unkept(ctx context.Context, tables []string) (list string, err error) {
	err = w.aloneIn(ctx, func(ctx context.Context) error {
		text, err := w.row(ctx, blind, encodeNames(tables))
		list = string(text)
		return err
	})
	return list, err
}

// TrimImages implements engine.Imager.
func (w *Writer) TrimImages(ctx context.Context, _ time.Time) error {
	return w.aloneIn(ctx, func(ctx context.Context) error {
		_, err := w.row(ctx, "SELECT exo_undo_trim()")
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "42883" || e.Code == "42501") {
			err = fmt.Errorf("%w: %w", errNoTriggers, err)
		}
		return err
	})
}

// partLayout has the columns in which the rows of a table or a partition are shown.
type partLayout struct {
	engine.Layout
	at []int // at has the position in Columns of each cell, or -1 if it is generated
}

func readLayouts(text []byte) (map[string]*partLayout, error) {
	var rows [][5]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	out := map[string]*partLayout{}
	for _, r := range rows {
		var rel int64
		var cells []string
		var columns [][3]json.RawMessage
		l := &partLayout{}
		if err := errors.Join(json.Unmarshal(r[0], &rel), json.Unmarshal(r[1], &l.Table.Schema), json.Unmarshal(r[2], &l.Table.Name), json.Unmarshal(r[3], &cells), json.Unmarshal(r[4], &columns)); err != nil {
			return nil, err
		}
		keys := map[int]int{}
		for i, c := range columns {
			var name string
			var place int
			var fills bool
			if err := errors.Join(json.Unmarshal(c[0], &name), json.Unmarshal(c[1], &place), json.Unmarshal(c[2], &fills)); err != nil {
				return nil, err
			}
			if l.Columns = append(l.Columns, name); place > 0 {
				keys[place] = i
			}
			if fills {
				l.Fills = append(l.Fills, i)
			}
		}
		for place := 1; place <= len(keys); place++ {
			l.Key = append(l.Key, keys[place])
		}
		for _, c := range cells {
			l.at = append(l.at, slices.Index(l.Columns, c))
		}
		out[strconv.FormatInt(rel, 10)] = l
	}
	return out, nil
}

// addEvent adds one event: its table, the row before, the row after, and the columns that the statement gave.
func addEvent(net *engine.Net, of map[string]*partLayout, event [][]byte) error {
	l := of[string(event[0])]
	if l == nil || len(event) != 4 {
		return fmt.Errorf("exosql: the triggers of `exo gen undo` reported a row of the table with the number %s, whose columns are not known: run that command's script again", event[0])
	}
	for i, by := range map[int]int{1: -1, 2: 1} {
		if event[i] == nil {
			continue
		}
		row, err := l.row(event[i])
		if err == nil {
			err = net.Add(&l.Layout, row, by)
		}
		if err != nil {
			return err
		}
		if i == 2 && event[1] == nil && len(l.Fills) > 0 {
			var given []string
			if len(event[3]) > 0 {
				if err := json.Unmarshal(event[3], &given); err != nil {
					return err
				}
			}
			net.Born(&l.Layout, row, given)
		}
	}
	return nil
}

// row reads the text of a row into one cell for each column of the table.
func (l *partLayout) row(text []byte) ([]engine.Cell, error) {
	cells, err := ReadRow(text)
	if err != nil {
		return nil, fmt.Errorf("exosql: the triggers of `exo gen undo` reported a row of %s that can't be read: run that command's script again: %w", schema.Printable(l.Table.Name), err)
	}
	if len(cells) != len(l.at) {
		return nil, fmt.Errorf("exosql: the triggers of `exo gen undo` reported a row of %s with %d cells, but the table has %d columns: run that command's script again", schema.Printable(l.Table.Name), len(cells), len(l.at))
	}
	out := make([]engine.Cell, len(l.Columns))
	for i, at := range l.at {
		if at >= 0 {
			out[at] = cells[i]
		}
	}
	return out, nil
}

// ReadRow reads the text of a row in the syntax of PostgreSQL's record_out: (a,"b ""c""",).
func ReadRow(text []byte) (out []engine.Cell, err error) {
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return nil, errors.New("the text of the row is not in parentheses")
	}
	for rest := text[1 : len(text)-1]; ; {
		var b strings.Builder
		quoted, i := false, 0
		if len(rest) > 0 && rest[0] == '"' {
			for quoted, i = true, 1; ; i++ {
				if i >= len(rest) {
					return nil, errors.New("the text of the row ends inside a quoted cell")
				}
				if rest[i] == '\\' || rest[i] == '"' {
					if i++; rest[i-1] == '"' && (i == len(rest) || rest[i] != '"') {
						break
					}
					if i == len(rest) {
						return nil, errors.New("the text of the row ends inside an escape")
					}
				}
				b.WriteByte(rest[i])
			}
		} else if i = bytes.IndexByte(rest, ','); i < 0 {
			i = len(rest)
		}
		if !quoted {
			b.Write(rest[:i])
		}
		out = append(out, engine.Cell{Null: !quoted && i == 0, Text: b.String()})
		if i == len(rest) {
			return out, nil
		}
		if rest[i] != ',' {
			return nil, errors.New("the text of the row has no comma after a quoted cell")
		}
		rest = rest[i+1:]
	}
}
