-- In the manner of Rails: bigserial keys, timestamp(6) without zone, jsonb, citext left out, an enum type, arrays, a join table without a key.
CREATE TYPE "plan" AS ENUM ('free', 'pro', 'enterprise');
CREATE TABLE "accounts" ("id" bigserial PRIMARY KEY, "name" character varying NOT NULL, "plan" "plan" DEFAULT 'free' NOT NULL, "active" boolean DEFAULT true NOT NULL, "created_at" timestamp(6) without time zone NOT NULL, "updated_at" timestamp(6) without time zone NOT NULL);
CREATE TABLE "users" ("id" bigserial PRIMARY KEY, "account_id" bigint NOT NULL REFERENCES "accounts" ("id"), "handle" character varying NOT NULL, "admin" boolean DEFAULT false, "score" double precision, "balance" numeric(10,2) DEFAULT 0.0 NOT NULL, "born_on" date, "settings" jsonb DEFAULT '{}' NOT NULL, "roles" character varying[] DEFAULT '{}', "created_at" timestamp(6) without time zone NOT NULL);
CREATE UNIQUE INDEX "index_users_on_handle" ON "users" (lower(handle));
CREATE TABLE "posts" ("id" bigserial PRIMARY KEY, "user_id" bigint NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE, "title" character varying, "body" text, "status" integer DEFAULT 0 NOT NULL, "published_at" timestamp(6) without time zone, "views" bigint DEFAULT 0 NOT NULL, "uuid" uuid DEFAULT gen_random_uuid() NOT NULL);
CREATE TABLE "tags" ("id" bigserial PRIMARY KEY, "label" character varying NOT NULL);
CREATE TABLE "posts_tags" ("post_id" bigint NOT NULL REFERENCES "posts" ("id") ON DELETE CASCADE, "tag_id" bigint NOT NULL REFERENCES "tags" ("id"));
CREATE TABLE "schema_migrations" ("version" character varying NOT NULL PRIMARY KEY);
INSERT INTO accounts VALUES (1,'Acme','pro',true,'2024-01-02 03:04:05.123456','2024-01-03 03:04:05'),(2,'Übel & Söhne','free',false,'2023-12-31 23:59:59.999999','2024-02-29 12:00:00.5'),(3,'Third','enterprise',true,'2024-06-01','2024-06-01');
INSERT INTO users VALUES (1,1,'Ann',true,1.5,12.50,'1990-02-28','{"theme":"dark"}','{a,b}','2024-01-02 03:04:05.123456'),(2,1,'bob',false,NULL,-0.07,NULL,'{}','{}','2024-01-05'),(3,2,'Eve',NULL,0.1,100000.00,'2000-02-29','{"n":[1,2]}',NULL,'2024-03-31 01:30:00.000001');
INSERT INTO posts VALUES (1,1,'Hello world','First body',1,'2024-01-02 10:00:00',10,'5b7a2f60-0000-4000-8000-000000000001'),(2,1,NULL,'second BODY',0,NULL,0,'5b7a2f60-0000-4000-8000-000000000002'),(3,2,'Zebra','',2,'2024-01-02 10:00:00',9007199254740993,'5b7a2f60-0000-4000-8000-000000000003'),(4,3,'apple','it''s 100% _fine_',1,'2024-12-30 10:00:00',5,'5b7a2f60-0000-4000-8000-000000000004');
INSERT INTO tags VALUES (1,'red'),(2,'Blue');
INSERT INTO posts_tags VALUES (1,1),(1,2),(3,1);
INSERT INTO schema_migrations VALUES ('20240101000000'),('20240102000000');
SELECT setval('accounts_id_seq', 100), setval('users_id_seq', 100), setval('posts_id_seq', 100), setval('tags_id_seq', 100);
