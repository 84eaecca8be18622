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

// config is what the flags say.
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
	verbose   bool
	resume    bool
}

func parse(name string, args []string, stderr io.Writer, more func(*flag.FlagSet)) (*config, []string, error) {
	c := &config{}
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	strong := "process"
	if runtime.GOOS == "linux" {
		strong = "strong"
	}
	var isolation string
	f.StringVar(&c.bind, "bind", "127.0.0.1", "`address` to listen on; another than loopback needs -url")
	f.IntVar(&c.port, "port", 8080, "`port` to listen on; 0 takes any that is free")
	f.StringVar(&c.url, "url", "", "public `address`, https://challenge.example: what requests must name, and cookies are bound to")
	f.Func("host", "one more `host:port` that requests may name", func(s string) error { c.hosts = append(c.hosts, strings.ToLower(s)); return nil })
	f.Func("trust", "`network` of a proxy whose X-Forwarded-For is believed, as 10.0.0.0/8; may be given again", func(s string) error {
		p, err := netip.ParsePrefix(s)
		c.trusted = append(c.trusted, p)
		return err
	})
	f.StringVar(&c.data, "data", "", "`folder` of what lasts; default: exoagent-challenge in the user's cache folder")
	f.StringVar(&c.db, "db", "", "PostgreSQL `URL` of a database for players' copies, which is used for nothing else; default: SQLite files")
	f.StringVar(&c.reader, "db-reader", "", "`URL` of a role of that database that may only read, which programs use; default: that of -db")
	f.StringVar(&isolation, "isolation", strong, "walls without which no program runs: `strong` (Linux) or process")
	f.IntVar(&c.workers, "workers", max(2, runtime.GOMAXPROCS(0)), "attempts that are played at a `time`")
	f.IntVar(&c.queue, "queue", 500, "attempts that may `wait`; one address has no more of them than are left")
	f.IntVar(&c.copies, "copies", 0, "databases of players that are `kept`; default 64")
	f.BoolVar(&c.control, "control", true, "offer the lanes that can be beaten")
	f.StringVar(&c.model, "model", "", "`provider:name` of the model lane's model; default: what the environment has a key for, without -url; none: closed")
	f.StringVar(&c.stopFile, "stop-file", "", "while this `file` exists, attempts are stopped and none is taken")
	f.StringVar(&c.source, "source", "https://github.com/exoagent/exoagent", "`URL` of the repository that this program was made of, for links to its code; empty: none")
	f.StringVar(&c.admin, "admin", "", "second `address`, for the host alone: metrics, export, pause and resume; then /metrics is only there")
	f.IntVar(&c.store.PerPlayer, "keep", 200, "attempts kept of one `player`")
	f.Int64Var(&c.store.Bytes, "bytes", 256<<20, "`size` of all records together, in bytes")
	f.Func("rate", "attempts of one player, as `burst/interval`; default 20/1s", rate(&c.rates.Attempts))
	f.Func("rate-address", "attempts of one address; default 60/333ms", rate(&c.rates.AddressAttempts))
	f.Func("rate-requests", "requests of one address; default 120/100ms", rate(&c.rates.Requests))
	f.Func("rate-players", "new players of one address; default 10/30s", rate(&c.rates.Players))
	f.Func("rate-questions", "questions of one player to the model; default 5/1m", rate(&c.rates.Questions))
	f.Func("rate-questions-address", "questions of one address; default 10/5m", rate(&c.rates.AddressQuestions))
	f.Func("rate-questions-all", "questions of everybody, which the host pays for; default 100/1m", rate(&c.rates.AllQuestions))
	f.BoolVar(&c.resume, "resume", false, "go on with a game that POST /pause had stopped")
	f.BoolVar(&c.verbose, "v", false, "log every request")
	if more != nil {
		more(f)
	}
	if err := f.Parse(args); err != nil {
		return nil, nil, err
	}
	switch isolation {
	case "strong":
		c.isolation = worker.Strong
	case "process":
		c.isolation = worker.Process
	default:
		return nil, nil, fmt.Errorf("-isolation %s: want strong or process", isolation)
	}
	if c.data == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, errors.New("give a folder with -data")
		}
		c.data = filepath.Join(dir, "exoagent-challenge")
	}
	a, err := netip.ParseAddr(c.bind)
	if err != nil {
		return nil, nil, fmt.Errorf("-bind %s: want an address", c.bind)
	}
	if !a.IsLoopback() && c.url == "" {
		return nil, nil, errors.New("-bind on another address than loopback needs -url: the name by which requests may ask")
	}
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	return c, f.Args(), nil
}

// check refuses what would seem to work.
func (c *config) check() error {
	if c.url != "" {
		u, err := url.Parse(c.url)
		if err != nil || u.Hostname() == "" {
			return fmt.Errorf("-url %s: want https://name", c.url)
		}
		a, err := netip.ParseAddr(u.Hostname())
		if u.Scheme != "https" && u.Hostname() != "localhost" && (err != nil || !a.IsLoopback()) {
			return fmt.Errorf("-url %s: want https://: a session on the internet needs TLS", c.url)
		}
	}
	if c.stopFile != "" {
		if dir, err := os.Stat(filepath.Dir(c.stopFile)); err != nil || !dir.IsDir() {
			return fmt.Errorf("-stop-file %s: there is no such folder, so the file could not be made when it is needed", c.stopFile)
		}
	}
	return nil
}

// rate reads burst/interval.
func rate(to *web.Rate) func(string) error {
	return func(s string) error {
		burst, every, ok := strings.Cut(s, "/")
		n, err := strconv.Atoi(burst)
		d, err2 := time.ParseDuration(every)
		if !ok || err != nil || err2 != nil || n <= 0 || d <= 0 {
			return errors.New("want burst/interval, as 20/1s")
		}
		*to = web.Rate{Burst: n, Every: d}
		return nil
	}
}
