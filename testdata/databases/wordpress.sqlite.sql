-- In the manner of WordPress on SQLite: no foreign keys, prefixed names, ids of zero for none, times as text that may be 0000-00-00, everything else text.
CREATE TABLE "wp_users" ("ID" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "user_login" TEXT NOT NULL DEFAULT '' COLLATE NOCASE, "user_status" INTEGER NOT NULL DEFAULT 0, "user_registered" TEXT NOT NULL DEFAULT '0000-00-00 00:00:00', "display_name" TEXT NOT NULL DEFAULT '' COLLATE NOCASE);
CREATE TABLE "wp_posts" ("ID" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "post_author" INTEGER NOT NULL DEFAULT 0, "post_date" TEXT NOT NULL DEFAULT '0000-00-00 00:00:00', "post_content" TEXT NOT NULL COLLATE NOCASE, "post_title" TEXT NOT NULL COLLATE NOCASE, "post_parent" INTEGER NOT NULL DEFAULT 0, "menu_order" INTEGER NOT NULL DEFAULT 0);
CREATE INDEX "wp_posts__post_author" ON "wp_posts" ("post_author");
CREATE TABLE "wp_postmeta" ("meta_id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "post_id" INTEGER NOT NULL DEFAULT 0, "meta_key" TEXT DEFAULT NULL COLLATE NOCASE, "meta_value" TEXT COLLATE NOCASE);
CREATE TABLE "wp_term_relationships" ("object_id" INTEGER NOT NULL DEFAULT 0, "term_taxonomy_id" INTEGER NOT NULL DEFAULT 0, "term_order" INTEGER NOT NULL DEFAULT 0, PRIMARY KEY ("object_id", "term_taxonomy_id"));
CREATE TABLE "wp_options" ("option_id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "option_name" TEXT NOT NULL DEFAULT '' UNIQUE COLLATE NOCASE, "option_value" TEXT NOT NULL, "autoload" TEXT NOT NULL DEFAULT 'yes');
INSERT INTO wp_users VALUES (1,'admin',0,'2024-01-02 03:04:05','Admin'),(2,'Editor',0,'0000-00-00 00:00:00','editor');
INSERT INTO wp_posts VALUES (1,1,'2024-01-02 03:04:05','Welcome to WordPress','Hello world!',0,0),(2,1,'2024-01-03 00:00:00','','hello WORLD!',1,-1),(3,0,'0000-00-00 00:00:00','draft','',0,2);
INSERT INTO wp_postmeta VALUES (1,1,'_edit_lock','1704164645:1'),(2,2,NULL,NULL),(3,2,'_EDIT_LOCK','');
INSERT INTO wp_term_relationships VALUES (1,1,0),(2,1,0);
INSERT INTO wp_options VALUES (1,'siteurl','https://example.org','yes'),(2,'blogname','A blog','no');
