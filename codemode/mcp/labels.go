package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

// labels keeps, for each identity, the labels of the values that its client was shown. A model can copy a value from one result into the text
// of its next program, which would lose the value's labels. So the next program begins with these labels. Labels belong to an identity, since
// requests over HTTP have no session. They end when no labelled value was shown to the identity for some time.
type labels struct {
	keep    time.Duration
	believe bool        // tags of integrity are ignored
	kept    store.Store // has an entry for each identity; identities for which there is no room share the entry restKey
	now     func() time.Time

	mu    sync.Mutex
	since time.Time // added counts the entries that were made after this time
	added int
}

// maxTold is how many identities a server adds to its store within the time for which labels are kept.
const maxTold = 10_000

// storeWait is how long a result may wait for the store.
const storeWait = 20 * time.Second

// errLabels means that the labels of clients are not known, so clients get no results. The error has the cause and the remedy.
var errLabels = errors.New("mcp: the store for the labels of what clients were shown can't be used")

const restKey = "labels"

func (o owner) key() string { return store.Key(restKey, o.issuer, o.subject) }

// shown is the value of an entry: the labels of what the owner's client was shown.
type shown struct {
	Label []string `json:"label"`
}

// labelOf reads an entry. A damaged entry is an error, since it may have had the label of a secret.
func labelOf(e store.Entry) (value.Label, error) {
	if e.Version == store.Absent {
		return value.Label{}, nil
	}
	var s shown
	err := json.Unmarshal(e.Value, &s)
	label := value.NewLabel(s.Label...)
	if err = errors.Join(err, label.Check()); err == nil && (len(s.Label) == 0 || e.Until.IsZero()) {
		err = errors.New("the entry needs a label and a time at which it expires")
	}
	if err != nil {
		err = fmt.Errorf("the entry %.80q with the value %.200s is damaged: %v", e.Key, e.Value, err)
	}
	return label, err
}

// lasts returns how long a label is kept: a little longer than keep, so that not every result must write to the store.
func lasts(keep time.Duration) time.Duration { return keep + keep/24 }

// failed adds advice for the operator to an error of the store.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w. Clients get no results until the store is repaired. Remove a damaged entry only after its client's conversations have ended", errLabels, err)
}

// label returns the label with which the programs of an identity begin.
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

// shown keeps the label of a result for an identity, before the client gets the result. If there is no room, the identity shares restKey. So
// a client with many identities can't remove another's label. It can only add labels for those that share restKey.
func (l *labels) shown(ctx context.Context, who owner, label value.Label) error {
	if l.believe {
		label = label.Secrecy()
	}
	if label.Empty() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait) // stored even if the client is gone, since it may have read the result
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
		// Another server may have made an entry for the identity meanwhile. label reads that entry and not restKey, so it needs the label too.
		if e, err = l.kept.Get(ctx, who.key()); err == nil && e.Version != store.Absent {
			err = l.join(ctx, who.key(), label)
		}
	}
	return failed(err)
}

// join adds a label to an entry, and makes the entry last from now on.
func (l *labels) join(ctx context.Context, key string, label value.Label) error {
	var until time.Time
	err := store.Update(ctx, l.kept, key, func(e *store.Entry) (put bool, err error) {
		was, err := labelOf(*e)
		if err == nil && e.Version == store.Absent { // the identity may have shared restKey until now
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
	e, err := l.kept.Get(ctx, key)
	if err == nil && e.Version == store.Absent && l.now().Before(until) {
		err = fmt.Errorf("the entry %.80q had already expired when it was stored, because the store's clock is ahead: correct that clock", key)
	}
	return err
}

// room reports whether another identity may have an entry. Once in the time for which labels are kept, it removes ended entries.
func (l *labels) room(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); now.Sub(l.since) > lasts(l.keep) {
		l.since, l.added = now, 0
		if _, err := l.kept.Sweep(ctx); err != nil { // no failure: ended entries only take up room
			slog.Error("expired labels can't be removed from the store", "reason", fail.Reason(err))
		}
	}
	l.added++
	return l.added <= maxTold
}
