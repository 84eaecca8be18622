-- A trader, in the manner of Northwind: names with blanks, text keys, a composite key, tables that join.
CREATE TABLE "Categories" (
    "CategoryID" serial PRIMARY KEY,
    "CategoryName" TEXT NOT NULL,
    "Description" TEXT,
    "Picture" bytea
);
CREATE TABLE "Customers" (
    "CustomerID" varchar(5) NOT NULL PRIMARY KEY,
    "CompanyName" TEXT NOT NULL,
    "ContactName" TEXT,
    "Country" TEXT
);
CREATE TABLE "CustomerDemographics" (
    "CustomerTypeID" TEXT NOT NULL PRIMARY KEY,
    "CustomerDesc" TEXT
);
CREATE TABLE "CustomerCustomerDemo" (
    "CustomerID" varchar(5) NOT NULL,
    "CustomerTypeID" TEXT NOT NULL,
    PRIMARY KEY ("CustomerID", "CustomerTypeID"),
    FOREIGN KEY ("CustomerID") REFERENCES "Customers" ("CustomerID"),
    FOREIGN KEY ("CustomerTypeID") REFERENCES "CustomerDemographics" ("CustomerTypeID")
);
CREATE INDEX "demo type" ON "CustomerCustomerDemo" ("CustomerTypeID");
CREATE TABLE "Employees" (
    "EmployeeID" serial PRIMARY KEY,
    "LastName" TEXT NOT NULL,
    "Title Of Courtesy" TEXT CHECK ("Title Of Courtesy" IN ('Mr.', 'Ms.', 'Dr.')),
    "BirthDate" DATE,
    "Photo" bytea,
    "ReportsTo" int REFERENCES "Employees" ("EmployeeID")
);
CREATE INDEX "reports to" ON "Employees" ("ReportsTo");
CREATE TABLE "Regions" ("RegionID" int NOT NULL PRIMARY KEY, "RegionDescription" TEXT NOT NULL);
CREATE TABLE "Territories" (
    "TerritoryID" TEXT NOT NULL PRIMARY KEY,
    "TerritoryDescription" TEXT NOT NULL,
    "RegionID" int NOT NULL REFERENCES "Regions" ("RegionID")
);
CREATE INDEX "territory region" ON "Territories" ("RegionID");
CREATE TABLE "EmployeeTerritories" (
    "EmployeeID" int NOT NULL REFERENCES "Employees" ("EmployeeID"),
    "TerritoryID" TEXT NOT NULL REFERENCES "Territories" ("TerritoryID"),
    PRIMARY KEY ("EmployeeID", "TerritoryID")
);
CREATE INDEX "territory employees" ON "EmployeeTerritories" ("TerritoryID");
CREATE TABLE "Shippers" ("ShipperID" serial PRIMARY KEY, "CompanyName" TEXT NOT NULL);
CREATE TABLE "Products" (
    "ProductID" serial PRIMARY KEY,
    "ProductName" TEXT NOT NULL,
    "CategoryID" int REFERENCES "Categories" ("CategoryID"),
    "Unit Price" numeric(19,4) DEFAULT 0 CHECK ("Unit Price" >= 0),
    "Discontinued" BOOLEAN NOT NULL DEFAULT false
);
CREATE INDEX "product category" ON "Products" ("CategoryID");
CREATE TABLE "Orders" (
    "OrderID" serial PRIMARY KEY,
    "CustomerID" varchar(5) REFERENCES "Customers" ("CustomerID"),
    "EmployeeID" int REFERENCES "Employees" ("EmployeeID"),
    "OrderDate" timestamptz,
    "ShipVia" int REFERENCES "Shippers" ("ShipperID"),
    "Freight" numeric(19,4) DEFAULT 0
);
CREATE INDEX "order customer" ON "Orders" ("CustomerID");
CREATE INDEX "order employee" ON "Orders" ("EmployeeID");
CREATE INDEX "order shipper" ON "Orders" ("ShipVia");
CREATE TABLE "Order Details" (
    "OrderID" int NOT NULL REFERENCES "Orders" ("OrderID"),
    "ProductID" int NOT NULL REFERENCES "Products" ("ProductID"),
    "Unit Price" numeric(19,4) NOT NULL DEFAULT 0,
    "Quantity" smallint NOT NULL DEFAULT 1,
    "Discount" real NOT NULL DEFAULT 0,
    PRIMARY KEY ("OrderID", "ProductID")
);
CREATE INDEX "detail product" ON "Order Details" ("ProductID");
