CREATE TABLE travellers (id {int} PRIMARY KEY, name TEXT NOT NULL, passport TEXT NOT NULL);
CREATE TABLE trips (id {int} PRIMARY KEY, city TEXT NOT NULL, card TEXT NOT NULL, note TEXT);
INSERT INTO travellers VALUES (1, 'Emma', 'C01X00T47');
INSERT INTO trips VALUES (1, 'Paris', 'visa-1', NULL);
