-- An extract of the Chinook database, github.com/lerocha/chinook-database.
-- Copyright (c) 2008-2024 Luis Rocha. MIT licence.
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name VARCHAR(120));
CREATE TABLE album (album_id INTEGER PRIMARY KEY, title VARCHAR(160) NOT NULL, artist_id INTEGER NOT NULL REFERENCES artist);
CREATE TABLE genre (genre_id INTEGER PRIMARY KEY, name VARCHAR(120));
CREATE TABLE media_type (media_type_id INTEGER PRIMARY KEY, name VARCHAR(120));
CREATE TABLE track (track_id INTEGER PRIMARY KEY, name VARCHAR(200) NOT NULL, album_id INTEGER REFERENCES album, media_type_id INTEGER NOT NULL REFERENCES media_type, genre_id INTEGER REFERENCES genre, composer VARCHAR(220), milliseconds INTEGER NOT NULL, bytes INTEGER, unit_price NUMERIC(10,2) NOT NULL);
CREATE TABLE playlist (playlist_id INTEGER PRIMARY KEY, name VARCHAR(120));
CREATE TABLE playlist_track (playlist_id INTEGER NOT NULL REFERENCES playlist, track_id INTEGER NOT NULL REFERENCES track, PRIMARY KEY (playlist_id, track_id));
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, last_name VARCHAR(20) NOT NULL, first_name VARCHAR(20) NOT NULL, title VARCHAR(30), reports_to INTEGER REFERENCES employee, hire_date TIMESTAMPTZ(3), city VARCHAR(40));
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name VARCHAR(40) NOT NULL, last_name VARCHAR(20) NOT NULL, company VARCHAR(80), city VARCHAR(40), country VARCHAR(40), email VARCHAR(60) NOT NULL, support_rep_id INTEGER REFERENCES employee);
CREATE TABLE invoice (invoice_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, invoice_date TIMESTAMPTZ(3) NOT NULL, billing_city VARCHAR(40), billing_country VARCHAR(40), total NUMERIC(10,2) NOT NULL);
CREATE TABLE invoice_line (invoice_line_id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoice, track_id INTEGER NOT NULL REFERENCES track, unit_price NUMERIC(10,2) NOT NULL, quantity INTEGER NOT NULL);
