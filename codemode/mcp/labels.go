package mcp

import (
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo/value"
)

// labels has what clients were shown, by identity. A model can write what it read in one program into
// the next as plain text, so the next program begins with the labels of what was shown. So a secret that
// the client may read, and a method may not get, does not reach the method through the client. Requests
// over HTTP belong to no session, so the identity counts, until nothing was shown to it for a while.
type labels struct {
	keep    time.Duration
	believe bool       // integrity tags are ignored
	file    *LabelFile // nil: the labels are only in memory

	mu sync.Mutex
	of shownLabels // used if there is no file
}

// shownLabels has what each identity was shown.
type shownLabels struct {
	of   map[owner]shown
	rest shown // the labels, together, of identities for which there was no room: they count for all that are not in of
	tidy int   // the number of identities at which expired ones are removed
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

// Bounds on the number of identities, and on the bytes of one.
const (
	maxTold  = 10_000
	maxOwner = 1 << 10
)

// label returns the label with which programs of an identity begin.
func (t *shownLabels) label(who owner, now time.Time) value.Label {
	if s, known := t.of[who]; known && now.Before(s.until) {
		return s.label
	}
	return t.rest.at(now)
}

// lasts returns how long a label counts that is shown now. It is a little more than keep, so that a file is not written for each result.
func lasts(keep time.Duration) time.Duration { return keep + keep/24 }

// add notes what an identity was shown, and reports whether that adds to what was known. If there is no room, the identity belongs
// to the rest. So an attacker with many identities ends no label early, and gives those without a place more labels, not fewer.
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
	if !known && into == &s { // it may have been among the rest
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

// label returns the label with which programs of an identity begin.
func (l *labels) label(who owner, now time.Time) (value.Label, error) {
	if l.file != nil {
		return l.file.label(who, now)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of.label(who, now), nil
}

// shown notes what an identity is shown. It must be called before it is shown.
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
