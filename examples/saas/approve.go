package main

// This file says which changes a person sees before they happen. The terminal's Review keeps them while it is open, and the terminal shows them; a
// service keeps them in a folder or in PostgreSQL (exo/store), with a key of its own: see package review.

import "github.com/exoagent/exoagent/exosql"

// manyTasks is the number of tasks that programs may change in a day without asking.
const manyTasks = 10

var tooMany = exosql.ApproveAbove(manyTasks)
