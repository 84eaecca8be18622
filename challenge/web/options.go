package web

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
)

// Options are what a host decides. Zero fields of Rates are their defaults.
type Options struct {
	Arena *arena.Arena // New sets its Ended
	Log   *slog.Logger
	// URL is the public address, https://challenge.example: cookies are bound to it, and
	// its host is the one that requests may name. "": plain HTTP on loopback.
	URL     string
	Hosts   []string       // further hosts that requests may name, with their ports
	Trusted []netip.Prefix // proxies whose X-Forwarded-For is believed; none: it is ignored
	Rates   Rates
	// PublicMetrics serves /metrics to those who get at the pages.
	PublicMetrics bool
	// SourceURL is the repository that this program was made of, for links to its code.
	SourceURL string
	Walls     string           // one line on what holds programs, for the pages
	Now       func() time.Time // nil: time.Now
}

// Rate is a token bucket: Burst at once, and one more Every so often.
type Rate struct {
	Burst int
	Every time.Duration
}

// Rates bound what one player, and one address, may send. An address is an IPv4
// address or an IPv6 network of 64 bits.
type Rates struct {
	Requests        Rate // of an address; default 120, 10 a second
	Players         Rate // new ones, of an address; default 10, one in 30 s
	Attempts        Rate // of a player; default 20, one a second
	AddressAttempts Rate // of an address; default 60, 3 a second
	// A question to a model is an attempt, too, and counts twice: by these rates as well, since it costs the host money.
	Questions        Rate // of a player; default 5, one a minute
	AddressQuestions Rate // of an address; default 10, one in 5 minutes: it takes several to spend all
	AllQuestions     Rate // of everybody; default 100, one a minute
	Claims           Rate // of a player; default 10, one in 5 s
	AddressClaims    Rate // of an address; default 30, one a second
	// Together is how many requests are answered at a time; default 512. One address
	// has Each of these, default 32, and those that wait for an attempt have half of them.
	Together, Each int
}

func (r *Rates) defaults() {
	or := func(r *Rate, burst int, every time.Duration) {
		if r.Burst <= 0 || r.Every <= 0 {
			*r = Rate{burst, every}
		}
	}
	or(&r.Requests, 120, time.Second/10)
	or(&r.Players, 10, 30*time.Second)
	or(&r.Attempts, 20, time.Second)
	or(&r.AddressAttempts, 60, time.Second/3)
	or(&r.Questions, 5, time.Minute)
	or(&r.AddressQuestions, 10, 5*time.Minute)
	or(&r.AllQuestions, 100, time.Minute)
	or(&r.Claims, 10, 5*time.Second)
	or(&r.AddressClaims, 30, time.Second)
	if r.Together <= 0 {
		r.Together = 512
	}
	if r.Each <= 0 {
		r.Each = 32
	}
}
