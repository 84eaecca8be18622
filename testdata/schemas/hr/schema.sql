-- An extract of the HR sample schema, github.com/oracle-samples/db-sample-schemas.
-- Copyright (c) 2023 Oracle and/or its affiliates. MIT licence.
CREATE TABLE regions (region_id INTEGER PRIMARY KEY, region_name VARCHAR(25));
CREATE TABLE countries (country_id VARCHAR(2) PRIMARY KEY, country_name VARCHAR(60), region_id INTEGER REFERENCES regions);
CREATE TABLE locations (location_id INTEGER PRIMARY KEY, city VARCHAR(30) NOT NULL, country_id VARCHAR(2) REFERENCES countries);
CREATE TABLE departments (department_id INTEGER PRIMARY KEY, department_name VARCHAR(30) NOT NULL, location_id INTEGER REFERENCES locations);
CREATE TABLE jobs (job_id VARCHAR(10) PRIMARY KEY, job_title VARCHAR(35) NOT NULL, min_salary INTEGER, max_salary INTEGER);
CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, first_name VARCHAR(20), last_name VARCHAR(25) NOT NULL, email VARCHAR(25) NOT NULL, hire_date DATE NOT NULL, job_id VARCHAR(10) NOT NULL REFERENCES jobs, salary INTEGER, commission_pct DOUBLE PRECISION, manager_id INTEGER REFERENCES employees, department_id INTEGER REFERENCES departments);
CREATE TABLE job_history (employee_id INTEGER NOT NULL REFERENCES employees, start_date DATE NOT NULL, end_date DATE NOT NULL, job_id VARCHAR(10) NOT NULL REFERENCES jobs, department_id INTEGER REFERENCES departments, PRIMARY KEY (employee_id, start_date));
