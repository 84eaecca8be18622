-- An extract of the Customer Orders sample schema, github.com/oracle-samples/db-sample-schemas.
-- Copyright (c) 2023 Oracle and/or its affiliates. MIT licence.
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, email_address VARCHAR(255) NOT NULL, full_name VARCHAR(255) NOT NULL);
CREATE TABLE stores (store_id INTEGER PRIMARY KEY, store_name VARCHAR(255) NOT NULL, web_address VARCHAR(100));
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name VARCHAR(255) NOT NULL, unit_price NUMERIC(10,2));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_tms TIMESTAMPTZ(3) NOT NULL, customer_id INTEGER NOT NULL REFERENCES customers, order_status VARCHAR(10) NOT NULL, store_id INTEGER NOT NULL REFERENCES stores);
CREATE TABLE shipments (shipment_id INTEGER PRIMARY KEY, store_id INTEGER NOT NULL REFERENCES stores, customer_id INTEGER NOT NULL REFERENCES customers, delivery_address VARCHAR(512) NOT NULL, shipment_status VARCHAR(100) NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders, line_item_id INTEGER NOT NULL, product_id INTEGER NOT NULL REFERENCES products, unit_price NUMERIC(10,2) NOT NULL, quantity INTEGER NOT NULL, shipment_id INTEGER REFERENCES shipments, PRIMARY KEY (order_id, line_item_id));
CREATE TABLE inventory (inventory_id INTEGER PRIMARY KEY, store_id INTEGER NOT NULL REFERENCES stores, product_id INTEGER NOT NULL REFERENCES products, product_inventory INTEGER NOT NULL);
