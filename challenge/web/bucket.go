package web

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// buckets are the token buckets of one rate, by key, in bounded memory. When the younger of two generations of keys is full, the older one is
// dropped. A dropped key begins again with a full bucket. But an attacker needs as many other keys as a generation has to get a key dropped.
type buckets struct {
	rate Rate
	now  func() time.Time

	mu         sync.Mutex
	young, old map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

const generation = 20_000

func newBuckets(r Rate, now func() time.Time) *buckets {
	return &buckets{rate: r, now: now, young: map[string]bucket{}}
}

// grant is a bucket's answer to one request.
type grant struct {
	ok           bool
	limit, left  int
	reset, retry time.Duration // the time until the bucket is full, and until it has a token
}

func (b *buckets) take(key string) grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, burst := b.now(), float64(b.rate.Burst)
	x, ok := b.young[key]
	if !ok {
		if x, ok = b.old[key]; !ok {
			x = bucket{burst, now}
		}
		if len(b.young) >= generation {
			b.old, b.young = b.young, map[string]bucket{}
		}
	}
	if d := now.Sub(x.at); d > 0 { // a clock that was set back adds and takes no tokens
		x.tokens = min(burst, x.tokens+float64(d)/float64(b.rate.Every))
		x.at = now
	}
	g := grant{limit: b.rate.Burst}
	if x.tokens >= 1 {
		x.tokens--
		g.ok = true
	} else {
		g.retry = time.Duration((1 - x.tokens) * float64(b.rate.Every))
	}
	b.young[key] = x
	g.left = int(x.tokens)
	g.reset = time.Duration((burst - x.tokens) * float64(b.rate.Every))
	return g
}

// flights count, by address, the requests that are being answered. A request takes a place until its end, even if its sender is slow or it waits.
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
