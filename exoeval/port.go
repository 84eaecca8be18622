package exoeval

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// The connection of a program to its host.

// Port is the program's side's only connection to the host: it sends calls and logs lines,
// in one order, and receives replies in call order. In process the session implements it;
// in a worker, a connection does. The program's side uses nothing else of the session.
type Port interface {
	Submit(exo.Call) error
	Log(exo.Line) error
	Next(context.Context) (exo.Reply, bool, error)
}

// Holder is a Port that returns rows lazily: their cells stay in the host until the program
// reads one. Rows that the program returns unread never cross to the worker: the result
// names them, and the host has the cells.
type Holder interface {
	Port
	// Held returns the number of rows that rs stands for, all of plain values, and the bytes
	// of text in them. ok is false if rs has its cells already.
	Held(rs *value.Rows) (rows, text int, ok bool)
	// Fetch reads the cells of rs from the host. It may be called once for each rs, and ends
	// the run if the host does not answer.
	Fetch(rs *value.Rows)
}
