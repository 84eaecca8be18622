// Package game is what the challenge is played with: targets, which are
// databases with a key in them; players' own copies of these; and lanes, which are
// ways to attack one.
//
// A key is made for each player, target and lane, so whoever shows one has got it
// out of that very database by that very way, and it is of no use to anybody else.
// Nothing in this package knows of pages, sessions or storage.
package game
