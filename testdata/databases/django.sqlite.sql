-- In the manner of Django: "datetime" and "bool" columns, CHECKs of positive numbers and JSON, a many-to-many table with an id, decimals as numbers, durations in microseconds.
CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "last_login" datetime NULL, "is_staff" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE, "date_joined" datetime NOT NULL);
CREATE TABLE "shop_category" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(100) NOT NULL, "parent_id" bigint NULL REFERENCES "shop_category" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "shop_product" ("id" char(32) NOT NULL PRIMARY KEY, "category_id" bigint NOT NULL REFERENCES "shop_category" ("id") DEFERRABLE INITIALLY DEFERRED, "price" decimal NOT NULL, "stock" integer unsigned NOT NULL CHECK ("stock" >= 0), "meta" text NOT NULL CHECK ((JSON_VALID("meta") OR "meta" IS NULL)), "weight" real NULL, "launched" date NULL, "warranty" bigint NULL);
CREATE TABLE "shop_order" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "placed_at" datetime NOT NULL, "state" varchar(8) NOT NULL);
CREATE TABLE "shop_order_products" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "order_id" integer NOT NULL REFERENCES "shop_order" ("id") DEFERRABLE INITIALLY DEFERRED, "product_id" char(32) NOT NULL REFERENCES "shop_product" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX "shop_order_products_uniq" ON "shop_order_products" ("order_id", "product_id");
CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
INSERT INTO auth_user VALUES (1,'2024-01-02 03:04:05.123456',1,'ann','2023-01-01 00:00:00'),(2,NULL,0,'Bob','2024-01-02 03:04:05.123');
INSERT INTO shop_category VALUES (1,'All',NULL),(2,'Food',1),(3,'Bread',2);
INSERT INTO shop_product VALUES ('0a1b2c3d4e5f60718293a4b5c6d7e8f9',3,2.50,10,'{"organic": true}',0.75,'2024-01-31',86400000000),('ffffffffffffffffffffffffffffffff',2,19.99,0,'[]',NULL,NULL,NULL),('11111111111111111111111111111111',2,1000000,3,'null',1e-7,'2023-12-31',0);
INSERT INTO shop_order VALUES (1,1,'2024-01-02 03:04:05.123456','open'),(2,1,'2024-06-30 22:00:00','paid'),(3,2,'2023-12-31 23:30:00.5','open');
INSERT INTO shop_order_products VALUES (1,1,'0a1b2c3d4e5f60718293a4b5c6d7e8f9'),(2,1,'ffffffffffffffffffffffffffffffff'),(3,3,'0a1b2c3d4e5f60718293a4b5c6d7e8f9');
INSERT INTO django_session VALUES ('abc','gAJ9','2024-02-01 00:00:00');
