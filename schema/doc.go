// Package schema is a database's catalogue as plain data: its tables with their
// columns, keys, indexes, foreign keys and whatever else acts on rows, its views,
// enums and domains.
//
// It is read from a live database ([ReadSQLite], [ReadPostgres]) or from the
// statements that make one ([ParseDDL]); both give the same [Database]. It holds
// no rows and no authority, and the package has no driver: the readers are given
// something that queries.
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
// Defaults, checks and conditions of indexes are kept as the source has them. A live
// PostgreSQL writes them anew, so these texts alone may differ between a definition and
// the database that was made from it.
package schema
