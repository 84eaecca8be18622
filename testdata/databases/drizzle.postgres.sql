-- In the manner of Drizzle: identity columns, timestamptz with default now(), generated columns, a composite key, an array of text, a domain, a view.
CREATE DOMAIN "public_slug" AS text CHECK (VALUE ~ '^[a-z]+$');
CREATE TABLE "users" ("id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (START WITH 100), "handle" text NOT NULL, "created_at" timestamp with time zone DEFAULT now() NOT NULL, "is_admin" boolean DEFAULT false NOT NULL, "first" text, "last" text, "full_name" text GENERATED ALWAYS AS ("first" || ' ' || "last") STORED, CONSTRAINT "users_handle_unique" UNIQUE("handle"));
CREATE TABLE "projects" ("slug" "public_slug" PRIMARY KEY NOT NULL, "owner_id" integer REFERENCES "users"("id") ON DELETE cascade, "config" jsonb DEFAULT '{}'::jsonb, "budget" numeric(12,4), "starts" time, "price" money, "during" int4range, "spot" point);
CREATE TABLE "members" ("user_id" integer NOT NULL REFERENCES "users"("id"), "project_slug" "public_slug" NOT NULL REFERENCES "projects"("slug") ON UPDATE cascade ON DELETE cascade, "level" smallint DEFAULT 1 NOT NULL, CONSTRAINT "members_pk" PRIMARY KEY("user_id","project_slug"));
CREATE VIEW "member_levels" AS SELECT project_slug, max(level) AS top FROM members GROUP BY project_slug;
INSERT INTO users (id, handle, created_at, is_admin, first, last) OVERRIDING SYSTEM VALUE VALUES (1,'ann','2024-01-02 03:04:05.678901+00',true,'Ann','Lee'),(2,'Bob','2024-01-02 03:04:05+00',false,'Bob',NULL),(3,'cy','infinity',false,NULL,NULL);
INSERT INTO projects VALUES ('alpha',1,'{"x":true}',10.25,'08:00','12.50','[1,5)','(1,2)'),('beta',1,NULL,NULL,NULL,NULL,NULL,NULL),('gamma',2,'[]',7,'23:59','0','empty',NULL);
INSERT INTO members VALUES (1,'alpha',3),(2,'alpha',1),(2,'beta',1);
