// Package notify has the ways by which programs tell people and other systems of something: [Mail], [Chat] and [Hook]. Each is an object whose one
// method is held, and leaves by an exo/outbox.Outbox: a message of a run that commits outlives a kill, and none of another run is sent.
//
// A program chooses a receiver among those that the host names, and writes plain text. It gives no address, header, format, link text or mention. What
// a message says of its labels decides where it may go: see [Rules].
//
// Servers are reached by the rules of exo/web. Errors and records have no secret, and nothing of what a server answers.
package notify
