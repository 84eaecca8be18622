-- A trader, in the manner of Northwind: names with blanks, text keys, a composite key, tables that join.
CREATE TABLE "Categories" (
    "CategoryID" INTEGER PRIMARY KEY AUTOINCREMENT,
    "CategoryName" TEXT NOT NULL,
    "Description" TEXT,
    "Picture" BLOB
);
CREATE TABLE "Customers" (
    "CustomerID" TEXT NOT NULL PRIMARY KEY,
    "CompanyName" TEXT NOT NULL,
    "ContactName" TEXT,
    "Country" TEXT
);
CREATE TABLE "CustomerDemographics" (
    "CustomerTypeID" TEXT NOT NULL PRIMARY KEY,
    "CustomerDesc" TEXT
);
CREATE TABLE "CustomerCustomerDemo" (
    "CustomerID" TEXT NOT NULL,
    "CustomerTypeID" TEXT NOT NULL,
    PRIMARY KEY ("CustomerID", "CustomerTypeID"),
    FOREIGN KEY ("CustomerID") REFERENCES "Customers" ("CustomerID"),
    FOREIGN KEY ("CustomerTypeID") REFERENCES "CustomerDemographics" ("CustomerTypeID")
);
CREATE INDEX "demo type" ON "CustomerCustomerDemo" ("CustomerTypeID");
CREATE TABLE "Employees" (
    "EmployeeID" INTEGER PRIMARY KEY AUTOINCREMENT,
    "LastName" TEXT NOT NULL,
    "Title Of Courtesy" TEXT CHECK ("Title Of Courtesy" IN ('Mr.', 'Ms.', 'Dr.')),
    "BirthDate" DATE,
    "Photo" BLOB,
    "ReportsTo" INTEGER REFERENCES "Employees" ("EmployeeID")
);
CREATE INDEX "reports to" ON "Employees" ("ReportsTo");
CREATE TABLE "Regions" ("RegionID" INTEGER NOT NULL PRIMARY KEY, "RegionDescription" TEXT NOT NULL);
CREATE TABLE "Territories" (
    "TerritoryID" TEXT NOT NULL PRIMARY KEY,
    "TerritoryDescription" TEXT NOT NULL,
    "RegionID" INTEGER NOT NULL REFERENCES "Regions" ("RegionID")
);
CREATE INDEX "territory region" ON "Territories" ("RegionID");
CREATE TABLE "EmployeeTerritories" (
    "EmployeeID" INTEGER NOT NULL REFERENCES "Employees" ("EmployeeID"),
    "TerritoryID" TEXT NOT NULL REFERENCES "Territories" ("TerritoryID"),
    PRIMARY KEY ("EmployeeID", "TerritoryID")
);
CREATE INDEX "territory employees" ON "EmployeeTerritories" ("TerritoryID");
CREATE TABLE "Shippers" ("ShipperID" INTEGER PRIMARY KEY AUTOINCREMENT, "CompanyName" TEXT NOT NULL);
CREATE TABLE "Products" (
    "ProductID" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ProductName" TEXT NOT NULL,
    "CategoryID" INTEGER REFERENCES "Categories" ("CategoryID"),
    "Unit Price" NUMERIC DEFAULT 0 CHECK ("Unit Price" >= 0),
    "Discontinued" BOOLEAN NOT NULL DEFAULT 0
);
CREATE INDEX "product category" ON "Products" ("CategoryID");
CREATE TABLE "Orders" (
    "OrderID" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "CustomerID" TEXT REFERENCES "Customers" ("CustomerID"),
    "EmployeeID" INTEGER REFERENCES "Employees" ("EmployeeID"),
    "OrderDate" DATETIME,
    "ShipVia" INTEGER REFERENCES "Shippers" ("ShipperID"),
    "Freight" NUMERIC DEFAULT 0
);
CREATE INDEX "order customer" ON "Orders" ("CustomerID");
CREATE INDEX "order employee" ON "Orders" ("EmployeeID");
CREATE INDEX "order shipper" ON "Orders" ("ShipVia");
CREATE TABLE "Order Details" (
    "OrderID" INTEGER NOT NULL REFERENCES "Orders" ("OrderID"),
    "ProductID" INTEGER NOT NULL REFERENCES "Products" ("ProductID"),
    "Unit Price" NUMERIC NOT NULL DEFAULT 0,
    "Quantity" INTEGER NOT NULL DEFAULT 1,
    "Discount" REAL NOT NULL DEFAULT 0,
    PRIMARY KEY ("OrderID", "ProductID")
);
CREATE INDEX "detail product" ON "Order Details" ("ProductID");
