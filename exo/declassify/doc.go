// Package declassify has the budget of bits that bounds what declassifiers reveal of sealed values: see message.Method.Declassifies
// and exo/service.Declassify.
//
// A program may ask a declassifier whether an address ends in "a", and then whether it ends in "b". No check of one answer stops that; a
// bound on all answers together does. So there is one [Budget] for a host: each of its tools is given the same, and what a principal has used by one
// is gone for all. A day is one of UTC.
//
// [New] keeps the budget in memory, so a restart gives the day's bits back. [Open] keeps it in a file, a line for each call: it is not synced, so a
// loss of power may give some back, and nothing shortens it. A clock that was ahead has taken bits of a day to come, and until that day there
// are those alone that it left: move the file away once, which gives the day's bits back.
package declassify
