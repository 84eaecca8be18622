-- A blog, as Rails makes it: an id each, created_at and updated_at, polymorphic columns,
-- joins without a key, single table inheritance, active storage.
CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE TABLE "users" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "type" varchar, "email" varchar DEFAULT '' NOT NULL, "encrypted_password" varchar DEFAULT '' NOT NULL, "reset_password_token" varchar, "role" integer DEFAULT 0 NOT NULL, "admin" boolean DEFAULT 0 NOT NULL, "settings" json DEFAULT '{}', "sign_in_count" integer DEFAULT 0 NOT NULL, "last_sign_in_ip" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE UNIQUE INDEX "index_users_on_email" ON "users" ("email");
CREATE TABLE "profiles" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "bio" text, "website_url" varchar, "birthday" date, CONSTRAINT "fk_rails_1" FOREIGN KEY ("user_id") REFERENCES "users" ("id"));
CREATE UNIQUE INDEX "index_profiles_on_user_id" ON "profiles" ("user_id");
CREATE TABLE "categories" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL, "parent_id" integer, "position" integer, CONSTRAINT "fk_rails_2" FOREIGN KEY ("parent_id") REFERENCES "categories" ("id"));
CREATE INDEX "index_categories_on_parent_id" ON "categories" ("parent_id");
CREATE TABLE "posts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "author_id" integer NOT NULL, "editor_id" integer, "category_id" integer, "title" varchar(255) NOT NULL, "body" text, "state" varchar DEFAULT 'draft' NOT NULL CHECK (state IN ('draft', 'published', 'archived')), "rating" decimal(3,1), "views" bigint DEFAULT 0 NOT NULL, "published_at" datetime(6), "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_3" FOREIGN KEY ("author_id") REFERENCES "users" ("id"), CONSTRAINT "fk_rails_4" FOREIGN KEY ("editor_id") REFERENCES "users" ("id"), CONSTRAINT "fk_rails_5" FOREIGN KEY ("category_id") REFERENCES "categories" ("id"));
CREATE INDEX "index_posts_on_author_id" ON "posts" ("author_id");
CREATE INDEX "index_posts_on_editor_id" ON "posts" ("editor_id");
CREATE INDEX "index_posts_on_category_id" ON "posts" ("category_id");
CREATE TABLE "comments" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "commentable_type" varchar NOT NULL, "commentable_id" integer NOT NULL, "body" text NOT NULL, "created_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_6" FOREIGN KEY ("user_id") REFERENCES "users" ("id"));
CREATE INDEX "index_comments_on_commentable" ON "comments" ("commentable_type", "commentable_id");
CREATE INDEX "index_comments_on_user_id" ON "comments" ("user_id");
CREATE TABLE "tags" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL);
CREATE TABLE "posts_tags" ("post_id" integer NOT NULL, "tag_id" integer NOT NULL, CONSTRAINT "fk_rails_7" FOREIGN KEY ("post_id") REFERENCES "posts" ("id"), CONSTRAINT "fk_rails_8" FOREIGN KEY ("tag_id") REFERENCES "tags" ("id"));
CREATE INDEX "index_posts_tags_on_post_id" ON "posts_tags" ("post_id");
CREATE INDEX "index_posts_tags_on_tag_id" ON "posts_tags" ("tag_id");
CREATE TABLE "active_storage_blobs" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "key" varchar NOT NULL, "filename" varchar NOT NULL, "content_type" varchar, "metadata" text, "byte_size" bigint NOT NULL, "checksum" varchar, "created_at" datetime(6) NOT NULL);
CREATE TABLE "active_storage_attachments" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL, "record_type" varchar NOT NULL, "record_id" bigint NOT NULL, "blob_id" bigint NOT NULL, "created_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_9" FOREIGN KEY ("blob_id") REFERENCES "active_storage_blobs" ("id"));
CREATE INDEX "index_active_storage_attachments_on_blob_id" ON "active_storage_attachments" ("blob_id");
