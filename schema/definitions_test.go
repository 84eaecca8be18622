package schema_test

// sqliteDefinitions are what TestCatalogues makes in SQLite. @ is the schema's name on PostgreSQL.
var sqliteDefinitions = map[string]string{
	"plain":         `CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email varchar(40) UNIQUE, age int default 3, "order" real, x)`,
	"rowid desc":    `CREATE TABLE a (id INTEGER PRIMARY KEY DESC, b); CREATE TABLE c (id INTEGER, PRIMARY KEY (id DESC)); CREATE TABLE d (id INT PRIMARY KEY)`,
	"autoincrement": `CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)`,
	"without rowid": `CREATE TABLE a (x TEXT, y TEXT, PRIMARY KEY (y, x)) WITHOUT ROWID; CREATE TABLE b (id INTEGER PRIMARY KEY, UNIQUE (id)) STRICT, WITHOUT ROWID`,
	"strict":        `CREATE TABLE a (x INT, y TEXT, PRIMARY KEY (y, x)) STRICT; CREATE TABLE b (id ANY PRIMARY KEY) STRICT`,
	"key nulls":     `CREATE TABLE a (x TEXT, y TEXT, PRIMARY KEY (y, x))`,
	"alike":         `CREATE TABLE a (id INTEGER PRIMARY KEY UNIQUE, b TEXT UNIQUE, c TEXT, UNIQUE (b), UNIQUE (c, b), UNIQUE (c, b)); CREATE TABLE d (x TEXT PRIMARY KEY, UNIQUE (x))`,
	"folding":       `CREATE TABLE Users ("Id" INTEGER PRIMARY KEY); CREATE TABLE t (u INTEGER REFERENCES users (id), UNIQUE (U)); CREATE INDEX i ON T (U)`,
	"foreign": `CREATE TABLE a (x INT, y INT, PRIMARY KEY (x, y)); CREATE TABLE b (x INT REFERENCES nowhere, y INT, z INT REFERENCES later ON DELETE SET NULL,
			FOREIGN KEY (x, y) REFERENCES a ON DELETE CASCADE ON UPDATE SET DEFAULT DEFERRABLE INITIALLY DEFERRED, FOREIGN KEY (y, x) REFERENCES a (x, y)); CREATE TABLE later (id INTEGER PRIMARY KEY, parent INT REFERENCES later)`,
	"quotes":        `CREATE TABLE [a b] ("c ""d" TEXT, ` + "`e`" + ` int, 'f' text, [g h] "my type"); CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "where" TEXT UNIQUE)`,
	"defaults":      `CREATE TABLE a (a INT DEFAULT -1, b TEXT DEFAULT 'it''s', c DEFAULT (1 + (2)), d DEFAULT CURRENT_TIMESTAMP, e DEFAULT NULL NOT NULL, f BOOLEAN DEFAULT FALSE, g DEFAULT +2.5e3, h DEFAULT x'00', i DEFAULT "q")`,
	"collations":    `CREATE TABLE a (a TEXT COLLATE NOCASE, b TEXT COLLATE rtrim NOT NULL, c TEXT COLLATE binary); CREATE INDEX i ON a (a, b COLLATE NOCASE, c COLLATE BINARY, a COLLATE binary DESC)`,
	"checks":        `CREATE TABLE a (a INT CHECK (a > 0) NOT NULL, b INT CONSTRAINT pos CHECK (b > (1)), CONSTRAINT both CHECK (a < b) CHECK (b <> 7), UNIQUE (a))`,
	"generated":     `CREATE TABLE a (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED, c AS (a || ')'), d TEXT AS (upper(a)) VIRTUAL UNIQUE)`,
	"indexes":       `CREATE TABLE a (a, b, c); CREATE UNIQUE INDEX "u x" ON a (b DESC, a); CREATE INDEX p ON a (a) WHERE b > 0 AND c = 'x'; CREATE INDEX e ON a (lower(b), a + b, c)`,
	"types":         `CREATE TABLE a (a DOUBLE PRECISION, b TIMESTAMPTZ(3), c UNSIGNED BIG INT, d VARCHAR ( 10 ), e DECIMAL(10, 2), f, g GENERATED, h "quoted", i DATE, j INTERVAL, k text)`,
	"views":         `CREATE TABLE a (a); CREATE VIEW v AS SELECT a, 1 FROM a; CREATE VIEW IF NOT EXISTS w (x) AS SELECT 1; CREATE TRIGGER z INSTEAD OF INSERT ON v BEGIN SELECT 1; END`,
	"triggers":      `CREATE TABLE a (a, b); CREATE TRIGGER t1 AFTER UPDATE OF a, b ON a FOR EACH ROW WHEN new.a > 0 BEGIN UPDATE a SET b = CASE WHEN 1 THEN 2 END; DELETE FROM a; END; CREATE TRIGGER "t 2" DELETE ON a BEGIN SELECT 1; END`,
	"comments":      "-- one; two\nCREATE TABLE /* x ( */ a -- y\n(a, -- ) \n b /* , */ INT);; /* end",
	"virtual":       `CREATE VIRTUAL TABLE f USING fts5(a, b); CREATE TABLE a (x)`,
	"alter":         `CREATE TABLE a (a, b, c); ALTER TABLE a ADD COLUMN d TEXT NOT NULL DEFAULT 'x' REFERENCES a; ALTER TABLE a RENAME b TO "B B"; ALTER TABLE a DROP COLUMN c; CREATE TABLE k (x REFERENCES a); ALTER TABLE a RENAME TO z`,
	"drop":          `CREATE TABLE a (a); CREATE INDEX i ON a (a); DROP INDEX i; CREATE TABLE b (x); DROP TABLE b; CREATE VIEW v AS SELECT 1; DROP VIEW v; DROP TABLE IF EXISTS nowhere; CREATE TRIGGER t INSERT ON a BEGIN SELECT 1; END; DROP TRIGGER t`,
	"if not exists": `CREATE TABLE a (a); CREATE TABLE IF NOT EXISTS a (b); CREATE INDEX i ON a (a); CREATE INDEX IF NOT EXISTS i ON a (a); INSERT INTO a VALUES ('CREATE TABLE x (y);'); PRAGMA foreign_keys = on`,
	"temp":          `CREATE TEMP TABLE a (a); CREATE TABLE b (b); CREATE TEMP TRIGGER t INSERT ON b BEGIN SELECT 1; END`,
	"main":          `CREATE TABLE main.a (a INTEGER PRIMARY KEY); CREATE INDEX main.i ON a (a)`,
	"conflict":      `CREATE TABLE a (a INTEGER PRIMARY KEY ON CONFLICT REPLACE, b TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL)`,
	"deferrable":    `CREATE TABLE a (x INTEGER PRIMARY KEY REFERENCES a NOT DEFERRABLE, y REFERENCES a DEFERRABLE, z UNIQUE REFERENCES a, FOREIGN KEY (z) REFERENCES a ON DELETE SET DEFAULT NOT DEFERRABLE INITIALLY DEFERRED)`,
	"rowid index":   `CREATE TABLE a (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON a (a, b)`,
}

// postgresDefinitions are what TestCatalogues makes in PostgreSQL. @ is the schema.
var postgresDefinitions = map[string]string{
	"plain": `CREATE TABLE users (id serial PRIMARY KEY, name text NOT NULL, Email varchar(40) UNIQUE, "Order" real, age int DEFAULT 3)`,
	"types": `CREATE DOMAIN national_text AS text; CREATE TABLE a (a int, b int2, c int8, d float, e float(20), f float(30), g numeric, h numeric(10), i decimal(10, 2), j varchar, k varchar(3), l char, m char(5), n timestamp, o timestamptz(3),
			p time, q timetz, r date, s interval, t interval day to second(3), u uuid, v json, w jsonb, x bytea, y bool, z text[], aa int[][], ab varchar(4)[], ac timestamp(2) with time zone, ad time(1) without time zone,
			ae double precision, af bit, ag bit(3), ah bit varying(4), ai "char", aj name, ak inet, al tsvector, am int4range, an money, ao character varying(7), ap pg_catalog.int4, aq oid, ar text ARRAY, at int ARRAY[3], au point, av xml, aw national_text)`,
	"serials":  `CREATE TABLE a (a smallserial, b serial8, c bigserial, d int GENERATED ALWAYS AS IDENTITY, e int GENERATED BY DEFAULT AS IDENTITY (START 5), f int DEFAULT nextval('a_a_seq'))`,
	"defaults": `CREATE TABLE b (x numeric PRIMARY KEY); CREATE TABLE a (a text DEFAULT 'it''s' NOT NULL, b timestamptz DEFAULT now(), c int DEFAULT NULL, d text DEFAULT NULL::text, e int DEFAULT (1 + 2) CHECK (e > 0), f text[] DEFAULT '{}', g int DEFAULT -1 UNIQUE, h bool NOT NULL DEFAULT false, i text DEFAULT E'a\'b' || 'c', j numeric DEFAULT 1.5 REFERENCES b (x)); `,
	"keys":     `CREATE TABLE a (a int, b int, c int UNIQUE, CONSTRAINT "the key" PRIMARY KEY (b, a), UNIQUE (a), UNIQUE (a, b) DEFERRABLE INITIALLY DEFERRED, CONSTRAINT u2 UNIQUE (b) INCLUDE (c))`,
	"nulls":    `CREATE TABLE a (c int UNIQUE NULLS NOT DISTINCT); CREATE UNIQUE INDEX i ON a (c) NULLS NOT DISTINCT`,
	"alike":    `CREATE TABLE c (a int PRIMARY KEY, CONSTRAINT named UNIQUE (a)); CREATE TABLE a (a int PRIMARY KEY UNIQUE, b int UNIQUE, UNIQUE (b), UNIQUE (b, a), UNIQUE (b, a))`,
	"foreign": `CREATE TABLE a (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE b (id int PRIMARY KEY, x int, y int, up int REFERENCES b ON DELETE CASCADE, FOREIGN KEY (x, y) REFERENCES a ON DELETE SET NULL ON UPDATE RESTRICT DEFERRABLE,
			CONSTRAINT again FOREIGN KEY (y, x) REFERENCES a (x, y) MATCH FULL ON UPDATE CASCADE NOT DEFERRABLE)`,
	"names": `CREATE TABLE a (a int CHECK (a > 0) CHECK (a < 10), b int, CHECK (a < b), CHECK (b > 1), CHECK (true), CHECK (abs(b) > 0));
			CREATE TABLE a_b (c int UNIQUE); CREATE TABLE a2 (b_c int UNIQUE); CREATE INDEX ON a (a); CREATE INDEX ON a (a, b); CREATE INDEX ON a (a); CREATE INDEX ON a ((a + b), abs(a), b)`,
	"long names": `CREATE TABLE a_very_long_name_of_a_table_that_goes_on_and_on_to_the_end (another_long_name_of_a_column_that_is_long int UNIQUE CHECK (another_long_name_of_a_column_that_is_long > 0) REFERENCES a_very_long_name_of_a_table_that_goes_on_and_on_to_the_end (another_long_name_of_a_column_that_is_long), ü_ünïcödé_names_are_cut_at_whole_characters_only int UNIQUE);
			CREATE INDEX ON a_very_long_name_of_a_table_that_goes_on_and_on_to_the_end (another_long_name_of_a_column_that_is_long, ü_ünïcödé_names_are_cut_at_whole_characters_only)`,
	"enums": `CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'happy'); CREATE TYPE "Big Type" AS ENUM ('x'); ALTER TYPE mood ADD VALUE 'so so' BEFORE 'happy'; CREATE TABLE a (a mood, b mood[], c @.mood DEFAULT 'sad', d "Big Type", e "Big Type"[]); COMMENT ON TYPE mood IS 'how'`,
	"domains": `CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN pos AS int CHECK (VALUE > 0); CREATE DOMAIN name40 varchar(40) NOT NULL DEFAULT 'x'; CREATE DOMAIN pos2 AS pos CONSTRAINT small CHECK (VALUE < 9) CHECK (VALUE <> 5);
			CREATE DOMAIN feeling mood; CREATE DOMAIN c text COLLATE "C"; CREATE TABLE a (a pos, b name40, c pos2, d feeling, e pos[], f c, g c COLLATE "POSIX"); COMMENT ON DOMAIN pos IS 'above'`,
	"composite":  `CREATE TYPE pair AS (a int, b int); CREATE TYPE r AS RANGE (subtype = float8); CREATE TABLE a (a pair, b pair[], c r)`,
	"collations": `CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TABLE a (a text COLLATE "C", b text COLLATE loose, c text COLLATE "default", d varchar(3) COLLATE pg_catalog."POSIX" NOT NULL); CREATE INDEX i ON a (a, b COLLATE "C", c COLLATE "C", a COLLATE "C" text_pattern_ops DESC NULLS LAST)`,
	"indexes": `CREATE TABLE a (a int, b text, c jsonb); CREATE UNIQUE INDEX "u x" ON a USING btree (b DESC, a ASC NULLS FIRST); CREATE INDEX p ON a (a) INCLUDE (b) WHERE a > 0; CREATE INDEX e ON a (lower(b), (a + 1), b text_pattern_ops);
			CREATE INDEX g ON a USING gin (c jsonb_path_ops); CREATE INDEX h ON a USING hash (b); CREATE UNIQUE INDEX pl ON a (lower(b)) WITH (fillfactor = 70); CREATE INDEX IF NOT EXISTS h ON a (b)`,
	"comments":  `CREATE TABLE a (a int, b text); COMMENT ON TABLE a IS 'the a''s'; COMMENT ON COLUMN a.b IS E'two\nlines'; COMMENT ON COLUMN @.a.a IS 'x'; COMMENT ON COLUMN a.a IS NULL; CREATE VIEW v AS SELECT 1 AS x; COMMENT ON VIEW v IS 'a view'; COMMENT ON COLUMN v.x IS 'one'`,
	"generated": `CREATE TABLE a (a int, b int GENERATED ALWAYS AS (a * 2) STORED, c text GENERATED ALWAYS AS (repeat('x', a)) STORED NOT NULL)`,
	"partitions": `CREATE TABLE a (id int, day date NOT NULL, x text DEFAULT 'q', PRIMARY KEY (id, day), CHECK (id > 0)) PARTITION BY RANGE (day); CREATE TABLE b (r int PRIMARY KEY);
			CREATE TABLE a1 PARTITION OF a FOR VALUES FROM ('2024-01-01') TO ('2025-01-01'); CREATE TABLE a2 PARTITION OF a (x NOT NULL DEFAULT 'z', CONSTRAINT own CHECK (id < 100)) DEFAULT;
			ALTER TABLE a ADD COLUMN y int; ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES b; CREATE INDEX ON a (x); CREATE INDEX only2 ON a2 (x); CREATE TABLE c (id int, day date, FOREIGN KEY (id, day) REFERENCES a);
			CREATE TABLE a3 (id int NOT NULL, day date NOT NULL, x text DEFAULT 'q', y int, CONSTRAINT a_id_check CHECK (id > 0)); ALTER TABLE a ATTACH PARTITION a3 FOR VALUES FROM ('2030-01-01') TO ('2031-01-01')`,
	"sub partitions": `CREATE TABLE a (a int, b int) PARTITION BY LIST (a); CREATE TABLE a1 PARTITION OF a FOR VALUES IN (1, 2) PARTITION BY HASH (b); CREATE TABLE a11 PARTITION OF a1 FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
	"inherits":       `CREATE TABLE a (a int NOT NULL DEFAULT 1, b serial); CREATE TABLE b (c int) INHERITS (a); CREATE TABLE d (b int, e int) INHERITS (a, b); ALTER TABLE a ADD x text NOT NULL; ALTER TABLE a RENAME a TO aa; ALTER TABLE a ALTER aa DROP NOT NULL, ALTER aa TYPE bigint; ALTER TABLE b DROP c`,
	"security": `CREATE TABLE a (a int, b text); ALTER TABLE a ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON a USING (a = 1); CREATE POLICY "q r" ON a AS RESTRICTIVE FOR SELECT TO public USING (b = current_setting('x.y')); CREATE POLICY w ON a FOR INSERT WITH CHECK (a > 0);
			ALTER TABLE a FORCE ROW LEVEL SECURITY; CREATE TABLE c (x int); ALTER TABLE c ENABLE ROW LEVEL SECURITY; ALTER TABLE c DISABLE ROW LEVEL SECURITY`,
	"triggers": `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $x$ BEGIN CREATE TABLE y (z int); RETURN NEW; END $x$; CREATE TABLE a (a int, b int); CREATE TRIGGER t BEFORE INSERT OR UPDATE OF a, b ON a FOR EACH ROW WHEN (NEW.a > 0) EXECUTE FUNCTION f();
			CREATE TRIGGER s AFTER TRUNCATE OR DELETE ON a EXECUTE PROCEDURE @.f(); CREATE CONSTRAINT TRIGGER k AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE a DISABLE TRIGGER s; CREATE RULE r AS ON INSERT TO a DO ALSO (NOTIFY x; NOTIFY y)`,
	"views":  `CREATE TABLE a (a int); CREATE VIEW v AS SELECT * FROM a; CREATE OR REPLACE VIEW v AS SELECT * FROM a; CREATE MATERIALIZED VIEW m AS SELECT 1 AS x; CREATE INDEX ON a (a)`,
	"quotes": `CREATE TABLE "Select" ("From" int, "a.b" text, "c""d" text UNIQUE, "e f" int REFERENCES "Select" ("g"), g int PRIMARY KEY)`,
	"alter": `CREATE TABLE a (a int, b text, c int, d int); ALTER TABLE ONLY a ADD CONSTRAINT k PRIMARY KEY (a), ADD UNIQUE (c), ADD CHECK (d > 0), ADD e uuid NOT NULL, ALTER b SET NOT NULL, ALTER COLUMN d TYPE bigint USING d * 2, ALTER d SET DEFAULT 7;
			ALTER TABLE a DROP COLUMN c; ALTER TABLE a RENAME COLUMN b TO bb; ALTER TABLE a ADD f int GENERATED BY DEFAULT AS IDENTITY; CREATE UNIQUE INDEX ux ON a (bb); ALTER TABLE a ADD CONSTRAINT uy UNIQUE USING INDEX ux; CREATE TABLE z (x int REFERENCES a);
			ALTER TABLE a RENAME TO a9; ALTER TABLE a9 RENAME CONSTRAINT k TO k9; ALTER TABLE a9 DROP CONSTRAINT a_d_check; ALTER TABLE a9 ALTER a DROP DEFAULT; ALTER INDEX IF EXISTS nope RENAME TO x; ALTER TABLE a9 SET (fillfactor = 70)`,
	"drop":    `CREATE TABLE a (a int PRIMARY KEY); CREATE TABLE b (a int REFERENCES a); DROP TABLE a CASCADE; CREATE TABLE a (a int PRIMARY KEY); CREATE INDEX i ON a (a); DROP INDEX i; CREATE TYPE e AS ENUM ('x'); DROP TYPE e; CREATE DOMAIN d int; DROP DOMAIN IF EXISTS d, dd; CREATE VIEW v AS SELECT 1; DROP VIEW v`,
	"schemas": `CREATE TABLE @.a (a int PRIMARY KEY); CREATE TABLE b (a int REFERENCES @.a (a)); CREATE INDEX ON @.a (a)`,
	"exclude": `CREATE TABLE a (a int4range, b int, EXCLUDE USING gist (a WITH &&), CHECK (b > 0), CONSTRAINT x EXCLUDE USING btree (abs(b) WITH =, b WITH =) WHERE (b > 1) DEFERRABLE)`,
	"bodies":  `CREATE FUNCTION one() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; CREATE TABLE a (a int); CREATE SEQUENCE s OWNED BY a.a; GRANT SELECT ON a TO public; DO $$ BEGIN NULL; END $$; INSERT INTO a VALUES (1); /* a /* nested */ comment; */ SELECT 1`,
}
