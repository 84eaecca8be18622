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
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// serve is all that a worker process does. It locks itself down, reports that, waits for a job, and runs it. Then it ends, or waits for the
// next job if the host announced one. It never returns.
func serve() {
	defer exit(exitNoHost) // a panic of our own is printed before this ends the process: see die
	time.Local = time.UTC  // otherwise the first use would read the zone from a file
	debug.SetTraceback("none")
	debug.SetMaxStack(48 << 20) // only native code needs a deeper stack; no program does
	conn, err := lockdown()
	if err != nil {
		io.WriteString(stderr{}, "worker: lockdown: "+err.Error()+"\n")
		exit(exitLockdown)
	}
	l := &line{in: bufio.NewReaderSize(conn.rw, 32<<10), out: conn.rw}
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(memoryGoal(exoeval.Bounds{}.OrDefault()))
	if len(os.Args) < 2 {
		warm(&warmPort{})
	}
	l.write(frame.AppendHello(nil, uint64(conn.isolation), conn.size))
	world, job, again, err := frame.DecodeJob(l.read(frame.KindJob, frame.MaxReply))
	if err != nil {
		exit(exitNoHost)
	}
	own := &memory{}
	own.begin()
	go own.watch(uint64(world.Bounds.Memory))
	if goal := memoryGoal(world.Bounds); goal != memoryGoal(exoeval.Bounds{}.OrDefault()) {
		debug.SetMemoryLimit(goal)
	}
	world.Prepare()
	for {
		b, drained := l.program(world, job)
		if !again || !drained {
			l.write(b)
			exit(exitDone)
		}
		if own.grown() > uint64(mayGrow(world.Bounds)/2) {
			debug.FreeOSMemory() // free the last program's memory, so that the next program has as much as that one
		}
		own.begin()
		b[frame.HeaderSize] = byte(frame.KindServed)
		l.write(b)
		if job, again, err = frame.DecodeNext(l.read(frame.KindNext, frame.MaxReply)); err != nil {
			exit(exitNoHost)
		}
	}
}

// program runs one program and returns the frame that reports how it ended. Everything is new, except the world, which never changes, and the
// line. drained reports that each call has its reply.
func (l *line) program(world *exoeval.World, job exoeval.Job) (done []byte, drained bool) {
	g := &guest{line: l, limits: world.Limits, types: map[uint32]*message.Type{}, names: map[uint32]string{}}
	for _, n := range world.Granted {
		g.types[n.ID], g.names[n.ID] = n.Type, n.Name
	}
	check := &message.Checker{Catalog: world.Catalog, Bounds: world.Limits.Message(), Ref: func(id uint32) *message.Type { return g.types[id] }, Show: g.show, Zone: world.Zone}
	if hostile != nil {
		hostile(g, job.Program)
	}
	out := world.Run(context.Background(), g, check, job)
	b, items := frame.AppendDone(nil, out, &g.sent)
	if items > frame.MaxValues(world.Bounds) || len(b) > frame.MaxDone(world.Bounds) {
		out.Value, out.Err = value.Value{}, tooLarge
		b, _ = frame.AppendDone(nil, out, &g.sent)
	}
	return b, g.open == 0 && len(g.early) == 0
}

// hostile acts like code that took over a worker. Only tests set it.
var hostile func(g *guest, program string)

// line is the worker's end of the connection.
type line struct {
	in  *bufio.Reader
	out io.Writer
	to  sync.Mutex // guards out, because the report of waiting is written while the program runs
}

// guest is the program's side of the connection: the run's Port.
type guest struct {
	*line
	buf    []byte
	sent   frame.RowsLog
	types  map[uint32]*message.Type
	names  map[uint32]string
	open   int
	early  []string // replies that came while the guest waited for cells
	heard  uint64   // the number of replies that were read
	calls  int
	sizes  []int // the sizes of the calls without a reply
	sum    int   // the sum of sizes
	limits exo.Limits
}

func (g *guest) show(id uint32) string {
	if n, ok := g.names[id]; ok {
		return n
	}
	return fmt.Sprintf("object %d", id)
}

// Submit sends a message before it returns: the speed of the program's next step must not decide whether an effect happens.
func (g *guest) Submit(c exo.Call) error {
	if g.calls++; g.calls > g.limits.Calls+g.limits.ConcurrentCalls+1 { // the session would refuse one more call
		return fail.Errorf(fail.Limit, "", "the program sent more calls than the limit of %d: send fewer", g.limits.Calls)
	}
	size, err := g.limits.CallSize(c, g.sum) // the session counts no more than this, because it may have sent replies that are not yet read
	if err != nil {
		return err
	}
	b, err := frame.AppendCall(g.buf[:0], c)
	if g.buf = b; err != nil || len(b) > frame.MaxCall {
		return fail.Errorf(fail.Limit, "", "a call has too many values, or too large ones: pass less")
	}
	g.open++
	g.sizes, g.sum = append(g.sizes, size), g.sum+size
	g.write(b)
	return nil
}

// Log sends a line, in order with the messages.
func (g *guest) Log(l exo.Line) error {
	g.buf = frame.AppendConsole(g.buf[:0], l)
	g.write(g.buf)
	return nil
}

// Next waits for the reply to the oldest call. It returns false if no call is open.
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
		heard, said := g.heard, make(chan struct{})
		late := time.AfterFunc(patience, func() {
			g.write(frame.AppendWaiting(nil, heard))
			close(said)
		})
		s = g.read(frame.KindReply, frame.MaxReply)
		if !late.Stop() {
			<-said // wait until the report is written: if the host read it during the next program, it would have another meaning
		}
	}
	g.heard++
	p, err := frame.DecodeReply(s, &g.sent, func(id uint32, t *message.Type) { g.types[id] = t })
	if err != nil {
		exit(exitNoHost)
	}
	return p, true, nil
}

// Held implements exoeval.Holder.
func (g *guest) Held(rs *value.Rows) (rows, text int, ok bool) {
	n, known := g.sent.Index[rs]
	if !known {
		return 0, 0, false
	}
	h, ok := g.sent.Held[n]
	return h.Rows, h.Text, ok
}

// Fetch implements exoeval.Holder.
func (g *guest) Fetch(rs *value.Rows) {
	n := g.sent.Index[rs]
	h := g.sent.Held[n]
	delete(g.sent.Held, n)
	g.write(frame.AppendFetch(nil, n))
	for {
		kind, s, err := frame.ReadFrame(g.in, frame.MaxReply)
		switch {
		case err == nil && kind == frame.KindReply:
			g.early = append(g.early, s)
			continue
		case err != nil || kind != frame.KindCells || frame.DecodeCells(s, rs, h.Rows) != nil:
			exit(exitNoHost)
		}
		return
	}
}

func (l *line) write(b []byte) {
	l.to.Lock()
	defer l.to.Unlock()
	if _, err := l.out.Write(b); err != nil {
		exit(exitNoHost)
	}
}

// read reads a frame of the only kind that may come now. If the host is gone, the process ends.
func (l *line) read(want frame.Kind, limit int) string {
	kind, s, err := frame.ReadFrame(l.in, limit)
	if err != nil || kind != want {
		exit(exitNoHost)
	}
	return s
}

// memoryGoal is the memory at which the garbage collector works harder. It is not a limit.
func memoryGoal(b exoeval.Bounds) int64 { return int64(b.Memory) * 3 / 4 }

// memory has the size of the process before its first program and before the present one.
type memory struct{ first, base atomic.Uint64 }

func size() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// begin notes the size of the process when a program begins.
func (m *memory) begin() {
	now := size()
	m.first.CompareAndSwap(0, now)
	m.base.Store(now)
}

// grown returns how much the process has grown since before its first program.
func (m *memory) grown() uint64 { return max(size(), m.first.Load()) - m.first.Load() }

// watch ends the whole process when it has grown by more than limit. The engine has no limit of memory, and Go can't recover from a failed
// allocation.
func (m *memory) watch(limit uint64) {
	for ; ; time.Sleep(time.Millisecond) {
		if size() > m.base.Load()+limit {
			io.WriteString(stderr{}, "worker: out of memory\n") // the text shows the cause even if the exit status is lost
			exit(exitMemory)
		}
		if orphaned() {
			exit(exitNoHost)
		}
	}
}
