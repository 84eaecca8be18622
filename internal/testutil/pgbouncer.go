package testutil

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// PgBouncer starts a pooler in front of the tests' server, and returns the server's URL through it. settings are lines of the pooler's file.
// Without the program the test is skipped; test.sh installs it, and fails if a test is skipped.
func PgBouncer(t testing.TB, server, mode string, size int, settings ...string) string {
	t.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		bin = "/usr/sbin/pgbouncer" // Debian's place, which is not on every user's PATH
	}
	if _, err := os.Stat(bin); err != nil {
		t.Skip("there is no pgbouncer: run ./test.sh, which installs it")
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("a test database's URL can't be read") // err may contain a password
	}
	host, port := u.Hostname(), u.Port()
	if h := u.Query().Get("host"); h != "" {
		host = h
	}
	port = cmp.Or(port, "5432")
	listen := Port(t)
	dir, err := os.MkdirTemp("", "exo_pgbouncer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	password, _ := u.User.Password()
	users := filepath.Join(dir, "users")
	lines := append([]string{"[databases]", fmt.Sprintf("* = host=%s port=%s", host, port), "[pgbouncer]", "listen_addr = 127.0.0.1", "listen_port = " + strconv.Itoa(listen), "unix_socket_dir =", "auth_type = trust", "auth_file = " + users,
		"pool_mode = " + mode, "default_pool_size = " + strconv.Itoa(size), "max_client_conn = 100"}, settings...)
	if os.Getuid() == 0 { // the pooler refuses to run as root
		lines = append(lines, "user = nobody")
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"users": fmt.Sprintf("%q %q\n", u.User.Username(), password), "ini": strings.Join(lines, "\n") + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(bin, "-q", filepath.Join(dir, "ini"))
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill(); <-ended })
	address := fmt.Sprintf("127.0.0.1:%d", listen)
	late := time.After(10 * time.Second) // a cleanup may start a pooler, when the test's context has ended
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			break
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("pgbouncer ended: %v: %s", err, said.String())
		case <-late:
			t.Fatal("pgbouncer does not listen")
		case <-time.After(10 * time.Millisecond):
		}
	}
	u.Host = address
	u.RawQuery = "sslmode=disable"
	return u.String()
}
