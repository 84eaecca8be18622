package mcp

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo/value"
)

// labels are what clients were shown, by identity. A model can write what it read in one program into the next, as a plain
// text, so the next one begins with the labels of what was shown: a secret that the client may read, and a method may
// not have, does not reach it by way of the client. No two requests over HTTP are of one session, so it is the identity that
// counts, until nothing was shown to it for a while.
type labels struct {
	keep    time.Duration
	believe bool       // tags of integrity do not count
	file    *LabelFile // nil: they are in memory alone

	mu sync.Mutex
	of shownLabels // where there is no file
}

// shownLabels is what identities were shown.
type shownLabels struct {
	of   map[owner]shown
	rest shown // what those were shown, all together, for whom there was no room: it counts for all who are not in of
	tidy int   // at how many they are looked through
}

type shown struct {
	label value.Label
	until time.Time
}

func (s shown) at(now time.Time) value.Label {
	if now.Before(s.until) {
		return s.label
	}
	return value.Label{}
}

// Bounds on identities that are told apart, and on the bytes of one.
const (
	maxTold  = 10_000
	maxOwner = 1 << 10
)

// label is what programs of an identity begin with.
func (t *shownLabels) label(who owner, now time.Time) value.Label {
	if s, known := t.of[who]; known && now.Before(s.until) {
		return s.label
	}
	return t.rest.at(now)
}

// lasts is how long what is shown now counts: a little more than it has to, so that a file is not written for each result.
func lasts(keep time.Duration) time.Duration { return keep + keep/24 }

// add notes what an identity was shown, and reports whether that says more than was known. Whoever has no room is among the rest: somebody
// with many identities makes nobody's label end early, and gives those who have no place of their own more labels, not fewer.
func (t *shownLabels) add(who owner, label value.Label, now time.Time, keep time.Duration) (more bool) {
	s, known := t.of[who]
	known = known && now.Before(s.until)
	if !known && len(t.of) >= min(max(t.tidy, 1000), maxTold) {
		for who, s := range t.of {
			if !now.Before(s.until) {
				delete(t.of, who)
			}
		}
		t.tidy = 2 * len(t.of)
	}
	into := &t.rest
	if known || len(t.of) < maxTold && len(who.issuer)+len(who.subject) <= maxOwner {
		into = &s
	}
	joined, until := label.Join(into.at(now)), into.until
	if !known && into == &s { // it was among them, perhaps
		joined, until = joined.Join(t.rest.at(now)), t.rest.until
	}
	if joined.Equal(into.at(now)) && !into.until.Before(now.Add(keep)) {
		return false
	}
	if end := now.Add(lasts(keep)); until.Before(end) {
		until = end
	}
	*into = shown{joined, until}
	if into == &s {
		if t.of == nil {
			t.of = map[owner]shown{}
		}
		t.of[who] = s
	}
	return true
}

// label is what programs of an identity begin with.
func (l *labels) label(who owner, now time.Time) (value.Label, error) {
	if l.file != nil {
		return l.file.label(who, now)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of.label(who, now), nil
}

// shown notes what an identity is shown, before it is shown.
func (l *labels) shown(who owner, label value.Label, now time.Time) error {
	if l.believe {
		label = label.Secrecy()
	}
	if label.Empty() {
		return nil
	}
	if l.file != nil {
		return l.file.shown(who, label, now, l.keep)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of.add(who, label, now, l.keep)
	return nil
}
