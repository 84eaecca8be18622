-- In the manner of Laravel: times without a fraction, dates with a midnight, tinyint(1), enums as CHECK, soft deletes, a pivot without a key.
CREATE TABLE "teams" ("id" integer primary key autoincrement not null, "name" varchar not null, "personal_team" tinyint(1) not null default '0', "created_at" datetime, "updated_at" datetime);
CREATE TABLE "users" ("id" integer primary key autoincrement not null, "current_team_id" integer, "name" varchar not null, "email_verified_at" datetime, "role" varchar check ("role" in ('admin', 'editor', 'viewer')) not null default 'viewer', "options" text, "created_at" datetime, "updated_at" datetime, "deleted_at" datetime, foreign key("current_team_id") references "teams"("id") on delete set null);
CREATE TABLE "team_user" ("team_id" integer not null, "user_id" integer not null, foreign key("team_id") references "teams"("id") on delete cascade, foreign key("user_id") references "users"("id") on delete cascade);
CREATE TABLE "invoices" ("id" varchar not null, "user_id" integer not null, "total" numeric not null default '0', "due_on" date, "paid" tinyint(1) not null default '0', "created_at" datetime default CURRENT_TIMESTAMP, foreign key("user_id") references "users"("id"), primary key ("id"));
CREATE TABLE "taggables" ("tag" varchar not null, "taggable_type" varchar not null, "taggable_id" integer not null);
CREATE TABLE "cache" ("key" varchar not null, "value" text not null, "expiration" integer not null, primary key ("key"));
INSERT INTO teams VALUES (1,'Ann''s Team',1,'2024-01-02 03:04:05','2024-01-02 03:04:05'),(2,'Ops',0,NULL,NULL);
INSERT INTO users VALUES (1,1,'Ann','2024-01-02 03:04:05','admin','{"a":1}','2024-01-02 03:04:05','2024-01-02 03:04:05',NULL),(2,2,'Bob',NULL,'viewer',NULL,'2024-01-03 00:00:00','2024-01-03 00:00:00','2024-05-05 05:05:05'),(3,NULL,'cara',NULL,'editor','[]','2024-01-03 00:00:00',NULL,NULL);
INSERT INTO team_user VALUES (1,1),(2,1),(2,2),(2,2);
INSERT INTO invoices VALUES ('01HXA',1,19.90,'2024-02-01 00:00:00',1,'2024-01-15 10:00:00'),('01HXB',1,0,'2024-03-01 00:00:00',0,'2024-01-15 10:00:00'),('01HXC',3,250,NULL,0,'2024-12-31 23:59:59');
INSERT INTO taggables VALUES ('hot','App\Models\User',1),('hot','App\Models\User',2);
INSERT INTO cache VALUES ('laravel_cache_x','s:1:"a";',1704164645);
