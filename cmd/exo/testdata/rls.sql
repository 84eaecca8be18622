-- What the role agent may read and change, as programs are granted it. Made by exosql.Policies; run it as the owner of
-- the tables, and again when it changes: what the role had before is taken back, and a notice names each table that it may not use any more.
-- Another role that does not own a table sees no row of it until it has a policy of its own.
-- The values are those of the grant that runs, set by exosql.OpenOptions.RowSecurity:
--   exo.customers.id
BEGIN;
DO $exo$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'agent') THEN CREATE ROLE "agent" LOGIN NOSUPERUSER NOBYPASSRLS; END IF; END $exo$;
DO $exo$ DECLARE
	role oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'agent');
	tables oid[] := CAST(ARRAY['"public"."customers"', '"public"."orders"']::pg_catalog.regclass[] AS oid[]);
	x record;
BEGIN
	FOR x IN SELECT c.oid, c.relkind, pg_catalog.pg_has_role(c.relowner, 'USAGE') AS ours FROM pg_catalog.pg_class AS c
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.oid <> ALL (tables) AND
			(EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) AS a WHERE a.grantee = role) OR
			EXISTS (SELECT FROM pg_catalog.pg_attribute AS t, pg_catalog.aclexplode(t.attacl) AS a WHERE t.attrelid = c.oid AND a.grantee = role))
	LOOP
		IF NOT x.ours THEN
			RAISE WARNING 'the role % has rights on %, which another role owns: they stay', 'agent', x.oid::pg_catalog.regclass;
		ELSIF x.relkind = 'S' THEN
			EXECUTE 'REVOKE ALL ON SEQUENCE ' || x.oid::pg_catalog.regclass || ' FROM "agent"';
		ELSE
			RAISE NOTICE 'the role % may do nothing with % any more', 'agent', x.oid::pg_catalog.regclass;
			EXECUTE 'REVOKE ALL ON ' || x.oid::pg_catalog.regclass || ' FROM "agent"';
		END IF;
	END LOOP;
	FOR x IN SELECT p.polname, p.polrelid FROM pg_catalog.pg_policy AS p JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
		WHERE p.polroles = ARRAY[role] AND p.polname IN ('agent_select', 'agent_select_rows', 'agent_insert', 'agent_insert_rows', 'agent_update', 'agent_update_rows', 'agent_delete', 'agent_delete_rows') AND p.polrelid <> ALL (tables) AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
	LOOP
		EXECUTE pg_catalog.format('DROP POLICY %I ON %s', x.polname, x.polrelid::pg_catalog.regclass);
	END LOOP;
END $exo$;
GRANT USAGE ON SCHEMA "public" TO "agent";

ALTER TABLE "public"."customers" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON "public"."customers" FROM "agent";
GRANT SELECT ("id", "name") ON "public"."customers" TO "agent";
DROP POLICY IF EXISTS "agent_select" ON "public"."customers";
DROP POLICY IF EXISTS "agent_select_rows" ON "public"."customers";
CREATE POLICY "agent_select" ON "public"."customers" FOR SELECT TO "agent" USING (true);
CREATE POLICY "agent_select_rows" ON "public"."customers" AS RESTRICTIVE FOR SELECT TO "agent"
	USING ("customers"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint));
DROP POLICY IF EXISTS "agent_insert" ON "public"."customers";
DROP POLICY IF EXISTS "agent_insert_rows" ON "public"."customers";
CREATE POLICY "agent_insert_rows" ON "public"."customers" AS RESTRICTIVE FOR INSERT TO "agent"
	WITH CHECK (false);
DROP POLICY IF EXISTS "agent_update" ON "public"."customers";
DROP POLICY IF EXISTS "agent_update_rows" ON "public"."customers";
CREATE POLICY "agent_update_rows" ON "public"."customers" AS RESTRICTIVE FOR UPDATE TO "agent"
	USING (false)
	WITH CHECK (false);
DROP POLICY IF EXISTS "agent_delete" ON "public"."customers";
DROP POLICY IF EXISTS "agent_delete_rows" ON "public"."customers";
CREATE POLICY "agent_delete_rows" ON "public"."customers" AS RESTRICTIVE FOR DELETE TO "agent"
	USING (false);

ALTER TABLE "public"."orders" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON "public"."orders" FROM "agent";
GRANT SELECT ("customer_id", "id", "note") ON "public"."orders" TO "agent";
GRANT INSERT ("customer_id", "note") ON "public"."orders" TO "agent";
GRANT UPDATE ("note") ON "public"."orders" TO "agent";
GRANT DELETE ON "public"."orders" TO "agent";
DO $exo$ DECLARE s text := pg_catalog.pg_get_serial_sequence('"public"."orders"', 'id'); BEGIN IF s IS NOT NULL THEN EXECUTE 'GRANT USAGE ON SEQUENCE ' || s || ' TO "agent"'; END IF; END $exo$;
DROP POLICY IF EXISTS "agent_select" ON "public"."orders";
DROP POLICY IF EXISTS "agent_select_rows" ON "public"."orders";
CREATE POLICY "agent_select" ON "public"."orders" FOR SELECT TO "agent" USING (true);
CREATE POLICY "agent_select_rows" ON "public"."orders" AS RESTRICTIVE FOR SELECT TO "agent"
	USING (EXISTS (SELECT 1 FROM "public"."customers" AS "t1" WHERE "t1"."id" = "orders"."customer_id" AND "t1"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint)));
DROP POLICY IF EXISTS "agent_insert" ON "public"."orders";
DROP POLICY IF EXISTS "agent_insert_rows" ON "public"."orders";
CREATE POLICY "agent_insert" ON "public"."orders" FOR INSERT TO "agent" WITH CHECK (true);
CREATE POLICY "agent_insert_rows" ON "public"."orders" AS RESTRICTIVE FOR INSERT TO "agent"
	WITH CHECK (EXISTS (SELECT 1 FROM "public"."customers" AS "t1" WHERE "t1"."id" = "orders"."customer_id" AND "t1"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint)));
DROP POLICY IF EXISTS "agent_update" ON "public"."orders";
DROP POLICY IF EXISTS "agent_update_rows" ON "public"."orders";
CREATE POLICY "agent_update" ON "public"."orders" FOR UPDATE TO "agent" USING (true) WITH CHECK (true);
CREATE POLICY "agent_update_rows" ON "public"."orders" AS RESTRICTIVE FOR UPDATE TO "agent"
	USING (EXISTS (SELECT 1 FROM "public"."customers" AS "t1" WHERE "t1"."id" = "orders"."customer_id" AND "t1"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint)))
	WITH CHECK (EXISTS (SELECT 1 FROM "public"."customers" AS "t1" WHERE "t1"."id" = "orders"."customer_id" AND "t1"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint)));
DROP POLICY IF EXISTS "agent_delete" ON "public"."orders";
DROP POLICY IF EXISTS "agent_delete_rows" ON "public"."orders";
CREATE POLICY "agent_delete" ON "public"."orders" FOR DELETE TO "agent" USING (true);
CREATE POLICY "agent_delete_rows" ON "public"."orders" AS RESTRICTIVE FOR DELETE TO "agent"
	USING (EXISTS (SELECT 1 FROM "public"."customers" AS "t1" WHERE "t1"."id" = "orders"."customer_id" AND "t1"."id" = (SELECT NULLIF(current_setting('exo.customers.id', true), '')::bigint)));
COMMIT;
