package arena

import (
	"context"
	"errors"
	"sync"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
)

// line returns the queue in which attempts of a lane wait.
func (ar *Arena) line(l game.Lane) *queue.Queue {
	if l == game.Model && ar.Questions != nil {
		return ar.Questions
	}
	return ar.Queue
}

// room returns the bounds of the attempts that wait in that queue.
func (ar *Arena) room(l game.Lane) *store.Room {
	if l == game.Model && ar.Questions != nil {
		return &ar.QuestionsRoom
	}
	return &ar.Room
}

func (ar *Arena) lines() []*queue.Queue {
	if ar.Questions != nil {
		return []*queue.Queue{ar.Queue, ar.Questions}
	}
	return []*queue.Queue{ar.Queue}
}

// Paused reports whether the arena accepts no attempts.
func (ar *Arena) Paused() bool { return ar.Queue.Paused() }

// Length returns the number of attempts that wait, and of attempts that are being played.
func (ar *Arena) Length() (waiting, running int) {
	for _, q := range ar.lines() {
		w, r := q.Length()
		waiting, running = waiting+w, running+r
	}
	return waiting, running
}

// Close plays the accepted attempts, or stops them when ctx ends. It accepts no more.
func (ar *Arena) Close(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(ar.lines()))
	for i, q := range ar.lines() {
		wg.Go(func() { errs[i] = q.Close(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
