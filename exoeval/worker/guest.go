package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// serve is all that a worker process does: it locks itself down, says so, waits
// for one job, runs it and ends. It never returns.
func serve() {
	defer exit(exitNoHost) // a panic of our own still prints first: see die
	time.Local = time.UTC  // the zone would be read from a file when it is first asked for
	debug.SetTraceback("none")
	debug.SetMaxStack(48 << 20) // deeper recursion is native, and no program needs it
	conn, err := lockdown()
	if err != nil {
		io.WriteString(stderr{}, "worker: lockdown: "+err.Error()+"\n")
		exit(exitLockdown)
	}
	g := &guest{in: bufio.NewReaderSize(conn.rw, 32<<10), out: conn.rw, types: map[uint32]*exo.Type{}, names: map[uint32]string{}}
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(memoryGoal(exoeval.Bounds{}.OrDefault()))
	if len(os.Args) < 2 {
		warm(&warmPort{})
	}
	g.write(appendHello(nil, conn.isolation, conn.size))
	world, job, err := decodeJob(g.read(frameJob, maxReply))
	if err != nil {
		exit(exitNoHost)
	}
	go watchMemory(uint64(world.Bounds.Memory))
	if goal := memoryGoal(world.Bounds); goal != memoryGoal(exoeval.Bounds{}.OrDefault()) {
		debug.SetMemoryLimit(goal)
	}
	for _, n := range world.Granted {
		g.types[n.ID], g.names[n.ID] = n.Type, n.Name
	}
	world.Prepare()
	g.limits = world.Limits
	check := &exo.Checker{Catalog: world.Catalog, Limits: world.Limits, Ref: func(id uint32) *exo.Type { return g.types[id] }, Show: g.show}
	if hostile != nil {
		hostile(g, job.Program)
	}
	out := world.Run(context.Background(), g, check, job)
	b, items := appendDone(nil, out, &g.sent)
	if items > maxValues(world.Bounds) || len(b) > maxDone(world.Bounds) {
		out.Value, out.Err = exo.Value{}, tooLarge
		b, _ = appendDone(nil, out, &g.sent)
	}
	g.write(b)
	exit(exitDone)
}

// hostile stands for code that took over a worker. Only tests set it.
var hostile func(g *guest, program string)

// guest is the program's side of the connection: the Port of its run.
type guest struct {
	in     *bufio.Reader
	out    io.Writer
	to     sync.Mutex // of out: what says that it waits is written beside the program
	buf    []byte
	sent   rowsLog
	types  map[uint32]*exo.Type
	names  map[uint32]string
	open   int
	early  []string // replies that came while it waited for cells
	heard  uint64   // replies
	calls  int
	sizes  []int // of the calls without an answer
	sum    int   // of sizes
	limits exo.Limits
}

func (g *guest) show(id uint32) string {
	if n, ok := g.names[id]; ok {
		return n
	}
	return fmt.Sprintf("object %d", id)
}

// Submit sends a message. It is on its way when Submit returns: whether an
// effect happens must not depend on what the program does next.
func (g *guest) Submit(c exo.Call) error {
	if g.calls++; g.calls > g.limits.Calls+g.limits.ConcurrentCalls+1 { // the session would take no more
		return exo.Errorf(exo.Limit, "", "calls were sent after the limit of %d", g.limits.Calls)
	}
	size, err := g.limits.Unanswered(c, g.sum) // the session counts less: what we have not read it may have sent
	if err != nil {
		return err
	}
	b, err := appendCall(g.buf[:0], c)
	if g.buf = b; err != nil || len(b) > maxCall {
		return exo.Errorf(exo.Limit, "", "a message holds too many values, or too large ones")
	}
	g.open++
	g.sizes, g.sum = append(g.sizes, size), g.sum+size
	g.write(b)
	return nil
}

// Log sends a line, in its place among the messages.
func (g *guest) Log(l exo.Line) error {
	g.buf = appendConsole(g.buf[:0], l)
	g.write(g.buf)
	return nil
}

// Next waits for the reply to the oldest call.
func (g *guest) Next(context.Context) (exo.Reply, bool, error) {
	if g.open == 0 {
		return exo.Reply{}, false, nil
	}
	g.open--
	g.sum -= g.sizes[0]
	g.sizes = g.sizes[1:]
	var s string
	if len(g.early) > 0 {
		s, g.early = g.early[0], g.early[1:]
	} else {
		heard := g.heard
		late := time.AfterFunc(patience, func() { g.write(appendWaiting(nil, heard)) })
		s = g.read(frameReply, maxReply)
		late.Stop()
	}
	g.heard++
	p, err := decodeReply(s, &g.sent, func(id uint32, t *exo.Type) { g.types[id] = t })
	if err != nil {
		exit(exitNoHost)
	}
	return p, true, nil
}

// Held implements exoeval.Holder.
func (g *guest) Held(rs *exo.Rows) (rows, text int, ok bool) {
	n, known := g.sent.index[rs]
	if !known {
		return 0, 0, false
	}
	h, ok := g.sent.held[n]
	return h.rows, h.text, ok
}

// Fetch implements exoeval.Holder.
func (g *guest) Fetch(rs *exo.Rows) {
	n := g.sent.index[rs]
	h := g.sent.held[n]
	delete(g.sent.held, n)
	g.write(appendFetch(nil, n))
	for {
		kind, s, err := readFrame(g.in, maxReply)
		switch {
		case err == nil && kind == frameReply:
			g.early = append(g.early, s)
			continue
		case err != nil || kind != frameCells || decodeCells(s, rs, h.rows) != nil:
			exit(exitNoHost)
		}
		return
	}
}

func (g *guest) write(b []byte) {
	g.to.Lock()
	defer g.to.Unlock()
	if _, err := g.out.Write(b); err != nil {
		exit(exitNoHost)
	}
}

// read reads the one kind of frame that may come now. When the host is gone
// there is nobody to run for.
func (g *guest) read(want frameKind, limit int) string {
	kind, s, err := readFrame(g.in, limit)
	if err != nil || kind != want {
		exit(exitNoHost)
	}
	return s
}

// memoryGoal is where the collector begins to work harder. It is no limit.
func memoryGoal(b exoeval.Bounds) int64 { return int64(b.Memory) * 3 / 4 }

// watchMemory ends the process when it has grown by more than limit. The engine
// can't be held to a size, and an allocation that fails can't be recovered
// from, so the process is the unit that dies.
func watchMemory(limit uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	size := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64() - sample[1].Value.Uint64()
	}
	for base := size(); ; time.Sleep(time.Millisecond) {
		if size() > base+limit {
			io.WriteString(stderr{}, "worker: out of memory\n") // the status may be lost
			exit(exitMemory)
		}
		if orphaned() {
			exit(exitNoHost)
		}
	}
}
