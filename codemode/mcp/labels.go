package mcp

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// labels are what clients were shown, by identity. A model can write what it read in one program into the next, as a plain
// text, so the next one begins with the labels of what was shown: a secret that the client may read, and a method may
// not have, does not reach it by way of the client. No two requests over HTTP are of one session, so it is the identity that
// counts, until nothing was shown to it for a while.
type labels struct {
	keep     time.Duration
	distrust bool // tags of integrity, too

	mu   sync.Mutex
	of   map[owner]told
	tidy int // at how many they are looked through
}

type told struct {
	label exo.Label
	until time.Time
}

// label is what programs of an identity begin with.
func (l *labels) label(who owner, now time.Time) exo.Label {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.of[who]; now.Before(t.until) {
		return t.label
	}
	return exo.Label{}
}

// shown notes what an identity was shown.
func (l *labels) shown(who owner, shown exo.Label, now time.Time) {
	if !l.distrust {
		shown = shown.Secrecy()
	}
	if shown.Public() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[owner]told{}
	}
	if t := l.of[who]; now.Before(t.until) {
		shown = shown.Join(t.label)
	}
	l.of[who] = told{shown, now.Add(l.keep)}
	if len(l.of) > max(l.tidy, 1000) {
		for who, t := range l.of {
			if !now.Before(t.until) {
				delete(l.of, who)
			}
		}
		l.tidy = 2 * len(l.of)
	}
}
