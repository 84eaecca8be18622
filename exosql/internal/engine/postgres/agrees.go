package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
)

// To check a unique key or a foreign key, PostgreSQL ignores the transaction's snapshot and sees later commits. So the success
// of a write may contradict what its unit has read. Suppose that a program counts the rows with a value, and another program
// deletes the only one. The first program can then insert the value, though no order of the two gives both results. For such
// keys, a write also returns its values of the key, and these are looked up in the snapshot. If the snapshot has a row that
// should have been in the way, the unit is not serializable. The look-up is also a read, which the server remembers for
// SERIALIZABLE.

// rule is a unique or exclusion constraint of a written table, or a foreign key that refers to it.
type rule struct {
	foreign bool     // foreign: look for rows that refer to a deleted row, instead of rows that conflict with a written row
	parts   []string // parts are expressions over a written row
	columns []string // columns has the column of each part, or "" for an expression, which any column may change
	partial bool     // partial: the rule has a condition on the row
	look    string   // look gets an array for each part, and reports whether the snapshot has a row with which the write should have conflicted
	st      *pgconn.StatementDescription
}

// knownRules are the rules of a table at some time.
type knownRules struct {
	at    time.Time
	rules []rule
	text  string // text is the server's answer from which the rules were made
}

// rulesFor is how long rules are used before they are read again.
const rulesFor = time.Minute

// readRules returns the parts of a table's rules, for tables that the role may read. It skips a partition's key that belongs to the
// whole table. It skips constraints that are checked only at the end of the transaction, since they may be broken until then.
const readRules = `WITH RECURSIVE tree (rel) AS (SELECT to_regclass($1)::oid UNION
	SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i JOIN tree AS t ON i.inhparent = t.rel JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid AND c.relispartition),
parts (id, part, looked, foreign_key, expr, expr2, op, typ, col, cond, alike, readable, odd) AS (
	SELECT x.indexrelid, k, x.indrelid, false, pg_get_indexdef(x.indexrelid, k, false),
		'(' || pg_get_indexdef(x.indexrelid, k, false) || ')' || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname) FROM pg_catalog.pg_collation AS l JOIN pg_catalog.pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = x.indcollation[k - 1]), ''),
		coalesce((SELECT e.conexclop[k] FROM pg_catalog.pg_constraint AS e WHERE e.conindid = x.indexrelid AND e.contype = 'x'),
			(SELECT o.amopopr FROM pg_catalog.pg_opclass AS c JOIN pg_catalog.pg_amop AS o ON o.amopfamily = c.opcfamily AND o.amoplefttype = c.opcintype AND o.amoprighttype = c.opcintype AND o.amopstrategy = 3 WHERE c.oid = x.indclass[k - 1])),
		coalesce(a.atttypid, ia.atttypid), CASE WHEN a.attgenerated = '' THEN a.attname END, pg_get_expr(x.indpred, x.indrelid), coalesce((to_jsonb(x) ->> 'indnullsnotdistinct')::boolean, false),
		has_table_privilege(x.indrelid, 'SELECT') AND has_table_privilege(to_regclass($1), 'SELECT')
			OR a.attname IS NOT NULL AND x.indpred IS NULL AND has_column_privilege(x.indrelid, a.attnum, 'SELECT') AND has_column_privilege(to_regclass($1), a.attname, 'SELECT'), false
	FROM tree AS t JOIN pg_catalog.pg_index AS x ON x.indrelid = t.rel CROSS JOIN LATERAL generate_series(1, x.indnkeyatts) AS k
		JOIN pg_catalog.pg_attribute AS ia ON ia.attrelid = x.indexrelid AND ia.attnum = k
		LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[k - 1] AND a.attnum > 0
	WHERE (x.indisunique OR x.indisexclusion) AND x.indimmediate AND x.indisvalid
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_index AS p ON p.indexrelid = i.inhparent JOIN tree AS w ON w.rel = p.indrelid WHERE i.inhrelid = x.indexrelid)
	UNION ALL
	SELECT f.oid, k, f.conrelid, true, quote_ident(p.attname), quote_ident(c.attname), f.conpfeqop[k], p.atttypid, p.attname, NULL, false,
		has_column_privilege(f.confrelid, p.attnum, 'SELECT') AND has_column_privilege(f.conrelid, c.attnum, 'SELECT'), false
	FROM pg_catalog.pg_constraint AS f CROSS JOIN LATERAL generate_series(1, cardinality(f.confkey)) AS k
		JOIN pg_catalog.pg_attribute AS p ON p.attrelid = f.confrelid AND p.attnum = f.confkey[k] JOIN pg_catalog.pg_attribute AS c ON c.attrelid = f.conrelid AND c.attnum = f.conkey[k]
	WHERE f.contype = 'f' AND f.confrelid = to_regclass($1) AND NOT f.condeferred
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS w WHERE w.oid = f.conparentid AND w.confrelid = f.confrelid)
		AND EXISTS (SELECT FROM pg_catalog.pg_trigger AS g WHERE g.tgconstraint = f.oid AND g.tgrelid = f.confrelid)
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS g WHERE g.tgconstraint = f.oid AND g.tgrelid = f.confrelid AND g.tgenabled NOT IN ('O', 'A')))
SELECT p.id::text, CASE WHEN p.foreign_key THEN 'f' ELSE 'u' END, p.expr, p.expr2, format('OPERATOR(%I.%s)', n.nspname, o.oprname), format_type(p.typ, -1), coalesce(p.col, ''), coalesce(p.cond, ''),
	CASE WHEN p.alike THEN 'alike' ELSE '' END, CASE WHEN r.relkind = 'p' THEN '' ELSE 'ONLY ' END || format('%I.%I', rn.nspname, r.relname)
FROM parts AS p JOIN pg_catalog.pg_operator AS o ON o.oid = p.op JOIN pg_catalog.pg_namespace AS n ON n.oid = o.oprnamespace
	JOIN pg_catalog.pg_class AS r ON r.oid = p.looked JOIN pg_catalog.pg_namespace AS rn ON rn.oid = r.relnamespace
WHERE (SELECT bool_and(q.readable AND q.op IS NOT NULL) FROM parts AS q WHERE q.id = p.id) ORDER BY p.id, p.part`

// rulesOf returns the rules of a table by its path. It reads them again from time to time.
func (w *Writer) rulesOf(ctx context.Context, table string) ([]rule, error) {
	k := w.rules[table]
	if k != nil && time.Since(k.at) < rulesFor {
		return k.rules, nil
	}
	var rows [][]string
	err := w.aside(ctx, func() error {
		rr := w.Conn.ExecParams(ctx, readRules, [][]byte{[]byte(table)}, nil, nil, nil)
		for rr.NextRow() {
			var row []string
			for _, b := range rr.Values() {
				row = append(row, string(b))
			}
			rows = append(rows, row)
		}
		_, err := rr.Close()
		return err
	})
	if err != nil {
		return nil, serial(err)
	}
	now := &knownRules{at: time.Now(), text: fmt.Sprint(rows)}
	if k != nil && k.text == now.text {
		k.at = now.at
		return k.rules, nil
	}
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r []string) bool { return r[0] != rows[0][0] })
		if n < 0 {
			n = len(rows)
		}
		r := ruleOf(rows[:n])
		rows = rows[n:]
		w.names++
		err := w.aside(ctx, func() (err error) {
			r.st, err = w.Conn.Prepare(ctx, w.kept(fmt.Sprintf("exo_rule_%d", w.names)), r.look, nil)
			return err
		})
		if _, odd := errors.AsType[*pgconn.PgError](err); err != nil && !odd {
			return nil, err
		} else if err == nil { // a rule that can't be written as a query is left out: otherwise the table could not be written at all
			now.rules = append(now.rules, r)
		}
	}
	if k != nil && w.Pooled == nil {
		for _, r := range k.rules {
			w.gone = append(w.gone, r.st.Name)
		}
	}
	w.rules[table] = now
	return now.rules, nil
}

// aside runs f so that the unit can go on even if f fails: within a transaction, f has a savepoint.
func (w *Writer) aside(ctx context.Context, f func() error) error {
	if w.Pooled != nil {
		if err := w.begun(ctx); err != nil {
			return err
		}
	}
	within := w.Conn.TxStatus() != 'I'
	if within {
		if err := w.simple(ctx, w.statements.save); err != nil {
			return err
		}
	}
	w.busy = true
	err := boundError(f())
	if w.busy = false; !within {
		return err
	}
	if err != nil {
		w.undo()
		return err
	}
	return w.simple(ctx, w.statements.release)
}

// ruleOf makes a rule from the parts that readRules returned. An exclusion constraint may make a row conflict with itself, which does not count.
func ruleOf(parts [][]string) rule {
	r := rule{foreign: parts[0][1] == "f", partial: parts[0][7] != ""}
	var arrays, names, found, itself []string
	for i, p := range parts {
		r.parts, r.columns = append(r.parts, p[2]), append(r.columns, p[6])
		v := fmt.Sprintf("exo_given.k%d::%s", i, p[5])
		arrays, names = append(arrays, fmt.Sprintf("$%d::text[]", i+1)), append(names, fmt.Sprintf("k%d", i))
		cond, own := v+" "+p[4]+" "+p[3], v+" "+p[4]+" "+v
		if p[8] != "" { // the rule is NULLS NOT DISTINCT
			cond, own = "("+cond+" OR "+v+" IS NULL AND "+p[3]+" IS NULL)", "("+own+" OR "+v+" IS NULL)"
		}
		found, itself = append(found, cond), append(itself, own)
	}
	if r.partial {
		found = append(found, "("+parts[0][7]+")")
	}
	most := "0"
	if !r.foreign {
		most = "CASE WHEN " + strings.Join(itself, " AND ") + " THEN 1 ELSE 0 END"
	}
	r.look = "SELECT EXISTS (SELECT FROM unnest(" + strings.Join(arrays, ", ") + ") AS exo_given (" + strings.Join(names, ", ") + ") WHERE (SELECT count(*) FROM (SELECT FROM " + parts[0][9] +
		" WHERE " + strings.Join(found, " AND ") + " LIMIT 2) AS f) > " + most + ")"
	return r
}

// ofQuery matches the names of the outputs of the query that finds rows for an update: see package compile. In the update's RETURNING, a column
// with such a name would be ambiguous, so its rules are not checked.
var ofQuery = scalar.Pattern(`^c[0-9]+$`)

// concerned returns the rules that a plan's write could have broken.
func (w *Writer) concerned(ctx context.Context, p *plan.Plan) ([]rule, error) {
	all, err := w.rulesOf(ctx, p.Write.Path())
	if err != nil {
		return nil, err
	}
	var out []rule
	for _, r := range all {
		if !p.Write.Insert && slices.ContainsFunc(r.columns, ofQuery().MatchString) {
			continue
		}
		by := func(written []string) bool {
			return slices.ContainsFunc(r.columns, func(c string) bool { return c == "" || slices.Contains(written, c) })
		}
		switch {
		case r.foreign:
			if !p.Write.Delete {
				continue
			}
		case p.Write.Delete:
			continue
		case p.Write.Insert && !by(p.Write.Given): // the database chooses the key, so no program has read that it was free
			continue
		case !p.Write.Insert && !r.partial && !by(p.Write.Update):
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func partsOf(rules []rule) (n int) {
	for _, r := range rules {
		n += len(r.parts)
	}
	return n
}

// returning returns the text of a plan, extended so that the statement also returns the parts of the rules.
func returning(p *plan.Plan, rules []rule) string {
	var parts []string
	for _, r := range rules {
		for _, x := range r.parts {
			parts = append(parts, "("+x+")::text")
		}
	}
	if len(parts) == 0 {
		return p.Text
	}
	if len(p.Cells) > 0 {
		return p.Text + ", " + strings.Join(parts, ", ")
	}
	return p.Text + " RETURNING " + strings.Join(parts, ", ")
}

// found has the values that must be looked up for a rule: an array for each of its parts.
type found struct {
	rule   rule
	arrays [][]byte
	n      int // n is the number of written rows with values in arrays
}

// agree looks up the written keys in the snapshot that the unit reads.
func (w *Writer) agree(ctx context.Context) error {
	later := w.later
	if w.later = nil; len(later) == 0 {
		return nil
	}
	against := false
	err := w.guarded(ctx, len(later), func(pl *pgconn.Pipeline) {
		for _, f := range later {
			for i := range f.arrays {
				f.arrays[i] = append(f.arrays[i], '}')
			}
			w.send(pl, f.rule.st, f.arrays, nil, nil)
		}
	}, func(_ int, rr *pgconn.ResultReader) error {
		said, err := textIn(rr)
		against = against || string(said) != "f"
		return err
	})
	e, _ := errors.AsType[*pgconn.PgError](err)
	switch {
	case against:
		return fmt.Errorf("%w: the server accepted a key that conflicts with rows that the run has read", engine.ErrSerial)
	case err == nil || e != nil && (strings.HasPrefix(e.Code, "22") || strings.HasPrefix(e.Code, "42")):
		return nil // a rule that fails as a query is ignored: otherwise the table could not be written at all
	}
	if err = serial(err); !errors.Is(err, engine.ErrSerial) {
		w.bad = true // the rows are written already, and would not be looked up again
	}
	return err
}

// wrote keeps the values that a statement has returned for rules, so that agree looks them up.
func (s *Session) wrote(rules []rule, given [][]byte) {
	for _, r := range rules {
		i := slices.IndexFunc(s.later, func(f found) bool { return f.rule.st == r.st })
		if i < 0 {
			i = len(s.later)
			s.later = append(s.later, found{rule: r, arrays: make([][]byte, len(r.parts))})
		}
		f := &s.later[i]
		for k := range f.arrays {
			f.arrays[k] = element(f.arrays[k], given[k])
		}
		f.n++
		given = given[len(r.parts):]
	}
}

// element adds a text to an array in PostgreSQL's syntax.
func element(array, text []byte) []byte {
	if len(array) == 0 {
		array = append(array, '{')
	} else {
		array = append(array, ',')
	}
	if text == nil {
		return append(array, "NULL"...)
	}
	array = append(array, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			array = append(array, '\\')
		}
		array = append(array, c)
	}
	return append(array, '"')
}
