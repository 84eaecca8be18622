-- A blog, as Rails makes it: an id each, created_at and updated_at, polymorphic columns,
-- joins without a key, single table inheritance, active storage.
CREATE TABLE "schema_migrations" ("version" character varying NOT NULL PRIMARY KEY);
CREATE TABLE "ar_internal_metadata" ("key" character varying NOT NULL PRIMARY KEY, "value" character varying, "created_at" timestamp(6) without time zone NOT NULL, "updated_at" timestamp(6) without time zone NOT NULL);
CREATE TABLE "users" ("id" bigserial NOT NULL PRIMARY KEY, "type" character varying, "email" character varying DEFAULT '' NOT NULL, "encrypted_password" character varying DEFAULT '' NOT NULL, "reset_password_token" character varying, "role" integer DEFAULT 0 NOT NULL, "admin" boolean DEFAULT false NOT NULL, "settings" jsonb DEFAULT '{}', "sign_in_count" integer DEFAULT 0 NOT NULL, "last_sign_in_ip" inet, "created_at" timestamp(6) without time zone NOT NULL, "updated_at" timestamp(6) without time zone NOT NULL);
CREATE UNIQUE INDEX "index_users_on_email" ON "users" ("email");
CREATE TABLE "profiles" ("id" bigserial NOT NULL PRIMARY KEY, "user_id" bigint NOT NULL, "bio" text, "website_url" character varying, "birthday" date, CONSTRAINT "fk_rails_1" FOREIGN KEY ("user_id") REFERENCES "users" ("id"));
CREATE UNIQUE INDEX "index_profiles_on_user_id" ON "profiles" ("user_id");
CREATE TABLE "categories" ("id" bigserial NOT NULL PRIMARY KEY, "name" character varying NOT NULL, "parent_id" bigint, "position" integer, CONSTRAINT "fk_rails_2" FOREIGN KEY ("parent_id") REFERENCES "categories" ("id"));
CREATE INDEX "index_categories_on_parent_id" ON "categories" ("parent_id");
CREATE TABLE "posts" ("id" bigserial NOT NULL PRIMARY KEY, "author_id" bigint NOT NULL, "editor_id" bigint, "category_id" bigint, "title" character varying(255) NOT NULL, "body" text, "state" character varying DEFAULT 'draft' NOT NULL CHECK (state IN ('draft', 'published', 'archived')), "rating" decimal(3,1), "views" bigint DEFAULT 0 NOT NULL, "published_at" timestamp(6) without time zone, "created_at" timestamp(6) without time zone NOT NULL, "updated_at" timestamp(6) without time zone NOT NULL, CONSTRAINT "fk_rails_3" FOREIGN KEY ("author_id") REFERENCES "users" ("id"), CONSTRAINT "fk_rails_4" FOREIGN KEY ("editor_id") REFERENCES "users" ("id"), CONSTRAINT "fk_rails_5" FOREIGN KEY ("category_id") REFERENCES "categories" ("id"));
CREATE INDEX "index_posts_on_author_id" ON "posts" ("author_id");
CREATE INDEX "index_posts_on_editor_id" ON "posts" ("editor_id");
CREATE INDEX "index_posts_on_category_id" ON "posts" ("category_id");
CREATE TABLE "comments" ("id" bigserial NOT NULL PRIMARY KEY, "user_id" bigint NOT NULL, "commentable_type" character varying NOT NULL, "commentable_id" bigint NOT NULL, "body" text NOT NULL, "created_at" timestamp(6) without time zone NOT NULL, CONSTRAINT "fk_rails_6" FOREIGN KEY ("user_id") REFERENCES "users" ("id"));
CREATE INDEX "index_comments_on_commentable" ON "comments" ("commentable_type", "commentable_id");
CREATE INDEX "index_comments_on_user_id" ON "comments" ("user_id");
CREATE TABLE "tags" ("id" bigserial NOT NULL PRIMARY KEY, "name" character varying NOT NULL);
CREATE TABLE "posts_tags" ("post_id" bigint NOT NULL, "tag_id" bigint NOT NULL, CONSTRAINT "fk_rails_7" FOREIGN KEY ("post_id") REFERENCES "posts" ("id"), CONSTRAINT "fk_rails_8" FOREIGN KEY ("tag_id") REFERENCES "tags" ("id"));
CREATE INDEX "index_posts_tags_on_post_id" ON "posts_tags" ("post_id");
CREATE INDEX "index_posts_tags_on_tag_id" ON "posts_tags" ("tag_id");
CREATE TABLE "active_storage_blobs" ("id" bigserial NOT NULL PRIMARY KEY, "key" character varying NOT NULL, "filename" character varying NOT NULL, "content_type" character varying, "metadata" text, "byte_size" bigint NOT NULL, "checksum" character varying, "created_at" timestamp(6) without time zone NOT NULL);
CREATE TABLE "active_storage_attachments" ("id" bigserial NOT NULL PRIMARY KEY, "name" character varying NOT NULL, "record_type" character varying NOT NULL, "record_id" bigint NOT NULL, "blob_id" bigint NOT NULL, "created_at" timestamp(6) without time zone NOT NULL, CONSTRAINT "fk_rails_9" FOREIGN KEY ("blob_id") REFERENCES "active_storage_blobs" ("id"));
CREATE INDEX "index_active_storage_attachments_on_blob_id" ON "active_storage_attachments" ("blob_id");
