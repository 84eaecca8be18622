-- In the manner of WordPress moved to PostgreSQL by pgloader: bigint keys, smallints for flags, no foreign keys, citext-like texts as they are.
CREATE TABLE wp_users ("ID" bigserial PRIMARY KEY, user_login varchar(60) NOT NULL DEFAULT '', user_status integer NOT NULL DEFAULT 0, user_registered timestamptz, display_name varchar(250) NOT NULL DEFAULT '');
CREATE TABLE wp_posts ("ID" bigserial PRIMARY KEY, post_author numeric NOT NULL DEFAULT 0, post_date timestamptz, post_content text NOT NULL, post_title text NOT NULL, post_parent numeric NOT NULL DEFAULT 0, menu_order bigint NOT NULL DEFAULT 0);
CREATE TABLE wp_postmeta (meta_id bigserial PRIMARY KEY, post_id numeric NOT NULL DEFAULT 0, meta_key varchar(255), meta_value text);
CREATE TABLE wp_term_relationships (object_id numeric NOT NULL DEFAULT 0, term_taxonomy_id numeric NOT NULL DEFAULT 0, term_order bigint NOT NULL DEFAULT 0, PRIMARY KEY (object_id, term_taxonomy_id));
INSERT INTO wp_users VALUES (1,'admin',0,'2024-01-02 03:04:05+00','Admin'),(2,'Editor',0,NULL,'editor');
INSERT INTO wp_posts VALUES (1,1,'2024-01-02 03:04:05+00','Welcome to WordPress','Hello world!',0,0),(2,1,'2024-01-03 00:00:00+00','','hello WORLD!',1,-1),(3,0,NULL,'draft','',0,2);
INSERT INTO wp_postmeta VALUES (1,1,'_edit_lock','1704164645:1'),(2,2,NULL,NULL),(3,2,'_EDIT_LOCK','');
INSERT INTO wp_term_relationships VALUES (1,1,0),(2,1,0);
SELECT setval('"wp_users_ID_seq"', 100), setval('"wp_posts_ID_seq"', 100), setval('wp_postmeta_meta_id_seq', 100);
