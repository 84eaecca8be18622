// Package realm is JavaScript as a program finds it before anything is granted: a fresh runtime of the engine,
// disarmed, with the dates, the formats and the decimals that the engine lacks or has in a form that shows the host. Its design is DESIGN.md in this package's folder.
//
//   - disarm: what leads out of a program's own code is cut before the program runs.
//   - patterns: regular expressions that are made at run time pass the check of literals.
//   - decimal: Decimal, which calculates as the columns of databases do.
//   - date, dateparse, intl, intldate, intlnumber, collate: Date in the run's own time zone, Intl by the tables of locales.txt, and localeCompare.
//   - exact, realm: the arithmetic behind Decimal; the runtime itself. All other files use it.
//
// Package exoeval runs a program in a Realm and puts what was granted into it.
package realm
