-- In the manner of Rails: datetime(6) as text with microseconds, booleans 1/0, decimals as numbers, a join table without a key.
CREATE TABLE "accounts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL, "plan" varchar DEFAULT 'free' NOT NULL, "active" boolean DEFAULT 1 NOT NULL, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE TABLE "users" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "account_id" integer NOT NULL, "handle" varchar COLLATE NOCASE NOT NULL, "admin" boolean DEFAULT 0, "score" float, "balance" decimal(10,2) DEFAULT 0.0 NOT NULL, "born_on" date, "settings" json DEFAULT '{}' NOT NULL, "created_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_1" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id"));
CREATE UNIQUE INDEX "index_users_on_handle" ON "users" ("handle");
CREATE TABLE "posts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "title" varchar, "body" text, "status" integer DEFAULT 0 NOT NULL, "published_at" datetime(6), "views" bigint DEFAULT 0 NOT NULL, CONSTRAINT "fk_rails_2" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE);
CREATE TABLE "tags" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "label" varchar NOT NULL);
CREATE TABLE "posts_tags" ("post_id" integer NOT NULL REFERENCES "posts" ("id") ON DELETE CASCADE, "tag_id" integer NOT NULL REFERENCES "tags" ("id"));
CREATE UNIQUE INDEX "index_posts_tags" ON "posts_tags" ("post_id", "tag_id");
CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
INSERT INTO accounts VALUES (1,'Acme','pro',1,'2024-01-02 03:04:05.123456','2024-01-03 03:04:05.000000'),(2,'Übel & Söhne','free',0,'2023-12-31 23:59:59.999999','2024-02-29 12:00:00.500000');
INSERT INTO users VALUES (1,1,'Ann',1,1.5,12.50,'1990-02-28','{"theme":"dark"}','2024-01-02 03:04:05.123456'),(2,1,'bob',0,NULL,-0.07,NULL,'{}','2024-01-05 00:00:00.000000'),(3,2,'Eve',NULL,0.1,100000.00,'2000-02-29','{"n":[1,2]}','2024-03-31 01:30:00.000001');
INSERT INTO posts VALUES (1,1,'Hello world','First body',1,'2024-01-02 10:00:00.000000',10),(2,1,NULL,'second BODY',0,NULL,0),(3,2,'Zebra','',2,'2024-01-02 10:00:00.000000',9007199254740993),(4,3,'apple','it''s 100% _fine_',1,'2024-12-30 10:00:00.000000',5);
INSERT INTO tags VALUES (1,'red'),(2,'Blue');
INSERT INTO posts_tags VALUES (1,1),(1,2),(3,1);
INSERT INTO schema_migrations VALUES ('20240101000000'),('20240102000000');
INSERT INTO ar_internal_metadata VALUES ('environment','production','2024-01-02 03:04:05.123456','2024-01-02 03:04:05.123456');
