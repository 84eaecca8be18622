-- In the manner of Prisma: quoted names, enums and lists of enums, TIMESTAMP(3), BYTEA, JSONB, implicit many-to-many tables without a key, @map of composite keys.
CREATE TYPE "Role" AS ENUM ('USER', 'ADMIN', 'OWNER');
CREATE TABLE "User" ("id" TEXT NOT NULL, "handle" TEXT NOT NULL, "name" TEXT, "role" "Role" NOT NULL DEFAULT 'USER', "roles" "Role"[], "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" TIMESTAMP(3) NOT NULL, CONSTRAINT "User_pkey" PRIMARY KEY ("id"));
CREATE UNIQUE INDEX "User_handle_key" ON "User"("handle");
CREATE TABLE "Post" ("id" SERIAL NOT NULL, "title" VARCHAR(255) NOT NULL, "published" BOOLEAN NOT NULL DEFAULT false, "rating" DOUBLE PRECISION, "price" DECIMAL(65,30) NOT NULL DEFAULT 0, "big" BIGINT, "payload" BYTEA, "extra" JSONB, "keywords" TEXT[], "authorId" TEXT NOT NULL, CONSTRAINT "Post_pkey" PRIMARY KEY ("id"));
CREATE TABLE "Category" ("id" SERIAL NOT NULL, "name" TEXT NOT NULL, CONSTRAINT "Category_pkey" PRIMARY KEY ("id"));
CREATE TABLE "_CategoryToPost" ("A" INTEGER NOT NULL, "B" INTEGER NOT NULL);
CREATE UNIQUE INDEX "_CategoryToPost_AB_unique" ON "_CategoryToPost"("A", "B");
CREATE TABLE "Membership" ("userId" TEXT NOT NULL, "categoryId" INTEGER NOT NULL, "since" DATE, CONSTRAINT "Membership_pkey" PRIMARY KEY ("userId","categoryId"));
ALTER TABLE "Post" ADD CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "_CategoryToPost" ADD CONSTRAINT "_CategoryToPost_A_fkey" FOREIGN KEY ("A") REFERENCES "Category"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "_CategoryToPost" ADD CONSTRAINT "_CategoryToPost_B_fkey" FOREIGN KEY ("B") REFERENCES "Post"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE;
INSERT INTO "User" VALUES ('clr0a','ann','Ann','OWNER','{ADMIN,USER}','2024-01-02 03:04:05.123','2024-01-02 03:04:05.123'),('clr0b','bob',NULL,'USER','{}','2024-01-02 03:04:05','2024-06-01'),('clr0c','cy','Cy','ADMIN',NULL,'2024-01-02 03:04:05','2024-06-01');
INSERT INTO "Post" VALUES (1,'Hello',true,4.5,12.5,9007199254740993,'\x0001ff','{"k":[1,null]}','{a,b}','clr0a'),(2,'hello',false,NULL,0,NULL,NULL,NULL,'{}','clr0a'),(3,'World',true,0,99.999,-1,'\x','"s"',NULL,'clr0b');
INSERT INTO "Category" VALUES (1,'News'),(2,'Sport');
INSERT INTO "_CategoryToPost" VALUES (1,1),(1,3),(2,1);
INSERT INTO "Membership" VALUES ('clr0a',1,'2024-01-01'),('clr0b',1,NULL);
SELECT setval('"Post_id_seq"', 100), setval('"Category_id_seq"', 100);
