-- The rows are ours, made up.
INSERT INTO regions VALUES
	(1, 'Europe'),
	(2, 'Americas');
INSERT INTO countries VALUES
	('DE', 'Germany', 1),
	('UK', 'United Kingdom', 1),
	('US', 'United States', 2),
	('CA', 'Canada', 2);
INSERT INTO locations VALUES
	(1000, 'Seattle', 'US'),
	(1100, 'Munich', 'DE'),
	(1200, 'London', 'UK'),
	(1300, 'Toronto', 'CA');
INSERT INTO departments VALUES
	(10, 'Administration', 1000),
	(20, 'Marketing', 1300),
	(50, 'Shipping', 1000),
	(60, 'IT', 1100),
	(80, 'Sales', 1200);
INSERT INTO jobs VALUES
	('AD_VP', 'Vice President', 15000, 30000),
	('IT_PROG', 'Programmer', 4000, 10000),
	('SA_REP', 'Sales Representative', 6000, 12000),
	('ST_CLERK', 'Stock Clerk', 2000, 5000),
	('MK_MAN', 'Marketing Manager', 9000, 15000);
INSERT INTO employees VALUES
	(100, 'Ana', 'Abel', 'ANA100', '2012-09-04', 'AD_VP', 15000, NULL, NULL, 10),
	(101, 'Ben', 'Duval', 'BEN101', '2019-02-07', 'AD_VP', 16950, NULL, 100, 10),
	(102, 'Chi', 'Grant', 'CHI102', '2016-07-10', 'MK_MAN', 10560, NULL, NULL, 20),
	(103, 'Dov', 'Jonas', 'DOV103', '2013-12-13', 'MK_MAN', 11340, NULL, 102, 20),
	(104, 'Eva', 'Moser', 'EVA104', '2020-05-16', 'MK_MAN', 12120, NULL, 102, 20),
	(105, 'Finn', 'Price', 'FINN105', '2017-10-19', 'ST_CLERK', 3950, NULL, NULL, 50),
	(106, 'Gia', 'Stone', 'GIA106', '2014-03-22', 'ST_CLERK', 4340, NULL, 105, 50),
	(107, 'Hugo', 'Brandt', 'HUGO107', '2021-08-25', 'ST_CLERK', 4730, NULL, 105, 50),
	(108, 'Iris', 'Egger', 'IRIS108', '2018-01-01', 'ST_CLERK', 2120, NULL, 105, 50),
	(109, 'Jan', 'Holm', 'JAN109', '2015-06-04', 'ST_CLERK', 2510, NULL, 105, 50),
	(110, 'Kim', 'Keller', 'KIM110', '2012-11-07', 'ST_CLERK', 2900, NULL, 105, 50),
	(111, 'Lea', 'Nagy', 'LEA111', '2019-04-10', 'ST_CLERK', 3290, NULL, 105, 50),
	(112, 'Max', 'Quist', 'MAX112', '2016-09-13', 'ST_CLERK', 3680, NULL, 105, 50),
	(113, 'Nia', 'Toth', 'NIA113', '2013-02-16', 'ST_CLERK', 4070, NULL, 105, 50),
	(114, 'Otto', 'Costa', 'OTTO114', '2020-07-19', 'IT_PROG', 8920, NULL, NULL, 60),
	(115, 'Pia', 'Falk', 'PIA115', '2017-12-22', 'IT_PROG', 9700, NULL, 114, 60),
	(116, 'Quin', 'Ibsen', 'QUIN116', '2014-05-25', 'IT_PROG', 4480, NULL, 114, 60),
	(117, 'Rosa', 'Lund', 'ROSA117', '2021-10-01', 'IT_PROG', 5260, NULL, 114, 60),
	(118, 'Sam', 'Ortega', 'SAM118', '2018-03-04', 'IT_PROG', 6040, NULL, 114, 60),
	(119, 'Tia', 'Rossi', 'TIA119', '2015-08-07', 'IT_PROG', 6820, NULL, 114, 60),
	(120, 'Ana', 'Abel', 'ANA120', '2012-01-10', 'SA_REP', 9600, NULL, NULL, 80),
	(121, 'Ben', 'Duval', 'BEN121', '2019-06-13', 'SA_REP', 10380, 0.1, 120, 80),
	(122, 'Chi', 'Grant', 'CHI122', '2016-11-16', 'SA_REP', 11160, 0.2, 120, 80),
	(123, 'Dov', 'Jonas', 'DOV123', '2013-04-19', 'SA_REP', 11940, 0.3, 120, 80),
	(124, 'Eva', 'Moser', 'EVA124', '2020-09-22', 'SA_REP', 6720, NULL, 120, 80),
	(125, 'Finn', 'Price', 'FINN125', '2017-02-25', 'SA_REP', 7500, 0.1, 120, 80),
	(126, 'Gia', 'Stone', 'GIA126', '2014-07-01', 'SA_REP', 8280, 0.2, 120, 80),
	(127, 'Hugo', 'Brandt', 'HUGO127', '2021-12-04', 'SA_REP', 9060, 0.3, 120, 80);
INSERT INTO job_history VALUES
	(100, '2008-01-01', '2011-01-28', 'ST_CLERK', 50),
	(103, '2008-01-04', '2011-04-28', 'ST_CLERK', 50),
	(106, '2008-01-07', '2011-07-28', 'ST_CLERK', 50),
	(109, '2008-01-10', '2011-10-28', 'ST_CLERK', 50),
	(112, '2008-01-13', '2011-01-28', 'ST_CLERK', 50),
	(115, '2008-01-16', '2011-04-28', 'ST_CLERK', 50),
	(118, '2008-01-19', '2011-07-28', 'ST_CLERK', 50),
	(121, '2008-01-02', '2011-10-28', 'ST_CLERK', 50),
	(124, '2008-01-05', '2011-01-28', 'ST_CLERK', 50),
	(127, '2008-01-08', '2011-04-28', 'ST_CLERK', 50);
