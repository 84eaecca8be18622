package corpus

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Exit is how a process ended.
type Exit struct {
	Out, Err string
	Code     int
}

// Binary builds the command of the package under test and returns its path.
func Binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "command")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// Exec runs a command to its end.
func Exec(t *testing.T, stdin, path string, args ...string) Exit {
	t.Helper()
	return wait(t, command(stdin, path, args), make(chan struct{}), nil)
}

// Interrupt runs a command. When the command has written to standard error, Interrupt sends it an interrupt, like Ctrl-C.
func Interrupt(t *testing.T, path string, args ...string) Exit {
	t.Helper()
	began := make(chan struct{})
	return wait(t, command("", path, args), began, func(p *os.Process) {
		select {
		case <-began:
		case <-time.After(time.Minute):
		}
		if err := p.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
	})
}

// firstWrite closes a channel at the first write.
type firstWrite struct {
	text  bytes.Buffer // not embedded, because its ReadFrom would bypass Write
	began chan struct{}
	once  sync.Once
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.began) })
	return w.text.Write(p)
}

func command(stdin, path string, args []string) *exec.Cmd {
	c := exec.Command(path, args...)
	c.Stdin = strings.NewReader(stdin)
	return c
}

func wait(t *testing.T, c *exec.Cmd, began chan struct{}, while func(*os.Process)) Exit {
	t.Helper()
	var out bytes.Buffer
	errs := firstWrite{began: began}
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer stop.Stop()
	if while != nil {
		while(c.Process)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Exit{out.String(), errs.text.String(), c.ProcessState.ExitCode()}
}
