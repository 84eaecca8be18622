-- In the manner of an ERP: companies with composite keys, amounts as DECIMAL and as cents, ledgers with checks, a self-referring chart, names with spaces and reserved words, triggers with RAISE.
CREATE TABLE company (code CHAR(4) NOT NULL PRIMARY KEY, "legal name" NVARCHAR(80) NOT NULL, currency CHAR(3) NOT NULL DEFAULT 'EUR', fiscal_start DATE NOT NULL, vat DECIMAL(5,4));
CREATE TABLE account (company_code CHAR(4) NOT NULL REFERENCES company (code), "no" INTEGER NOT NULL, "group" VARCHAR(20), parent_no INTEGER, active BOOLEAN NOT NULL DEFAULT TRUE, PRIMARY KEY (company_code, "no"), FOREIGN KEY (company_code, parent_no) REFERENCES account (company_code, "no"));
CREATE TABLE entry (id INTEGER PRIMARY KEY, company_code CHAR(4) NOT NULL, account_no INTEGER NOT NULL, posted TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, amount DECIMAL(18,4) NOT NULL, cents BIGINT NOT NULL, "order" INTEGER, memo_line VARCHAR(200), gross DECIMAL(18,4) GENERATED ALWAYS AS (amount * 2) STORED, FOREIGN KEY (company_code, account_no) REFERENCES account (company_code, "no") ON UPDATE CASCADE);
CREATE TRIGGER entry_closed BEFORE DELETE ON entry WHEN OLD.cents = 0 BEGIN SELECT RAISE(ABORT, 'closed'); END;
CREATE TABLE rate (currency CHAR(3) NOT NULL, day DATE NOT NULL, rate DOUBLE PRECISION NOT NULL, UNIQUE (currency, day));
CREATE TABLE import_line (line TEXT, amount DECIMAL(10,2), qty INTEGER, flag BOOLEAN);
INSERT INTO company VALUES ('AC01','Acme GmbH','EUR','2024-01-01',0.19),('ZZ99','Zed Ltd','GBP','2024-04-06',0.2);
INSERT INTO account VALUES ('AC01',1000,'asset',NULL,1),('AC01',1010,'asset',1000,1),('ZZ99',1000,NULL,NULL,0);
INSERT INTO entry (id, company_code, account_no, posted, amount, cents, "order", memo_line) VALUES (1,'AC01',1000,'2024-01-02 03:04:05',10.01,1001,1,'Opening balance'),(2,'AC01',1010,'2024-01-02 03:04:05',-0.1,-10,NULL,NULL),(3,'ZZ99',1000,'2024-12-31 23:59:59',0.2,20,2,'opening BALANCE'),(4,'AC01',1010,'2024-02-01 00:00:00',123456789.1234,12345678912,NULL,'');
INSERT INTO rate VALUES ('USD','2024-01-02',1.0956),('USD','2024-01-03',1.0919),('GBP','2024-01-02',0.86645);
INSERT INTO import_line VALUES ('a','12.50',1,'t'),('b','',' ','f'),('c','1,5','x',''),('d',NULL,NULL,NULL);
CREATE TABLE import_more (line INTEGER NOT NULL UNIQUE, ident UUID, other UUID, doc JSON, size REAL, label TEXT, at DATETIME);
INSERT INTO import_more VALUES (1,'5B7A2F60-AAAA-4000-8000-000000000001','{5b7a2f60}','{','x',x'00ff',2460000),(2,'5b7a2f60-aaaa-4000-8000-000000000002','5b7a2f60-aaaa-4000-8000-000000000002','[1]',1.5,'b','2024-01-02 03:04:05'),(3,'5B7A2F60-AAAA-4000-8000-000000000002',NULL,NULL,NULL,NULL,NULL),(4,'5b7a2f60-aaaa-4000-8000-000000000001',NULL,NULL,NULL,NULL,NULL);
