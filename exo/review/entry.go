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
	Pending  State = "waiting"  // for a person
	Applying State = "applying" // a person agreed, and a run applies it: if that run's process is gone, see Keeper.Reconcile
	Applied  State = "applied"
	Rejected State = "rejected"
	Conflict State = "conflict" // a person agreed, and the run would have done something else, or failed: nothing was done
	Unknown  State = "unknown"  // a person agreed, and nobody knows whether the messages left: look there
	Expired  State = "expired"  // nobody decided in time

	Unreadable State = "unreadable" // its entry of the store can't be read: Why says why
)

// ChangeSet is one change set, with what became of it.
type ChangeSet struct {
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
	summary         string // in place of Set: see List
}

// Digest identifies what a person sees. Approve wants it back, so that a person agrees to what they have seen, and the record has it.
func (w ChangeSet) Digest() string { return fmt.Sprintf("%x", w.known) }

// Summary says in words how much would change, by table, and how many messages would leave: "staff: 3 changed, 1 deleted; 1 message sent".
func (w ChangeSet) Summary() string {
	if w.summary != "" {
		return w.summary
	}
	var parts, tables []string
	n := map[string]map[changeset.Kind]int{}
	more := int64(0)
	for _, s := range w.Set.Parts {
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
	Version  int       `json:"v"`
	State    State     `json:"state"`
	At       time.Time `json:"at"`
	Until    time.Time `json:"until"`
	Chunks   int       `json:"chunks"`
	Short    []byte    `json:"short"`           // encrypted: see short
	Sends    bool      `json:"sends,omitempty"` // it only sends messages, so no store shows whether its run was kept
	Mails    bool      `json:"mails,omitempty"` // it sends messages, too: after a commit nobody knows whether they left
	Run      string    `json:"run,omitempty"`   // the run that applies it
	By       string    `json:"by,omitempty"`
	How      How       `json:"how,omitempty"`
	Decided  time.Time `json:"decided,omitzero"`
	Why      string    `json:"why,omitempty"`
	Reported bool      `json:"reported,omitempty"` // to the principal's model
	MAC      []byte    `json:"mac,omitempty"`      // of all other fields
}

// body is the encrypted part.
type body struct {
	ChangeSet
	Known   []byte `json:"known"`
	Granted string `json:"granted"`
	Module  string `json:"module"`
}

// short is the encrypted part of a head: what a list shows. A set may have 8 MiB, and a list is of many.
type short struct {
	Principal exo.Principal `json:"principal"`
	Run       exo.RunID     `json:"run"`
	Label     []string      `json:"label,omitempty"`
	Rules     []string      `json:"rules"`
	Who       changeset.Who `json:"who"`
	Summary   string        `json:"summary"`
	Known     []byte        `json:"known"`
}

const (
	headPrefix  = "review"
	chunkPrefix = "review-chunk"
	dayPrefix   = "review-day"
	openPrefix  = "review-open"
	version     = 1
	// keptFor is how long a decided change set can be looked at.
	keptFor = 30 * 24 * time.Hour
)

func (k *Keeper) headKey(p exo.Principal, id string) string {
	return store.Key(headPrefix, string(p), id)
}

// put stores a new change set: the chunks first, so that a head has all of its chunks, and the list of open ones last.
func (k *Keeper) put(ctx context.Context, w *ChangeSet) error {
	if weight(w) > MaxBytes {
		return errTooLarge
	}
	text, err := json.Marshal(body{*w, w.known, w.granted, w.module})
	if err != nil {
		return err
	}
	chunks, err := k.seal(w.Principal, w.ID, text)
	if err != nil {
		return err
	}
	end := w.Until.Add(keptFor)
	for i, c := range chunks {
		if _, err := k.opt.Store.Put(ctx, store.Entry{Key: store.Key(chunkPrefix, w.ID, fmt.Sprintf("%03d", i)), Value: c, Until: end}); err != nil {
			return err
		}
	}
	if text, err = json.Marshal(short{w.Principal, w.Run, w.Label, w.Rules, w.Who, w.Summary(), w.known}); err != nil {
		return err
	}
	list, err := k.seal(w.Principal, shortID(w.ID), text)
	if err != nil || len(list) != 1 {
		return errors.Join(errTooLarge, err)
	}
	h := head{Version: version, State: Pending, At: w.At, Until: w.Until, Chunks: len(chunks), Short: list[0], Sends: len(w.Set.Parts) == 0, Mails: len(w.Set.Messages) > 0}
	if _, err = k.replace(ctx, store.Entry{Key: k.headKey(w.Principal, w.ID), Until: end}, h); err != nil {
		return err
	}
	return k.index(ctx, w.Principal, func(ids []string) []string { return append(ids, w.ID) })
}

// shortID gives the encrypted part of a head a key of its own.
func shortID(id string) string { return id + " short" }

// index changes the list of a principal's open change sets: those that wait, and those of which the principal's model has not heard what became of them.
// With it a run need not look for them among all that the store has.
func (k *Keeper) index(ctx context.Context, p exo.Principal, change func([]string) []string) error {
	return store.Update(ctx, k.opt.Store, store.Key(openPrefix, string(p)), func(e *store.Entry) (put bool, err error) {
		ids, err := readIndex(*e)
		if err != nil {
			return false, err
		}
		e.Value, err = json.Marshal(change(ids))
		e.Until = time.Time{}
		return true, err
	})
}

func readIndex(e store.Entry) (ids []string, err error) {
	if e.Version == store.Absent {
		return nil, nil
	}
	if err := json.Unmarshal(e.Value, &ids); err != nil {
		return nil, fmt.Errorf("review: the entry %.80q is not a list of change sets: %.100s", e.Key, e.Value)
	}
	return ids, nil
}

// open calls f for each open change set of a principal. The entry is absent if its time in the store is over, and broken if it can't be read: one such
// entry must not keep a principal from the others.
func (k *Keeper) open(ctx context.Context, p exo.Principal, f func(id string, e store.Entry, h head, broken error) error) error {
	list, err := k.opt.Store.Get(ctx, store.Key(openPrefix, string(p)))
	if err != nil {
		return err
	}
	ids, err := readIndex(list)
	if err != nil {
		return err
	}
	for _, id := range ids {
		e, err := k.opt.Store.Get(ctx, k.headKey(p, id))
		if err != nil {
			return err
		}
		h := head{State: Expired}
		if e.Version != store.Absent {
			h, err = k.parseHead(e)
		}
		if err := f(id, e, h, err); err != nil {
			return err
		}
	}
	return nil
}

// parseHead reads a head. One that was not written with the Keeper's key is an error: who can write the store decides nothing.
func (k *Keeper) parseHead(e store.Entry) (h head, err error) {
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	if err = d.Decode(&h); err != nil || h.Version != version || h.Chunks < 1 {
		return h, fmt.Errorf("review: the entry %.80q is not the head of a change set: %.100s", e.Key, e.Value)
	}
	mac, err := k.mac(h)
	if err == nil && !hmac.Equal(mac, h.MAC) {
		err = fmt.Errorf("review: change set %s was changed in the store, or has another key: it can't be agreed to", idOf(e))
	}
	return h, err
}

// live is the state at a time: what nobody decided in time is expired.
func (h head) live(now time.Time) State {
	if h.State == Pending && !now.Before(h.Until) {
		return Expired
	}
	return h.State
}

// heads calls f for each change set in the store, the oldest first of each principal. broken says why a head can't be read: that is no reason to leave
// out the others.
func (k *Keeper) heads(ctx context.Context, f func(e store.Entry, h head, broken error) error) error {
	for e, err := range store.All(ctx, k.opt.Store, headPrefix+"/") {
		if err != nil {
			return err
		}
		h, broken := k.parseHead(e)
		if err = f(e, h, broken); err != nil {
			return err
		}
	}
	return nil
}

// pendingOf counts the change sets of a principal that wait.
func (k *Keeper) pendingOf(ctx context.Context, p exo.Principal) (n int, err error) {
	err = k.open(ctx, p, func(_ string, _ store.Entry, h head, broken error) error {
		if s := h.live(k.opt.Now()); broken == nil && (s == Pending || s == Applying) {
			n++
		}
		return nil
	})
	return n, err
}

// idOf returns the ID of the change set that a head is of.
func idOf(e store.Entry) string {
	at := strings.Split(e.Key, "/")
	return at[len(at)-1]
}

// decided writes into a change set what its head knows.
func (h head) decided(w *ChangeSet, now time.Time) (err error) {
	w.State, w.By, w.How, w.Decided, w.Why = h.live(now), h.By, h.How, h.Decided, h.Why
	if h.Run != "" {
		run, err := exo.ParseRunID(h.Run)
		if err != nil {
			return err
		}
		w.Applies = &run
	}
	return nil
}

// brief opens the encrypted part of a head.
func (k *Keeper) brief(e store.Entry, h head) (s short, err error) {
	text, principal, err := k.unseal(shortID(idOf(e)), [][]byte{h.Short})
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err == nil && (s.Principal != principal || k.headKey(principal, idOf(e)) != e.Key) { // an entry that was moved to another principal
		err = fmt.Errorf("review: the entry %.80q has the change set of somebody else", e.Key)
	}
	return s, err
}

// load reads and opens a change set.
func (k *Keeper) load(ctx context.Context, e store.Entry, h head) (w ChangeSet, err error) {
	id := idOf(e)
	if _, err := k.brief(e, h); err != nil { // a list does not show what it is
		return w, err
	}
	var chunks [][]byte
	for i := range h.Chunks {
		c, err := k.opt.Store.Get(ctx, store.Key(chunkPrefix, id, fmt.Sprintf("%03d", i)))
		if err != nil {
			return w, err
		}
		if c.Version == store.Absent {
			return w, fmt.Errorf("review: a part of change set %s is gone from the store", id)
		}
		chunks = append(chunks, c.Value)
	}
	text, _, err := k.unseal(id, chunks)
	if err != nil {
		return w, err
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return w, fmt.Errorf("review: change set %s can't be read: %w", id, err)
	}
	w = b.ChangeSet
	w.known, w.granted, w.module = b.Known, b.Granted, b.Module
	return w, h.decided(&w, k.opt.Now())
}

// List returns the change sets that wait for a person, the oldest first, without their Set and Program: Get has these. all also returns those that were
// decided, or expired, in the last 30 days. One that can't be read has an ID, a State and a Why alone; it can't be agreed to.
func (k *Keeper) List(ctx context.Context, all bool) (out []ChangeSet, err error) {
	if !k.made() {
		return nil, errZero
	}
	now := k.opt.Now()
	err = k.heads(ctx, func(e store.Entry, h head, err error) error {
		if s := h.live(now); err == nil && !all && s != Pending && s != Applying {
			return nil
		}
		w := ChangeSet{ID: idOf(e), State: Unreadable, At: h.At, Until: h.Until}
		if err == nil {
			err = h.decided(&w, now)
		}
		var s short
		if err == nil {
			s, err = k.brief(e, h)
		}
		if err != nil {
			w.Why = err.Error()
		} else {
			w.Principal, w.Run, w.Label, w.Rules, w.Who, w.summary, w.known = s.Principal, s.Run, s.Label, s.Rules, s.Who, s.Summary, s.Known
		}
		out = append(out, w)
		return nil
	})
	slices.SortStableFunc(out, func(a, b ChangeSet) int { return a.At.Compare(b.At) })
	return out, err
}

// PendingOf returns the change sets of one principal that wait for a person, whole, the oldest first. Of one that can't be read it has the ID and, as
// Why, the reason, with the State Unreadable.
func (k *Keeper) PendingOf(ctx context.Context, p exo.Principal) (out []ChangeSet, err error) {
	if !k.made() {
		return nil, errZero
	}
	err = k.open(ctx, p, func(id string, e store.Entry, h head, broken error) error {
		if s := h.live(k.opt.Now()); broken == nil && s != Pending && s != Applying {
			return nil
		}
		w, err := ChangeSet{}, broken
		if err == nil {
			w, err = k.load(ctx, e, h)
		}
		if err != nil {
			w = ChangeSet{ID: id, Principal: p, State: Unreadable, At: h.At, Until: h.Until, Why: err.Error()}
		}
		out = append(out, w)
		return nil
	})
	return out, err
}

// Get returns one change set. The beginning of an ID is enough if no other begins like it.
func (k *Keeper) Get(ctx context.Context, id string) (w ChangeSet, err error) {
	_, _, w, err = k.find(ctx, id)
	return w, err
}

// ErrNone is the error for an ID of no change set.
var ErrNone = errors.New("review: there is no such change set: it was never prepared, or is older than 30 days")

func (k *Keeper) find(ctx context.Context, id string) (e store.Entry, h head, w ChangeSet, err error) {
	if !k.made() {
		return e, h, w, errZero
	}
	id = strings.ToLower(id)
	n := 0
	err = k.heads(ctx, func(x store.Entry, y head, broken error) error {
		if len(id) >= 6 && strings.HasPrefix(idOf(x), id) {
			e, h, n = x, y, n+1
			return broken
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
