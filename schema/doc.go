// Package schema is a database's catalogue as plain data: its tables with their
// columns, keys, indexes, foreign keys and whatever else acts on rows, its views,
// enums and domains. Its design is DESIGN.md in this package's folder.
//
// [ReadSQLite] and [ReadPostgres] read it from a live database. It holds no rows and
// no authority, and the package has no driver: the readers are given something that
// queries. Definitions in a file are read by running them in a scratch database, as
// exo gen -ddl does.
//
// # Order
//
// Everything is in an order that does not depend on the reading: tables, views,
// enums and domains by schema and name; columns as they are declared; enum values
// as they sort; unique keys and foreign keys by their columns; indexes, checks,
// triggers, rules and policies by name, checks without one by their text. A second reading is equal to the first.
//
// # Names
//
// Names are as the engine keeps them, without quotes: PostgreSQL folds what was not
// quoted to lower case; SQLite keeps the spelling of the definition. Schemas are
// always filled in on PostgreSQL, and are empty on SQLite.
//
// # Texts of expressions
//
// Defaults, checks and conditions of indexes are as the engine gives them: SQLite as
// they were written, PostgreSQL in a form of its own, which differs between its versions.
package schema
