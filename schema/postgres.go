package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// ReadPostgres reads the part of a PostgreSQL catalogue (14 or newer) that the connection's role may see. With schemas, it reads these
// schemas, and tables of other schemas with foreign keys to them, since a delete in these schemas can delete rows there. Without schemas it
// reads all schemas except the system's. In a transaction it turns jit off until the end.
func ReadPostgres(ctx context.Context, q Querier, schemas ...string) (*Database, error) {
	r := &postgresReader{ctx: ctx, q: q, schemas: schemas, db: &Database{Engine: Postgres}, tables: map[int64]*Table{}, views: map[int64]*View{}, types: map[int64]*postgresType{}}
	steps := []struct {
		what string
		read func() error
	}{
		{"the settings", r.settings}, {"the role", r.role}, {"who may create", r.creators}, {"the schemas that the role may not use", r.hidden}, {"the list of tables", r.relations}, {"the types", r.readTypes}, {"the columns", r.columns}, {"the partitions", r.parents}, {"the views", r.bypasses}, {"what views read", r.behind}, {"the settings of views", r.viewSettings},
		{"the constraints", r.constraints}, {"the exclusions", r.exclusions}, {"the indexes", r.indexes}, {"the triggers", r.triggers}, {"the policies", r.policies}, {"the policies of partitions", r.partPolicies},
		{"the rules", r.rules}, {"the enums", r.enums}, {"the domains", r.domains},
	}
	for _, s := range steps {
		if err := s.read(); err != nil {
			return nil, &ReadError{s.what, err}
		}
	}
	r.db.finish()
	return r.db, nil
}

type postgresReader struct {
	ctx     context.Context
	q       Querier
	schemas []string
	db      *Database
	tables  map[int64]*Table
	views   map[int64]*View
	oids    string // oids has the object identifiers of the tables and views, as the text of a PostgreSQL array
	types   map[int64]*postgresType
}

// each runs a query on the relations that were listed.
func (r *postgresReader) each(query string, scan func(*sql.Rows) error) error {
	return each(r.ctx, r.q, query, []any{r.oids}, scan)
}

// list parses a JSON array of texts.
func list(text string) (out []string, err error) {
	err = json.Unmarshal([]byte(text), &out)
	return out, err
}

// settings turns jit off. The planner overestimates the list of tables, and would compile the queries that read it, which takes a hundred times
// longer than running them (TestReadPostgresJIT).
func (r *postgresReader) settings() error {
	return each(r.ctx, r.q, "SELECT set_config('jit', 'off', true)", nil, func(*sql.Rows) error { return nil })
}

func (r *postgresReader) role() error {
	return each(r.ctx, r.q, `SELECT rolname::text, rolsuper, rolbypassrls, to_json(ARRAY(SELECT s::text FROM unnest(current_schemas(false)) AS s WHERE s !~ '^pg_'))::text FROM pg_roles WHERE rolname = current_user`, nil, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&r.db.Role.Name, &r.db.Role.Superuser, &r.db.Role.BypassRLS, &path)
		if err == nil {
			r.db.Path, err = list(path)
		}
		return err
	})
}

// wanted is a query for the relations to read: the relations of the schemas, and the relations that refer to these. It includes their partitions, heirs and
// parents in any schema, because the rules and triggers of those act on the same rows. $1 is a JSON array of schemas, or empty.
const wanted = `WITH RECURSIVE wanted(oid) AS (
	SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND CASE WHEN $1::text = '' THEN n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
		ELSE n.nspname IN (SELECT json_array_elements_text($1::text::json)) END
	UNION SELECT x.oid FROM wanted AS w JOIN (
		SELECT k.confrelid AS by, k.conrelid AS oid FROM pg_constraint AS k WHERE k.contype = 'f'
		UNION ALL SELECT i.inhparent, i.inhrelid FROM pg_inherits AS i
		UNION ALL SELECT i.inhrelid, i.inhparent FROM pg_inherits AS i) AS x ON x.by = w.oid
)`

func (r *postgresReader) relations() error {
	in := ""
	if len(r.schemas) > 0 {
		b, err := json.Marshal(r.schemas)
		if err != nil {
			return err
		}
		in = string(b)
	}
	var oids []string
	err := each(r.ctx, r.q, wanted+` SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, coalesce(obj_description(c.oid, 'pg_class'), ''), c.relrowsecurity, c.relforcerowsecurity,
			pg_has_role(c.relowner, 'USAGE'), c.relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = c.oid), CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) ELSE '' END,
			coalesce((SELECT e.extname::text FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'), ''),
			coalesce((SELECT w.fdwname::text FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver JOIN pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw
				WHERE f.ftrelid = c.oid AND w.fdwhandler = 0), ''),
			(SELECT coalesce(json_agg(p ORDER BY k), '[]')::text FROM unnest('{INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS a(p, k)
				WHERE CASE WHEN p IN ('INSERT', 'UPDATE') THEN has_any_column_privilege(c.oid, p) ELSE has_table_privilege(c.oid, p) END)
		FROM wanted AS w JOIN pg_class AS c ON c.oid = w.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace`, []any{in}, func(rows *sql.Rows) error {
		var oid int64
		var kind, writable string
		t := &Table{}
		if err := rows.Scan(&oid, &t.Schema, &t.Name.Name, &kind, &t.Comment, &t.RowSecurity, &t.ForceRowSecurity, &t.Owned, &t.Inherited, &t.PartitionBy, &t.Extension, &t.Handlerless, &writable); err != nil {
			return err
		}
		var err error
		if t.Writable, err = list(writable); err != nil {
			return err
		}
		t.Foreign = kind == "f"
		oids = append(oids, strconv.FormatInt(oid, 10))
		if kind == "v" || kind == "m" {
			v := &View{Name: t.Name, Materialized: kind == "m", Comment: t.Comment, Extension: t.Extension}
			r.views[oid], r.db.Views = v, append(r.db.Views, v)
			return nil
		}
		r.tables[oid], r.db.Tables = t, append(r.db.Tables, t)
		return nil
	})
	r.oids = "{" + strings.Join(oids, ",") + "}"
	return err
}

func (r *postgresReader) columns() error {
	return r.each(`SELECT a.attrelid::bigint, a.attname::text, a.atttypid::bigint, format_type(a.atttypid, a.atttypmod), a.attnotnull, coalesce(pg_get_expr(d.adbin, d.adrelid), ''),
			a.attidentity::text, a.attgenerated::text, coalesce(CASE WHEN a.attcollation <> 100 AND t.typname <> 'name' THEN CASE WHEN pg_collation_is_visible(l.oid) THEN '' ELSE l.collnamespace::regnamespace || '.' END || l.collname END, ''), coalesce(NOT l.collisdeterministic, false),
			coalesce(col_description(a.attrelid, a.attnum), ''), coalesce(NOT has_column_privilege(a.attrelid, a.attnum, 'SELECT'), false),
			(SELECT coalesce(json_agg(p), '[]')::text FROM unnest('{INSERT,UPDATE,USAGE}'::text[]) AS p
				WHERE CASE WHEN p = 'USAGE' THEN NOT has_sequence_privilege(s.refobjid, 'USAGE, UPDATE') ELSE NOT has_column_privilege(a.attrelid, a.attnum, p) END),
			coalesce((SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = s.refobjid), '')
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
		LEFT JOIN LATERAL (SELECT x.refobjid FROM pg_depend AS x JOIN pg_class AS c ON c.oid = x.refobjid AND c.relkind = 'S'
			WHERE x.classid = 'pg_attrdef'::regclass AND x.objid = d.oid AND x.refclassid = 'pg_class'::regclass LIMIT 1) AS s ON true
		WHERE a.attrelid = ANY ($1::text::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum`, func(rows *sql.Rows) error {
		var rel, typ int64
		var c Column
		var format, expr, identity, generated, unwritable string
		if err := rows.Scan(&rel, &c.Name, &typ, &format, &c.NotNull, &expr, &identity, &generated, &c.Collation, &c.Loose, &c.Comment, &c.Unreadable, &unwritable, &c.Sequence); err != nil {
			return err
		}
		if unwritable != "[]" {
			var err error
			if c.Unwritable, err = list(unwritable); err != nil {
				return err
			}
		}
		r.typeOf(typ, format).set(&c)
		switch generated {
		case "s":
			c.Generated, c.GenExpr = Stored, expr
		case "v":
			c.Generated, c.GenExpr = Virtual, expr
		default:
			c.setDefault(expr, Postgres)
		}
		switch identity {
		case "a":
			c.Identity = Always
		case "d":
			c.Identity = ByDefault
		}
		if t := r.tables[rel]; t != nil {
			t.Columns = append(t.Columns, c)
		} else if v := r.views[rel]; v != nil {
			v.Columns = append(v.Columns, c)
		}
		return nil
	})
}

// parents reads the tables that others are partitions of or inherit from.
func (r *postgresReader) parents() error {
	return r.each(`SELECT i.inhrelid::bigint, n.nspname::text, p.relname::text, p.relkind = 'p' FROM pg_inherits AS i JOIN pg_class AS p ON p.oid = i.inhparent
		JOIN pg_namespace AS n ON n.oid = p.relnamespace WHERE i.inhrelid = ANY ($1::text::oid[]) ORDER BY i.inhrelid, i.inhseqno`, func(rows *sql.Rows) error {
		var rel int64
		var parent Name
		var partition bool
		if err := rows.Scan(&rel, &parent.Schema, &parent.Name, &partition); err != nil {
			return err
		}
		switch t := r.tables[rel]; {
		case t == nil:
		case partition:
			t.PartitionOf = &parent
		default:
			t.Inherits = append(t.Inherits, parent)
		}
		return nil
	})
}

var postgresActions = map[string]Action{"a": NoAction, "r": Restrict, "c": Cascade, "n": SetNull, "d": SetDefault}

// namesOf returns SQL for a JSON array with the names of the columns that have these numbers.
func namesOf(rel, numbers string) string {
	return `(SELECT coalesce(json_agg(a.attname ORDER BY k.n), '[]')::text FROM unnest(` + numbers + `) WITH ORDINALITY AS k(num, n) JOIN pg_attribute AS a ON a.attrelid = ` + rel + ` AND a.attnum = k.num)`
}

// constraints reads keys and checks. It marks a foreign key as NotValid if one of its triggers is disabled or acts only on replicas: on this
// table, on the target, or on a partition. Rows may then have been written, or their targets deleted, without a check.
func (r *postgresReader) constraints() error {
	return r.each(`WITH RECURSIVE off(key) AS (
			SELECT t.tgconstraint FROM pg_trigger AS t WHERE t.tgconstraint <> 0 AND t.tgenabled IN ('D', 'R')
			UNION SELECT k.conparentid FROM off JOIN pg_constraint AS k ON k.oid = off.key WHERE k.conparentid <> 0)
		SELECT c.conrelid::bigint, c.conname::text, c.contype::text, c.condeferrable, coalesce(n.nspname::text, ''), coalesce(f.relname::text, ''), c.confdeltype::text, c.confupdtype::text,
			`+namesOf("c.conrelid", "c.conkey")+`, `+namesOf("c.confrelid", "c.confkey")+`, coalesce(pg_get_expr(c.conbin, c.conrelid), ''),
			NOT coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean AND c.contype = 'u', false), NOT c.convalidated OR c.contype = 'f' AND c.oid IN (SELECT key FROM off),
			(SELECT coalesce(json_agg(a.attname ORDER BY k), '[]')::text FROM generate_series(i.indnkeyatts + 1, i.indnatts) AS k JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k-1])
		FROM pg_constraint AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.conindid AND c.contype IN ('p', 'u') LEFT JOIN pg_class AS f ON f.oid = c.confrelid LEFT JOIN pg_namespace AS n ON n.oid = f.relnamespace
		WHERE c.conrelid = ANY ($1::text::oid[]) AND c.contype IN ('p', 'u', 'f', 'c') AND c.conislocal AND c.conparentid = 0 ORDER BY c.conrelid, c.conname`, func(rows *sql.Rows) error {
		var rel int64
		var kind, onDelete, onUpdate, cols, refs, expr, include string
		var f ForeignKey
		var distinct, notValid bool
		if err := rows.Scan(&rel, &f.Name, &kind, &f.Deferrable, &f.Table.Schema, &f.Table.Name, &onDelete, &onUpdate, &cols, &refs, &expr, &distinct, &notValid, &include); err != nil {
			return err
		}
		var err error
		if f.Columns, err = list(cols); err != nil {
			return err
		}
		if f.References, err = list(refs); err != nil {
			return err
		}
		t := r.tables[rel]
		if t == nil {
			return nil
		}
		k := Key{Name: f.Name, Columns: f.Columns, NullsDistinct: distinct, Deferrable: f.Deferrable}
		more, err := list(include)
		if err != nil {
			return err
		}
		if len(more) > 0 {
			k.Include = more
		}
		switch kind {
		case "p":
			t.PrimaryKey = &k
		case "u":
			t.Uniques = append(t.Uniques, k)
		case "f":
			f.NotValid = notValid
			f.OnDelete, f.OnUpdate = postgresActions[onDelete], postgresActions[onUpdate]
			t.ForeignKeys = append(t.ForeignKeys, f)
		case "c":
			t.Checks = append(t.Checks, Check{Name: f.Name, Expr: expr, NotValid: notValid})
		}
		return nil
	})
}

// indexes reads the indexes. It names a part's operator class unless that class is the default of the column's type. For a column of another type it
// also names the class of char(n), which ignores spaces at the end.
func (r *postgresReader) indexes() error {
	return r.each(`SELECT i.indrelid::bigint, c.relname::text, i.indisunique, i.indisunique AND coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false), i.indisvalid, m.amname::text, coalesce(pg_get_expr(i.indpred, i.indrelid), ''),
			(SELECT json_agg(json_build_object('Key', k <= i.indnkeyatts, 'Column', coalesce(a.attname, ''), 'Expr', CASE WHEN i.indkey[k-1] = 0 THEN pg_get_indexdef(i.indexrelid, k, false) ELSE '' END,
				'Desc', k <= i.indnkeyatts AND i.indoption[k-1] & 1 = 1, 'NullsFirst', k <= i.indnkeyatts AND i.indoption[k-1] & 2 = 2,
				'Collation', CASE WHEN k <= i.indnkeyatts AND i.indcollation[k-1] NOT IN (0, coalesce(a.attcollation, 100)) THEN l.collname ELSE '' END,
				'OpClass', CASE WHEN k <= i.indnkeyatts AND (NOT o.opcdefault OR o.opcintype = 1042 AND a.atttypid <> 1042) THEN o.opcname ELSE '' END) ORDER BY k)::text
			FROM generate_series(1, i.indnatts) AS k LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k-1] AND a.attnum <> 0
			LEFT JOIN pg_collation AS l ON k <= i.indnkeyatts AND l.oid = i.indcollation[k-1] LEFT JOIN pg_opclass AS o ON k <= i.indnkeyatts AND o.oid = i.indclass[k-1])
		FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS m ON m.oid = c.relam
		WHERE i.indrelid = ANY ($1::text::oid[]) AND NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
		ORDER BY i.indrelid, c.relname`, func(rows *sql.Rows) error {
		var rel int64
		var x Index
		var valid bool
		var text string
		if err := rows.Scan(&rel, &x.Name, &x.Unique, &x.NullsAlike, &valid, &x.Method, &x.Where, &text); err != nil {
			return err
		}
		x.Invalid = !valid
		var parts []struct {
			Key bool
			Part
		}
		if err := json.Unmarshal([]byte(text), &parts); err != nil {
			return err
		}
		for _, p := range parts {
			if p.Key {
				x.Parts = append(x.Parts, p.Part)
			} else {
				x.Include = append(x.Include, p.Column)
			}
		}
		if t := r.tables[rel]; t != nil {
			t.Indexes = append(t.Indexes, x)
		} // otherwise it is an index of a materialized view, which is not in tables
		return nil
	})
}

func (r *postgresReader) exclusions() error {
	return r.each(`SELECT c.conrelid::bigint, c.conname::text, coalesce(pg_get_expr(i.indpred, i.indrelid), ''),
			(SELECT json_agg(json_build_object('Column', coalesce(a.attname, ''), 'Expr', CASE WHEN i.indkey[k-1] = 0 THEN pg_get_indexdef(i.indexrelid, k, false) ELSE '' END,
				'Collation', CASE WHEN i.indcollation[k-1] NOT IN (0, coalesce(a.attcollation, 100)) THEN l.collname ELSE '' END, 'OpClass', CASE WHEN NOT o.opcdefault OR o.opcintype = 1042 AND a.atttypid <> 1042 THEN o.opcname ELSE '' END) ORDER BY k)::text
				FROM generate_series(1, i.indnkeyatts) AS k LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k-1] AND a.attnum <> 0
				LEFT JOIN pg_collation AS l ON l.oid = i.indcollation[k-1] LEFT JOIN pg_opclass AS o ON o.oid = i.indclass[k-1]),
			(SELECT json_agg(o.oprname ORDER BY x.n)::text FROM unnest(c.conexclop) WITH ORDINALITY AS x(op, n) JOIN pg_operator AS o ON o.oid = x.op)
		FROM pg_constraint AS c JOIN pg_index AS i ON i.indexrelid = c.conindid
		WHERE c.conrelid = ANY ($1::text::oid[]) AND c.contype = 'x' AND c.conislocal AND c.conparentid = 0 ORDER BY c.conrelid, c.conname`, func(rows *sql.Rows) error {
		var rel int64
		var x Exclusion
		var parts, operators string
		if err := rows.Scan(&rel, &x.Name, &x.Where, &parts, &operators); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(parts), &x.Parts); err != nil {
			return err
		}
		var err error
		if x.Operators, err = list(operators); err != nil {
			return err
		}
		if t := r.tables[rel]; t != nil {
			t.Exclusions = append(t.Exclusions, x)
		}
		return nil
	})
}

// triggers reads the triggers. It leaves out a partition's trigger that comes from its parent, if the parent's is enabled. If only the
// partition's is enabled, it is listed, because it acts. PostgreSQL 14 marks such triggers as internal, like those of foreign keys.
func (r *postgresReader) triggers() error {
	return r.each(`SELECT t.tgrelid::bigint, t.tgname::text, t.tgtype::int, t.tgenabled = 'D', p.proname::text,
			(SELECT coalesce(json_agg(a.attname::text ORDER BY a.attnum), '[]')::text FROM pg_attribute AS a WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr::int2[])) FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
		WHERE t.tgrelid = ANY ($1::text::oid[]) AND CASE WHEN t.tgparentid = 0 THEN NOT t.tgisinternal
			ELSE t.tgenabled <> 'D' AND NOT EXISTS (SELECT FROM pg_trigger AS w WHERE w.oid = t.tgparentid AND w.tgenabled <> 'D')
				AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.oid = t.tgconstraint AND k.contype <> 't') END
		AND NOT (t.tgname = 'exo_undo' AND p.proname = 'exo_undo_keep') -- it keeps what a run changes, and changes nothing itself
		ORDER BY t.tgrelid, t.tgname`, func(rows *sql.Rows) error {
		var rel int64
		var bits int
		tr := Trigger{Timing: "AFTER"}
		var columns string
		if err := rows.Scan(&rel, &tr.Name, &bits, &tr.Disabled, &tr.Function, &columns); err != nil {
			return err
		}
		var err error
		if tr.Columns, err = list(columns); err != nil {
			return err
		}
		tr.Columns = orNil(tr.Columns)
		switch {
		case bits&2 != 0:
			tr.Timing = "BEFORE"
		case bits&64 != 0:
			tr.Timing = "INSTEAD OF"
		}
		for i, bit := range []int{4, 16, 8, 32} {
			if bits&bit != 0 {
				tr.Events = append(tr.Events, []string{"INSERT", "UPDATE", "DELETE", "TRUNCATE"}[i])
			}
		}
		if t := r.tables[rel]; t != nil {
			t.Triggers = append(t.Triggers, tr)
		}
		return nil
	})
}

func (r *postgresReader) policies() error {
	commands := map[string]string{"*": "ALL", "r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE"}
	return r.each(`SELECT p.polrelid::bigint, p.polname::text, p.polcmd::text, NOT p.polpermissive, coalesce(pg_get_expr(p.polqual, p.polrelid), ''), coalesce(pg_get_expr(p.polwithcheck, p.polrelid), ''),
			(SELECT json_agg(CASE WHEN o = 0 THEN 'public' ELSE pg_get_userbyid(o)::text END)::text FROM unnest(p.polroles) AS o),
			`+unset("SELECT '', concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) UNION ALL "+called+"d.classid = 'pg_policy'::regclass AND d.objid = p.oid")+`
		FROM pg_policy AS p WHERE p.polrelid = ANY ($1::text::oid[]) ORDER BY p.polrelid, p.polname`, func(rows *sql.Rows) error {
		var rel int64
		var x Policy
		var command, roles string
		var unset []byte
		if err := rows.Scan(&rel, &x.Name, &command, &x.Restrictive, &x.Using, &x.Check, &roles, &unset); err != nil {
			return err
		}
		x.Command = commands[command]
		var err error
		if x.Roles, err = list(roles); err != nil {
			return err
		}
		if unset != nil {
			if err := json.Unmarshal(unset, &x.Unset); err != nil {
				return err
			}
		}
		if t := r.tables[rel]; t != nil {
			t.Policies = append(t.Policies, x)
		}
		return nil
	})
}

func (r *postgresReader) rules() error {
	return r.each(`SELECT w.ev_class::bigint, w.rulename::text, w.ev_type::text FROM pg_rewrite AS w WHERE w.ev_class = ANY ($1::text::oid[]) AND w.rulename <> '_RETURN' ORDER BY 1, 2`, func(rows *sql.Rows) error {
		var rel int64
		var x Rule
		var event string
		err := rows.Scan(&rel, &x.Name, &event)
		x.Event = map[string]string{"2": "UPDATE", "3": "INSERT", "4": "DELETE"}[event]
		if t := r.tables[rel]; t != nil {
			t.Rules = append(t.Rules, x)
		}
		return err
	})
}

// reads reports whether a type's schema is among those to read.
func (r *postgresReader) reads(schema string) bool {
	return len(r.schemas) == 0 || slices.Contains(r.schemas, schema)
}
