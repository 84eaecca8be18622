-- In the manner of Prisma: cuid keys, DATETIME as whole milliseconds from the client and as text from CURRENT_TIMESTAMP, implicit many-to-many tables without a key, JSONB and BLOB columns.
CREATE TABLE "User" ("id" TEXT NOT NULL PRIMARY KEY, "handle" TEXT NOT NULL, "name" TEXT, "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" DATETIME NOT NULL);
CREATE UNIQUE INDEX "User_handle_key" ON "User"("handle");
CREATE TABLE "Post" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "title" TEXT NOT NULL, "published" BOOLEAN NOT NULL DEFAULT false, "rating" REAL, "price" DECIMAL NOT NULL DEFAULT 0, "big" BIGINT, "payload" BLOB, "extra" JSONB, "authorId" TEXT NOT NULL, "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE);
CREATE TABLE "Category" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL);
CREATE TABLE "_CategoryToPost" ("A" INTEGER NOT NULL, "B" INTEGER NOT NULL, CONSTRAINT "_CategoryToPost_A_fkey" FOREIGN KEY ("A") REFERENCES "Category" ("id") ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT "_CategoryToPost_B_fkey" FOREIGN KEY ("B") REFERENCES "Post" ("id") ON DELETE CASCADE ON UPDATE CASCADE);
CREATE UNIQUE INDEX "_CategoryToPost_AB_unique" ON "_CategoryToPost"("A", "B");
CREATE TABLE "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME, "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0, "started_at" DATETIME NOT NULL DEFAULT current_timestamp);
INSERT INTO User VALUES ('clr0a','ann','Ann',1704164645123,1704164645123),('clr0b','bob',NULL,'2024-01-02 03:04:05',1717200000000);
INSERT INTO Post VALUES (1,'Hello',1,4.5,12.5,9007199254740993,x'0001ff','{"k":[1,null]}','clr0a',1704164645123),(2,'hello',0,NULL,0,NULL,NULL,NULL,'clr0a','2024-03-01 00:00:00'),(3,'World',1,0,99.999,-1,x'','"s"','clr0b',1717200000000);
INSERT INTO Category VALUES (1,'News'),(2,'Sport');
INSERT INTO _CategoryToPost VALUES (1,1),(1,3),(2,1);
INSERT INTO _prisma_migrations VALUES ('m1','abc',1704164645123,1,1704164640000);
