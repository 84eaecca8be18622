package worker_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/worker"
)

const reached = "/tmp/exoagent-worker-reached-main"

// A worker never reaches main of the program whose binary it is, nor the
// variables and init functions of package main.
func TestMainIsNotReached(t *testing.T) {
	os.Remove(reached)
	bin, said := buildTo(t, "./testdata/host"), filepath.Join(t.TempDir(), "said")
	cmd := exec.Command(bin)
	cmd.Env = []string{"SAY=" + said}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "42\n" {
		t.Fatalf("%v %q", err, out)
	}
	// Somebody starts it by hand under a worker's name: without a host it exits.
	for _, stdin := range []string{"/dev/null", bin} {
		in, err := os.Open(stdin)
		if err != nil {
			t.Fatal(err)
		}
		byHand := exec.Command(bin)
		byHand.Args[0], byHand.Env, byHand.Stdin, byHand.ExtraFiles = "exoagent-worker/1", []string{"SAY=" + said}, in, []*os.File{in}
		out, err := byHand.CombinedOutput()
		in.Close()
		if err == nil || strings.Contains(string(out), "42") {
			t.Errorf("under a worker's name, without a host: %v %q", err, out)
		}
	}
	b, err := os.ReadFile(said)
	if err != nil || string(b) != "the variables of package main\ninit of package main\nmain\n" {
		t.Errorf("%v %q", err, b)
	}
	if b, err := os.ReadFile(reached); err == nil {
		t.Errorf("a worker came to %q", b)
	}
}

// A host that is killed leaves no worker behind, whether it runs or waits.
func TestHostDies(t *testing.T) {
	bin := buildTo(t, "./testdata/host")
	for _, env := range []string{"NAMESPACES=", "NAMESPACES=1"} {
		t.Run(env, func(t *testing.T) { hostDies(t, bin, env) })
	}
}

func hostDies(t *testing.T, bin, env string) {
	cmd := exec.Command(bin, "for (;;) {}", "let a = []; a.length = 2**32-1; a.indexOf(1)")
	cmd.Env = []string{"SAY=" + filepath.Join(t.TempDir(), "said"), env}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "42\n" {
		t.Fatalf("%q %v", line, err)
	}
	var workers []int
	for range 500 { // the second may still be on its way
		if workers = children(t, cmd.Process.Pid); len(workers) > 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(workers) < 2 {
		t.Errorf("%d workers before", len(workers))
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, pid := range workers {
		gone := false
		for range 500 {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if gone = err != nil || strings.Contains(string(b), ") Z "); gone {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if !gone {
			t.Errorf("worker %d lives on", pid)
		}
	}
}

func children(t *testing.T, of int) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // gone meanwhile
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(of) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// What a worker has before it gets its program, as the kernel sees it.
func TestWhatWorkersHave(t *testing.T) {
	t.Setenv("EXOAGENT_SECRET", "in the environment of the host")
	secret, err := os.Open("suite_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	inheritable(t, secret)
	// As a library of C may have them: events could be sent to these.
	poller, err := unix.EpollCreate1(0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(poller)
	events, err := unix.Eventfd(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(events)
	p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	run(t, e, "1")
	var pids []int
	for range 2000 {
		if pids = p.IdlePIDs(); len(pids) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if len(pids) == 0 {
		t.Fatal("no idle worker")
	}
	proc := fmt.Sprintf("/proc/%d/", pids[0])
	read := func(name string) string {
		b, err := os.ReadFile(proc + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if env := read("environ"); env != "GOMAXPROCS=1\x00MALLOC_ARENA_MAX=1\x00" {
		t.Errorf("environment %q", env)
	}
	if args := read("cmdline"); args != "exoagent-worker/1\x00" {
		t.Errorf("arguments %q", args)
	}
	if dir, err := os.Readlink(proc + "cwd"); err != nil || dir != "/" {
		t.Errorf("directory %q, %v", dir, err)
	}
	fds, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]int{}
	for _, fd := range fds {
		to, err := os.Readlink(proc + "fd/" + fd.Name())
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(to, ":[")
		want := map[string]string{"0": "/dev/null", "1": "/dev/null", "2": "pipe", "3": "socket"}[fd.Name()]
		if want == "" && strings.HasPrefix(kind, "anon_inode") {
			if own[to]++; own[to] > 1 { // the runtime's poller has one of each
				t.Errorf("file %s is a second %s", fd.Name(), to)
			}
			continue
		}
		if kind != want {
			t.Errorf("file %s is %s", fd.Name(), to)
		}
	}
	tasks, err := os.ReadDir(proc + "task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		status := read("task/" + task.Name() + "/status")
		for _, line := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
			if !strings.Contains(status, line) {
				t.Errorf("thread %s: no %q", task.Name(), line)
			}
		}
	}
	limits := strings.Join(strings.Fields(read("limits")), " ")
	for _, line := range []string{"Max core file size 0 0", "Max file size 0 0", "Max open files 0 0"} {
		if !strings.Contains(limits, line) {
			t.Errorf("no %q", line)
		}
	}
}

// inheritable makes a file one that a careless library would leave to children.
func inheritable(t *testing.T, f *os.File) {
	t.Helper()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
}
