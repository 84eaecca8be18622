package web

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// buckets are the token buckets of one rate, by key. The store has the buckets that all processes share. A process remembers each bucket as it
// last saw it, in bounded memory. Since then other processes can only have taken tokens. So an empty bucket refuses without the store, and a
// flood of requests is no flood of writes.
//
// When the younger of two generations of keys is full, the older one is dropped.
type buckets struct {
	name  string
	rate  Rate
	now   func() time.Time
	share func(ctx context.Context, rate, key string, change func(*store.Bucket)) error
	lost  func(error) // logs that the store does not answer

	mu         sync.Mutex
	young, old map[string]store.Bucket
}

const generation = 20_000

func newBuckets(name string, r Rate, o *Options, lost func(error)) *buckets {
	return &buckets{name: name, rate: r, now: o.Now, share: o.Arena.Store.Take, lost: lost, young: map[string]store.Bucket{}}
}

// grant is a bucket's answer to one request.
type grant struct {
	ok           bool
	limit, left  int
	reset, retry time.Duration // the time until the bucket is full, and until it has a token
}

// take takes a token out of the bucket of a key. If the store does not answer, the process logs that and uses the bucket
// that it remembers.
func (b *buckets) take(ctx context.Context, key string) grant {
	b.mu.Lock()
	last, ok := b.young[key]
	if !ok {
		last = b.old[key]
	}
	b.mu.Unlock()
	g := b.rate.take(&last, b.now())
	if g.ok {
		var of grant
		var all store.Bucket
		err := b.share(ctx, b.name, key, func(x *store.Bucket) {
			of = b.rate.take(x, b.now()) // read in the transaction, so that one bucket's times come in order
			all = *x
		})
		if err != nil {
			b.lost(err)
		} else {
			g, last = of, all
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.young) >= generation {
		b.old, b.young = b.young, map[string]store.Bucket{}
	}
	b.young[key] = last
	return g
}

// take takes a token out of a bucket.
func (r Rate) take(x *store.Bucket, now time.Time) grant {
	burst := float64(r.Burst)
	if x.At.IsZero() {
		x.Tokens, x.At = burst, now
	}
	if x.At.After(now) { // the clock was set back, which adds and takes no tokens
		x.At = now
	}
	if d := now.Sub(x.At); d > 0 {
		x.Tokens = min(burst, x.Tokens+float64(d)/float64(r.Every))
		x.At = now
	}
	g := grant{limit: r.Burst}
	if x.Tokens >= 1 {
		x.Tokens--
		g.ok = true
	} else {
		g.retry = time.Duration((1 - x.Tokens) * float64(r.Every))
	}
	g.left = int(x.Tokens)
	g.reset = time.Duration((burst - x.Tokens) * float64(r.Every))
	x.Full = x.At.Add(g.reset)
	return g
}

// flights count, by address, the requests that are being answered. A request counts until its end, even while its sender is slow or it waits.
type flights struct {
	most int
	mu   sync.Mutex
	now  map[string]int
}

func newFlights(most int) *flights { return &flights{most: most, now: map[string]int{}} }

func (f *flights) begin(key string) (leave func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now[key] >= f.most {
		return nil, false
	}
	f.now[key]++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.now[key]--; f.now[key] == 0 {
			delete(f.now, key)
		}
	}, true
}

// tell writes the headers of the grant, unless the headers of a tighter grant are already there.
func (g grant) tell(h http.Header) {
	if was, err := strconv.Atoi(h.Get("RateLimit-Remaining")); err == nil && was < g.left && g.ok {
		return
	}
	h.Set("RateLimit-Limit", strconv.Itoa(g.limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(g.left))
	h.Set("RateLimit-Reset", seconds(g.reset))
	if !g.ok {
		h.Set("Retry-After", seconds(max(g.retry, 1)))
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// seldom limits a log message to once a minute, because a message that any stranger can cause must not fill the log.
type seldom struct {
	mu   sync.Mutex
	last time.Time
}

func (s *seldom) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && now.Sub(s.last) < time.Minute {
		return false
	}
	s.last = now
	return true
}

// redactedHost returns the first 100 bytes of a Host header for the log, without what looks like a key. Any stranger may have chosen the text.
func redactedHost(h string) string { return game.Redact(h[:min(len(h), 100)]) }
