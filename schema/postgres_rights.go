package schema

import (
	"database/sql"
	"encoding/json"
)

// creators reads the roles that may create an operator or a table which a query would find in place of the intended one.
func (r *postgresReader) creators() error {
	if len(r.schemas) == 0 {
		return nil // all schemas are read, so it is unknown which are searched
	}
	b, err := json.Marshal(r.schemas)
	if err != nil {
		return err
	}
	return each(r.ctx, r.q, `SELECT DISTINCT n.nspname::text, CASE WHEN a.grantee = 0 THEN '' ELSE pg_get_userbyid(a.grantee)::text END
		FROM pg_namespace AS n, aclexplode(n.nspacl) AS a LEFT JOIN pg_roles AS g ON g.oid = a.grantee
		WHERE n.nspname IN (SELECT json_array_elements_text($1::text::json)) AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner AND NOT coalesce(g.rolsuper, false) ORDER BY 1, 2`, []any{string(b)}, func(rows *sql.Rows) error {
		var x Creator
		err := rows.Scan(&x.Schema, &x.Role)
		r.db.Creators = append(r.db.Creators, x)
		return err
	})
}

// hidden reads the relations that the session's search path would find if the role could use their schemas. The path may have been changed since
// the connection was opened, so its reset value counts. If a pooler shares the session, the path of the URL is in exo.search_path.
func (r *postgresReader) hidden() error {
	return each(r.ctx, r.q, `SELECT n.nspname::text, c.relname::text FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid
		WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)' AND NOT has_schema_privilege(n.oid, 'USAGE')
			AND EXISTS (SELECT FROM pg_settings AS s, regexp_split_to_table(coalesce(nullif(current_setting('exo.search_path', true), ''), s.reset_val), '\s*,\s*') AS p WHERE s.name = 'search_path'
				AND (p IN (quote_ident(n.nspname), '"' || replace(n.nspname, '"', '""') || '"') OR lower(p) = n.nspname OR p = '"$user"' AND n.nspname = current_user)) ORDER BY 1, 2`, nil, func(rows *sql.Rows) error {
		var n Name
		err := rows.Scan(&n.Schema, &n.Name)
		r.db.Hidden = append(r.db.Hidden, n)
		return err
	})
}

// partPolicies reads a table's partitions, heirs and parents with row-level security. PostgreSQL applies only the policies of the table that a
// query names, so a query of this table bypasses theirs.
func (r *postgresReader) partPolicies() error {
	return r.each(`WITH RECURSIVE kin(rel, oid, below) AS (
			SELECT c.oid, i.inhrelid, true FROM pg_class AS c JOIN pg_inherits AS i ON i.inhparent = c.oid WHERE c.oid = ANY ($1::text::oid[])
			UNION SELECT c.oid, i.inhparent, false FROM pg_class AS c JOIN pg_inherits AS i ON i.inhrelid = c.oid WHERE c.oid = ANY ($1::text::oid[])
			UNION SELECT k.rel, CASE WHEN k.below THEN i.inhrelid ELSE i.inhparent END, k.below
				FROM kin AS k JOIN pg_inherits AS i ON CASE WHEN k.below THEN i.inhparent ELSE i.inhrelid END = k.oid)
		SELECT k.rel::bigint, k.below, n.nspname::text, c.relname::text FROM kin AS k JOIN pg_class AS c ON c.oid = k.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'f') AND (c.relrowsecurity OR c.relforcerowsecurity OR EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid)) ORDER BY 1, 3, 4`, func(rows *sql.Rows) error {
		var rel int64
		var below bool
		var n Name
		err := rows.Scan(&rel, &below, &n.Schema, &n.Name)
		switch t := r.tables[rel]; {
		case t == nil:
		case below:
			t.PartPolicies = append(t.PartPolicies, n)
		default:
			t.WholePolicies = append(t.WholePolicies, n)
		}
		return err
	})
}
