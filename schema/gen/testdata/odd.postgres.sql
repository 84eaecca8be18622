-- Names that mean something in Go, in SQL or to programs, that differ in little, or are no
-- words at all; comments that try to be code.
CREATE TABLE "order" (
    "id" bigint PRIMARY KEY,
    "type" TEXT NOT NULL,
    "func" TEXT,
    "limit" bigint,
    "then" TEXT,
    "constructor" TEXT,
    "toJSON" TEXT,
    "Select" TEXT,
    "select from where" TEXT,
    "user_name" TEXT,
    "userName" TEXT,
    "user name" TEXT,
    "User-Name" TEXT,
    "2fa" TEXT,
    "größe" TEXT,
    "用户" TEXT,
    "a""b" TEXT,
    "back`tick" TEXT,
    "semi; DROP TABLE x; --" TEXT,
    "really?" TEXT,
    "line
break" TEXT,
    "nothing" money,
    "in" bigint,
    "first" bigint
);
CREATE INDEX "order in" ON "order" ("in");
CREATE INDEX "order odd" ON "order" ("line
break" DESC, "semi; DROP TABLE x; --" COLLATE "C" NULLS FIRST, lower("2fa"), "用户" text_pattern_ops DESC NULLS LAST) WHERE "in" > 5;
CREATE INDEX "order hash" ON "order" USING hash ("type");
CREATE INDEX "order first" ON "order" ("first");
CREATE TABLE "limits" ("id" bigint PRIMARY KEY, "order_id" bigint UNIQUE, "join_id" bigint);
CREATE INDEX "limits join" ON "limits" ("join_id");
CREATE TABLE "join" ("id" bigint PRIMARY KEY, "exosql" TEXT, "string" TEXT, "init" TEXT);
CREATE TABLE "users_test" ("id" bigint PRIMARY KEY, "n" bigint);
CREATE TABLE "User_Test" ("id" bigint PRIMARY KEY, "id_column" bigint, "i_d" bigint);
CREATE TABLE "_linux" ("id" bigint PRIMARY KEY, "n" TEXT);
CREATE TABLE "用户表" ("id" bigint PRIMARY KEY, "n" TEXT);
CREATE TABLE "no columns that it can take" ("a?" TEXT, "b" cidr);
CREATE TABLE "no key" ("a" TEXT, "b" REAL);
CREATE TABLE "why?" ("id" bigint PRIMARY KEY);
CREATE TABLE "loop" ("a" bigint NOT NULL, "b" TEXT NOT NULL, "c_a" bigint, "c_b" TEXT, PRIMARY KEY ("a", "b"), FOREIGN KEY ("c_a", "c_b") REFERENCES "loop" ("a", "b"));
CREATE INDEX "loop c" ON "loop" ("c_a", "c_b");
ALTER TABLE "order" ADD FOREIGN KEY ("in") REFERENCES "limits";
ALTER TABLE "order" ADD FOREIGN KEY ("first") REFERENCES "limits";
ALTER TABLE "limits" ADD FOREIGN KEY ("order_id") REFERENCES "order";
ALTER TABLE "limits" ADD FOREIGN KEY ("join_id") REFERENCES "join";
CREATE TYPE "select" AS ENUM ('', '+', '-', 'type', '1', '2nd', 'a"b', 'x', 'X', '用');
CREATE TYPE "LimitID" AS ENUM ('a');
ALTER TABLE "join" ADD "kind" "select", ADD "more" "LimitID";
COMMENT ON TYPE "select" IS 'values
const Evil = 1';
COMMENT ON TABLE "order" IS E'one\nfunc init() { panic("from a comment") }\r\n//go:embed x\n*/   exosql.NewTable time.Time';
COMMENT ON COLUMN "order"."type" IS E'"quoted" \\ back\nand `ticks`';
CREATE TABLE "unique" ("code" text NOT NULL, "also" text UNIQUE, "fixed" char(2) CHECK ("fixed" IN ('a', 'b')), "plain" text CHECK ("plain" IN ('a', 'b')), "number_id" bigint REFERENCES "join", "join_id" integer REFERENCES "join", UNIQUE ("code"));
CREATE INDEX "unique join" ON "unique" ("join_id");
CREATE INDEX "unique number" ON "unique" ("number_id");
CREATE VIEW "view" AS SELECT * FROM "join";
CREATE TABLE "sorted" ("a" text NOT NULL, "b" integer NOT NULL, "c" text COLLATE "C", PRIMARY KEY ("b", "a"), UNIQUE ("c"));
CREATE UNIQUE INDEX "sorted a" ON "sorted" ("a" COLLATE "C", "b" DESC);
