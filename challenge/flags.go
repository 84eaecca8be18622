package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// config has the values of the flags.
type config struct {
	bind      string
	port      int
	url       string
	hosts     []string
	trusted   []netip.Prefix
	data      string
	db        string
	reader    string
	isolation worker.Isolation
	workers   int
	queue     int
	copies    int
	control   bool
	model     string
	stopFile  string
	source    string
	admin     string
	rates     web.Rates
	store     store.Options
	notice    time.Duration
	verbose   bool
	resume    bool
}

// flags are the flags of one command, in groups that commands share.
type flags struct {
	*flag.FlagSet
	c         *config
	isolation string
}

func newFlags(name string, stderr io.Writer, usage string) *flags {
	f := &flags{flag.NewFlagSet(name, flag.ContinueOnError), &config{}, ""}
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: %s\n", usage)
		f.PrintDefaults()
	}
	return f
}

// folder declares the flag for the folder of lasting data.
func (f *flags) folder() {
	f.StringVar(&f.c.data, "data", "", "`folder` of what lasts; default: exoagent-challenge in the user's cache folder, which cleaners may empty")
}

// game declares the flags for how attempts are played.
func (f *flags) game() {
	strong := "process"
	if runtime.GOOS == "linux" {
		strong = "strong"
	}
	f.StringVar(&f.c.db, "db", "", "PostgreSQL `URL` of a database for players' copies, which is used for nothing else; default: SQLite files")
	f.StringVar(&f.c.reader, "db-reader", "", "`URL` of a role of that database that may only read, which programs use; default: that of -db")
	f.StringVar(&f.isolation, "isolation", strong, "`walls` without which no program runs: strong (Linux) or process")
	f.IntVar(&f.c.workers, "workers", max(2, runtime.GOMAXPROCS(0)), "play `N` attempts at a time")
	f.IntVar(&f.c.copies, "copies", 0, "keep `N` databases of players open, each with a connection; default 64")
}

// site declares the flags for who may come, and how often.
func (f *flags) site() {
	c := f.c
	f.StringVar(&c.bind, "bind", "127.0.0.1", "`address` to listen on; another than loopback needs -url")
	f.IntVar(&c.port, "port", 8080, "`port` to listen on; 0 takes any that is free")
	f.StringVar(&c.url, "url", "", "public `address`, https://challenge.example: what requests must name, and cookies are bound to")
	f.Func("host", "one more `host:port` that requests may name", func(s string) error { c.hosts = append(c.hosts, strings.ToLower(s)); return nil })
	f.Func("trust", "`network` of a proxy whose X-Forwarded-For is believed, as 10.0.0.0/8 or 10.0.0.1; may be given again", func(s string) error {
		p, err := network(s)
		c.trusted = append(c.trusted, p)
		return err
	})
	f.IntVar(&c.queue, "queue", 500, "let `N` attempts wait; one address has no more of them than are left")
	f.BoolVar(&c.control, "control", true, "offer the lanes that can be beaten")
	f.StringVar(&c.model, "model", "", "`provider:name` of the model lane's model; default: what the environment has a key for, without -url; none: closed")
	f.StringVar(&c.stopFile, "stop-file", "", "while this `file` exists, attempts are stopped and none is taken")
	f.StringVar(&c.source, "source", "https://github.com/exoagent/exoagent", "`URL` of the repository that this program was made of, for links to its code; empty: none")
	f.StringVar(&c.admin, "admin", "", "second `address`, as 127.0.0.1:8081, for the host alone: metrics, export, pause, moderation; then /metrics is only there")
	f.IntVar(&c.store.PerPlayer, "keep", 200, "keep `N` attempts of one player")
	f.Int64Var(&c.store.Bytes, "bytes", 256<<20, "`size` of all records together, in bytes")
	f.Func("rate", "attempts of one player, as `burst/interval`; default 20/1s", rate(&c.rates.Attempts))
	f.Func("rate-address", "attempts of one address, as `burst/interval`; default 60/333ms", rate(&c.rates.AddressAttempts))
	f.Func("rate-requests", "requests of one address, as `burst/interval`; default 120/100ms", rate(&c.rates.Requests))
	f.Func("rate-players", "new players of one address, as `burst/interval`; default 10/30s", rate(&c.rates.Players))
	f.Func("rate-questions", "questions of one player to the model, as `burst/interval`; default 5/1m", rate(&c.rates.Questions))
	f.Func("rate-questions-address", "questions of one address, as `burst/interval`; default 10/5m", rate(&c.rates.AddressQuestions))
	f.Func("rate-questions-all", "questions of everybody, which the host pays for, as `burst/interval`; default 100/1m", rate(&c.rates.AllQuestions))
	f.BoolVar(&c.resume, "resume", false, "go on with a game that POST /pause had stopped")
	f.DurationVar(&c.notice, "notice", 0, "`time` for which requests are still answered after SIGTERM, while /healthz is 503: longer than a proxy's time between two looks")
	f.BoolVar(&c.verbose, "v", false, "log every request")
}

// parse reads the arguments and refuses contradictions.
func (f *flags) parse(args []string) (*config, []string, error) {
	if err := f.Parse(args); err != nil {
		return nil, nil, err
	}
	c := f.c
	for _, s := range f.Args() {
		if strings.HasPrefix(s, "-") {
			return nil, nil, fmt.Errorf("the flag %s is in the wrong place: flags go before %s", s, f.Arg(0))
		}
	}
	switch f.isolation {
	case "strong", "":
		c.isolation = worker.Strong
	case "process":
		c.isolation = worker.Process
	default:
		return nil, nil, fmt.Errorf("-isolation %s: want strong or process", f.isolation)
	}
	if c.data == "" && f.Lookup("data") != nil {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, errors.New("the user of this process has no folder for caches: name a folder for the data by -data FOLDER")
		}
		c.data = filepath.Join(dir, "exoagent-challenge")
	}
	return c, f.Args(), c.check()
}

// network reads a network, or one address.
func network(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Prefix(a.BitLen())
	}
	return netip.ParsePrefix(s)
}

// check refuses settings that would only seem to work.
func (c *config) check() error {
	if c.notice < 0 {
		return errors.New("-notice: want a time of 0 or more, like 10s")
	}
	if c.bind != "" {
		a, err := netip.ParseAddr(c.bind)
		if err != nil {
			return fmt.Errorf("-bind %s: want an IP address, like 127.0.0.1", c.bind)
		}
		if !a.IsLoopback() && c.url == "" {
			return errors.New("-bind has an address that other machines can reach: add -url URL, the public address of the site")
		}
	}
	if c.url != "" {
		u, err := url.Parse(c.url)
		if err != nil || u.Hostname() == "" {
			return fmt.Errorf("-url %s: want an address like https://challenge.example", c.url)
		}
		a, err := netip.ParseAddr(u.Hostname())
		if u.Scheme != "https" && u.Hostname() != "localhost" && (err != nil || !a.IsLoopback()) {
			return fmt.Errorf("-url %s: want https://: a session on the internet needs TLS", c.url)
		}
	}
	if c.stopFile != "" {
		if dir, err := os.Stat(filepath.Dir(c.stopFile)); err != nil || !dir.IsDir() {
			return fmt.Errorf("-stop-file %s: the file's folder does not exist, so the file could not be made when it is needed: make the folder", c.stopFile)
		}
	}
	return nil
}

// rate reads a rate from burst/interval.
func rate(to *web.Rate) func(string) error {
	return func(s string) error {
		burst, every, ok := strings.Cut(s, "/")
		n, err := strconv.Atoi(burst)
		d, err2 := time.ParseDuration(every)
		if !ok || err != nil || err2 != nil || n <= 0 || d <= 0 {
			return errors.New("want burst/interval, like 20/1s: 20 at once, and then one more in each second")
		}
		*to = web.Rate{Burst: n, Every: d}
		return nil
	}
}
