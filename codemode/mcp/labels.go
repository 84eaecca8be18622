package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

// labels are what clients were shown, by identity. A model can write what it read in one program into the next, as a plain
// text, so the next one begins with the labels of what was shown: a secret that the client may read, and a method may
// not have, does not reach it by way of the client. No two requests over HTTP are of one session, so it is the identity that
// counts, until nothing was shown to it for a while.
type labels struct {
	keep    time.Duration
	believe bool        // tags of integrity do not count
	kept    store.Store // an entry for each identity; restKey has what those were shown, all together, for whom there was no room
	now     func() time.Time

	mu    sync.Mutex
	since time.Time // when added began to count
	added int
}

// maxTold is how many identities a server adds to its store within the time that labels are kept.
const maxTold = 10_000

// storeWait is how long a result waits for the store.
const storeWait = 20 * time.Second

// errLabels means that it is not known what clients were shown, so they are served nothing. The error says why, and what to do.
var errLabels = errors.New("mcp: what clients were shown can't be read or kept")

const restKey = "labels"

func (o owner) key() string { return store.Key(restKey, o.issuer, o.subject) }

// shown is the value of an entry.
type shown struct {
	Label []string `json:"label"`
}

// labelOf reads an entry. One that is not as it was written may be of what somebody was shown, so it is an error.
func labelOf(e store.Entry) (value.Label, error) {
	if e.Version == store.Absent {
		return value.Label{}, nil
	}
	var s shown
	err := json.Unmarshal(e.Value, &s)
	label := value.NewLabel(s.Label...)
	if err = errors.Join(err, label.Check()); err != nil || len(s.Label) == 0 || e.Until.IsZero() {
		return label, fmt.Errorf("the entry %.80q is damaged: want a label and an end, got %.200s, %v", e.Key, e.Value, err)
	}
	return label, nil
}

// lasts is how long what is shown now counts: a little more than it has to, so that the store is not written for each result.
func lasts(keep time.Duration) time.Duration { return keep + keep/24 }

// failed says what to do about a store.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w; nothing is served without it: mend the store, or remove the entry, once no model remembers what the client was shown", errLabels, err)
}

// label is what programs of an identity begin with.
func (l *labels) label(ctx context.Context, who owner) (label value.Label, err error) {
	for _, key := range []string{who.key(), restKey} {
		e, err := l.kept.Get(ctx, key)
		if err == nil {
			label, err = labelOf(e)
		}
		if err != nil || e.Version != store.Absent {
			return label, failed(err)
		}
	}
	return label, nil
}

// shown notes what an identity is shown, before it is shown. Whoever has no room is among the rest: somebody with many identities
// makes nobody's label end early, and gives those who have no place of their own more labels, not fewer.
func (l *labels) shown(ctx context.Context, who owner, label value.Label) error {
	if l.believe {
		label = label.Secrecy()
	}
	if label.Empty() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait) // a client that has gone may have read it
	defer cancel()
	key := who.key()
	e, err := l.kept.Get(ctx, key)
	if err != nil {
		return failed(err)
	}
	if e.Version == store.Absent && !l.room(ctx) {
		key = restKey
	}
	if err = l.join(ctx, key, label); err == nil && key == restKey {
		// Another server may have made an entry of its own for it meanwhile, beside which the rest does not count.
		if e, err = l.kept.Get(ctx, who.key()); err == nil && e.Version != store.Absent {
			err = l.join(ctx, who.key(), label)
		}
	}
	return failed(err)
}

// join adds a label to an entry.
func (l *labels) join(ctx context.Context, key string, label value.Label) error {
	var until time.Time
	err := store.Update(ctx, l.kept, key, func(e *store.Entry) (put bool, err error) {
		was, err := labelOf(*e)
		if err == nil && e.Version == store.Absent { // it was among the rest, perhaps
			var rest store.Entry
			if rest, err = l.kept.Get(ctx, restKey); err == nil {
				e.Until = rest.Until
				was, err = labelOf(rest)
			}
		}
		now, all := l.now(), label.Join(was)
		if err != nil || e.Version != store.Absent && all.Equal(was) && !e.Until.Before(now.Add(l.keep)) {
			return false, err
		}
		if end := now.Add(lasts(l.keep)); e.Until.Before(end) {
			e.Until = end
		}
		until = e.Until
		e.Value, err = json.Marshal(shown{all.Tags()})
		return true, err
	})
	if err != nil {
		return err
	}
	if e, err := l.kept.Get(ctx, key); err != nil || e.Version == store.Absent && l.now().Before(until) {
		return errors.Join(err, fmt.Errorf("the entry %.80q had ended when it was put: is the store's clock ahead?", key))
	}
	return nil
}

// room reports whether another identity may have an entry. Once in the time that labels are kept it removes those that have ended.
func (l *labels) room(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); now.Sub(l.since) > lasts(l.keep) {
		l.since, l.added = now, 0
		if _, err := l.kept.Sweep(ctx); err != nil { // they take up room, and count for nothing
			slog.Error("labels that have ended can't be removed", "error", err)
		}
	}
	l.added++
	return l.added <= maxTold
}
