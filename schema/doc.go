// Package schema is a database's catalogue as plain data: its tables with their columns, keys, indexes, foreign keys and all else that acts on
// rows, its views, enums and domains. Its design is DESIGN.md in this package's folder.
//
// [ReadSQLite] and [ReadPostgres] read it from a live database. It contains no rows and gives no access. The package has no driver: its readers get
// a [Querier]. To read definitions from a file, run them in a scratch database, as exo gen -ddl does.
//
// # Order
//
// The order does not depend on the reading: tables, views, enums and domains by schema and name; columns as they are declared; enum values as they
// sort; unique keys and foreign keys by their columns; indexes, checks, triggers, rules and policies by name, and checks without a name by their
// text. A second reading is equal to the first.
//
// # Names
//
// Names are in the engine's form, without quotes: PostgreSQL folds unquoted names to lower case; SQLite keeps the spelling of the definition. On
// PostgreSQL the schema is always filled in. On SQLite it is empty.
//
// # Texts of expressions
//
// Defaults, checks and conditions of indexes are in the engine's form: SQLite keeps them as they were written, and PostgreSQL rewrites them in a
// way that differs between its versions.
package schema
