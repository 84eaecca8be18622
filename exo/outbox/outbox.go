package outbox

// This file puts messages into the outbox, and reports what became of those of a run whose process is gone.

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/aead"
)

// Options configure an Outbox. Store and Key must be set.
type Options struct {
	Store store.Store
	Key   []byte           // encrypts bodies; it has at least 32 random bytes, and is the same in all processes that share the store
	For   time.Duration    // how long attempts are made for a message; 0: 3 days
	Now   func() time.Time // nil: time.Now

	// Kept asks the databases whether they kept a run whose process is gone. If it is nil, the messages of such runs stay Staged.
	Kept Kept

	// Failed is called with each message that has failed for good, on the goroutine of the attempt. It may be nil.
	Failed func(Item)
}

// These bound an outbox.
const (
	MaxBody  = 256 << 10 // most bytes of one body
	minKey   = 32
	tryFor   = 72 * time.Hour
	attempt  = time.Minute            // the longest time of one attempt
	moment   = 5 * time.Second        // how long runs together may wait for one receiver within a minute, and how long Wait waits
	quick    = 300 * time.Millisecond // if a first attempt takes longer, runs do not wait for its receiver any more within the minute
	lease    = 2 * attempt            // how long a process that makes an attempt keeps other processes from the message
	cutOff   = 2 * time.Minute        // how long a run may take from Stage to its commit before its process counts as gone
	keptSent = 24 * time.Hour         // how long a delivered message stays in the list
	keptRest = 30 * 24 * time.Hour    // how long any other message stays in the list after its attempts have ended
)

// State is what became of a message.
type State string

// These are the states of a message.
const (
	Staged  State = "staged"  // the run of the message is about to commit
	Waiting State = "waiting" // the message is to be delivered
	Sent    State = "sent"    // the receiver has taken the message
	Failed  State = "failed"  // the receiver refused the message, or no attempt succeeded in time
	Unknown State = "unknown" // the process of the run was killed, and no database knows whether the run was kept: the message is not delivered
)

// Item is a message in the outbox, without its body.
type Item struct {
	Key   string    `json:"key"`
	To    string    `json:"to"` // the name of the receiver, as passed to Deliver
	State State     `json:"state"`
	At    time.Time `json:"at"`
	Next  time.Time `json:"next,omitzero"` // the time of the next attempt
	Tries int       `json:"tries"`
	Why   string    `json:"why,omitempty"` // why the message was not delivered, such as the error of the last attempt
}

// item is the value of a message's entry in the store.
type item struct {
	Version int `json:"v"`
	Item
	Run       string `json:"run,omitempty"`       // the run of a staged message
	Witnessed bool   `json:"witnessed,omitempty"` // each store that the run changed will know whether the run was kept
	Target    string `json:"target,omitempty"`    // the digest of the place to which the process that put the message delivers it
	Sealed    []byte `json:"sealed,omitempty"`
}

// Send delivers the body of a message to its receiver. It must return when ctx ends.
type Send func(ctx context.Context, key string, body []byte) error

// ErrRefused is wrapped by the error of a Send if the receiver has refused the message, so nothing was done. No further attempt is made.
var ErrRefused = errors.New("outbox: the message can't be delivered")

// These are errors of the outbox.
var (
	ErrNone    = errors.New("outbox: there is no such message: it was delivered a day ago or earlier, or was dropped")
	errChanged = errors.New("outbox: the message was changed in the store, or encrypted with another key")
	errZero    = errors.New("outbox: the zero Outbox can't be used: make one with New")
)

// Outbox keeps messages until they are delivered. Several goroutines may use it, and several processes may share its store. The zero Outbox, and nil, refuse all messages.
type Outbox struct {
	opt    Options
	wake   chan struct{}
	flying sync.WaitGroup // the attempts that are being made
	mu     sync.Mutex
	send   map[string]Send
	target map[string]string // the digests of the places to which this process delivers, by receiver
	report func(error)       // the function that was passed to Run
	waited map[string]waited
	lists  map[string]bool // the receivers to which a pass is delivering; true: another pass found due messages meanwhile
}

// New makes an Outbox.
func New(opt Options) (*Outbox, error) {
	switch {
	case opt.Store == nil:
		return nil, errors.New("outbox: messages wait in a store, and there is none: set Store")
	case len(opt.Key) < minKey:
		return nil, fmt.Errorf("outbox: the key has %d bytes: want at least %d random bytes", len(opt.Key), minKey)
	case opt.For < 0:
		return nil, fmt.Errorf("outbox: messages are to be tried for %v: want a time above 0, or 0 for 3 days", opt.For)
	}
	opt.For = cmp.Or(opt.For, tryFor)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Outbox{opt: opt, wake: make(chan struct{}, 1), send: map[string]Send{}, target: map[string]string{}, waited: map[string]waited{}, lists: map[string]bool{}}, nil
}

// Deliver sets the function that delivers the messages to a receiver.
func (o *Outbox) Deliver(to string, by Send) { o.DeliverAt(to, "", by) }

// DeliverAt is like Deliver. where describes, in words of the host, the place to which the function delivers. If the process that put a message had
// another place for the receiver, as with another grant file, such a process delivers it, or Retry. If where is "", the function delivers every message.
func (o *Outbox) DeliverAt(to, where string, by Send) {
	if o.none() {
		return
	}
	if where != "" {
		mac := hmac.New(sha256.New, o.opt.Key)
		fmt.Fprintf(mac, "exo/outbox target 1 %q %q", to, where)
		where = hex.EncodeToString(mac.Sum(nil)[:16])
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send[to], o.target[to] = by, where
}

// targetOf returns the digest of the place to which this process delivers messages to a receiver.
func (o *Outbox) targetOf(to string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.target[to]
}

// none reports whether an Outbox was not made with New.
func (o *Outbox) none() bool { return o == nil || o.opt.Store == nil }

const prefix = "outbox"

func keyOf(key string) string { return store.Key(prefix, key) }

// change changes one entry with f. If f returns false, the entry stays as it is. f is called again if another process changed the entry first.
func (o *Outbox) change(ctx context.Context, key string, f func(x *item, has bool) (put bool, until time.Time, err error)) error {
	if o.none() {
		return errZero
	}
	return store.Update(ctx, o.opt.Store, keyOf(key), func(e *store.Entry) (bool, error) {
		x, err := parse(*e)
		if err != nil {
			return false, err
		}
		put, until, err := f(&x, e.Version != store.Absent)
		if err != nil || !put {
			return false, err
		}
		x.Version = 1
		e.Value, err = json.Marshal(x)
		e.Until = until
		return true, err
	})
}

func parse(e store.Entry) (x item, err error) {
	if e.Version == store.Absent {
		return x, nil
	}
	if err := json.Unmarshal(e.Value, &x); err != nil || x.Version != 1 || keyOf(x.Key) != e.Key {
		return x, fmt.Errorf("outbox: the store's entry %.80q should be a message of the outbox, and is %.100s: correct or remove the entry", e.Key, e.Value)
	}
	return x, nil
}

func (o *Outbox) seal(key, to string, body []byte) ([]byte, error) {
	if len(body) > MaxBody {
		return nil, fmt.Errorf("outbox: the message has %d bytes: want at most %d", len(body), MaxBody)
	}
	box, err := aead.New(o.opt.Key, "exo/outbox 1", key)
	return box.Seal(body, []byte(to)), err
}

// Put keeps a message until it is delivered. If the outbox has a Staged or Unknown message under the key, Put releases that message. A message that is
// Waiting, Sent or Failed stays as it is.
func (o *Outbox) Put(ctx context.Context, to, key string, body []byte) error {
	err := o.add(ctx, waiting(to, key), body)
	if err == nil {
		o.awake()
	}
	return err
}

func waiting(to, key string) item { return item{Item: Item{Key: key, To: to, State: Waiting}} }

// Stage keeps a message of a run that is about to commit changes in databases. witnessed reports whether each database will know if the run was kept.
func (o *Outbox) Stage(ctx context.Context, to, key string, run exo.RunID, witnessed bool, body []byte) error {
	return o.add(ctx, item{Item: Item{Key: key, To: to, State: Staged}, Run: run.String(), Witnessed: witnessed}, body)
}

func (o *Outbox) add(ctx context.Context, y item, body []byte) error {
	return o.change(ctx, y.Key, func(x *item, has bool) (_ bool, until time.Time, err error) {
		now := o.opt.Now().UTC()
		switch {
		case has && (x.State != Staged && x.State != Unknown || y.State == Staged):
			return false, until, nil
		case has: // the run acts, so it was kept, even if a pass has already decided that the run's process was gone
			x.State, x.Next, x.Why = Waiting, now, ""
			return true, now.Add(o.opt.For + keptRest), nil
		}
		*x = y
		x.At, x.Next, x.Target = now, now, o.targetOf(x.To)
		x.Sealed, err = o.seal(x.Key, x.To, body)
		return true, now.Add(o.opt.For + keptRest), err
	})
}

func (o *Outbox) awake() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Forget drops a message that is staged.
func (o *Outbox) Forget(ctx context.Context, key string) error {
	return o.remove(ctx, key, func(x item) bool { return x.State == Staged })
}

// Drop drops a message. If a process is delivering the message at that moment, the receiver may still get it.
func (o *Outbox) Drop(ctx context.Context, key string) error {
	return o.remove(ctx, key, func(item) bool { return true })
}

func (o *Outbox) remove(ctx context.Context, key string, of func(item) bool) error {
	for {
		e, x, err := o.get(ctx, key)
		if err != nil || !of(x) {
			return err
		}
		if err = o.opt.Store.Delete(ctx, e.Key, e.Version); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

func (o *Outbox) get(ctx context.Context, key string) (e store.Entry, x item, err error) {
	if o.none() {
		return e, x, errZero
	}
	if e, err = o.opt.Store.Get(ctx, keyOf(key)); err == nil && e.Version == store.Absent {
		err = ErrNone
	}
	if err == nil {
		x, err = parse(e)
	}
	return e, x, err
}

// Retry makes an attempt at once for a message that is Failed, Waiting or Unknown.
func (o *Outbox) Retry(ctx context.Context, key string) error {
	err := o.change(ctx, key, func(x *item, has bool) (bool, time.Time, error) {
		switch now := o.opt.Now().UTC(); {
		case !has:
			return false, now, ErrNone
		case x.State == Sent || x.State == Staged:
			return false, now, fmt.Errorf("outbox: the message is %s, and only one that is failed, waiting or unknown can be retried", x.State)
		default:
			x.State, x.At, x.Next, x.Tries, x.Why, x.Target = Waiting, now, now, 0, "", o.targetOf(x.To)
			return true, now.Add(o.opt.For + keptRest), nil
		}
	})
	if err != nil {
		return err
	}
	return o.Try(ctx, key)
}

// List returns the messages in the outbox, in the order of their keys.
func (o *Outbox) List(ctx context.Context) (out []Item, err error) {
	err = o.each(ctx, func(x item) { out = append(out, x.Item) })
	return out, err
}

// each calls f for each message. If it can't read an entry, it calls f for all others, and then returns an error.
func (o *Outbox) each(ctx context.Context, f func(item)) error {
	if o.none() {
		return errZero
	}
	var unread []error
	for e, err := range store.All(ctx, o.opt.Store, prefix+"/") {
		if err != nil {
			return err
		}
		x, err := parse(e)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		f(x)
	}
	return errors.Join(unread...)
}

// Settled returns what became of a message, for the record of a run whose process is gone. A message that waits in the outbox counts as applied. If it
// is staged, Settled first decides whether to release it.
func (o *Outbox) Settled(ctx context.Context, key string) (exo.State, error) {
	_, x, err := o.get(ctx, key)
	switch {
	case errors.Is(err, ErrNone):
		return exo.StateUnknown, nil // delivered long ago, dropped, or never put
	case err != nil:
		return exo.StateUnknown, err
	case x.State == Staged && o.opt.Kept != nil:
		if yes, err := o.decide(ctx, x); err != nil || !yes {
			return exo.StateUnknown, err
		}
		o.awake()
		return exo.StateApplied, nil
	case x.State == Waiting || x.State == Sent:
		return exo.StateApplied, nil
	case x.State == Failed && strings.HasPrefix(x.Why, refused):
		return exo.StateFailed, nil
	}
	return exo.StateUnknown, nil
}
