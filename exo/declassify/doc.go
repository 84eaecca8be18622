// Package declassify has the budget that limits how many bits of sealed values declassifiers reveal (message.Method.Declassifies,
// exo/service.Declassify).
//
// A program may ask a declassifier whether an address ends in "a", and then whether it ends in "b". Only a bound on all answers together stops that.
// So a host has one [Budget] and gives it to all of its tools: bits that a principal has used with one tool are used up for all. Days are in UTC.
//
// [New] keeps the budget in memory, so a restart gives the day's bits back. [In] keeps it in a store, so a restart gives none back. If a principal
// took bits while a clock was ahead, it has only the rest of that later day's bits until that day is over. To give the bits back, remove the
// principal's entry.
package declassify
