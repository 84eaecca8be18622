package schema

import (
	"database/sql"
	"encoding/json"
)

// called begins a query for the functions that an object depends on, in the form that unset reads. A condition on the object follows it. Functions
// that these functions call are not found, since no catalogue lists them.
const called = `SELECT o.proname::text, concat_ws(' ', o.prosrc, pg_get_function_sqlbody(o.oid)) FROM pg_depend AS d JOIN pg_proc AS o ON o.oid = d.refobjid
	WHERE d.refclassid = 'pg_proc'::regclass AND `

// unset returns SQL for the settings that some texts read and that the connection lacks, as JSON of []Setting. The query texts returns two columns: the
// name of a function with its body, or an empty text with the definition of a view or a policy.
func unset(texts string) string {
	return `(SELECT json_agg(DISTINCT jsonb_build_object('Name', m[1], 'Function', x.of))::text
		FROM (` + texts + `) AS x(of, body), regexp_matches(x.body, $$current_setting\(\s*'(\w+(?:\.\w+)+)'(?:::text)?\s*\)$$, 'gi') AS m
		WHERE CASE WHEN NOT EXISTS (SELECT FROM pg_settings AS s WHERE s.name = lower(m[1])) THEN current_setting(m[1], true) IS NULL END)`
}

// viewSettings finds settings that the connection lacks and that views read, also through other views. A materialized view needs none, since it
// was calculated at its refresh.
func (r *postgresReader) viewSettings() error {
	return r.each(`WITH RECURSIVE reads(view, rel) AS (
			SELECT c.oid, c.oid FROM pg_class AS c WHERE c.oid = ANY ($1::text::oid[]) AND c.relkind = 'v'
			UNION SELECT f.view, d.refobjid
			FROM reads AS f JOIN pg_rewrite AS w ON w.ev_class = f.rel AND w.rulename = '_RETURN'
			JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> f.rel
			JOIN pg_class AS c ON c.oid = d.refobjid AND c.relkind = 'v'),
		found(view, unset) AS (SELECT f.view, `+unset("SELECT '', pg_get_viewdef(f.rel) UNION ALL "+called+"d.classid = 'pg_rewrite'::regclass AND d.objid IN (SELECT w.oid FROM pg_rewrite AS w WHERE w.ev_class = f.rel)")+` FROM reads AS f)
		SELECT view::bigint, unset FROM found WHERE unset IS NOT NULL ORDER BY 1, 2`, func(rows *sql.Rows) error {
		var view int64
		var unset []byte
		if err := rows.Scan(&view, &unset); err != nil {
			return err
		}
		v := r.views[view]
		if v == nil {
			return nil
		}
		var more []Setting
		err := json.Unmarshal(unset, &more)
		v.Unset = append(v.Unset, more...)
		return err
	})
}

// bypasses finds tables with row-level security that views read. A view reads with its owner's policies, unless the view and all views on the way
// are security_invoker (PostgreSQL 15). A materialized view always reads with its owner's policies.
func (r *postgresReader) bypasses() error {
	return r.each(`WITH RECURSIVE reads(view, rel, owner) AS (
			SELECT c.oid, c.oid, false FROM pg_class AS c WHERE c.oid = ANY ($1::text::oid[]) AND c.relkind IN ('v', 'm')
			UNION SELECT f.view, d.refobjid, f.owner OR NOT coalesce((SELECT v.option_value::bool FROM pg_options_to_table(c.reloptions) AS v WHERE v.option_name = 'security_invoker'), false)
			FROM reads AS f JOIN pg_class AS c ON c.oid = f.rel AND c.relkind IN ('v', 'm') JOIN pg_rewrite AS w ON w.ev_class = c.oid AND w.rulename = '_RETURN'
			JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid)
		SELECT DISTINCT f.view::bigint, n.nspname::text, c.relname::text FROM reads AS f JOIN pg_class AS c ON c.oid = f.rel JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE f.owner AND c.relkind IN ('r', 'p') AND (c.relrowsecurity OR c.relforcerowsecurity OR EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid)) ORDER BY 1, 2, 3`, func(rows *sql.Rows) error {
		var view int64
		var n Name
		err := rows.Scan(&view, &n.Schema, &n.Name)
		if v := r.views[view]; v != nil {
			v.Bypasses = append(v.Bypasses, n)
		}
		return err
	})
}

// behind finds the tables that views read.
func (r *postgresReader) behind() error {
	return r.each(`WITH RECURSIVE reads(view, rel) AS (
			SELECT c.oid, c.oid FROM pg_class AS c WHERE c.oid = ANY ($1::text::oid[]) AND c.relkind IN ('v', 'm')
			UNION SELECT f.view, d.refobjid
			FROM reads AS f JOIN pg_class AS c ON c.oid = f.rel AND c.relkind IN ('v', 'm') JOIN pg_rewrite AS w ON w.ev_class = c.oid AND w.rulename = '_RETURN'
			JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid)
		SELECT DISTINCT f.view::bigint, n.nspname::text, c.relname::text FROM reads AS f JOIN pg_class AS c ON c.oid = f.rel JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind NOT IN ('v', 'm')
		UNION SELECT f.view::bigint, '', '' FROM reads AS f JOIN pg_rewrite AS w ON w.ev_class = f.rel JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
			AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass) AND d.refobjid >= 16384 ORDER BY 1, 2, 3`, func(rows *sql.Rows) error {
		var view int64
		var n Name
		err := rows.Scan(&view, &n.Schema, &n.Name)
		if v := r.views[view]; v != nil && n.Name == "" {
			v.Calls = true
		} else if v != nil {
			v.Reads = append(v.Reads, n)
		}
		return err
	})
}
