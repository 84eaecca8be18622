package mcp

import (
	"sync"
	"time"
)

// maxMembers is for how many identities recent requests are counted.
const maxMembers = 10_000

// limiter limits the requests that run at the same time, of all identities and of each one, and the requests of each identity per second.
type limiter struct {
	all, each        int
	perSecond, burst float64

	mu      sync.Mutex
	running int
	known   map[owner]*member
}

// member has how many more requests an identity may send. An unknown identity may send burst requests.
type member struct {
	left    float64
	at      time.Time
	running int
}

func (l *limiter) fill(m *member, now time.Time) {
	m.left, m.at = min(l.burst, m.left+l.perSecond*max(0, now.Sub(m.at).Seconds())), now
}

// enter counts a request until done is called. If done is nil, the request is refused, and the client may try again after wait.
func (l *limiter) enter(who owner, now time.Time) (done func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.known[who]
	if m == nil {
		if len(l.known) >= maxMembers {
			l.forget(now)
		}
		if len(l.known) >= maxMembers {
			return nil, time.Second
		}
		m = &member{left: l.burst, at: now}
		l.known[who] = m
	}
	l.fill(m, now)
	switch {
	case m.left < 1:
		return nil, time.Duration((1 - m.left) / l.perSecond * float64(time.Second))
	case m.running >= l.each || l.running >= l.all:
		return nil, time.Second
	}
	m.left--
	m.running++
	l.running++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		m.running--
		l.running--
	}, 0
}

// forget removes the identities that may send burst requests again, since an unknown identity may send as many.
func (l *limiter) forget(now time.Time) {
	for who, m := range l.known {
		if l.fill(m, now); m.running == 0 && m.left >= l.burst {
			delete(l.known, who)
		}
	}
}
