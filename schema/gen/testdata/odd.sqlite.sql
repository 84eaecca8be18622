-- Names that mean something in Go, in SQL or to programs, that differ in little, or are no
-- words at all; comments that try to be code.
CREATE TABLE "order" (
    "id" INTEGER PRIMARY KEY,
    "type" TEXT NOT NULL,
    "func" TEXT,
    "limit" INTEGER,
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
    "nothing",
    "in" INTEGER REFERENCES "limits",
    "first" INTEGER REFERENCES "limits"
);
CREATE INDEX "order in" ON "order" ("in");
CREATE INDEX "order odd" ON "order" ("line
break" DESC, "semi; DROP TABLE x; --" COLLATE NOCASE, lower("2fa")) WHERE "in" > 5;
CREATE INDEX "order first" ON "order" ("first");
CREATE TABLE "limits" ("id" INTEGER PRIMARY KEY, "order_id" INTEGER UNIQUE REFERENCES "order", "join_id" INTEGER REFERENCES "join");
CREATE INDEX "limits join" ON "limits" ("join_id");
CREATE TABLE "join" ("id" INTEGER PRIMARY KEY, "exosql" TEXT, "string" TEXT, "init" TEXT);
CREATE TABLE "users_test" ("id" INTEGER PRIMARY KEY, "n" INTEGER);
CREATE TABLE "User_Test" ("id" INTEGER PRIMARY KEY, "id_column" INTEGER, "i_d" INTEGER);
CREATE TABLE "_linux" ("id" INTEGER PRIMARY KEY, "n" TEXT);
CREATE TABLE "用户表" ("id" INTEGER PRIMARY KEY, "n" TEXT);
CREATE TABLE "no columns that it can take" ("a?" TEXT, "b");
CREATE TABLE "no key" ("a" TEXT, "b" REAL);
CREATE TABLE "why?" ("id" INTEGER PRIMARY KEY);
CREATE TABLE "loop" ("a" INTEGER NOT NULL, "b" TEXT NOT NULL, "c_a" INTEGER, "c_b" TEXT, PRIMARY KEY ("a", "b"), FOREIGN KEY ("c_a", "c_b") REFERENCES "loop" ("a", "b"));
CREATE INDEX "loop c" ON "loop" ("c_a", "c_b");
CREATE TABLE "unique" ("code" TEXT NOT NULL, "also" TEXT UNIQUE, "nocase" TEXT COLLATE NOCASE CHECK ("nocase" IN ('a', 'b')), "plain" TEXT CHECK ("plain" IN ('a', 'b')), "text_id" TEXT REFERENCES "join", "join_id" INTEGER REFERENCES "join", UNIQUE ("code"), FOREIGN KEY ("join_id") REFERENCES "join" ("id"), FOREIGN KEY ("also") REFERENCES "gone" ("id"));
CREATE INDEX "unique join" ON "unique" ("join_id");
CREATE INDEX "unique text" ON "unique" ("text_id");
CREATE VIRTUAL TABLE "search" USING fts5("body");
CREATE VIEW "view" AS SELECT * FROM "join";
CREATE TABLE "part" ("n" TEXT PRIMARY KEY, "whole_a" INTEGER, "other_a" INTEGER, "kind_b" TEXT, FOREIGN KEY ("whole_a", "kind_b") REFERENCES "loop" ("a", "b"), FOREIGN KEY ("other_a", "kind_b") REFERENCES "loop" ("a", "b"));
CREATE INDEX "part whole" ON "part" ("whole_a", "kind_b");
CREATE INDEX "part other" ON "part" ("other_a", "kind_b");
CREATE TABLE "sorted" ("a" TEXT NOT NULL, "b" INTEGER NOT NULL, "c" TEXT COLLATE NOCASE, PRIMARY KEY ("b" DESC, "a"), UNIQUE ("a" COLLATE NOCASE, "b" DESC), UNIQUE ("c"));
