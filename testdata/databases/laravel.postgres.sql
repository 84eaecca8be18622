-- In the manner of Laravel: timestamp(0), enums as CHECK on varchar, json and not jsonb, a pivot without a key.
CREATE TABLE "teams" ("id" bigserial not null primary key, "name" varchar(255) not null, "personal_team" boolean not null default '0', "created_at" timestamp(0) without time zone null, "updated_at" timestamp(0) without time zone null);
CREATE TABLE "users" ("id" bigserial not null primary key, "current_team_id" bigint null references "teams" ("id") on delete set null, "name" varchar(255) not null, "role" varchar(255) check ("role" in ('admin', 'editor', 'viewer')) not null default 'viewer', "options" json null, "created_at" timestamp(0) without time zone null, "deleted_at" timestamp(0) without time zone null);
CREATE TABLE "team_user" ("team_id" bigint not null references "teams" ("id") on delete cascade, "user_id" bigint not null references "users" ("id") on delete cascade);
CREATE TABLE "invoices" ("id" char(5) not null primary key, "user_id" bigint not null references "users" ("id"), "total" decimal(8, 2) not null default '0', "due_on" date null, "paid" boolean not null default '0', "opens" time(0) without time zone null, "created_at" timestamp(0) without time zone default CURRENT_TIMESTAMP);
INSERT INTO teams VALUES (1,'Ann''s Team',true,'2024-01-02 03:04:05','2024-01-02 03:04:05'),(2,'Ops',false,NULL,NULL);
INSERT INTO users VALUES (1,1,'Ann','admin','{"a":1}','2024-01-02 03:04:05',NULL),(2,2,'Bob','viewer',NULL,'2024-01-03','2024-05-05 05:05:05'),(3,NULL,'cara','editor','[]','2024-01-03',NULL);
INSERT INTO team_user VALUES (1,1),(2,1),(2,2),(2,2);
INSERT INTO invoices VALUES ('01HXA',1,19.90,'2024-02-01',true,'08:00','2024-01-15 10:00:00'),('01HXB',1,0,'2024-03-01',false,NULL,'2024-01-15 10:00:00'),('01HXC',3,250,NULL,false,'23:59:59','2024-12-31 23:59:59');
SELECT setval('teams_id_seq', 100), setval('users_id_seq', 100);
