package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite"
)

// servedFile begins a grant file. serveFiles adds a token for each principal.
const servedFile = `exo: 1
reviewed: true
databases: {shop: sqlite:shop.db}
principal: {org: int}
grants: {tickets: ticket}
facets:
  ticket: {table: tickets, scope: org_id = $principal.org, columns: [id, title]}
serve:
  tokens:
`

// conversations is the number of conversations that are idle at the same time.
const conversations = 1000

// measureServe prints how long exo run and exo serve take from their start to their first answer, and what idle conversations cost. Each
// conversation has its own principal and connection. The connection stays open after a first list of tools and a program.
func measureServe(ctx context.Context, w io.Writer, rounds int) error {
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "exo")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/exo").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if err := serveFiles(dir); err != nil {
		return err
	}
	var once, stdio, overHTTP []time.Duration
	for range rounds {
		took, err := runOnce(ctx, bin, dir)
		if err != nil {
			return err
		}
		once = append(once, took)
		if took, err = startStdio(ctx, bin, dir); err != nil {
			return err
		}
		stdio = append(stdio, took)
		began := time.Now()
		s, err := startHTTP(ctx, bin, dir, "one.yaml")
		if err != nil {
			return err
		}
		_, err = s.ask(0, "tools/list", "{}")
		overHTTP = append(overHTTP, time.Since(began))
		if err := errors.Join(err, s.stop()); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "| from a process's start to its first answer | median of %d | least |\n|---|---|---|\n", rounds)
	for _, m := range []struct {
		what string
		took []time.Duration
	}{{"`exo run -e 1+1`, to its end", once}, {"`exo serve`, on standard input", stdio}, {"`exo serve -http`", overHTTP}} {
		slices.Sort(m.took)
		fmt.Fprintf(w, "| %s | %d ms | %d ms |\n", m.what, m.took[rounds/2].Milliseconds(), m.took[0].Milliseconds())
	}
	s, err := startHTTP(ctx, bin, dir, "exo.yaml")
	if err != nil {
		return err
	}
	one := 0
	for i := range conversations {
		if err := s.converse(i); err != nil {
			return errors.Join(err, s.stop())
		}
		if i == 0 {
			one = s.memory()
		}
	}
	all := s.memory()
	fmt.Fprintf(w, "memory with one idle conversation %d MiB, with %d of as many principals %d MiB, which is %d MiB more\n", one>>10, conversations, all>>10, (all-one)>>10)
	return s.stop()
}

// serveFiles writes a database and a grant file with a token for each conversation.
func serveFiles(dir string) error {
	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE tickets (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, title TEXT NOT NULL); INSERT INTO tickets VALUES (1, 1, 'The door sticks')"); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(servedFile)
	for i := range conversations {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("token", i)), []byte(tokenOf(i)), 0o600); err != nil {
			return err
		}
		fmt.Fprintf(&b, "    t%d: {token: 'file:token%[1]d', claims: {org: %[1]d}}\n", i)
		if i == 0 { // the measured starts use a file with only one token
			if err := os.WriteFile(filepath.Join(dir, "one.yaml"), b.Bytes(), 0o600); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "exo.yaml"), b.Bytes(), 0o600)
}

func runOnce(ctx context.Context, bin, dir string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, bin, "run", "one.yaml", "-as", "org=1", "-e", "1+1")
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err == nil && string(out) != "2\n" {
		err = fmt.Errorf("exo run printed %q, and should print 2", out)
	}
	return took, err
}

func tokenOf(i int) string { return fmt.Sprintf("%040d", i) }

// frame returns a request of the older protocol revision, as a client without sessions sends it.
func frame(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

func startStdio(ctx context.Context, bin, dir string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, bin, "serve", "one.yaml", "-as", "org=1")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	fmt.Fprintln(in, frame("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`))
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(began)
	if err == nil && !strings.Contains(line, `"result"`) {
		err = errors.New(line)
	}
	in.Close()
	return took, errors.Join(err, cmd.Wait())
}

type servedHTTP struct {
	cmd *exec.Cmd
	url string
}

func startHTTP(ctx context.Context, bin, dir, file string) (*servedHTTP, error) {
	s := &servedHTTP{cmd: exec.CommandContext(ctx, bin, "serve", file, "-http", "127.0.0.1:0")}
	s.cmd.Dir = dir
	said, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	r := bufio.NewReader(said)
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, s.cmd.Wait())
	}
	go io.Copy(io.Discard, r)
	if s.url = regexp.MustCompile(`http://\S+`).FindString(line); s.url == "" {
		return nil, errors.New(line)
	}
	return s, nil
}

func (s *servedHTTP) stop() error {
	return errors.Join(s.cmd.Process.Signal(syscall.SIGTERM), s.cmd.Wait())
}

// ask sends a request of one conversation over its own connection, which stays open.
func (s *servedHTTP) ask(i int, method, params string) (string, error) {
	r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(frame(method, params)))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + tokenOf(i), "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25"} {
		r.Header.Set(name, value)
	}
	resp, err := clients(i).Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(text), `"result"`) {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return string(text), err
}

var clientOf = map[int]*http.Client{}

func clients(i int) *http.Client {
	if clientOf[i] == nil {
		clientOf[i] = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	}
	return clientOf[i]
}

func (s *servedHTTP) converse(i int) error {
	_, err := s.ask(i, "tools/list", "{}")
	if err == nil {
		_, err = s.ask(i, "tools/call", `{"name":"execute","arguments":{"code":"tickets.count()"}}`)
	}
	return err
}

// memory returns how much memory the server uses, in KiB; 0 if the system does not report it.
func (s *servedHTTP) memory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+)`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // n has only digits, so there is no error
	return n
}
