// Package notify has the ways in which programs send texts to people and other systems: [Mail], [Chat] and [Hook]. Each makes an object with one method,
// which is Held. Messages leave through an exo/outbox.Outbox: if a run commits, its messages survive a kill of the process, and otherwise none is sent.
//
// A program chooses a receiver among those that the host names, and writes plain text. It gives no address, header, format, link text or mention. The
// labels of a message decide where it may go: see [Rules].
//
// Servers are reached by the rules of exo/web. Errors and records contain no secret, and no text that a server answered.
package notify
