package schema

import "database/sql"

// bypasses are the tables with row-level security behind views: what a view reads
// is bound by the policies for its owner, unless the view and all through which it
// reads are security_invoker (PostgreSQL 15). A materialized view never is.
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

// reads are the tables behind views.
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
