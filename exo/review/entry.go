package review

// This file has the entries of the store: a head that is replaced when something is decided, and the encrypted change set, which never changes.

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/store"
)

// State is what became of a change set.
type State string

// The states.
const (
	Waits    State = "waiting"  // for a person
	Applying State = "applying" // a person agreed, and a run applies it: if that run's process is gone, see Keeper.Reconcile
	Applied  State = "applied"
	Rejected State = "rejected"
	Differs  State = "conflict" // a person agreed, and the run would have done something else, or failed: nothing was done
	Unknown  State = "unknown"  // a person agreed, and the process ended before it was known whether the messages left: look there
	Expired  State = "expired"  // nobody decided in time
)

// Waiting is one change set, with what became of it.
type Waiting struct {
	ID        string        `json:"id"` // can't be guessed; it permits nothing
	Principal exo.Principal `json:"principal"`
	Run       exo.RunID     `json:"run"` // the run that prepared it
	Program   string        `json:"program"`
	Clock     time.Time     `json:"clock"`
	Seed      uint64        `json:"seed"`
	Began     []string      `json:"began,omitempty"` // the label with which the run began
	Label     []string      `json:"label,omitempty"` // of what the run has read: show the change set to people who may read that
	Rules     []string      `json:"rules"`           // the rules that it met, in words
	Who       changeset.Who `json:"who"`
	Set       changeset.Set `json:"set"`
	At        time.Time     `json:"at"`
	Until     time.Time     `json:"until"`

	State   State      `json:"state,omitempty"`
	By      string     `json:"by,omitempty"` // who decided
	How     How        `json:"how,omitempty"`
	Decided time.Time  `json:"decided,omitzero"`
	Why     string     `json:"why,omitempty"`     // of a rejection or a conflict
	Applies *exo.RunID `json:"applies,omitempty"` // the run that applies it

	known           []byte // the keyed digest of all that the run determines
	granted, module string
}

// Digest identifies what a person sees. Agree wants it back, so that a person agrees to what they have seen, and the record has it.
func (w Waiting) Digest() string { return fmt.Sprintf("%x", w.known) }

// Summary says in words how much would change, by table, and how many messages would leave: "staff: 3 changed, 1 deleted; 1 message sent".
func (w Waiting) Summary() string {
	var parts, tables []string
	n := map[string]map[changeset.Kind]int{}
	more := int64(0)
	for _, s := range w.Set.Stores {
		for _, r := range s.Rows {
			if n[r.Table] == nil {
				n[r.Table], tables = map[changeset.Kind]int{}, append(tables, r.Table)
			}
			n[r.Table][r.Kind]++
		}
		more += s.More
	}
	for _, t := range tables {
		var kinds []string
		for _, k := range []changeset.Kind{changeset.Added, changeset.Changed, changeset.Deleted} {
			if n[t][k] > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s", n[t][k], k))
			}
		}
		parts = append(parts, t+": "+strings.Join(kinds, ", "))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more changes", more))
	}
	switch m := len(w.Set.Messages); {
	case m == 1:
		parts = append(parts, "1 message sent")
	case m > 1:
		parts = append(parts, fmt.Sprintf("%d messages sent", m))
	}
	if parts == nil {
		return "nothing changed"
	}
	return strings.Join(parts, "; ")
}

// head is the entry that changes. It has no value of the database.
type head struct {
	Version int       `json:"v"`
	State   State     `json:"state"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
	Parts   int       `json:"parts"`
	Sends   bool      `json:"sends,omitempty"` // it only sends messages, so no store shows whether its run was kept
	Run     string    `json:"run,omitempty"`   // the run that applies it
	By      string    `json:"by,omitempty"`
	How     How       `json:"how,omitempty"`
	Decided time.Time `json:"decided,omitzero"`
	Why     string    `json:"why,omitempty"`
	Told    bool      `json:"told,omitempty"` // the principal's model knows
}

// body is the encrypted part.
type body struct {
	Waiting
	Known   []byte `json:"known"`
	Granted string `json:"granted"`
	Module  string `json:"module"`
}

const (
	headPrefix = "review"
	partPrefix = "review-part"
	dayPrefix  = "review-day"
	version    = 1
	// keptFor is how long a decided change set can be looked at.
	keptFor = 30 * 24 * time.Hour
)

func (k *Keeper) headKey(p exo.Principal, id string) string {
	return store.Key(headPrefix, string(p), id)
}

// put stores a new change set: the parts first, so that a head has all of its parts.
func (k *Keeper) put(ctx context.Context, w *Waiting) error {
	text, err := json.Marshal(body{*w, w.known, w.granted, w.module})
	if err != nil {
		return err
	}
	if len(text) > MaxBytes {
		return errTooLarge
	}
	parts, err := k.seal(w.Principal, w.ID, text)
	if err != nil {
		return err
	}
	end := w.Until.Add(keptFor)
	for i, p := range parts {
		if _, err := k.opt.Store.Put(ctx, store.Entry{Key: store.Key(partPrefix, w.ID, fmt.Sprintf("%03d", i)), Value: p, Until: end}); err != nil {
			return err
		}
	}
	h, err := json.Marshal(head{Version: version, State: Waits, At: w.At, Until: w.Until, Parts: len(parts), Sends: len(w.Set.Stores) == 0})
	if err != nil {
		return err
	}
	_, err = k.opt.Store.Put(ctx, store.Entry{Key: k.headKey(w.Principal, w.ID), Value: h, Until: end})
	return err
}

func parseHead(e store.Entry) (h head, err error) {
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	if err = d.Decode(&h); err != nil || h.Version != version || h.Parts < 1 {
		return h, fmt.Errorf("review: the entry %.80q is not the head of a change set: %.100s", e.Key, e.Value)
	}
	return h, nil
}

// live is the state at a time: what nobody decided in time is expired.
func (h head) live(now time.Time) State {
	if h.State == Waits && !now.Before(h.Until) {
		return Expired
	}
	return h.State
}

// heads calls f for each change set of a principal, or of all for nil, the oldest first of each principal.
func (k *Keeper) heads(ctx context.Context, p *exo.Principal, f func(e store.Entry, h head) error) error {
	prefix := headPrefix + "/"
	if p != nil {
		prefix = store.Key(headPrefix, string(*p)) + "/"
	}
	for e, err := range store.All(ctx, k.opt.Store, prefix) {
		if err != nil {
			return err
		}
		h, err := parseHead(e)
		if err == nil {
			err = f(e, h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waitingOf counts the change sets of a principal that wait.
func (k *Keeper) waitingOf(ctx context.Context, p exo.Principal) (n int, err error) {
	now := k.opt.Now()
	err = k.heads(ctx, &p, func(_ store.Entry, h head) error {
		if s := h.live(now); s == Waits || s == Applying {
			n++
		}
		return nil
	})
	return n, err
}

// load reads and opens a change set.
func (k *Keeper) load(ctx context.Context, e store.Entry, h head) (w Waiting, err error) {
	at := strings.Split(e.Key, "/")
	id := at[len(at)-1]
	var parts [][]byte
	for i := range h.Parts {
		part, err := k.opt.Store.Get(ctx, store.Key(partPrefix, id, fmt.Sprintf("%03d", i)))
		if err != nil {
			return w, err
		}
		if part.Version == store.Absent {
			return w, fmt.Errorf("review: a part of change set %s is gone from the store", id)
		}
		parts = append(parts, part.Value)
	}
	text, principal, err := k.open(id, parts)
	if err != nil {
		return w, err
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return w, fmt.Errorf("review: change set %s can't be read: %w", id, err)
	}
	w = b.Waiting
	w.known, w.granted, w.module = b.Known, b.Granted, b.Module
	if w.ID != id || w.Principal != principal || k.headKey(w.Principal, id) != e.Key { // an entry that was moved to another principal
		return w, fmt.Errorf("review: the entry %.80q has the change set of somebody else", e.Key)
	}
	w.State, w.By, w.How, w.Decided, w.Why = h.live(k.opt.Now()), h.By, h.How, h.Decided, h.Why
	if h.Run != "" {
		run, err := exo.ParseRunID(h.Run)
		if err != nil {
			return w, err
		}
		w.Applies = &run
	}
	return w, nil
}

// Waiting returns the change sets that wait for a person, the oldest first. all also returns those that were decided, or expired, in the last 30 days.
func (k *Keeper) Waiting(ctx context.Context, all bool) (out []Waiting, err error) {
	if !k.made() {
		return nil, errZero
	}
	now := k.opt.Now()
	err = k.heads(ctx, nil, func(e store.Entry, h head) error {
		if s := h.live(now); !all && s != Waits && s != Applying {
			return nil
		}
		w, err := k.load(ctx, e, h)
		if err != nil { // one that can't be read keeps nobody from the others; it can't be agreed to
			at := strings.Split(e.Key, "/")
			w = Waiting{ID: at[len(at)-1], State: h.live(now), At: h.At, Until: h.Until, Why: err.Error()}
		}
		out = append(out, w)
		return nil
	})
	slices.SortStableFunc(out, func(a, b Waiting) int { return a.At.Compare(b.At) })
	return out, err
}

// Get returns one change set. The beginning of an ID is enough if no other begins like it.
func (k *Keeper) Get(ctx context.Context, id string) (w Waiting, err error) {
	_, _, w, err = k.find(ctx, id)
	return w, err
}

// ErrNone is the error for an ID of no change set.
var ErrNone = errors.New("review: there is no such change set: it was never prepared, or is older than 30 days")

func (k *Keeper) find(ctx context.Context, id string) (e store.Entry, h head, w Waiting, err error) {
	if !k.made() {
		return e, h, w, errZero
	}
	id = strings.ToLower(id)
	n := 0
	err = k.heads(ctx, nil, func(x store.Entry, y head) error {
		if at := strings.Split(x.Key, "/"); len(id) >= 6 && strings.HasPrefix(at[len(at)-1], id) {
			e, h, n = x, y, n+1
		}
		return nil
	})
	switch {
	case err != nil:
	case n == 0:
		err = ErrNone
	case n > 1:
		err = fmt.Errorf("review: %d change sets begin with %s: give more of the ID", n, id)
	default:
		w, err = k.load(ctx, e, h)
	}
	return e, h, w, err
}

// same compares digests.
func same(a, b []byte) bool { return len(a) > 0 && hmac.Equal(a, b) }
