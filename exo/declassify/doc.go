// Package declassify has the budget of bits that bounds what declassifiers reveal of sealed values: see message.Method.Declassifies
// and exo/service.Declassify.
//
// A program may ask a declassifier whether an address ends in "a", and then whether it ends in "b". No check of one answer stops that; a
// bound on all answers together does. So there is one [Budget] for a host: each of its tools is given the same, and what a principal has used by one
// is gone for all. A day is one of UTC.
//
// [New] keeps the budget in memory, so a restart gives the day's bits back. [In] keeps it in a store, which gives none back. Where a clock was ahead,
// a principal that took bits then has, until that day comes, only what it left of that day: remove its entry, which gives the day's bits back.
package declassify
