-- An extract of the Northwind database, github.com/pthom/northwind_psql, which originates from Microsoft.
-- Microsoft Public License (Ms-PL).
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, category_name VARCHAR(15) NOT NULL, description TEXT);
CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, company_name VARCHAR(40) NOT NULL, country VARCHAR(15));
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name VARCHAR(40) NOT NULL, supplier_id INTEGER REFERENCES suppliers, category_id INTEGER REFERENCES categories, unit_price DOUBLE PRECISION, units_in_stock INTEGER, units_on_order INTEGER, reorder_level INTEGER, discontinued INTEGER NOT NULL);
CREATE TABLE shippers (shipper_id INTEGER PRIMARY KEY, company_name VARCHAR(40) NOT NULL, phone VARCHAR(24));
CREATE TABLE customers (customer_id VARCHAR(5) PRIMARY KEY, company_name VARCHAR(40) NOT NULL, contact_name VARCHAR(30), country VARCHAR(15));
CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, last_name VARCHAR(20) NOT NULL, first_name VARCHAR(10) NOT NULL, title VARCHAR(30), hire_date DATE, reports_to INTEGER REFERENCES employees, city VARCHAR(15));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id VARCHAR(5) REFERENCES customers, employee_id INTEGER REFERENCES employees, order_date DATE, required_date DATE, shipped_date DATE, ship_via INTEGER REFERENCES shippers, freight DOUBLE PRECISION, ship_city VARCHAR(15));
CREATE TABLE order_details (order_id INTEGER NOT NULL REFERENCES orders, product_id INTEGER NOT NULL REFERENCES products, unit_price DOUBLE PRECISION NOT NULL, quantity INTEGER NOT NULL, discount DOUBLE PRECISION NOT NULL, PRIMARY KEY (order_id, product_id));
