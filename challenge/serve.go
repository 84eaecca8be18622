package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
)

// serve serves the challenge until ctx ends.
func serve(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	f := newFlags("challenge", stderr, "challenge [flags]; or challenge attack|export|backup -h")
	f.folder()
	f.game()
	f.site()
	c, rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("there is no command %q: want attack, export or backup, or no command to serve the challenge", rest[0])
	}
	level := slog.LevelInfo
	if c.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
	l, err := net.Listen("tcp", net.JoinHostPort(c.bind, strconv.Itoa(c.port)))
	if err != nil {
		return 0, fmt.Errorf("-bind, -port: %w", err)
	}
	defer l.Close()
	s, err := open(ctx, c, l.Addr().(*net.TCPAddr).Port, log)
	if err != nil {
		return 0, err
	}
	servers := []*http.Server{server(s.server, log)}
	listeners := []net.Listener{newConns(l, maxConns, c.trusted)}
	if c.admin != "" {
		al, err := net.Listen("tcp", c.admin)
		if err != nil {
			return 0, errors.Join(fmt.Errorf("-admin: %w", err), s.close(ctx))
		}
		defer al.Close()
		hosts := append(web.LoopbackHosts(strconv.Itoa(al.Addr().(*net.TCPAddr).Port)), al.Addr().String(), c.admin)
		servers, listeners = append(servers, server(s.server.Admin(hosts), log)), append(listeners, al)
		fmt.Fprintf(stdout, "for the host alone: http://%s/metrics\n", al.Addr())
	}
	var wg sync.WaitGroup
	tending, stop := context.WithCancel(context.Background())
	wg.Go(func() { s.watch(tending, c.stopFile) })
	wg.Go(func() { s.tend(tending) })
	failed := make(chan error, len(servers))
	for i, srv := range servers {
		wg.Go(func() {
			if err := srv.Serve(listeners[i]); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		})
	}
	at := "http://" + l.Addr().String() + "/"
	if c.url != "" {
		at = c.url
	}
	fmt.Fprintf(stdout, "the challenge is at %s (data: %s)\n", at, c.data)
	if s.stopped {
		fmt.Fprintln(stdout, "it is stopped, by POST /pause before it last ended: POST /resume at -admin, or start with -resume")
	}
	if strings.HasPrefix(c.url, "https:") && len(c.trusted) == 0 {
		log.Warn("-url is https and -trust names no proxy: all players count as one address, that of the proxy; name the proxy with -trust")
	}
	log.Info("serving", "process", s.arena.Store.ID(), "listen", l.Addr().String(), "url", c.url, "trust", c.trusted, "admin", c.admin, "data", c.data,
		"engine", s.arena.Game.Copies.Engine(), "isolation", c.isolation.String(), "lanes", s.lanes(), "model", s.model(), "source", game.Source())
	select {
	case <-ctx.Done():
		err = s.notice(c.notice, failed)
	case err = <-failed:
	}
	fmt.Fprintln(stdout, "ending")
	drain, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err = errors.Join(err, end(servers, func() error { return s.arena.Close(drain) }))
	stop()
	wg.Wait()
	closing, cancelClose := context.WithTimeout(context.Background(), closeTime)
	defer cancelClose()
	return exitOK, errors.Join(err, s.close(closing))
}

// notice still answers requests for the time d. Within it a proxy learns from /healthz that it should send no more requests.
func (s *site) notice(d time.Duration, failed <-chan error) error {
	s.server.End()
	select {
	case <-time.After(d):
		return nil
	case err := <-failed:
		return err
	}
}

// end accepts no more requests, plays the accepted attempts, and gives waiting players time to read the outcome. Then it cuts off clients that
// do not read, or that send without an end. Such a cut is no failure.
func end(servers []*http.Server, drain func() error) error {
	answering, cut := context.WithCancel(context.Background())
	defer cut()
	var wg sync.WaitGroup
	errs := make([]error, len(servers)+1)
	for i, srv := range servers {
		wg.Go(func() {
			if err := srv.Shutdown(answering); errors.Is(err, context.Canceled) {
				errs[i] = srv.Close()
			} else {
				errs[i] = err
			}
		})
	}
	errs[len(servers)] = drain()
	last := time.AfterFunc(answerEnd, cut)
	defer last.Stop()
	wg.Wait()
	return errors.Join(errs...)
}

// end takes at most the sum of these times, which is within the time that supervisors usually wait.
const (
	drainTime = 15 * time.Second // the time for accepted attempts
	answerEnd = 2 * time.Second  // the time for answers
	closeTime = 5 * time.Second  // the time for dropping copies
)

const (
	endTime  = 20 * time.Second // the time for the end of attack
	maxConns = 2000
)

// server returns a server with a time limit for every phase of a request.
func server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: time.Minute,
		WriteTimeout: 40 * time.Second, // a request may wait 20 s for its attempt
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
