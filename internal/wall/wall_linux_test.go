package wall_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/internal/wall"
)

// TestMain is a hostile program, if it is started with a probe as its argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "probe" {
		probe(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// probe prints "done" if it did what it should not be able to do, and otherwise why not.
func probe(what string, args []string) {
	say := func(err error) {
		if err != nil {
			fmt.Println("refused:", err)
			return
		}
		fmt.Println("done")
	}
	call := func(nr uintptr, a, b, c uintptr) error {
		if _, _, errno := unix.RawSyscall(nr, a, b, c); errno != 0 {
			return errno
		}
		return nil
	}
	switch what {
	case "read":
		_, err := os.ReadFile(args[0])
		say(err)
	case "list":
		_, err := os.ReadDir(args[0])
		say(err)
	case "write":
		say(os.WriteFile(args[0], []byte("x"), 0o600))
	case "truncate":
		say(os.Truncate(args[0], 0))
	case "link":
		say(os.Symlink("/etc/passwd", args[0]))
	case "execute":
		say(child(args[0]).Run())
	case "environment":
		if len(os.Environ()) == 0 {
			say(errors.New("no variable"))
			return
		}
		say(nil)
	case "descriptor": // what the host has left open without close-on-exec
		n, _ := strconv.Atoi(args[0])
		_, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0)
		say(err)
	case "tcp", "unix":
		c, err := net.DialTimeout(what, args[0], time.Second)
		if err == nil {
			c.Close()
		}
		say(err)
	case "udp":
		_, err := net.ListenPacket("udp", "127.0.0.1:0")
		say(err)
	case "signal":
		n, _ := strconv.Atoi(args[0])
		say(unix.Kill(n, 0))
	case "trace":
		say(call(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0))
	case "session":
		if unix.Getpid() == unix.Getpgrp() { // a leader of a group can't leave it, its child can
			if err := child("/proc/self/exe", "probe", "session").Run(); err != nil {
				say(err)
			}
			return
		}
		_, err := unix.Setsid()
		say(err)
	case "untie":
		say(unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0))
	case "namespaces":
		say(call(unix.SYS_UNSHARE, unix.CLONE_NEWIPC, 0, 0))
	case "ring":
		if err := call(unix.SYS_IO_URING_SETUP, 1, 0, 0); err != unix.EFAULT { // without the filter the call looks at its arguments
			say(err)
			return
		}
		say(nil)
	case "memory":
		n, _ := strconv.Atoi(args[0])
		_, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		say(err)
	case "wait": // with a child, both until they are ended
		c := child("/proc/self/exe", "probe", "sleep")
		if err := c.Start(); err != nil {
			say(err)
			return
		}
		fmt.Println("waits")
		time.Sleep(time.Hour)
	case "sleep":
		fmt.Println("sleeps")
		time.Sleep(time.Hour)
	case "errors": // reads, cuts and fills what takes its errors
		b := make([]byte, 100)
		n, err := os.Stderr.Read(b)
		fmt.Printf("read %q, %v, cut %v\n", b[:max(n, 0)], err, os.Stderr.Truncate(0))
		for range 20 {
			os.Stderr.Write(make([]byte, 1<<20))
		}
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "host": // a host that is ended with its program running
		p, err := wall.Start(context.Background(), wall.Spec{Path: self(), Args: []string{"probe", "wait"}, Read: []string{"/"}}, nil)
		if err != nil {
			say(err)
			return
		}
		fmt.Println("pid", p.Pid())
		io.Copy(os.Stdout, p.Out)
	}
}

// child is a command with this process's files: os/exec would open others.
func child(path string, args ...string) *exec.Cmd {
	c := exec.Command(path, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stdout
	return c
}

// loads is what this binary itself reads before its main, if it uses the C library.
func loads() (paths []string) {
	for _, p := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// answer runs a probe, within walls or without, and returns its first line.
func answer(t *testing.T, walled bool, s wall.Spec) string {
	t.Helper()
	s.Path, s.Read = self(), append(loads(), s.Read...)
	if !walled {
		c := exec.Command(s.Path, s.Args...)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v", s.Args, err)
		}
		return strings.TrimSpace(string(out))
	}
	p, err := wall.Start(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%v: %v", s.Args, err)
	}
	defer p.Close()
	out, err := io.ReadAll(p.Out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestWalls: what a program does freely is refused within walls, unless its Spec gives it. Each attack has a twin without walls that succeeds.
func TestWalls(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file("outside"), filepath.Join(open, "way")); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	local, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	left, err := unix.Open(file("left"), unix.O_RDONLY, 0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(left)
	host := strconv.Itoa(os.Getpid())
	for n, c := range []struct {
		name  string
		args  []string
		spec  wall.Spec
		given *wall.Spec // with it, the walls let the same pass
	}{
		{"reads a file", []string{"read", file("a")}, wall.Spec{}, &wall.Spec{Read: []string{dir}}},
		{"reads a file beside the folder that it may read", []string{"read", file("b")}, wall.Spec{Read: []string{open}}, nil},
		{"reads past the folder by ..", []string{"read", filepath.Join(open, "..", "a")}, wall.Spec{Read: []string{open}}, nil},
		{"reads past the folder by a link", []string{"read", filepath.Join(open, "way")}, wall.Spec{Read: []string{open}}, nil},
		{"reads the host's memory", []string{"read", "/proc/" + host + "/maps"}, wall.Spec{}, nil},
		{"lists a folder", []string{"list", "/etc"}, wall.Spec{}, &wall.Spec{Read: []string{"/etc"}}},
		{"writes a file", []string{"write", filepath.Join(dir, "new")}, wall.Spec{Read: []string{dir}}, &wall.Spec{Write: []string{dir}}},
		{"truncates a file", []string{"truncate", file("c")}, wall.Spec{Read: []string{dir}}, &wall.Spec{Write: []string{dir}}},
		{"makes a link where it may write", []string{"link", filepath.Join(open, "l")}, wall.Spec{Write: []string{open}}, nil},
		{"executes another program", []string{"execute", "/bin/true"}, wall.Spec{Write: []string{"/bin"}}, &wall.Spec{Read: []string{"/bin"}}},
		{"has the host's environment", []string{"environment"}, wall.Spec{}, &wall.Spec{Env: []string{"A=b"}}},
		{"has a descriptor that the host left open", []string{"descriptor", strconv.Itoa(left)}, wall.Spec{}, nil},
		{"dials", []string{"tcp", tcp.Addr().String()}, wall.Spec{}, &wall.Spec{Network: true}},
		{"opens a UDP socket", []string{"udp"}, wall.Spec{}, &wall.Spec{Network: true}},
		{"reaches a service of this machine", []string{"unix", local.Addr().String()}, wall.Spec{Network: true, Write: []string{dir}}, nil},
		{"signals its host", []string{"signal", host}, wall.Spec{}, nil},
		{"traces", []string{"trace"}, wall.Spec{}, nil},
		{"leaves its group", []string{"session"}, wall.Spec{Read: []string{"/"}}, nil},
		{"cuts the tie to its host", []string{"untie"}, wall.Spec{}, nil},
		{"makes namespaces", []string{"namespaces"}, wall.Spec{}, nil},
		{"uses io_uring", []string{"ring"}, wall.Spec{}, nil},
		{"takes memory", []string{"memory", "3000000000"}, wall.Spec{}, &wall.Spec{Memory: 4 << 30}},
	} {
		t.Run(fmt.Sprintf("W%d %s", n+1, c.name), func(t *testing.T) {
			args := append([]string{"probe"}, c.args...)
			// os/exec leaves no descriptor, and go test may lead its own group: these two have no twin.
			if c.args[0] != "descriptor" && c.args[0] != "session" {
				if got := answer(t, false, wall.Spec{Args: args}); got != "done" {
					t.Skipf("without walls: %s", got)
				}
			}
			c.spec.Args = args
			if got := answer(t, true, c.spec); !strings.HasPrefix(got, "refused") {
				t.Errorf("within walls: %s", got)
			}
			if c.given != nil {
				c.given.Args = args
				if got := answer(t, true, *c.given); got != "done" {
					t.Errorf("with what its Spec gives: %s", got)
				}
			}
		})
	}
}

// TestStart: what this system has is reported, a program that can't be started is an error, and so is a wall that it lacks.
func TestStart(t *testing.T) {
	p, err := wall.Start(t.Context(), wall.Spec{Path: self(), Args: []string{"probe", "echo"}, Read: loads()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Walls&p.Missing != 0 || p.Walls|p.Missing != wall.All || p.Walls&(wall.Tied|wall.Resources) != wall.Tied|wall.Resources {
		t.Errorf("%v, missing %v", p.Walls, p.Missing)
	}
	t.Logf("missing here: %v", p.Missing.Names())
	fmt.Fprintln(p.In, "hello")
	if line, err := bufio.NewReader(p.Out).ReadString('\n'); err != nil || line != "hello\n" {
		t.Errorf("%q %v", line, err)
	}
	p.Close()
	for name, s := range map[string]wall.Spec{
		"no such program":    {Path: "/nothing"},
		"no such folder":     {Path: self(), Dir: "/nothing"},
		"no such path":       {Path: self(), Read: []string{"/nothing"}},
		"a relative path":    {Path: "true"},
		"a variable":         {Path: self(), Env: []string{"A"}},
		"a NUL":              {Path: self(), Args: []string{"a\x00b"}},
		"no UTF-8 argument":  {Path: self(), Args: []string{"probe", "\xff"}},
		"no UTF-8 variable":  {Path: self(), Env: []string{"A=\xff"}},
		"no UTF-8 path":      {Path: self(), Read: []string{"/\xff"}},
		"a wall nobody has":  {Path: self(), Require: wall.Named("moat")},
		"a text, no program": {Path: "/etc/passwd"},
	} {
		s.Read = append(s.Read, loads()...)
		if p, err := wall.Start(t.Context(), s, nil); err == nil {
			p.Close()
			t.Errorf("%s was started", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := wall.Start(ctx, wall.Spec{Path: self(), Args: []string{"probe", "sleep"}}, nil); err == nil {
		t.Error("started after the end")
	}
}

// TestErrorOutput: a program's error output reaches the file that its host gives, within bounds, and the program can't read or cut that file. Its twin,
// which has the file, does both.
func TestErrorOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // as a terminal is, too
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const secret = "what the host logged\n"
	for _, walled := range []bool{true, false} {
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		var out []byte
		if walled {
			p, err := wall.Start(t.Context(), wall.Spec{Path: self(), Args: []string{"probe", "errors"}, Read: loads()}, log)
			if err != nil {
				t.Fatal(err)
			}
			out, _ = io.ReadAll(p.Out)
			p.Close()
		} else {
			c := exec.Command(self(), "probe", "errors")
			c.Stderr = log
			out, _ = c.Output()
		}
		has := func() string { b, _ := os.ReadFile(path); return string(b) }
		for n := 0; walled && len(has()) < 16<<20 && n < 500; n++ { // the host copies what is still in the pipe
			time.Sleep(10 * time.Millisecond)
		}
		if stolen := strings.Contains(string(out), strings.TrimSpace(secret)); stolen == walled {
			t.Errorf("walled %v: the program read %q", walled, out)
		}
		if cut := !strings.HasPrefix(has(), secret); cut == walled {
			t.Errorf("walled %v: the log begins with %.40q", walled, has())
		}
		if size := len(has()) - len(secret); walled && size != 16<<20 {
			t.Errorf("the log got %d bytes", size)
		}
	}
}

// open returns how many descriptors this process has.
func open(t *testing.T) int {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(dir)
}

// TestNothingIsLeft: with its context a program ends and all that it started, no zombie stays, and no descriptor.
func TestNothingIsLeft(t *testing.T) {
	before := open(t)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := wall.Start(ctx, wall.Spec{Path: self(), Args: []string{"probe", "wait"}, Read: []string{"/"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(p.Out)
		for range 2 { // both run
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		pid := p.Pid()
		cancel()
		select {
		case <-p.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("it lives")
		}
		if _, err := lines.ReadString('\n'); err != io.EOF { // its child had the same output
			t.Errorf("its child lives: %v", err)
		}
		if err := unix.Kill(-pid, 0); err != unix.ESRCH {
			t.Errorf("something of its group is left: %v", err)
		}
		p.Close()
	}
	if after := open(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// TestHostDies: a program ends with its host, even if the host is killed.
func TestHostDies(t *testing.T) {
	c := exec.Command(self(), "probe", "host")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil || !strings.HasPrefix(first, "pid ") {
		t.Fatalf("%q %v", first, err)
	}
	pid, _ := strconv.Atoi(strings.Fields(first)[1])
	for range 2 {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	var stat []byte
	for range 200 {
		stat, err = os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if f := strings.Fields(string(stat)); err != nil || len(f) > 2 && f[2] == "Z" { // nobody reaps orphans in some containers
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d lives: %s", pid, stat)
}
