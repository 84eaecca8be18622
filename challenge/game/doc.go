// Package game plays attempts. A target is a database with a secret key in it. Each player attacks a copy of it through a lane: a way to
// attack, such as a program or a question to a model.
//
// Each player, target and lane has its own key. So a shown key proves that this player took it from that database through that lane, and it is
// of no use to others. This package knows nothing of pages, sessions or storage.
package game
