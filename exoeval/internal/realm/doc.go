// Package realm is JavaScript as a program finds it before anything is granted: a fresh, disarmed runtime of the engine. It also has the dates,
// formats and decimals that the engine lacks, or has in a form that reveals something of the host. Its design is DESIGN.md in this package's folder.
//
//   - disarm: cuts the ways out of a program's own code before the program runs.
//   - patterns: regular expressions that are made at run time pass the same check as literals.
//   - decimal: Decimal, which calculates as the columns of databases do.
//   - date, dateparse, intl, intldate, intlnumber, collate: Date in the run's own time zone, Intl by the tables of locales.txt, and localeCompare.
//   - exact, realm: the arithmetic behind Decimal; the runtime itself. All other files use it.
//
// Package exoeval runs a program in a Realm and puts what was granted into it.
package realm
