package main

// This file decides which changes a person must approve before they happen. The terminal keeps and shows them while it is open. A service keeps
// them in a folder or in PostgreSQL (exo/store), with its own key (package review).

import "github.com/exoagent/exoagent/exosql"

// manyTasks is how many tasks programs may change in a day without approval.
const manyTasks = 10

var tooMany = exosql.ApproveAbove(manyTasks)
