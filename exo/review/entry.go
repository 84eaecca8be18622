package review

// This file has the entries in the store: a head, which a decision replaces, and the encrypted change set, which never changes.

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

// State is the state of a change set.
type State string

// These are the states.
const (
	Pending  State = "waiting"  // the change set waits for a person
	Applying State = "applying" // a person agreed, and a run applies it; if the process of that run is gone, Keeper.Reconcile settles it
	Applied  State = "applied"
	Rejected State = "rejected"
	Conflict State = "conflict" // a person agreed, but the run failed or would have done something else, and nothing was done
	Unknown  State = "unknown"  // a person agreed, but it is unknown whether the messages were sent: check with their recipients
	Expired  State = "expired"  // no person decided in time

	Unreadable State = "unreadable" // the change set's entry in the store can't be read, for the reason in Why
)

// ChangeSet is a change set with its state.
type ChangeSet struct {
	ID        string        `json:"id"` // an ID that can't be guessed, but gives no permission
	Principal exo.Principal `json:"principal"`
	Run       exo.RunID     `json:"run"` // the run that prepared it
	Program   string        `json:"program"`
	Clock     time.Time     `json:"clock"`
	Seed      uint64        `json:"seed"`
	Began     []string      `json:"began,omitempty"` // the label with which the run began
	Label     []string      `json:"label,omitempty"` // the label of what the run has read: show the change set only to people who may read that
	Rules     []string      `json:"rules"`           // the rules of the host that the run met, in words
	Who       changeset.Who `json:"who"`
	Set       changeset.Set `json:"set"`
	At        time.Time     `json:"at"`
	Until     time.Time     `json:"until"`

	State   State      `json:"state,omitempty"`
	By      string     `json:"by,omitempty"` // the name of the person who decided
	How     How        `json:"how,omitempty"`
	Decided time.Time  `json:"decided,omitzero"`
	Why     string     `json:"why,omitempty"`     // the reason of a rejection or a conflict
	Applies *exo.RunID `json:"applies,omitempty"` // the run that applies the change set

	known           []byte // the keyed digest of everything that the run determines
	granted, module string
	summary         string // the Summary in a list, where Set is missing
}

// Digest identifies what a person sees. Approve requires it, so that a person agrees only to what they have seen, and the record contains it.
func (w ChangeSet) Digest() string { return fmt.Sprintf("%x", w.known) }

// Summary describes in words how much would change in each table, and how many messages would be sent: "staff: 3 changed, 1 deleted; 1 message sent".
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

// head is the entry of a change set that a decision replaces. It has no value of the database.
type head struct {
	Version  int       `json:"v"`
	State    State     `json:"state"`
	At       time.Time `json:"at"`
	Until    time.Time `json:"until"`
	Chunks   int       `json:"chunks"`
	Short    []byte    `json:"short"`           // a short, encrypted
	Sends    bool      `json:"sends,omitempty"` // the change set only sends messages, so no store shows whether its run was kept
	Mails    bool      `json:"mails,omitempty"` // the change set sends messages, too, and after a killed run it is unknown whether they were sent
	Run      string    `json:"run,omitempty"`   // the run that applies the change set
	By       string    `json:"by,omitempty"`
	How      How       `json:"how,omitempty"`
	Decided  time.Time `json:"decided,omitzero"`
	Why      string    `json:"why,omitempty"`
	Reported bool      `json:"reported,omitempty"` // the principal's model has been informed
	MAC      []byte    `json:"mac,omitempty"`      // MAC authenticates all other fields
}

// body is the encrypted part of a change set.
type body struct {
	ChangeSet
	Known   []byte `json:"known"`
	Granted string `json:"granted"`
	Module  string `json:"module"`
}

// short is the encrypted part of a head, with what a list shows. A list has many change sets, each of which may have 8 MiB.
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
	// keptFor is how long a decided change set can still be read.
	keptFor = 30 * 24 * time.Hour
)

func (k *Keeper) headKey(p exo.Principal, id string) string {
	return store.Key(headPrefix, string(p), id)
}

// put stores a new change set: first its chunks, so that no head lacks a chunk, and last the list of open change sets.
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

// shortID returns the ID from which the key for the encrypted part of a head is derived.
func shortID(id string) string { return id + " short" }

// index changes the list of a principal's open change sets: those that wait, and those with an outcome that the principal's model has not read. With
// the list a run need not search the store.
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
		return nil, fmt.Errorf("review: the store's entry %.80q should be a list of change sets, and is %.100s: correct or remove the entry", e.Key, e.Value)
	}
	return ids, nil
}

// open calls f for each open change set of a principal. If the store has dropped the entry since its time is over, e is absent. broken is the
// reason why an entry can't be read. If f returns nil for it, the other entries follow.
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

// parseHead reads a head. It refuses a head that was not written with the Keeper's key: a person who can only write the store must not decide.
func (k *Keeper) parseHead(e store.Entry) (h head, err error) {
	d := json.NewDecoder(bytes.NewReader(e.Value))
	d.DisallowUnknownFields()
	if err = d.Decode(&h); err != nil || h.Version != version || h.Chunks < 1 {
		return h, fmt.Errorf("review: the store's entry %.80q should be the first part of a change set, and is %.100s: correct or remove the entry", e.Key, e.Value)
	}
	mac, err := k.mac(h)
	if err == nil && !hmac.Equal(mac, h.MAC) {
		err = fmt.Errorf("review: change set %s was changed in the store, or written with another key, so it can't be agreed to: run its program again", idOf(e))
	}
	return h, err
}

// live returns the state at time now: a change set that was not decided in time is Expired.
func (h head) live(now time.Time) State {
	if h.State == Pending && !now.Before(h.Until) {
		return Expired
	}
	return h.State
}

// heads calls f for each change set in the store, each principal's oldest first. broken is the reason why a head can't be read. If f returns nil for it, others follow.
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

// Waiting counts the change sets of all principals that wait for a person.
func (k *Keeper) Waiting(ctx context.Context) (n int, err error) {
	if !k.made() {
		return 0, errZero
	}
	err = k.heads(ctx, func(_ store.Entry, h head, broken error) error {
		if broken == nil && h.live(k.opt.Now()) == Pending {
			n++
		}
		return nil
	})
	return n, err
}

// idOf returns the ID of the change set that a head's entry belongs to.
func idOf(e store.Entry) string {
	at := strings.Split(e.Key, "/")
	return at[len(at)-1]
}

// decided copies the decision in a head into a change set.
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

// brief decrypts the short part of a head.
func (k *Keeper) brief(e store.Entry, h head) (s short, err error) {
	text, principal, err := k.unseal(shortID(idOf(e)), [][]byte{h.Short})
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err == nil && (s.Principal != principal || k.headKey(principal, idOf(e)) != e.Key) { // the entry was moved to another principal
		err = fmt.Errorf("review: the store's entry %.80q has the change set of another principal, so it can't be agreed to: remove the entry", e.Key)
	}
	return s, err
}

// load reads and decrypts a change set.
func (k *Keeper) load(ctx context.Context, e store.Entry, h head) (w ChangeSet, err error) {
	id := idOf(e)
	if _, err := k.brief(e, h); err != nil { // a head that is not of this change set is refused
		return w, err
	}
	var chunks [][]byte
	for i := range h.Chunks {
		c, err := k.opt.Store.Get(ctx, store.Key(chunkPrefix, id, fmt.Sprintf("%03d", i)))
		if err != nil {
			return w, err
		}
		if c.Version == store.Absent {
			return w, fmt.Errorf("review: a part of change set %s was removed from the store, so it can't be applied: run its program again", id)
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

// List returns the change sets that wait for a person, the oldest first, without Set and Program, which Get returns. With all, it also returns those
// that were decided, or expired, in the last 30 days. A change set that can't be read has only an ID, a State and a Why, and can't be approved.
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

// PendingOf returns the complete change sets of one principal that wait for a person, the oldest first. A change set that can't be read has only its ID,
// the State Unreadable, and the reason in Why.
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

// Get returns one change set. The beginning of an ID is enough if it is unique and has at least 6 characters.
func (k *Keeper) Get(ctx context.Context, id string) (w ChangeSet, err error) {
	_, _, w, err = k.find(ctx, id)
	return w, err
}

// ErrNone is the error for an ID without a change set, and for fewer than 6 characters of an ID.
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
	case n == 0 && len(id) < 6:
		err = fmt.Errorf("%w; give at least 6 characters of an ID, and not %.10q", ErrNone, id)
	case n == 0:
		err = ErrNone
	case n > 1:
		err = fmt.Errorf("review: %d change sets begin with %s: give more of the ID", n, id)
	default:
		w, err = k.load(ctx, e, h)
	}
	return e, h, w, err
}

// same reports whether two digests are equal and not empty.
func same(a, b []byte) bool { return len(a) > 0 && hmac.Equal(a, b) }
