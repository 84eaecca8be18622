package web

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// seldom is what is said once a minute, however often there is reason: what a stranger
// can cause must not fill the log.
type seldom struct {
	mu   sync.Mutex
	last time.Time
}

func (s *seldom) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && now.Sub(s.last) < time.Minute {
		return false
	}
	s.last = now
	return true
}

// redactedHost is a stranger's word, for the log.
func redactedHost(h string) string { return game.Redact(h[:min(len(h), 100)]) }
