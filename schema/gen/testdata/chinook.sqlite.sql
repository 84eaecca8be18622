-- A record shop, in the manner of Chinook: brackets, names in Pascal case, keys named after their table.
CREATE TABLE [Artist] (
    [ArtistId] INTEGER NOT NULL,
    [Name] NVARCHAR(120),
    CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId])
);
CREATE TABLE [Album] (
    [AlbumId] INTEGER NOT NULL,
    [Title] NVARCHAR(160) NOT NULL,
    [ArtistId] INTEGER NOT NULL,
    CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
    FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION ON UPDATE NO ACTION
);
CREATE TABLE [Employee] (
    [EmployeeId] INTEGER NOT NULL,
    [LastName] NVARCHAR(20) NOT NULL,
    [FirstName] NVARCHAR(20) NOT NULL,
    [Title] NVARCHAR(30),
    [ReportsTo] INTEGER,
    [BirthDate] DATETIME,
    [HireDate] DATETIME,
    [Country] NVARCHAR(40),
    [Email] NVARCHAR(60),
    CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
    FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId])
);
CREATE TABLE [Customer] (
    [CustomerId] INTEGER NOT NULL,
    [FirstName] NVARCHAR(40) NOT NULL,
    [LastName] NVARCHAR(20) NOT NULL,
    [Company] NVARCHAR(80),
    [Email] NVARCHAR(60) NOT NULL,
    [SupportRepId] INTEGER,
    CONSTRAINT [PK_Customer] PRIMARY KEY ([CustomerId]),
    FOREIGN KEY ([SupportRepId]) REFERENCES [Employee] ([EmployeeId])
);
CREATE TABLE [Genre] ([GenreId] INTEGER NOT NULL PRIMARY KEY, [Name] NVARCHAR(120));
CREATE TABLE [MediaType] ([MediaTypeId] INTEGER NOT NULL PRIMARY KEY, [Name] NVARCHAR(120));
CREATE TABLE [Track] (
    [TrackId] INTEGER NOT NULL PRIMARY KEY,
    [Name] NVARCHAR(200) NOT NULL,
    [AlbumId] INTEGER REFERENCES [Album],
    [MediaTypeId] INTEGER NOT NULL REFERENCES [MediaType],
    [GenreId] INTEGER REFERENCES [Genre],
    [Composer] NVARCHAR(220),
    [Milliseconds] INTEGER NOT NULL,
    [Bytes] INTEGER,
    [UnitPrice] NUMERIC(10,2) NOT NULL
);
CREATE TABLE [Invoice] (
    [InvoiceId] INTEGER NOT NULL PRIMARY KEY,
    [CustomerId] INTEGER NOT NULL REFERENCES [Customer] ([CustomerId]),
    [InvoiceDate] DATETIME NOT NULL,
    [BillingCountry] NVARCHAR(40),
    [Total] NUMERIC(10,2) NOT NULL
);
CREATE TABLE [InvoiceLine] (
    [InvoiceLineId] INTEGER NOT NULL PRIMARY KEY,
    [InvoiceId] INTEGER NOT NULL REFERENCES [Invoice] ([InvoiceId]),
    [TrackId] INTEGER NOT NULL REFERENCES [Track] ([TrackId]),
    [UnitPrice] NUMERIC(10,2) NOT NULL,
    [Quantity] INTEGER NOT NULL
);
CREATE TABLE [Playlist] ([PlaylistId] INTEGER NOT NULL PRIMARY KEY, [Name] NVARCHAR(120));
CREATE TABLE [PlaylistTrack] (
    [PlaylistId] INTEGER NOT NULL REFERENCES [Playlist] ([PlaylistId]),
    [TrackId] INTEGER NOT NULL REFERENCES [Track] ([TrackId]),
    CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId])
);
CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId]);
CREATE INDEX [IFK_CustomerSupportRepId] ON [Customer] ([SupportRepId]);
CREATE INDEX [IFK_EmployeeReportsTo] ON [Employee] ([ReportsTo]);
CREATE INDEX [IFK_InvoiceCustomerId] ON [Invoice] ([CustomerId]);
CREATE INDEX [IFK_InvoiceLineInvoiceId] ON [InvoiceLine] ([InvoiceId]);
CREATE INDEX [IFK_InvoiceLineTrackId] ON [InvoiceLine] ([TrackId]);
CREATE INDEX [IFK_PlaylistTrackTrackId] ON [PlaylistTrack] ([TrackId]);
CREATE INDEX [IFK_TrackAlbumId] ON [Track] ([AlbumId]);
CREATE INDEX [IFK_TrackGenreId] ON [Track] ([GenreId]);
CREATE INDEX [IFK_TrackMediaTypeId] ON [Track] ([MediaTypeId]);
