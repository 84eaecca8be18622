-- A record shop, in the manner of Chinook: quoted names in Pascal case, keys named after their table.
CREATE TABLE "Artist" (
    "ArtistId" int NOT NULL,
    "Name" varchar(120),
    CONSTRAINT "PK_Artist" PRIMARY KEY ("ArtistId")
);
CREATE TABLE "Album" (
    "AlbumId" int NOT NULL,
    "Title" varchar(160) NOT NULL,
    "ArtistId" int NOT NULL,
    CONSTRAINT "PK_Album" PRIMARY KEY ("AlbumId"),
    FOREIGN KEY ("ArtistId") REFERENCES "Artist" ("ArtistId") ON DELETE NO ACTION ON UPDATE NO ACTION
);
CREATE TABLE "Employee" (
    "EmployeeId" int NOT NULL,
    "LastName" varchar(20) NOT NULL,
    "FirstName" varchar(20) NOT NULL,
    "Title" varchar(30),
    "ReportsTo" int,
    "BirthDate" timestamp,
    "HireDate" timestamp,
    "Country" varchar(40),
    "Email" varchar(60),
    CONSTRAINT "PK_Employee" PRIMARY KEY ("EmployeeId"),
    FOREIGN KEY ("ReportsTo") REFERENCES "Employee" ("EmployeeId")
);
CREATE TABLE "Customer" (
    "CustomerId" int NOT NULL,
    "FirstName" varchar(40) NOT NULL,
    "LastName" varchar(20) NOT NULL,
    "Company" varchar(80),
    "Email" varchar(60) NOT NULL,
    "SupportRepId" int,
    CONSTRAINT "PK_Customer" PRIMARY KEY ("CustomerId"),
    FOREIGN KEY ("SupportRepId") REFERENCES "Employee" ("EmployeeId")
);
CREATE TABLE "Genre" ("GenreId" int NOT NULL PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "MediaType" ("MediaTypeId" int NOT NULL PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "Track" (
    "TrackId" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "Name" varchar(200) NOT NULL,
    "AlbumId" int REFERENCES "Album",
    "MediaTypeId" int NOT NULL REFERENCES "MediaType",
    "GenreId" int REFERENCES "Genre",
    "Composer" varchar(220),
    "Milliseconds" int NOT NULL,
    "Bytes" int,
    "UnitPrice" NUMERIC(10,2) NOT NULL
);
CREATE TABLE "Invoice" (
    "InvoiceId" int NOT NULL PRIMARY KEY,
    "CustomerId" int NOT NULL REFERENCES "Customer" ("CustomerId"),
    "InvoiceDate" timestamp NOT NULL,
    "BillingCountry" varchar(40),
    "Total" NUMERIC(10,2) NOT NULL
);
CREATE TABLE "InvoiceLine" (
    "InvoiceLineId" int NOT NULL PRIMARY KEY,
    "InvoiceId" int NOT NULL REFERENCES "Invoice" ("InvoiceId"),
    "TrackId" int NOT NULL REFERENCES "Track" ("TrackId"),
    "UnitPrice" NUMERIC(10,2) NOT NULL,
    "Quantity" int NOT NULL
);
CREATE TABLE "Playlist" ("PlaylistId" int NOT NULL PRIMARY KEY, "Name" varchar(120));
CREATE TABLE "PlaylistTrack" (
    "PlaylistId" int NOT NULL REFERENCES "Playlist" ("PlaylistId"),
    "TrackId" int NOT NULL REFERENCES "Track" ("TrackId"),
    CONSTRAINT "PK_PlaylistTrack" PRIMARY KEY ("PlaylistId", "TrackId")
);
CREATE INDEX "IFK_AlbumArtistId" ON "Album" ("ArtistId");
CREATE INDEX "IFK_CustomerSupportRepId" ON "Customer" ("SupportRepId");
CREATE INDEX "IFK_EmployeeReportsTo" ON "Employee" ("ReportsTo");
CREATE INDEX "IFK_InvoiceCustomerId" ON "Invoice" ("CustomerId");
CREATE INDEX "IFK_InvoiceLineInvoiceId" ON "InvoiceLine" ("InvoiceId");
CREATE INDEX "IFK_InvoiceLineTrackId" ON "InvoiceLine" ("TrackId");
CREATE INDEX "IFK_PlaylistTrackTrackId" ON "PlaylistTrack" ("TrackId");
CREATE INDEX "IFK_TrackAlbumId" ON "Track" ("AlbumId");
CREATE INDEX "IFK_TrackGenreId" ON "Track" ("GenreId");
CREATE INDEX "IFK_TrackMediaTypeId" ON "Track" ("MediaTypeId");
