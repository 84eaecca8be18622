package main

import (
	"bytes"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/internal/cli"
)

// startWithoutWall starts a command as on a kernel that has no filters of system calls, for it and all that it starts.
func startWithoutWall(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and the thread ends with this goroutine: it has the filter for good
		ins := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SECCOMP, Jf: 1},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
		prog := unix.SockFprog{Len: uint16(len(ins)), Filter: &ins[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
		}
		if err == nil {
			err = cmd.Start()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestServeWithoutWall: where the kernel has no wall, programs are served only if the file accepts that, and doctor says so.
func TestServeWithoutWall(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"code":"me.count()"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	for _, c := range []struct {
		wall, Command string
		code          int
		out, says     string // on standard output, and on the other
	}{
		{"", "serve", cli.ExitCannot, "", "this machine can't isolate programs as the file asks"},
		{"wall: kernel\n", "serve", cli.ExitCannot, "", "wall: container"},
		{"wall: container\n", "serve", cli.ExitDone, `{\"result\":1}`, "is served"},
		{"wall: none\n", "serve", cli.ExitDone, `{\"result\":1}`, "is served"},
		{"wall: container\n", "doctor", cli.ExitFound, "MISSING  wall, system calls", ""},
	} {
		args := []string{c.Command, grantFileOf(t, c.wall+servedShop)}
		if c.Command == "serve" {
			args = append(args, "-as", "customer=3")
		}
		cmd := child(t, args...)
		var out, said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(list), &out, &said
		startWithoutWall(t, cmd)
		_ = cmd.Wait()
		if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(out.String(), c.out) || c.out == "" && out.Len() > 0 || !strings.Contains(said.String(), c.says) {
			t.Errorf("%s with %q: ended with %d:\n%s%s", c.Command, c.wall, cmd.ProcessState.ExitCode(), out.String(), said.String())
		}
	}
}
