package exoeval

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// This file has the connection of a program to its host.

// Port is the only connection of the program's side to the host. It sends calls and logged
// lines in one order, and receives replies in the order of the calls. In process the session
// implements it, in a worker a connection. The program's side uses nothing else of the session.
type Port interface {
	Submit(exo.Call) error
	Log(exo.Line) error
	Next(context.Context) (exo.Reply, bool, error)
}

// Holder is a Port that may leave the cells of rows in the host until the
// program reads one. Rows that the program returns unread never cross to
// the worker: the result has their number, and the host has the cells.
type Holder interface {
	Port
	// Held returns the number of the rows rs and the bytes of text in them;
	// all their values are plain. ok is false if rs has its cells already.
	Held(rs *value.Rows) (rows, text int, ok bool)
	// Fetch reads the cells of rs from the host. Call it once
	// for each rs. It ends the run if the host does not answer.
	Fetch(rs *value.Rows)
}
