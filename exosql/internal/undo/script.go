package undo

// This file has the script that keeps images: their table, the functions for it, and the triggers that fill it.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Table, Trigger and Keep are the names of the table of images, of the triggers, and of the triggers' function.
const (
	Table   = "exo_undo"
	Trigger = "exo_undo"
	Keep    = "exo_undo_keep"
)

// Script returns the SQL that keeps images of the rows that the role's runs change, in the written tables and in those that cascades reach. If one of them
// has a trigger or a rule, the SQL covers all tables, since a trigger may write anything. The parameter in is the schema of the table of images, and keep is
// the time for which images are kept.
func Script(in, role string, keep time.Duration, live *schema.Database, written []schema.Name) string {
	var b strings.Builder
	quote := "$exo$" // quotes protect no name inside the quoted text, so the tag must be in no name
	for strings.Contains(in+role, quote) {
		quote = strings.TrimSuffix(quote, "$") + "x$"
	}
	b.WriteString(strings.NewReplacer("$exo$", quote, "{in}", sqlname.Quote(in), "{role}", sqlname.Quote(role), "{text}", "'"+strings.ReplaceAll(role, "'", "''")+"'", "{keep}", fmt.Sprint(int64(keep.Seconds()))).Replace(objects))
	for _, t := range Reach(live, written) {
		on := sqlname.Quote(t.Schema) + "." + sqlname.Quote(t.Name.Name)
		fmt.Fprintf(&b, "DROP TRIGGER IF EXISTS exo_undo ON %s;\nCREATE TRIGGER exo_undo AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW\n\tWHEN (pg_catalog.current_setting('exo.run', true) OPERATOR(pg_catalog.<>) '') EXECUTE FUNCTION %s.exo_undo_keep();\n", on, on, sqlname.Quote(in))
	}
	b.WriteString("COMMIT;\n")
	return b.String()
}

// objects are the same for each database. The functions run with the owner's rights, so they find everything in pg_catalog, whatever the caller's search
// path is. A transaction reads, names and deletes only its own rows: the role could set any setting, but not the number of its transaction.
const objects = `-- What runs change, before and after. Made by exo gen undo; run it as the owner of the tables, and again when there are other tables.
-- A trigger does nothing unless the setting exo.run is set, which only exo's connection does.
BEGIN;
CREATE TABLE IF NOT EXISTS {in}.exo_undo (
	n bigint GENERATED ALWAYS AS IDENTITY,
	xact xid8 NOT NULL,
	run text, -- of the row that names the transaction's run
	rel regclass,
	before text,
	after text,
	given text,
	at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS exo_undo_xact ON {in}.exo_undo (xact);
CREATE UNIQUE INDEX IF NOT EXISTS exo_undo_run ON {in}.exo_undo (run) WHERE run IS NOT NULL;
CREATE INDEX IF NOT EXISTS exo_undo_at ON {in}.exo_undo (at);
REVOKE ALL ON {in}.exo_undo FROM PUBLIC;
DO $exo$ BEGIN IF current_user <> {text} THEN REVOKE ALL ON {in}.exo_undo FROM {role}; END IF; END $exo$;

CREATE OR REPLACE FUNCTION {in}.exo_undo_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $exo$
BEGIN
	INSERT INTO {in}.exo_undo (xact, rel, before, after, given) VALUES (pg_current_xact_id(), TG_RELID,
		CASE WHEN TG_OP <> 'INSERT' THEN OLD::text END, CASE WHEN TG_OP <> 'DELETE' THEN NEW::text END,
		CASE WHEN TG_OP = 'INSERT' AND pg_trigger_depth() = 1 THEN current_setting('exo.given', true) END);
	RETURN NULL;
END $exo$;

CREATE OR REPLACE FUNCTION {in}.exo_undo_changed() RETURNS TABLE (rel oid, before text, after text, given text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $exo$
	SELECT u.rel::oid, u.before, u.after, u.given FROM {in}.exo_undo AS u WHERE u.xact = pg_current_xact_id_if_assigned() AND u.run IS NULL ORDER BY u.n
$exo$;

CREATE OR REPLACE FUNCTION {in}.exo_undo_name(run text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $exo$
	INSERT INTO {in}.exo_undo (xact, run) VALUES (pg_current_xact_id(), $1)
$exo$;

CREATE OR REPLACE FUNCTION {in}.exo_undo_forget() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $exo$
	DELETE FROM {in}.exo_undo WHERE xact = pg_current_xact_id_if_assigned()
$exo$;

CREATE OR REPLACE FUNCTION {in}.exo_undo_trim() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $exo$
	DELETE FROM {in}.exo_undo WHERE at < now() - interval '{keep} seconds'
$exo$;

REVOKE ALL ON FUNCTION {in}.exo_undo_keep(), {in}.exo_undo_changed(), {in}.exo_undo_name(text), {in}.exo_undo_forget(), {in}.exo_undo_trim() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {in}.exo_undo_changed(), {in}.exo_undo_name(text), {in}.exo_undo_forget(), {in}.exo_undo_trim() TO {role};
`

// Reach returns the tables that a write of the given tables can change, in the order of their names. Partitions have the triggers of their table.
func Reach(live *schema.Database, written []schema.Name) []*schema.Table {
	in := map[*schema.Table]bool{}
	var add func(*schema.Table)
	add = func(t *schema.Table) {
		for t != nil && t.PartitionOf != nil {
			t = live.Table(*t.PartitionOf)
		}
		if t == nil || in[t] {
			return
		}
		in[t] = true
		for _, x := range live.Tables {
			if slices.Contains(x.Inherits, t.Name) || slices.ContainsFunc(x.ForeignKeys, func(k schema.ForeignKey) bool { return k.Table == t.Name && acts(k) }) {
				add(x)
			}
		}
	}
	for _, n := range written {
		add(live.Table(n))
	}
	for _, t := range live.Tables {
		others := len(t.Rules) > 0 || slices.ContainsFunc(t.Triggers, func(tr schema.Trigger) bool { return tr.Name != Trigger })
		whole := t
		for whole != nil && whole.PartitionOf != nil {
			whole = live.Table(*whole.PartitionOf)
		}
		if others && whole != nil && in[whole] {
			for _, x := range live.Tables {
				add(x)
			}
			break
		}
	}
	var out []*schema.Table
	for t := range in {
		if t.Name.Name != Table && t.Name.Name != "exo_runs" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *schema.Table) int {
		return strings.Compare(a.Schema+"."+a.Name.Name, b.Schema+"."+b.Name.Name)
	})
	return out
}

func acts(k schema.ForeignKey) bool {
	return slices.ContainsFunc([]schema.Action{k.OnDelete, k.OnUpdate}, func(a schema.Action) bool {
		return a != schema.NoAction && a != schema.Restrict && a != ""
	})
}
