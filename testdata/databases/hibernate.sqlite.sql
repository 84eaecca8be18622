-- In the manner of Hibernate: bigint keys from a sequence table, timestamps as whole milliseconds, booleans as integers, a joined subclass that shares its key, element collections without a key.
CREATE TABLE hibernate_sequence (next_val bigint);
CREATE TABLE person (id bigint not null, dtype varchar(31) not null, version integer not null, created timestamp, name varchar(255), primary key (id));
CREATE TABLE employee (id bigint not null references person, salary_grade numeric(19,2), hired date, fulltime boolean not null, boss_id bigint references employee, primary key (id));
CREATE TABLE person_nicknames (person_id bigint not null references person, nicknames varchar(255));
CREATE TABLE document (id varchar(36) not null, owner_id bigint references person, content clob, scan blob, pages smallint, size_kb float, primary key (id));
INSERT INTO hibernate_sequence VALUES (51);
INSERT INTO person VALUES (1,'Employee',0,1704164645123,'Ann'),(2,'Employee',3,1717200000000,'Bob'),(3,'Person',0,NULL,NULL);
INSERT INTO employee VALUES (1,12.5,1704067200000,1,NULL),(2,3,'2024-02-29',0,1);
INSERT INTO person_nicknames VALUES (1,'Annie'),(1,'A'),(2,NULL);
INSERT INTO document VALUES ('5b7a2f60-aaaa-4000-8000-000000000001',1,'Some words',x'01',3,1.25),('5b7a2f60-aaaa-4000-8000-000000000002',NULL,NULL,NULL,NULL,NULL);
