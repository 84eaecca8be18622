-- In the manner of Hibernate: sequences, timestamp(6), a joined subclass that shares its key, element collections without a key, oid for large objects, float(53).
CREATE SEQUENCE person_seq START WITH 100 INCREMENT BY 50;
CREATE TABLE person (id bigint not null, dtype varchar(31) not null, version integer not null, created timestamp(6), name varchar(255), gender varchar(255) check (gender in ('F','M','X')), primary key (id));
CREATE TABLE employee (id bigint not null references person, salary_grade numeric(38,2), hired date, fulltime boolean not null, boss_id bigint references employee, shift time(6), primary key (id));
CREATE TABLE person_nicknames (person_id bigint not null references person, nicknames varchar(255));
CREATE TABLE document (id uuid not null, owner_id bigint references person, content oid, pages smallint, size_kb float(53), primary key (id));
INSERT INTO person VALUES (1,'Employee',0,'2024-01-02 03:04:05.123','Ann','F'),(2,'Employee',3,'2024-06-01','Bob','M'),(3,'Person',0,NULL,NULL,NULL);
INSERT INTO employee VALUES (1,12.5,'2024-01-01',true,NULL,'08:00'),(2,3,'2024-02-29',false,1,NULL);
INSERT INTO person_nicknames VALUES (1,'Annie'),(1,'A'),(2,NULL);
INSERT INTO document VALUES ('5b7a2f60-aaaa-4000-8000-000000000001',1,16400,3,1.25),('5b7a2f60-aaaa-4000-8000-000000000002',NULL,NULL,NULL,NULL);
