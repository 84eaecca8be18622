package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/control"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// site is a challenge without a listener.
type site struct {
	arena  *arena.Arena
	server *web.Server
	pool   *worker.Pool
	log    *slog.Logger
	data   string

	stopped bool // the host had stopped the game before the last process ended
}

// questions is the number of questions that a model answers at the same time.
const questions = 4

const storeFile = "challenge.db"

// open makes everything that a challenge needs. The argument port is the port of its listener.
func open(ctx context.Context, c *config, port int, log *slog.Logger) (_ *site, err error) {
	s := &site{arena: &arena.Arena{Log: log}, log: log, data: c.data}
	defer func() {
		if err != nil {
			s.close(context.Background())
		}
	}()
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, err
	}
	if s.arena.Store, err = store.Open(ctx, filepath.Join(c.data, storeFile), c.store); err != nil {
		return nil, err
	}
	// A player's program waits in our queues, where its position is known, and not in the pool's queue.
	if s.pool, err = worker.NewPool(worker.PoolOptions{Workers: c.workers + questions, Share: c.workers + questions, Require: c.isolation}); err != nil {
		return nil, fmt.Errorf("%w; -isolation process requires fewer walls", err)
	}
	walls, err := s.pool.Isolation(ctx)
	if err != nil {
		return nil, err
	}
	copies, err := openCopies(ctx, c, s.arena.Store)
	if err != nil {
		return nil, err
	}
	s.arena.Game = &game.Game{Targets: game.DefaultTargets, Copies: copies, Pool: s.pool, Limits: game.DefaultLimits(), Log: log}
	if !c.control {
		s.arena.Game.NoControl = "this host does not offer the control lanes"
	} else if err := tryControl(ctx); err != nil {
		s.arena.Game.NoControl = "this host's system can't contain the statements of the control lanes"
		log.Warn("no control lanes", "error", err)
	}
	if s.arena.Game.Chat, err = newChatter(c.model, c.url != "", os.Getenv); err != nil {
		return nil, err
	}
	for _, t := range s.arena.Game.Targets {
		if err := t.Check(ctx); err != nil {
			return nil, err
		}
	}
	if err := tryCopies(ctx, c, copies, s.arena.Game.Targets[0]); err != nil {
		return nil, err
	}
	s.arena.Queue, s.arena.Questions = queue.New(c.workers), queue.New(questions)
	s.arena.Room, s.arena.QuestionsRoom = store.Room{PerPlayer: 20, Total: c.queue}, store.Room{PerPlayer: 3, Total: c.queue}
	if c.resume {
		err = s.arena.StopByHand(ctx, false)
	} else {
		s.stopped, err = s.arena.ReadStop(ctx)
	}
	if err != nil {
		return nil, err
	}
	hosts := c.hosts
	if c.url == "" || len(c.trusted) == 0 {
		hosts = append(hosts, web.LoopbackHosts(strconv.Itoa(port))...)
	}
	s.server, err = web.New(ctx, web.Options{
		Arena: s.arena, Log: log, URL: c.url, Hosts: hosts, Trusted: c.trusted, Rates: c.rates, PublicMetrics: c.admin == "", SourceURL: c.source,
		Walls: fmt.Sprintf("Round each program: %v. Round each statement of a control lane: %s.", walls, control.Walls),
	})
	return s, err
}

// lanes returns the open lanes.
func (s *site) lanes() (out []game.Lane) {
	for _, l := range game.Lanes {
		if s.arena.Game.Closed(l) == "" {
			out = append(out, l)
		}
	}
	return out
}

// model returns the name of the model in the model lane, or "".
func (s *site) model() string {
	if s.arena.Game.Chat == nil {
		return ""
	}
	return s.arena.Game.Chat.Name()
}

// close ends the attempts, then what they need. If ctx leaves time, it first lets running and waiting attempts end.
func (s *site) close(ctx context.Context) error {
	var errs []error
	if s.arena.Queue != nil {
		errs = append(errs, s.arena.Close(ctx))
	}
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	if s.arena.Game != nil {
		errs = append(errs, s.arena.Game.Copies.Close(ctx))
	}
	if s.arena.Store != nil {
		_ = os.Remove(filepath.Join(s.data, copiesFolder, s.arena.Store.ID())) // another process removes a folder that is not empty
		errs = append(errs, s.arena.Store.Close())
	}
	return errors.Join(errs...)
}

// watch turns the kill switch on while the stop file exists, until ctx ends. It does nothing else, so that no slow disk delays the switch.
func (s *site) watch(ctx context.Context, stopFile string) {
	if stopFile == "" {
		return
	}
	every(ctx, time.Second, func() {
		_, err := os.Lstat(stopFile)
		s.arena.Stop("file", !errors.Is(err, fs.ErrNotExist)) // a file that can't be checked may exist
	})
}

// tend does recurring work until ctx ends.
func (s *site) tend(ctx context.Context) {
	n := 0
	every(ctx, time.Second, func() {
		s.arena.Tend(ctx)
		var errs []error
		if n%10 == 0 {
			errs = append(errs, s.arena.Store.SweepBuckets(ctx))
		}
		if n%600 == 0 {
			errs = append(errs, s.arena.Store.Sweep(ctx), sweepCopies(s.data, s.arena.Store))
		}
		if err := errors.Join(errs...); err != nil {
			s.log.Error("sweep", "error", err)
		}
		n++
	})
}

func every(ctx context.Context, d time.Duration, f func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		f()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func openCopies(ctx context.Context, c *config, st *store.Store) (*game.Copies, error) {
	if c.db == "" && c.reader != "" {
		return nil, errors.New("-db-reader needs -db, since -db-reader names a role of the database that -db names")
	}
	if err := sweepCopies(c.data, st); err != nil {
		return nil, err
	}
	copies, err := game.OpenCopies(ctx, game.CopyOptions{URL: c.db, Reader: c.reader, Dir: filepath.Join(c.data, copiesFolder, st.ID()), Most: c.copies, CursorKey: st.Secret("cursors")})
	return copies, byFlag(err)
}

// copiesFolder has a folder for each process, with players' copies.
const copiesFolder = "copies"

// ofProcess matches the names of those folders, and of the copies of an earlier version.
var ofProcess = regexp.MustCompile(`^([a-z0-9]{26}|copy-.*)$`)

// sweepCopies removes the copies of dead processes.
func sweepCopies(data string, st *store.Store) error {
	entries, err := os.ReadDir(filepath.Join(data, copiesFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if ofProcess.MatchString(e.Name()) && !st.Alive(e.Name()) {
			if err := os.RemoveAll(filepath.Join(data, copiesFolder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryCopies refuses a database in which no copy can be made or read. On a public host it also refuses a superuser as the role of programs,
// because the database itself does not restrict a superuser.
func tryCopies(ctx context.Context, c *config, copies *game.Copies, t *game.Target) error {
	super, err := copies.Try(ctx, t)
	if err != nil {
		return byFlag(err)
	}
	if super && c.url != "" {
		return errors.New("programs would run as a superuser of PostgreSQL, whom the server refuses nothing: give -db-reader a role that may only log in")
	}
	return nil
}

// byFlag names the flag that caused an error.
func byFlag(err error) error {
	for fault, flag := range map[error]string{game.ErrURL: "-db", game.ErrReader: "-db-reader"} {
		if errors.Is(err, fault) {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	return err
}

// tryControl runs a statement in a process of the control lanes. It tries a few times, because a busy machine may only be too slow.
func tryControl(ctx context.Context) error {
	for range 5 {
		switch r, err := control.Run(ctx, control.Job{SQL: "SELECT 1"}); {
		case err != nil:
			return err
		case !r.Limit && r.Count != 1:
			return fmt.Errorf("the test of the control lanes, SELECT 1, gave %d rows and not one: %s", r.Count, r.Err)
		case !r.Limit:
			return nil
		}
	}
	return errors.New("the test of the control lanes, SELECT 1, ran out of time in five tries: start the challenge when the machine is less busy")
}
