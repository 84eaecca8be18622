// Package pgtest starts PostgreSQL servers on loopback for one test, with the installed programs: a primary, and standbys that follow it.
package pgtest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Server is a server with its own files, which are deleted when the test ends.
type Server struct {
	URL  string
	Port int
	dir  string
	more []string
	over chan struct{} // over is closed when the server's process has ended
}

// Bin returns the folder of PostgreSQL's programs. Without them the test is skipped; test.sh installs them, and fails if a test is skipped.
func Bin(t testing.TB) string {
	t.Helper()
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(version(a), version(b)) })
	if p, err := exec.LookPath("initdb"); len(all) == 0 && err == nil {
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Skip("there is no initdb of PostgreSQL: run ./test.sh, which installs it")
	}
	return filepath.Dir(all[len(all)-1])
}

func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// New starts a primary. settings are like "max_connections=20".
func New(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := files(t, settings)
	s.run(t, "initdb", "-D", s.data(), "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C")
	s.Start(t)
	return s
}

// Standby starts a server that follows s by streaming.
func (s *Server) Standby(t testing.TB, settings ...string) *Server {
	t.Helper()
	n := files(t, settings)
	n.run(t, "pg_basebackup", "-D", n.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", s.URL)
	n.Start(t)
	return n
}

func files(t testing.TB, settings []string) *Server {
	t.Helper()
	Bin(t)
	dir, err := os.MkdirTemp("", "exo_pgtest")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: dir, Port: tu.Port(t), more: settings}
	s.URL = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.Port)
	if u, err := user.Lookup("postgres"); err == nil && os.Getuid() == 0 { // PostgreSQL refuses to run as root
		uid, _ := strconv.Atoi(u.Uid)
		if err := os.Chown(dir, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); err == nil {
			s.Stop(t)
		}
		os.RemoveAll(dir)
	})
	return s
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// command returns one of PostgreSQL's programs. It ends with the test's process, also if that is killed, where there is setpriv.
func (s *Server) command(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	args = append([]string{filepath.Join(Bin(t), program)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"setpriv", "--pdeathsig=QUIT", "--reuid=postgres", "--regid=postgres", "--clear-groups"}, args...)
	} else if _, err := exec.LookPath("setpriv"); err == nil {
		args = append([]string{"setpriv", "--pdeathsig=QUIT"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = s.dir
	return c
}

// run runs one of PostgreSQL's programs.
func (s *Server) run(t testing.TB, program string, args ...string) {
	t.Helper()
	if said, err := s.command(t, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", program, err, said, s.log())
	}
}

func (s *Server) log() []byte {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return b
}

// Start starts a server that was stopped.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.Port)}
	for _, set := range append([]string{"listen_addresses=127.0.0.1", "unix_socket_directories=" + s.dir, "jit=off", "fsync=off", "shared_buffers=16MB", "max_wal_senders=5",
		"wal_level=replica", "hot_standby=on", "wal_retrieve_retry_interval=100ms"}, s.more...) {
		args = append(args, "-c", set)
	}
	c := s.command(t, "postgres", args...)
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		c.Stdout, c.Stderr = log, log
		err = c.Start()
		log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	s.over = over
	go func() { _ = c.Wait(); close(over) }()
	for end := time.Now().Add(time.Minute); ; {
		_, err := s.Try("SELECT 1")
		if err == nil {
			return
		}
		select {
		case <-over:
			t.Fatalf("the server ended: %s", s.log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("%v\n%s", err, s.log())
		}
	}
}

// Stop stops the server at once, as a kill would.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.run(t, "pg_ctl", "-D", s.data(), "-m", "immediate", "stop")
	<-s.over
}

// Promote makes a standby a primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.run(t, "pg_ctl", "-D", s.data(), "-w", "promote")
}

// Exec runs statements on the server as its owner.
func (s *Server) Exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, text := range statements {
		if _, err := s.Try(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

// One returns the only value that a query returns.
func (s *Server) One(t testing.TB, query string) string {
	t.Helper()
	value, err := s.Try(query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	return value
}

// Try runs one or more statements on a connection of their own, as text, and returns the first value of the last one's first row.
func (s *Server) Try(text string) (value string, err error) {
	ctx := context.Background() // not the test's context, because a cleanup may call Try
	c, err := pgconn.Connect(ctx, s.URL)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	all, err := c.Exec(ctx, text).ReadAll()
	if err != nil || len(all) == 0 || len(all[len(all)-1].Rows) == 0 {
		return "", err
	}
	return string(all[len(all)-1].Rows[0][0]), nil
}

// Caught waits until a standby of s has replayed all that s has committed.
func (s *Server) Caught(t testing.TB, standby *Server) {
	t.Helper()
	s.Exec(t, "SELECT pg_logical_emit_message(true, '', '')") // this adds a commit; otherwise what was flushed could end within a record
	at := s.One(t, "SELECT pg_current_wal_flush_lsn()::text")
	for end := time.Now().Add(20 * time.Second); standby.One(t, "SELECT (pg_last_wal_replay_lsn() >= '"+at+"')::text") != "true"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby does not follow")
		}
	}
}
