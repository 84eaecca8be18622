package failover_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/pgtest"
)

// This file starts the servers of testdata/failover/cluster.sh, and has the proxy in front of a pair.

// cluster is the script that has the servers.
type cluster struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Scanner
	ports map[string]int // ports of the nodes a and b, and of what else the script starts
}

// start starts the script in one of its modes.
func start(t *testing.T, mode string, names ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, ports: map[string]int{}}
	args := []string{"../../../testdata/failover/cluster.sh", mode, pgtest.Bin(t)}
	for _, name := range append([]string{"a", "b"}, names...) {
		c.ports[name] = tu.Port(t)
		args = append(args, fmt.Sprint(c.ports[name]))
	}
	cmd := exec.Command("bash", args...)
	cmd.Stderr = os.Stderr
	var out io.Reader
	var err error
	if c.in, err = cmd.StdinPipe(); err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	t.Cleanup(func() {
		if t.Failed() {
			fmt.Fprintln(c.in, "logs")
		}
		c.in.Close() // the script then stops everything, as it does when this process is killed
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	c.answer("start")
	return c
}

// do runs a command of the script.
func (c *cluster) do(command string) {
	c.t.Helper()
	fmt.Fprintln(c.in, command)
	c.answer(command)
}

func (c *cluster) answer(to string) {
	c.t.Helper()
	if !c.out.Scan() || c.out.Text() != "ok" {
		c.t.Fatalf("%s: %s", to, c.out.Text())
	}
}

// url returns the URL of a port.
func url(port int) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
}

// is asks Patroni whether a node is what the path names: the primary, or sync, a synchronous standby.
func (c *cluster) is(node, path string) bool {
	client := http.Client{Timeout: time.Second}
	r, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/%s", c.ports["rest"+node], path))
	if err == nil {
		r.Body.Close()
	}
	return err == nil && r.StatusCode == http.StatusOK
}

// whole waits until there are a primary and a synchronous standby, and returns them.
func (c *cluster) whole() (primary, standby string) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, nodes := range [][2]string{{"a", "b"}, {"b", "a"}} {
			if c.is(nodes[0], "primary") && c.is(nodes[1], "sync") {
				return nodes[0], nodes[1]
			}
		}
	}
	c.t.Fatal("in two minutes there were no primary and synchronous standby")
	return "", ""
}

// switchover has Patroni make the standby the primary.
func (c *cluster) switchover(primary, standby string) {
	c.t.Helper()
	r, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/switchover", c.ports["rest"+primary]), "application/json", strings.NewReader(fmt.Sprintf(`{"leader":%q,"candidate":%q}`, primary, standby)))
	if err != nil {
		c.t.Fatal(err)
	}
	said, _ := io.ReadAll(r.Body)
	if r.Body.Close(); r.StatusCode != http.StatusOK {
		c.t.Fatalf("switchover: %s", said)
	}
}

// proxy is where programs find the primary of a pair.
type proxy struct {
	at    int // at is its port
	mu    sync.Mutex
	to    int          // to is the port to which it leads
	left  atomic.Int64 // left is after how many bytes of answers a session is cut; 0: none
	conns []net.Conn
}

func newProxy(t *testing.T, to int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{at: l.Addr().(*net.TCPAddr).Port, to: to}
	t.Cleanup(func() { l.Close(); p.lead(0) })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.to))
			if err != nil {
				client.Close()
			} else {
				p.conns = append(p.conns, client, server)
				for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
					go func() {
						from := io.Reader(pair[1])
						if from == server {
							from = answers{p, server}
						}
						_, _ = io.Copy(pair[0], from)
						pair[0].Close()
						pair[1].Close()
					}()
				}
			}
			p.mu.Unlock()
		}
	}()
	return p
}

// answers are what a server says.
type answers struct {
	p *proxy
	net.Conn
}

func (a answers) Read(b []byte) (int, error) {
	n, err := a.Conn.Read(b)
	if a.p.left.Load() > 0 && a.p.left.Add(-int64(n)) <= 0 {
		a.p.left.Store(0)
		err = io.EOF
	}
	return n, err
}

// lead ends all sessions, and has new ones lead to another port.
func (p *proxy) lead(to int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = slices.Clip(p.conns[:0])
}
