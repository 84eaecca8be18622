-- An extract of the Pagila database, github.com/devrimgunduz/pagila.
-- Copyright (c) Devrim Gündüz. MIT licence.
CREATE TABLE language (language_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE category (category_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT NOT NULL, description TEXT, language_id INTEGER NOT NULL REFERENCES language, rental_duration INTEGER NOT NULL, rental_rate NUMERIC(4,2) NOT NULL, length INTEGER, replacement_cost NUMERIC(5,2) NOT NULL, rating TEXT, release_year INTEGER);
CREATE TABLE actor (actor_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL);
CREATE TABLE film_actor (actor_id INTEGER NOT NULL REFERENCES actor, film_id INTEGER NOT NULL REFERENCES film, PRIMARY KEY (actor_id, film_id));
CREATE TABLE film_category (film_id INTEGER NOT NULL REFERENCES film, category_id INTEGER NOT NULL REFERENCES category, PRIMARY KEY (film_id, category_id));
CREATE TABLE store (store_id INTEGER PRIMARY KEY, city TEXT NOT NULL);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, store_id INTEGER NOT NULL REFERENCES store, active BOOLEAN NOT NULL);
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, store_id INTEGER NOT NULL REFERENCES store, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT, activebool BOOLEAN NOT NULL, create_date DATE NOT NULL);
CREATE TABLE inventory (inventory_id INTEGER PRIMARY KEY, film_id INTEGER NOT NULL REFERENCES film, store_id INTEGER NOT NULL REFERENCES store);
CREATE TABLE rental (rental_id INTEGER PRIMARY KEY, rental_date TIMESTAMPTZ(3) NOT NULL, inventory_id INTEGER NOT NULL REFERENCES inventory, customer_id INTEGER NOT NULL REFERENCES customer, return_date TIMESTAMPTZ(3), staff_id INTEGER NOT NULL REFERENCES staff);
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, staff_id INTEGER NOT NULL REFERENCES staff, rental_id INTEGER NOT NULL REFERENCES rental, amount NUMERIC(5,2) NOT NULL, payment_date TIMESTAMPTZ(3) NOT NULL);
