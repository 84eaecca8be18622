-- A shop in the manner of Django: users, a tree of categories, products with JSON, orders, and the products of orders as a table between.
CREATE TABLE auth_user (id INTEGER PRIMARY KEY, last_login TIMESTAMP, is_staff BOOLEAN NOT NULL, username VARCHAR(150) NOT NULL, date_joined TIMESTAMP NOT NULL);
CREATE TABLE shop_category (id INTEGER PRIMARY KEY, name VARCHAR(100) NOT NULL, parent_id INTEGER REFERENCES shop_category (id));
CREATE TABLE shop_product (id INTEGER PRIMARY KEY, category_id INTEGER NOT NULL REFERENCES shop_category (id), price DECIMAL(10,2) NOT NULL, stock INTEGER NOT NULL, meta JSON NOT NULL, weight DOUBLE PRECISION, launched DATE);
CREATE TABLE shop_order (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES auth_user (id), placed_at TIMESTAMP NOT NULL, state VARCHAR(8) NOT NULL);
CREATE TABLE shop_order_products (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES shop_order (id), product_id INTEGER NOT NULL REFERENCES shop_product (id), UNIQUE (order_id, product_id));
