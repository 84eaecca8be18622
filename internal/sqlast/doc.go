// Package sqlast is the only code that turns anything into SQL text. It takes a SELECT as a small typed tree and returns the text, with the
// slots of its placeholders in order. No value passes through it, so no value can become text. A malformed tree is an error with the place, as
// is every zero value: no input produces bad SQL.
//
// [Render] works in two passes. The first ([checker]) walks the whole tree and decides whether it has a meaning: names resolve, aliases are
// unique, places are legal, sizes are bounded. The second gives it to squirrel, clause by clause, as finished fragments. squirrel adds no
// parentheses, drops empty conditions, writes names unquoted and renumbers placeholders blindly. These rules keep each of these harmless:
//
//   - Every compound expression carries its own parentheses; precedence is
//     never relied on. The spellings are data (op.go) and a test reads them.
//   - A fragment is never empty, so squirrel never drops a condition. An empty
//     And or Or is refused; an empty In is FALSE.
//   - Names are checked and quoted in one place (ident.go).
//   - Builders write ? throughout. Dollar placeholders are made once, from the
//     whole statement, after the question marks were counted.
//   - No builder starts from squirrel.StatementBuilder, a package variable that
//     anyone may have changed.
//
// hazard_test.go shows the harm of each hazard without its rule.
//
// [Tables] returns the tables and columns that a statement reads, for the engine's own authorizer.
package sqlast
