-- In the manner of plain Go with the driver github.com/mattn/go-sqlite3: a time.Time is written with nine digits and an offset; soft deletes of GORM.
CREATE TABLE `users` (`id` integer PRIMARY KEY AUTOINCREMENT, `created_at` datetime, `updated_at` datetime, `deleted_at` datetime, `name` text, `age` integer, `active` numeric, `joined` date, `balance` real);
CREATE INDEX `idx_users_deleted_at` ON `users`(`deleted_at`);
CREATE TABLE `orders` (`id` integer PRIMARY KEY AUTOINCREMENT, `user_id` integer, `price` decimal(10,2), `state` text DEFAULT "new", CONSTRAINT `fk_users_orders` FOREIGN KEY (`user_id`) REFERENCES `users`(`id`));
CREATE TABLE `user_languages` (`user_id` integer, `language` text, PRIMARY KEY (`user_id`,`language`));
INSERT INTO users VALUES (1,'2025-01-02 03:04:05.123456789+00:00','2025-01-02 03:04:05+00:00',NULL,'Ann',30,1,'2025-01-02 00:00:00+00:00',1.25),(2,'2025-06-01 02:00:00+02:00',NULL,'2025-07-01 00:00:00+00:00','bob',NULL,0,NULL,NULL),(3,NULL,NULL,NULL,NULL,41,NULL,NULL,0);
INSERT INTO orders VALUES (1,1,10.5,'new'),(2,1,20,'paid'),(3,2,NULL,NULL);
INSERT INTO user_languages VALUES (1,'de'),(1,'en'),(2,NULL);
