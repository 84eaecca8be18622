package review

// This file has the Keeper, and the review of a run. approved.go has what follows; seal.go and entry.go have what is stored.

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/reread"
)

// Options configure a Keeper. Store and Key must be set.
type Options struct {
	Store store.Store
	// Key encrypts change sets and keys their digests. It has at least 32 random bytes, and is the same in all processes that share the store.
	Key []byte
	// Wait is how long a change set waits for a person; 0: 24 hours.
	Wait time.Duration
	// Link returns where a person finds a change set, for the text that the model reads. If it is nil, the text has only the ID.
	Link func(id string) string
	// Notify is called with each new change set. It must return soon, and may be nil.
	Notify func(ChangeSet)
	Now    func() time.Time // nil: time.Now
}

// These bound the change sets that wait.
const (
	MaxPending = 20      // most change sets of one principal
	MaxBytes   = 8 << 20 // most bytes of one change set, before its encryption
	MinKey     = 32      // least bytes of a key
	defaultFor = 24 * time.Hour
)

// Keeper keeps change sets that wait for a person. It is the Review of an exo.Config. Several goroutines may use it. The zero Keeper and a nil
// *Keeper let no run commit.
type Keeper struct {
	opt     Options
	mu      sync.Mutex
	applies map[exo.RunID]*Approved // the runs of this process that apply a change set
}

var _ exo.Reviewer = (*Keeper)(nil)

// New makes a Keeper from its options.
func New(opt Options) (*Keeper, error) {
	switch {
	case opt.Store == nil:
		return nil, errors.New("review: change sets wait in a store, and there is none: set Store")
	case len(opt.Key) < MinKey:
		return nil, fmt.Errorf("review: the key has %d bytes: want at least %d random bytes", len(opt.Key), MinKey)
	case opt.Wait < 0:
		return nil, fmt.Errorf("review: change sets are to wait for %v: want a time above 0, or 0 for 24 hours", opt.Wait)
	}
	opt.Wait = cmp.Or(opt.Wait, defaultFor)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Keeper{opt: opt, applies: map[exo.RunID]*Approved{}}, nil
}

// InMemory returns a Keeper for one process: its change sets are lost when the process ends.
func InMemory() *Keeper {
	key := make([]byte, MinKey)
	rand.Read(key)                                              // rand.Read never returns an error
	k, _ := New(Options{Store: store.NewMemory(nil), Key: key}) // New fails only without a Store or a Key
	return k
}

var errZero = fail.Named("review: the zero Keeper can't be used: make one with New")

// Link returns where a person finds a change set; "": the host has not set Options.Link.
func (k *Keeper) Link(id string) string {
	if !k.made() || k.opt.Link == nil {
		return ""
	}
	return k.opt.Link(id)
}

func (k *Keeper) made() bool { return k != nil && k.opt.Store != nil }

// Review implements exo.Reviewer.
func (k *Keeper) Review(ctx context.Context, r *exo.Reviewed) error {
	if !k.made() {
		return &fail.Error{Kind: fail.Internal, Err: errZero}
	}
	k.mu.Lock()
	a := k.applies[r.Run.ID]
	k.mu.Unlock()
	var rules []string
	var who changeset.Who
	if a == nil {
		var err error
		if rules, who, err = k.met(ctx, r); err != nil || len(rules) == 0 {
			return err
		}
		if r.Run.Principal == "" {
			return fail.Errorf(fail.Denied, "", "a person would have to agree to this change (%s), and none can be asked: the host runs this program for no user", strings.Join(rules, ", "))
		}
	}
	if a != nil {
		ctx = reread.With(ctx)
	}
	set, err := r.Set(ctx)
	if err != nil {
		return fail.Classify("", err)
	}
	known, err := k.digest(r.Run.Principal, &set)
	if err != nil {
		return fail.Classify("", err)
	}
	if a != nil {
		return a.compare(r, set, known)
	}
	if err := unfit(set); err != nil {
		return err
	}
	return k.keep(ctx, r, set, known, rules, who)
}

// met returns the rules that the change set meets, in words, and who may agree to it. It counts rows for rules that ask above some number a day.
func (k *Keeper) met(ctx context.Context, r *exo.Reviewed) (rules []string, who changeset.Who, err error) {
	meet := func(rule string, w changeset.Who) {
		first := len(rules) == 0
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
		who.Least = cmp.Or(who.Least, w.Least)
		if first || rank[w.By] > rank[who.By] {
			who.By = w.By
		}
	}
	var counted []changeset.Ask
	for _, a := range r.Asks {
		switch {
		case a.Count == "":
			meet(a.Rule, a.Who)
		case a.Rows > 0:
			counted = append(counted, a)
		}
	}
	for _, a := range counted {
		over, err := k.count(ctx, r.Run.Principal, a, len(rules) == 0)
		if err != nil {
			return nil, who, fail.Classify("", err)
		}
		if over {
			meet(a.Rule, a.Who)
		}
	}
	return rules, who, nil
}

// rank orders the values of By. The zero By is stronger than Self, since on a page it means Other.
var rank = map[changeset.By]int{changeset.Self: 0, "": 1, changeset.Other: 2}

// unfit returns why no person can agree to a change set: a text for the model, and the hidden details for the host. It returns nil if a person can
// agree.
func unfit(set changeset.Set) error {
	bad := func(model, host string) error {
		return &fail.Error{Kind: fail.Invalid, Msg: "a person would have to agree to this change, and can't: " + model, Err: errors.New("review: " + host)}
	}
	const copied = "a text or message has the key of a record that this program adds, and the record gets another key when the change is applied: leave the key out"
	keys := map[string]bool{}
	for _, s := range set.Parts {
		switch {
		case s.Copies != "":
			return bad(copied, s.Copies)
		case s.Unfit != "":
			return bad("not everything that the program changes can be shown; change less in one program, or in another way", s.Unfit)
		}
		for _, key := range s.New {
			keys[key] = true
		}
	}
	for _, m := range set.Messages {
		switch key := changeset.Named(m.Text, keys); {
		case m.Unfit != "":
			return bad(m.Op+" "+m.Unfit, m.Unfit)
		case key != "":
			return bad(copied, m.Op+" is given "+key)
		}
	}
	return nil
}

// keep stores the change set of a run that meets rules. It returns the error with which the run ends.
func (k *Keeper) keep(ctx context.Context, r *exo.Reviewed, set changeset.Set, known []byte, rules []string, who changeset.Who) error {
	now := k.opt.Now().UTC().Truncate(time.Millisecond)
	w := ChangeSet{ID: strings.ToLower(rand.Text()), Principal: r.Run.Principal, Program: r.Program, Clock: r.Run.Clock, Seed: r.Run.Seed, Label: r.Label.Tags(), Began: r.Run.Label.Tags(), Run: r.Run.ID,
		Rules: rules, Who: who, Set: set, At: now, Until: now.Add(k.opt.Wait), known: known, granted: r.Granted.String(), module: buildinfo.Version()}
	n, err := k.pendingOf(ctx, w.Principal)
	if err == nil && n >= MaxPending {
		return fail.Errorf(fail.Limit, "", "%d change sets of this user wait for a person already: nothing more can be prepared until some are agreed to or refused", n)
	}
	if err == nil {
		err = k.put(ctx, &w)
	}
	if err != nil {
		return fail.Classify("", err)
	}
	if k.opt.Notify != nil {
		k.opt.Notify(w)
	}
	at := ""
	if link := k.Link(w.ID); link != "" {
		at = ", at " + link
	}
	return fail.Errorf(fail.Pending, "", "prepared, and nothing has happened yet: a person has to agree first (%s). It waits as change set %s%s. You can't agree to it. Don't run the program again: the next call says what became of it",
		strings.Join(rules, ", "), w.ID, at)
}
