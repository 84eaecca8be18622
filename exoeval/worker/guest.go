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

// serve is all that a worker process does: it locks itself down, reports
// that, waits for a job, and runs it. Then it ends, or waits for the
// next job if the host said that one may come. It never returns.
func serve() {
	defer exit(exitNoHost) // a panic of our own is printed first: see die
	time.Local = time.UTC  // the zone would be read from a file at its first use
	debug.SetTraceback("none")
	debug.SetMaxStack(48 << 20) // only native code needs a deeper stack, and no program needs that
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
			debug.FreeOSMemory() // memory of the last program, so that the next one has as much as that had
		}
		own.begin()
		b[frame.HeaderSize] = byte(frame.KindServed)
		l.write(b)
		if job, again, err = frame.DecodeNext(l.read(frame.KindNext, frame.MaxReply)); err != nil {
			exit(exitNoHost)
		}
	}
}

// program runs one program and returns the frame that reports how it ended. It
// makes everything anew: from an earlier program it uses only the world, which
// nothing changes, and the line. drained reports that each call has got its answer.
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

// hostile acts as code that took over a worker. Only tests set it.
var hostile func(g *guest, program string)

// line is the worker's end of the connection.
type line struct {
	in  *bufio.Reader
	out io.Writer
	to  sync.Mutex // guards out: the report that it waits is written while the program runs
}

// guest is the program's side of the connection: its run uses it as its Port.
type guest struct {
	*line
	buf    []byte
	sent   frame.RowsLog
	types  map[uint32]*message.Type
	names  map[uint32]string
	open   int
	early  []string // replies that came while it waited for cells
	heard  uint64   // the number of replies
	calls  int
	sizes  []int // sizes of the calls without an answer
	sum    int   // the sum of sizes
	limits exo.Limits
}

func (g *guest) show(id uint32) string {
	if n, ok := g.names[id]; ok {
		return n
	}
	return fmt.Sprintf("object %d", id)
}

// Submit sends a message. The message is on its way when Submit returns,
// because the program's next step must not decide whether an effect happens.
func (g *guest) Submit(c exo.Call) error {
	if g.calls++; g.calls > g.limits.Calls+g.limits.ConcurrentCalls+1 { // the session would take no more
		return fail.Errorf(fail.Limit, "", "calls were sent after the limit of %d", g.limits.Calls)
	}
	size, err := g.limits.CallSize(c, g.sum) // the session counts less, because it may have sent answers that we have not read
	if err != nil {
		return err
	}
	b, err := frame.AppendCall(g.buf[:0], c)
	if g.buf = b; err != nil || len(b) > frame.MaxCall {
		return fail.Errorf(fail.Limit, "", "a call has too many values, or values that are too large")
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
		heard, said := g.heard, make(chan struct{})
		late := time.AfterFunc(patience, func() {
			g.write(frame.AppendWaiting(nil, heard))
			close(said)
		})
		s = g.read(frame.KindReply, frame.MaxReply)
		if !late.Stop() {
			<-said // or the host might read it during the next program, where it would mean something else
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

// read reads a frame of the one kind that may come now. If the host is gone, the process ends.
func (l *line) read(want frame.Kind, limit int) string {
	kind, s, err := frame.ReadFrame(l.in, limit)
	if err != nil || kind != want {
		exit(exitNoHost)
	}
	return s
}

// memoryGoal is the memory at which the garbage collector begins to work harder. It is no limit.
func memoryGoal(b exoeval.Bounds) int64 { return int64(b.Memory) * 3 / 4 }

// memory has the size of the process before its first program and before the present one.
type memory struct{ first, base atomic.Uint64 }

func size() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// begin is called when a program begins.
func (m *memory) begin() {
	now := size()
	m.first.CompareAndSwap(0, now)
	m.base.Store(now)
}

// grown returns how much more memory the process has than before its first program.
func (m *memory) grown() uint64 { return max(size(), m.first.Load()) - m.first.Load() }

// watch ends the process when it has grown by more than limit. The engine can't be limited,
// and Go can't recover from an allocation that fails. So the whole process must end.
func (m *memory) watch(limit uint64) {
	for ; ; time.Sleep(time.Millisecond) {
		if size() > m.base.Load()+limit {
			io.WriteString(stderr{}, "worker: out of memory\n") // the exit status may be lost
			exit(exitMemory)
		}
		if orphaned() {
			exit(exitNoHost)
		}
	}
}
