package web

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
)

// Options are the host's decisions. A field of Rates that is zero means its default.
type Options struct {
	Arena *arena.Arena // New sets the Ended of this arena
	Log   *slog.Logger
	// URL is the public address, like https://challenge.example. Cookies are bound to it, and requests must name its host. "" means plain HTTP on
	// loopback.
	URL     string
	Hosts   []string       // further hosts, with ports, that requests may name
	Trusted []netip.Prefix // proxies whose X-Forwarded-For is trusted; without any the header is ignored
	Rates   Rates
	// PublicMetrics serves /metrics to everybody who reaches the pages.
	PublicMetrics bool
	// SourceURL is the repository of this program, for links to its code.
	SourceURL string
	Walls     string           // a line about the walls round programs, for the pages
	Now       func() time.Time // the clock; nil means time.Now
}

// Rate is a token bucket: Burst requests at once, and one more in each Every.
type Rate struct {
	Burst int
	Every time.Duration
}

// Rates bound the requests of a player and of an address. An address is an IPv4 address or an IPv6 network of 64 bits.
type Rates struct {
	Requests        Rate // requests of an address; default 120, 10 a second
	Players         Rate // new players of an address; default 10, one in 30 s
	Attempts        Rate // attempts of a player; default 20, one a second
	AddressAttempts Rate // attempts of an address; default 60, 3 a second
	// A question to a model costs the host money, so it counts as an attempt and also by the next three rates.
	Questions        Rate // questions of a player; default 5, one a minute
	AddressQuestions Rate // questions of an address; default 10, one in 5 minutes, so that one address can't use up all
	AllQuestions     Rate // questions of all players; default 100, one a minute
	Claims           Rate // claims of a player; default 10, one in 5 s
	AddressClaims    Rate // claims of an address; default 30, one a second
	// Together is how many requests are answered at the same time; default 512. One address has Each of these, default 32. Requests that wait for
	// an attempt may use half of Together.
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
