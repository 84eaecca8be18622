package main

// This file says which changes a person sees before they happen: package review keeps them, and the terminal shows them.

import (
	"crypto/rand"

	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exosql"
)

// manyTasks is the number of tasks that programs may change in a day without asking.
const manyTasks = 10

var tooMany = exosql.ApproveAbove(manyTasks)

// waiting keeps what waits while the terminal is open. A service keeps it in a folder or in PostgreSQL (exo/store), with a key of its own.
func waiting() *review.Keeper {
	key := make([]byte, review.MinKey)
	rand.Read(key) // it never fails
	k, err := review.New(review.Options{Store: store.NewMemory(nil), Key: key})
	if err != nil {
		panic(err) // the options are constant
	}
	return k
}
