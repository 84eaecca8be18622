package exoeval

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// This file connects a program to its host.

// Port is the program's only connection to the host. It sends calls and logged lines in one order, and receives replies in the order of the
// calls. In process the exo.Session implements Port, in a worker a connection does.
type Port interface {
	Submit(exo.Call) error
	Log(exo.Line) error
	Next(context.Context) (exo.Reply, bool, error)
}

// Holder is a Port that may leave the cells of rows in the host until the program reads one. Rows that the program returns unread never reach
// the worker: the result has their number, and the host has the cells.
type Holder interface {
	Port
	// Held returns the number of the rows rs and the bytes of their texts. All their values are plain. ok is false if rs already has its cells.
	Held(rs *value.Rows) (rows, text int, ok bool)
	// Fetch reads the cells of rs from the host. Call it once for each rs. It ends the run if the host does not reply.
	Fetch(rs *value.Rows)
}
