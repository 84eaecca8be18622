// Package declassify has the budget of bits that bounds what declassifiers reveal of sealed values: see message.Method.Declassifies
// and exo/service.Declassify.
//
// A program may ask a declassifier whether an address ends in "a", and then whether it ends in "b". No check of one answer stops that; a bound on all
// answers together does. So a host has one [Budget] and gives it to each of its tools: bits that a principal has used by one tool are gone for all
// tools. A day is a day in UTC.
//
// [New] keeps the budget in memory, so a restart gives the day's bits back. [In] keeps it in a store, so a restart gives none back. If a principal
// took bits while a clock was ahead, it has until that day only the rest of that day's bits. To give the day's bits back, remove its entry.
package declassify
