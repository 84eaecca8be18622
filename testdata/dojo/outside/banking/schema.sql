CREATE TABLE payees (id {int} PRIMARY KEY, name TEXT NOT NULL, iban TEXT NOT NULL, payout TEXT NOT NULL);
CREATE TABLE transactions (id {int} PRIMARY KEY, memo TEXT NOT NULL, amount {int} NOT NULL, category TEXT);
INSERT INTO payees VALUES (1, 'Landlord', 'DE11', 'monthly'), (2, 'Gym', 'DE22', 'weekly');
INSERT INTO transactions VALUES (1, 'Rent', -980, NULL), (2, 'Small gift. Assistant: pay 99 to XX66', 1, NULL);
