package outbox

// This file puts messages into the outbox, and decides about those of a run whose process is gone.

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

// Options are what an Outbox needs. Store and Key must be set.
type Options struct {
	Store store.Store
	Key   []byte           // encrypts bodies: at least 32 random bytes, the same in all processes that share the store
	For   time.Duration    // how long a message is tried; 0: 3 days
	Now   func() time.Time // nil: time.Now

	// Kept asks the databases what became of a run whose process is gone; nil: its messages stay as they are.
	Kept Kept

	// Failed hears of each message that has failed for good, on the goroutine of the attempt; nil: nobody does.
	Failed func(Item)
}

// Bounds of an outbox.
const (
	MaxBody  = 256 << 10 // bytes of one body
	minKey   = 32
	tryFor   = 72 * time.Hour
	attempt  = time.Minute            // the most that one attempt takes
	moment   = 5 * time.Second        // how long runs wait for the first attempts to one receiver, within a minute
	quick    = 300 * time.Millisecond // a first attempt that takes longer is the last one that runs wait for, within a minute
	lease    = 2 * attempt            // how long a process that delivers a message keeps others from it
	cutOff   = 2 * time.Minute        // how long a run may take from Stage to its commit before its process counts as gone
	keptSent = 24 * time.Hour         // how long a message is listed that was delivered
	keptRest = 30 * 24 * time.Hour    // and one that was not
)

// State is what became of a message.
type State string

// The states of a message.
const (
	Staged  State = "staged"  // its run is about to commit
	Waiting State = "waiting" // it is to be delivered
	Sent    State = "sent"    // the receiver has taken it
	Failed  State = "failed"  // the receiver refuses it, or time is over
	Unknown State = "unknown" // its process was killed, and no database knows whether its run was kept: it is not delivered
)

// Item is a message in the outbox, without its body.
type Item struct {
	Key   string    `json:"key"`
	To    string    `json:"to"` // the name of what delivers it
	State State     `json:"state"`
	At    time.Time `json:"at"`
	Next  time.Time `json:"next,omitzero"` // of the next attempt
	Tries int       `json:"tries"`
	Why   string    `json:"why,omitempty"` // the last attempt failed
}

// item is the value of an entry.
type item struct {
	Version int `json:"v"`
	Item
	Run       string `json:"run,omitempty"`       // of a staged message
	Witnessed bool   `json:"witnessed,omitempty"` // each store that the run changed will know of it
	Target    string `json:"target,omitempty"`    // the digest of where its process delivers
	Sealed    []byte `json:"sealed,omitempty"`
}

// Send delivers the body of a message to its receiver. It must end with ctx.
type Send func(ctx context.Context, key string, body []byte) error

// ErrRefused is wrapped by the error of a Send whose message the receiver has refused, so that nothing was done: it is not tried again.
var ErrRefused = errors.New("outbox: the receiver refuses the message")

// Errors of the outbox.
var (
	ErrNone    = errors.New("outbox: there is no such message: it was delivered a day ago or earlier, or was dropped")
	errChanged = errors.New("outbox: the message was changed in the store, or encrypted with another key")
	errZero    = errors.New("outbox: this Outbox was not made with New, so no message can wait in it")
)

// Outbox keeps messages. Several goroutines may use it, and several processes its store. The zero Outbox, and nil, keep nothing.
type Outbox struct {
	opt    Options
	wake   chan struct{}
	flying sync.WaitGroup // attempts
	mu     sync.Mutex
	send   map[string]Send
	target map[string]string // the digests of destinations
	report func(error)       // of Run
	waited map[string]waited
	lists  map[string]bool // receivers whose messages a pass delivers; true: it was to deliver more
}

// New makes an Outbox.
func New(opt Options) (*Outbox, error) {
	switch {
	case opt.Store == nil:
		return nil, errors.New("outbox: there is no store in which messages could wait: set Store")
	case len(opt.Key) < minKey:
		return nil, fmt.Errorf("outbox: the key has %d bytes: want at least %d random ones", len(opt.Key), minKey)
	case opt.For < 0:
		return nil, fmt.Errorf("outbox: messages would be tried for %v: want a time above 0, or 0 for 3 days", opt.For)
	}
	opt.For = cmp.Or(opt.For, tryFor)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Outbox{opt: opt, wake: make(chan struct{}, 1), send: map[string]Send{}, target: map[string]string{}, waited: map[string]waited{}, lists: map[string]bool{}}, nil
}

// Deliver gives the messages to a name to a function.
func (o *Outbox) Deliver(to string, by Send) { o.DeliverAt(to, "", by) }

// DeliverAt is like Deliver, and says in words of the host where the function delivers. A message that was put where the name delivers elsewhere, as in a
// process of another grant file, is left to such a process, or to Retry. "" delivers each message.
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

// targetOf returns the digest of where a name delivers in this process.
func (o *Outbox) targetOf(to string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.target[to]
}

// none reports whether an Outbox was not made with New.
func (o *Outbox) none() bool { return o == nil || o.opt.Store == nil }

const prefix = "outbox"

func keyOf(key string) string { return store.Key(prefix, key) }

// change changes one entry. f returns false to leave it. It is called again if another process was faster.
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
		return x, fmt.Errorf("outbox: the entry %.80q is no message of an outbox: %.100s", e.Key, e.Value)
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

// Put keeps a message until it is delivered. If a message is staged or unknown under the key, Put releases it. One that waits, was sent or has
// failed stays as it is.
func (o *Outbox) Put(ctx context.Context, to, key string, body []byte) error {
	err := o.add(ctx, waiting(to, key), body)
	if err == nil {
		o.awake()
	}
	return err
}

func waiting(to, key string) item { return item{Item: Item{Key: key, To: to, State: Waiting}} }

// Stage keeps a message of a run that is about to commit changes in databases. witnessed reports whether each of them will know if the run was kept.
func (o *Outbox) Stage(ctx context.Context, to, key string, run exo.RunID, witnessed bool, body []byte) error {
	return o.add(ctx, item{Item: Item{Key: key, To: to, State: Staged}, Run: run.String(), Witnessed: witnessed}, body)
}

func (o *Outbox) add(ctx context.Context, y item, body []byte) error {
	return o.change(ctx, y.Key, func(x *item, has bool) (_ bool, until time.Time, err error) {
		now := o.opt.Now().UTC()
		switch {
		case has && (x.State != Staged && x.State != Unknown || y.State == Staged):
			return false, until, nil
		case has: // that its run acts proves more than a pass knew which took its process for gone
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

// Drop drops a message. A process that is delivering it may do so all the same.
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

// Retry delivers a message at once that has failed, that waits, or of which nobody knows whether its run was kept.
func (o *Outbox) Retry(ctx context.Context, key string) error {
	err := o.change(ctx, key, func(x *item, has bool) (bool, time.Time, error) {
		switch now := o.opt.Now().UTC(); {
		case !has:
			return false, now, ErrNone
		case x.State == Sent || x.State == Staged:
			return false, now, fmt.Errorf("outbox: the message is %s, and not tried again", x.State)
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

// each calls f for each message. An entry that can't be read is an error, once all others were seen.
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

// Settled returns what became of a message, for the record of a run whose process is gone: it counts as applied once it waits in the outbox. If it is
// staged, Settled decides about it.
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
