package worker

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
	"github.com/exoagent/exoagent/internal/wire"
)

// Variables are set before the takeover, so this is in force in the workers of
// the test binary: programs that begin with ! are attacks of somebody who has
// taken over the process.
var _ = func() bool {
	hostile = attack
	park = func() {
		<-endFirst
		syscall.Syscall(unix.SYS_EXIT, 0, 0, 0)
	}
	for os.Args[0] == marker && exists(hangs(os.Getppid())) {
		time.Sleep(time.Millisecond)
	}
	return true
}()

// hangs is a file while whose existence no worker of the process comes up.
func hangs(host int) string { return fmt.Sprintf("/tmp/exoagent-worker-hangs-%d", host) }

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Hang lets no worker of this process come up until release is called.
func Hang() (release func(), err error) {
	path := hangs(os.Getpid())
	return func() { os.Remove(path) }, os.WriteFile(path, nil, 0o600)
}

// Settled reports whether nothing runs or starts.
func (p *Pool) Settled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, running := p.queue.Len()
	return running == 0 && p.starting == 0
}

func attack(g *guest, program string) {
	name, ok := strings.CutPrefix(program, "!")
	if !ok {
		return
	}
	if name == "first thread ends" {
		close(endFirst)
		held, _ := syscall.Mmap(-1, 0, 120<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
		time.Sleep(time.Hour)
	}
	if name == "0" { // no attack: threads are free, and the program goes on
		for range 4 { // one after the other: a C library reserves much for each
			var wg sync.WaitGroup
			wg.Go(runtime.LockOSThread) // the thread ends with it, and a new one comes
			wg.Wait()
		}
		return
	}
	if f := plants[name]; f != nil { // it goes on as if nothing had happened
		f(g)
		return
	}
	if f := sessions[name]; f != nil {
		f(g)
		time.Sleep(time.Hour)
	}
	if f := systemCalls[name]; f != nil {
		f()
		panic("the call returned")
	}
	b := frames()[name]
	if b == nil {
		panic("no such attack")
	}
	g.write(b)
	time.Sleep(time.Hour)
}

// CallAttacks and FrameAttacks are the names of the attacks.
func CallAttacks() []string  { return keys(systemCalls) }
func FrameAttacks() []string { return keys(frames()) }

func keys[T any](m map[string]T) (ks []string) {
	for k := range m {
		ks = append(ks, k)
	}
	return ks
}

func clone(flags uintptr) { unix.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0) }

var systemCalls = map[string]func(){
	"open":   func() { os.ReadFile("/etc/passwd") },
	"write":  func() { os.WriteFile("/tmp/exoagent-worker-was-here", nil, 0o600) },
	"stat":   func() { os.Stat("/etc/passwd") },
	"socket": func() { unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0) },
	"pair":   func() { unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0) },
	"pass":   func() { unix.Sendmsg(3, []byte("x"), unix.UnixRights(3), nil, 0) },
	"fork":   func() { unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0) },
	"exec":   func() { unix.Exec("/bin/true", []string{"true"}, nil) },
	// Flags that make no thread of the runtime's; the kernel refuses some of these
	// itself, but the filter must not leave that to it.
	"clone no memory": func() { clone(threadFlags &^ unix.CLONE_VM &^ unix.CLONE_SIGHAND) },
	"clone less":      func() { clone(threadFlags &^ unix.CLONE_SIGHAND) },
	"clone namespace": func() { clone(threadFlags | unix.CLONE_NEWUSER) },
	"clone more":      func() { clone(threadFlags | unix.CLONE_NEWPID) },
	"clone signal":    func() { clone(threadFlags&^unix.CLONE_SIGHAND | uintptr(unix.SIGCHLD)) },
	"clone high":      func() { clone(threadFlags&^unix.CLONE_SIGHAND | 1<<33) },
	"kill host":       func() { unix.Kill(os.Getppid(), unix.SIGTERM) },
	"kill":            func() { unix.Kill(1, 0) },
	"tgkill":          func() { unix.Tgkill(1, 1, 0) },
	"ptrace":          func() { unix.PtraceAttach(1) },
	"memory":          func() { unix.RawSyscall6(unix.SYS_PROCESS_VM_READV, 1, 0, 0, 0, 0, 0) },
	"dup":             func() { unix.Dup(3) },
	"limits": func() {
		unix.Prlimit(0, unix.RLIMIT_AS, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}, nil)
	},
	"execute": func() { syscall.Mmap(-1, 0, 4096, unix.PROT_EXEC|unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE) },
	"mprotect": func() {
		b, _ := syscall.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
		syscall.Mprotect(b, unix.PROT_EXEC)
	},
	"shared": func() {
		syscall.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_SHARED)
	},
	"map file": func() { syscall.Mmap(0, 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE) },
	"unshare":  func() { unix.Unshare(unix.CLONE_NEWUSER) },
	"uring":    func() { unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, 0, 0) },
	"bpf":      func() { unix.RawSyscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&[8]byte{})), 8) },
	"keys":     func() { unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false) },
	// What is in the page cache, and whose pages are.
	"mincore": func() {
		var in [1]byte
		unix.RawSyscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(binaryPage())), 1, uintptr(unsafe.Pointer(&in)))
	},
	// A word in a page of the binary, by which two workers could speak to each other.
	"futex wait": func() { sharedFutex(0, ^*binaryPage()) },
	"futex wake": func() { sharedFutex(1, 1) },
	// What another process computes, and whether there is one.
	"clock of another": func() { clockOf(unix.SYS_CLOCK_GETTIME, 1) },
	"clock of a file":  func() { unix.RawSyscall(unix.SYS_CLOCK_GETTIME, firstForeign, 0, 0) },
	"sleep by a clock": func() { clockOf(unix.SYS_CLOCK_NANOSLEEP, 1) },
	"affinity": func() {
		var mask [128]byte
		_, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 1, uintptr(len(mask)), uintptr(unsafe.Pointer(&mask)))
		refused(errno)
	},
}

// refused ends an attack that the filter refuses and does not punish, since
// C libraries make that call, too.
func refused(errno syscall.Errno) {
	if errno == unix.ENOSYS {
		unix.Kill(1, 0)
	}
}

// binaryPage is a word of code, which all workers have in common.
func binaryPage() *uint32 {
	at := reflect.ValueOf(frame.DecodeDone).Pointer() &^ 4095
	return *(**uint32)(unsafe.Pointer(&at))
}

// sharedFutex tries a futex that is not of this process alone.
func sharedFutex(op int, v uint32) {
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(binaryPage())), uintptr(op), uintptr(v), 0, 0, 0)
	refused(errno)
}

// clockOf asks, by one of two calls, for the clock of a process.
func clockOf(call uintptr, pid int) {
	var ts [2]unix.Timespec
	unix.RawSyscall6(call, uintptr(^uint32(pid)<<3|2), uintptr(unsafe.Pointer(&ts[0])), uintptr(unsafe.Pointer(&ts[1])), 0, 0, 0)
}

func framed(kind frame.Kind, parts ...[]byte) []byte {
	b := frame.Begin(nil, kind)
	for _, p := range parts {
		b = append(b, p...)
	}
	return frame.End(b)
}

func call(c exo.Call) []byte { b, _ := frame.AppendCall(nil, c); return b }

// sends is the call of a method of object id.
func sends(id uint64, object uint32, method string, args ...value.Value) []byte {
	x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1, Ref: object}}}
	c := message.WireNode{Op: message.OpCall, Name: method}
	for i, a := range args {
		x.Nodes, c.Args = append(x.Nodes, message.WireNode{Op: message.OpLit, Recv: -1, Lit: a}), append(c.Args, int32(i+1))
	}
	x.Nodes = append(x.Nodes, c)
	return call(exo.Call{ID: id, Expr: x})
}

// planted is what code that took a worker over leaves there.
var (
	planted int
	spun    atomic.Uint64
	hoard   []byte
)

// plants are of somebody who has taken over a worker and lets its program run, to stay for the
// next one. Their names are programs.
var plants = map[string]func(g *guest){
	"'plant'": func(*guest) { planted++ },
	"'spin'": func(*guest) {
		go func() {
			for {
				spun.Add(1)
			}
		}()
	},
	"'hoard'": func(*guest) {
		hoard = make([]byte, 20<<20)
		for i := 0; i < len(hoard); i += 4096 {
			hoard[i] = 1
		}
	},
	// What is there, as a line of the console.
	"'look'": func(g *guest) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		g.Log(exo.Line{Text: fmt.Sprintf("%d %d %d", planted, runtime.NumGoroutine(), m.HeapAlloc)})
	},
}

// served says that the program has ended, with a text as its result.
func served(text int) []byte {
	return framed(frame.KindServed, []byte{1, tagText}, wire.AppendText(nil, strings.Repeat("x", text)))
}

// sessions are attacks that need more than one frame.
var sessions = map[string]func(g *guest){
	// The object of the second call is there, and its reply waits for the first.
	"guess": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		g.write(sends(2, 0, "again"))
		for id := uint64(3); id < 100; id++ {
			time.Sleep(time.Millisecond)
			g.write(sends(id, 1, "act"))
		}
	},
	"no guess": func(g *guest) {
		g.write(sends(1, 0, "again"))
		g.open = 1
		g.sizes = []int{0}
		g.Next(context.Background())
		g.write(sends(2, 1, "act"))
	},
	"effect and breach": func(g *guest) {
		g.write(sends(1, 0, "act"))
		g.write(frames()["nothing"])
	},
	"read and breach": func(g *guest) {
		g.write(sends(1, 0, "rows"))
		g.write(frames()["nothing"])
	},
	// What it read goes out as if it had been logged before, or with the end of the run.
	"dates a line back": func(g *guest) {
		g.write(frame.AppendConsole(nil, exo.Line{Text: "honest"}))
		g.write(sends(1, 0, "secret"))
		g.open, g.sizes = 1, []int{0}
		p, _, _ := g.Next(context.Background())
		g.write(frame.AppendConsole(nil, exo.Line{Text: "before: " + p.Value.Text()}))
		g.write(framed(frame.KindDone, []byte{1, tagNull}))
	},
	// Calls of places that no program has.
	"claims places": func(g *guest) {
		for i, p := range []fail.Pos{{Line: -1, Column: 1}, {Line: math.MaxInt, Column: math.MaxInt}, {Line: 1, Column: math.MinInt}, {}, {Line: 2, Column: 3}} {
			x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "again"}}}
			g.write(call(exo.Call{ID: uint64(i + 1), Expr: x, Pos: p}))
			g.open, g.sizes = 1, []int{0}
			g.Next(context.Background())
		}
		g.write(framed(frame.KindDone, []byte{1, tagNull}))
	},
	"dates the console back": func(g *guest) {
		g.write(frame.AppendConsole(nil, exo.Line{Text: "honest"}))
		g.write(sends(1, 0, "secret"))
		g.open, g.sizes = 1, []int{0}
		p, _, _ := g.Next(context.Background())
		g.write(framed(frame.KindDone, []byte{1, tagNull}, wire.AppendText(nil, "honest\n"+p.Value.Text())))
	},
	// It says that it waits, and goes on.
	"waits and acts": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		g.write(frame.AppendWaiting(nil, 0))
		time.Sleep(300 * time.Millisecond)
		g.write(sends(2, 0, "act"))
	},
	"acts": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		time.Sleep(300 * time.Millisecond)
		g.write(sends(2, 0, "act"))
	},
	"waits and computes": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		g.write(frame.AppendWaiting(nil, 0))
		for n := 0; ; n++ { // without an end
		}
	},
	"waits twice": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		g.write(append(frame.AppendWaiting(nil, 0), frame.AppendWaiting(nil, 0)...))
	},
	"hang up": func(*guest) { unix.Close(3) },
	// It has ended, and sends what the program after it would seem to send: in the buffer of the
	// host, and behind it.
	"ends and acts":       func(g *guest) { g.write(append(served(0), sends(1, 0, "act")...)) },
	"ends and acts later": func(g *guest) { g.write(append(served(frame.InboxSize-len(served(200))+200), sends(1, 0, "act")...)) },
	"ends with open calls": func(g *guest) {
		g.write(append(sends(1, 0, "nap"), served(0)...))
	},
	// Refused calls, each with a message of 1 MiB; then the run is looked at.
	"refused": func(g *guest) {
		for id := range uint64(64) {
			b := sends(id+1, 0, strings.Repeat("x", 1<<20))
			if id%2 == 1 {
				b = sends(id+1, 0, "wait", value.Text(strings.Repeat("x", 200_000)), value.Text(strings.Repeat("y", 200_000)))
			}
			g.write(b)
			g.open, g.sizes = 1, []int{0}
			g.Next(context.Background())
		}
		g.write(sends(100, 0, "wait"))
	},
	"flood": func(g *guest) {
		g.write(sends(1, 0, "wait"))
		for id := uint64(2); id < 200; id++ {
			g.write(sends(id, 0, "echo", value.Text(strings.Repeat("x", 200_000))))
		}
	},
}

func twice(b []byte) []byte { return append(b, b...) }

var ref = message.WireNode{Op: message.OpRef, Recv: -1}

// frames are made when one is wanted: what this package makes at its start, each
// worker of its tests pays.
var frames = sync.OnceValue(func() map[string][]byte {
	return map[string][]byte{
		"nothing":            {0, 0, 0, 0},
		"huge":               {255, 255, 255, 255, 'd', 1},
		"unknown kind":       framed('x'),
		"waits for nothing":  frame.AppendWaiting(nil, 0),
		"waits for later":    frame.AppendWaiting(nil, 7),
		"waits cut":          framed(frame.KindWaiting),
		"hello again":        frame.AppendHello(nil, uint64(Strong), 1),
		"a job":              framed(frame.KindJob),
		"a next one":         framed(frame.KindNext),
		"another, unasked":   framed(frame.KindServed, []byte{1, tagNull}),
		"a reply":            framed(frame.KindReply, []byte{1, 1, tagNull}),
		"a call of nothing":  framed(frame.KindCall),
		"a call cut":         framed(frame.KindCall, []byte{1, 5, 1}),
		"more than a call":   framed(frame.KindCall, call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{ref}}})[5:], []byte{0}),
		"many nodes":         framed(frame.KindCall, append([]byte{1}, binary.AppendUvarint(nil, 1<<40)...)),
		"a forward node":     call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{{Op: message.OpField, Name: "x", Recv: 7}}}}),
		"an id twice":        twice(call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{ref}}})),
		"an id that falls":   append(call(exo.Call{ID: 9, Expr: message.Expr{Nodes: []message.WireNode{ref}}}), call(exo.Call{ID: 8, Expr: message.Expr{Nodes: []message.WireNode{ref}}})...),
		"a reference home":   framed(frame.KindDone, []byte{1, tagRef, 0, 0}),
		"an object home":     framed(frame.KindDone, []byte{1, frame.TagObject, 0, 0}),
		"a label":            framed(frame.KindDone, []byte{1, tagRef + 1, 1, 1, 'x', tagNull}),
		"held rows home":     framed(frame.KindDone, []byte{1, frame.TagHeld, 0, 0, 0}),
		"nodes in any order": call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{ref, ref, {Op: message.OpCall, Name: "wait", Recv: 1, Args: []int32{0}}}}}),
		"rows never sent":    framed(frame.KindDone, []byte{1, frame.TagSame, 0}),
		"rows of its own":    framed(frame.KindDone, []byte{1, tagRows, 0, 0}),
		"no value":           framed(frame.KindDone, []byte{1, tagNone}),
		"NaN":                framed(frame.KindDone, []byte{1, tagFloat, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f}),
		"bad text":           framed(frame.KindDone, []byte{1, tagText, 1, 0xff}),
		"a name twice":       framed(frame.KindDone, []byte{1, tagRecord, 2, 1, 'a', tagNull, 1, 'a', tagNull}),
		"a long number":      framed(frame.KindDone, []byte{1, tagInt, 0x80, 0x00}),
		"deep":               framed(frame.KindDone, []byte{1}, []byte(strings.Repeat(string([]byte{tagList, 1}), 200)), []byte{tagNull}),
		"a long list":        framed(frame.KindDone, append([]byte{1, tagList}, binary.AppendUvarint(nil, 1<<50)...)),
		"two million nulls":  framed(frame.KindDone, binary.AppendUvarint([]byte{1, tagList}, 2_000_000), make([]byte, 0), []byte(strings.Repeat(string([]byte{tagNull}), 2_000_000))),
		"the host's verdict": framed(frame.KindDone, []byte{0, byte(fail.Breach), 0, 0, 0, 0, 0, 0, 0}),
		"no kind":            framed(frame.KindDone, []byte{0, byte(fail.Breach + 1), 0, 0, 0, 0, 0, 0, 0}),
		"cancelled":          framed(frame.KindDone, []byte{0, byte(fail.Cancelled), 0, 0, 0, 0, 0, 0, 0}),
		"kind other":         framed(frame.KindDone, []byte{0, byte(fail.Other), 0, 0, 0, 0, 0, 0, 0}),
		"bad message":        framed(frame.KindDone, []byte{0, byte(fail.Program), 0, 1, 0xff, 0, 0, 0, 0, 0}),
		"half a character":   framed(frame.KindDone, []byte{0, byte(fail.Program), 0, 2, 0xe2, 0x82, 0, 0, 0, 0, 0}),
		"bad source line":    framed(frame.KindDone, []byte{0, byte(fail.Program), 0, 0, 0, 0, 1, 0xff, 0, 0}),
		"bad detail":         framed(frame.KindDone, []byte{0, byte(fail.Program), 0, 0, 0, 0, 0, 0, 1, 0xff}),
		"bad line":           framed(frame.KindConsole, []byte{byte(exo.LevelInfo), 1, 0xff}),
		"a line of no level": framed(frame.KindConsole, []byte{9, 1, 'x'}),
		"a line of nothing":  framed(frame.KindConsole),
		"more than a line":   framed(frame.KindConsole, []byte{0, 1, 'x', 0}),
		"a long line":        framed(frame.KindConsole, append([]byte{0}, wire.AppendText(nil, strings.Repeat("x", exo.Limits{}.OrDefault().LineBytes()+1))...)),
		"lines of no end":    []byte(strings.Repeat(string(framed(frame.KindConsole, []byte{0, 0})), exo.Limits{}.OrDefault().ConsoleBytes+2)),
		"a console of old":   framed(frame.KindDone, []byte{1, tagNull, 1, 'x'}),
		"bad field name":     framed(frame.KindDone, []byte{1, tagRecord, 1, 1, 0xff, tagNull}),
		"bad call name":      call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{ref, {Op: message.OpCall, Name: "\xff"}}}}),
		"bad record name":    call(exo.Call{ID: 1, Expr: message.Expr{Nodes: []message.WireNode{ref, {Op: message.OpRecord, Recv: -1, Names: []string{"\xff"}, Args: []int32{0}}}}}),
		"a cause of no call": framed(frame.KindDone, []byte{0, byte(fail.Internal), 0, 0, 0, 0, 0, 5, 0}),
		"cells never sent":   framed(frame.KindFetch, []byte{0}),
		"cells of no number": framed(frame.KindFetch, binary.AppendUvarint(nil, 1<<63)),
		"more than a fetch":  framed(frame.KindFetch, []byte{0, 0}),
		"cells":              framed(frame.KindCells, []byte{0}),
		"more than a result": framed(frame.KindDone, []byte{1, tagNull, 0}),
	}
})

// endFirst tells the first thread of a worker to end.
var endFirst = make(chan bool)

// ClassifyLost says what a process died of whose exit was lost.
func ClassifyLost(said string) *Death { return classify(ended{status: -1}, said) }

// ClassifyExit says what a process died of that ended with status 2, as Go's runtime ends it.
func ClassifyExit(said string, told bool) *Death {
	return classify(ended{known: true, status: 2, told: told}, said)
}

// ThreadFlags are those of clone that the filter allows.
const ThreadFlags = threadFlags

// Codec, for tests and fuzzing.

// Fetched is the frame with the cells of v, if rows like v wait to be fetched, and
// what a worker makes of it.
func Fetched(v value.Value) (reply, cells []byte, got value.Value, err error) {
	var host, worker frame.RowsLog
	reply = frame.AppendReply(nil, exo.Reply{ID: 1, Value: v}, &host, nil)
	p, err := frame.DecodeReply(string(reply[5:]), &worker, nil)
	if err != nil {
		return reply, nil, value.Value{}, err
	}
	n, err := frame.DecodeFetch(string(frame.AppendFetch(nil, 0)[5:]))
	if err != nil {
		return reply, nil, value.Value{}, err
	}
	rows, ok := host.Release(n)
	if !ok {
		return reply, nil, p.Value, nil
	}
	if _, again := host.Release(n); again {
		return reply, nil, p.Value, frame.ErrMalformed
	}
	cells = frame.AppendCells(nil, rows)
	return reply, cells, p.Value, frame.DecodeCells(string(cells[5:]), p.Value.Rows(), worker.Held[0].Rows)
}

// DecodeCells reads cells of rows with one column, of which so many were announced.
func DecodeCells(s string, announced int) error {
	return frame.DecodeCells(s, &value.Rows{Shape: &value.Shape{Names: []string{"a"}}}, announced)
}

func CellsBytes(r *value.Rows) []byte { return frame.AppendCells(nil, r)[5:] }

var (
	SameModules = sameModules

	DecodeCall = frame.DecodeCall
	AppendCall = frame.AppendCall
	ErrPanic   = frame.ErrPanic
)

func DecodeDone(s string, b exoeval.Bounds) (exoeval.ProgramResult, error) {
	log := &frame.RowsLog{}
	log.Add(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.Int(1)}})
	o, err := frame.DecodeDone(s, log, b)
	return o.ProgramResult, err
}

func AppendDone(o exoeval.ProgramResult) []byte {
	b, _ := frame.AppendDone(nil, o, &frame.RowsLog{})
	return b[5:]
}

func CrossWorld(w *exoeval.World) (*exoeval.World, int, error) {
	b := frame.AppendJob(nil, frame.AppendWorld(nil, w), exoeval.Job{Program: "p", Run: exo.Run{Clock: time.Now()}}, false)
	got, _, _, err := frame.DecodeJob(string(b[5:]))
	return got, len(b), err
}

// WorldBytes is the head of a job.
func WorldBytes(w *exoeval.World) []byte { return frame.AppendWorld(nil, w) }

// CrossReply sends a value to a worker and lets it come back as the result.
func CrossReply(v value.Value) (there, back value.Value, err error) {
	var host, worker frame.RowsLog
	b := frame.AppendReply(nil, exo.Reply{ID: 1, Value: v}, &host, func(uint32) *message.Type { return &message.Type{Name: "T"} })
	p, err := frame.DecodeReply(string(b[5:]), &worker, func(uint32, *message.Type) {})
	if err != nil {
		return v, v, err
	}
	d, _ := frame.AppendDone(nil, exoeval.ProgramResult{Value: p.Value}, &worker)
	o, err := frame.DecodeDone(string(d[5:]), &host, exoeval.Bounds{}.OrDefault())
	return p.Value, o.Value, err
}

func DecodeReply(s string) error {
	_, err := frame.DecodeReply(s, &frame.RowsLog{}, func(uint32, *message.Type) {})
	return err
}

// JobOf is a job frame, without its header.
func JobOf(w *exoeval.World) string {
	return string(frame.AppendJob(nil, frame.AppendWorld(nil, w), exoeval.Job{Program: "p"}, false)[frame.HeaderSize+1:])
}

func DecodeJob(s string) error { _, _, _, err := frame.DecodeJob(s); return err }

func ReplyBytes(p exo.Reply) []byte { return frame.AppendReply(nil, p, &frame.RowsLog{}, nil)[5:] }

// IdleCPU is the processor time that a worker has used when it is ready.
func (p *Pool) IdleCPU() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		d, _ := w.end.cpu()
		return d
	}
	return 0
}

// IdlePIDs are the processes that wait.
func (p *Pool) IdlePIDs() (pids []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		pids = append(pids, w.p.Pid)
	}
	return pids
}

// KeptPIDs are the processes that wait for the next program of their tool.
func (p *Pool) KeptPIDs() (pids []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.kept {
		pids = append(pids, w.p.Pid)
	}
	return pids
}

// KeptCPU is the processor time of the first process that waits for the next program of its tool.
func (p *Pool) KeptCPU() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.kept {
		d, _ := w.end.cpu()
		return d
	}
	return 0
}

// RaceFactor is how many times more memory this process needs than without the
// race detector.
var RaceFactor = 1 + 7*min(addressSlack>>40, 1)

// Looks is how often the host looks for one frame that comes in many pieces, while
// so many others look.
func Looks(pieces, others int) (looks int, err error) {
	looking.Add(int32(others))
	defer looking.Add(-int32(others))
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	host, worker := os.NewFile(uintptr(pair[0]), "host"), os.NewFile(uintptr(pair[1]), "worker")
	defer host.Close()
	defer worker.Close()
	raw, err := host.SyscallConn()
	if err != nil {
		return 0, err
	}
	in := frame.NewInbox(&eager{f: host, raw: counted{raw, &looks}})
	go func() {
		for _, b := range framed(frame.KindCall, make([]byte, pieces)) {
			worker.Write([]byte{b})
			time.Sleep(20 * time.Microsecond)
		}
	}()
	_, _, err = in.Read(frame.MaxCall)
	return looks, err
}

// MaxLooks is how often the host looks for a frame.
const MaxLooks = asks

type counted struct {
	syscall.RawConn
	n *int
}

func (c counted) Control(f func(uintptr)) error { *c.n++; return c.RawConn.Control(f) }

// FewThreads makes the watch hold every worker for one with too many threads,
// until the function that it returns is called.
func FewThreads() (restore func()) {
	n := maxThreads
	maxThreads = 1
	return func() { maxThreads = n }
}

// Cold lets the pool's workers wait without having warmed up. It is called before the first program.
func (p *Pool) Cold() { p.cold = true }
