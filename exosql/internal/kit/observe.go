package kit

import (
	"context"
	"sync"

	"github.com/exoagent/exoagent/exo/observe"
)

// Statements is an observer that keeps how statements ended.
type Statements struct {
	mu    sync.Mutex
	Ended []string // Ended has, for each statement, the Name of its Activity and the kind of its error
}

// Begin implements observe.Observer.
func (s *Statements) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	return ctx, func(out observe.Outcome) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.Kind == observe.Statement {
			s.Ended = append(s.Ended, a.Name+" "+out.Error)
		}
	}
}
