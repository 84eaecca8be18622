// Package game plays attempts. A target is a database with a secret key in it; each player
// attacks a copy of it, by a lane: a way to attack, such as a program or a question to a model.
//
// A key is made for each player, target and lane, so a key that is shown proves that this player
// took it out of that database by that lane, and it is of no use to anybody else.
// Nothing in this package knows of pages, sessions or storage.
package game
