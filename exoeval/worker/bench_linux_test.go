package worker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"
	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

const twoJoins = `(api) => api.org
  .join(({ org }) => org.projects())
  .join(({ project }) => project.tasks())
  .where(({ task }) => task.done === false)
  .select(({ project, task }) => ({ project: project.name, task: task.title }))
  .execute()`

// What a process costs: each line in process and in a worker that waited. The
// time in which workers get ready is not counted; BenchmarkStart is that.
func BenchmarkRun(b *testing.B) {
	b.Run("sum/goja", func(b *testing.B) {
		for b.Loop() {
			if v, err := goja.New().RunString("1 + 1"); err != nil || v.ToInteger() != 2 {
				b.Fatal(v, err)
			}
		}
	})
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	small := gateOf(b, &shop{rows: rowsOf(100)}, exo.Limits{})
	for _, c := range []struct {
		name, program string
		gate          *exo.Gate
	}{
		{"sum", "1 + 1", small},
		{"calls 100", "for (let i = 0; i < 100; i++) await shop.echo(i)", small},
		{"query", twoJoins, r.Gate},
		{"rows 100", "return await shop.rows()", small},
		{"rows 10000", "return await shop.rows()", gateOf(b, &shop{rows: rowsOf(10_000)}, exo.Limits{})},
		{"rows 10000 read", "let n = 0; for (const r of await shop.rows()) n += r.id; return n", gateOf(b, &shop{rows: rowsOf(10_000)}, exo.Limits{})},
	} {
		b.Run(c.name+"/local", func(b *testing.B) { benchmark(b, testutil.InProcess(c.gate), c.program, nil) })
		p := newPool(b, worker.PoolOptions{Workers: 4, Idle: 2})
		// In process, but after the same pause, in which other processes have had the
		// caches: what a worker is compared with.
		b.Run(c.name+"/local paused", func(b *testing.B) {
			e := inWorker(b, small, p)
			benchmark(b, testutil.InProcess(c.gate), c.program, func() {
				run(b, e, "1")
				settle(p)
			})
		})
		e := inWorker(b, c.gate, p)
		b.Run(c.name+"/worker", func(b *testing.B) { benchmark(b, e, c.program, func() { settle(p) }) })
		p.Close()
	}
}

// What it is worth that a worker warms up while it waits: how long programs take that come
// one at a time, and the processor time of all that was started for each.
func BenchmarkPaced(b *testing.B) {
	r := testutil.As(b, testutil.Open(b), testutil.Acme, exo.Limits{})
	small := buildTo(b, "./exo-worker")
	for name, program := range map[string]string{"sum": "1 + 1", "query": twoJoins} {
		for _, state := range []string{"warm", "cold", "exo-worker"} {
			b.Run(name+"/"+state, func(b *testing.B) {
				o := worker.PoolOptions{Workers: 4, Idle: 2}
				if state == "exo-worker" {
					o.Binary = small
				}
				p := newPool(b, o)
				if state == "cold" {
					p.Cold()
				}
				before := cpuOfChildren(b)
				benchmark(b, inWorker(b, r.Gate, p), program, func() { settle(p) })
				p.Close()
				b.ReportMetric(float64((cpuOfChildren(b)-before).Microseconds())/float64(b.N), "µs-CPU/program")
			})
		}
	}
}

// cpuOfChildren is the processor time of all processes of this one that have ended.
func cpuOfChildren(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchmark reports the median: a pool that refills itself beside a run makes
// the mean say little on two processors.
func benchmark(b *testing.B, e exoeval.Runner, program string, between func()) {
	var took, used []time.Duration
	run(b, e, program)
	for b.Loop() {
		if between != nil {
			b.StopTimer()
			between()
			b.StartTimer()
		}
		r := run(b, e, program)
		if r.Err != nil {
			b.Fatal(r.Err)
		}
		took, used = append(took, r.Took), append(used, r.Used.CPU)
	}
	b.ReportMetric(float64(median(took).Nanoseconds())/1e3, "µs/median")
	if cpu := median(used); cpu > 0 { // of the worker
		b.ReportMetric(float64(cpu.Nanoseconds())/1e3, "µs-CPU/worker")
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// settle waits until the pool is full and rests.
func settle(p *worker.Pool) {
	for {
		if s := p.Stats(); s.Running == 0 && s.Idle == 2 {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// From nothing to the end of the first program, and to a worker that waits; and what
// namespaces add to it, also where the host holds much memory, whose page tables are
// copied for a child with users of its own.
func BenchmarkStart(b *testing.B) {
	b.Run("as it is", func(b *testing.B) { benchmarkStart(b, worker.PoolOptions{Workers: 1, Idle: 1}) })
	// The binary of these tests links as much as a host with both databases does.
	program := buildTo(b, "./exo-worker")
	b.Run("exo-worker", func(b *testing.B) {
		benchmarkStart(b, worker.PoolOptions{Workers: 1, Idle: 1, Binary: program})
	})
	b.Run("namespaces", func(b *testing.B) { benchmarkStart(b, worker.PoolOptions{Workers: 1, Idle: 1, Namespaces: true}) })
	held := make([]byte, 1<<30)
	for i := 0; i < len(held); i += os.Getpagesize() {
		held[i] = 1
	}
	b.Run("1 GiB held", func(b *testing.B) { benchmarkStart(b, worker.PoolOptions{Workers: 1, Idle: 1}) })
	b.Run("1 GiB held, namespaces", func(b *testing.B) {
		benchmarkStart(b, worker.PoolOptions{Workers: 1, Idle: 1, Namespaces: true})
	})
	runtime.KeepAlive(held)
}

func benchmarkStart(b *testing.B, o worker.PoolOptions) {
	var cold, used []time.Duration
	for b.Loop() {
		p := newPool(b, o)
		e := evaluator(b, &shop{}, exo.Limits{}, p)
		b.StartTimer()
		r := run(b, e, "1 + 1")
		b.StopTimer()
		if r.Err != nil {
			b.Fatal(r.Err)
		}
		cold = append(cold, r.Took)
		for cpu := time.Duration(0); cpu == 0; cpu = p.IdleCPU() {
			time.Sleep(time.Millisecond)
			if cpu = p.IdleCPU(); cpu > 0 {
				used = append(used, cpu)
			}
		}
		p.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(median(cold).Nanoseconds())/1e3, "µs/median")
	b.ReportMetric(float64(median(used).Nanoseconds())/1e3, "µs-CPU/worker")
}

// What no process of Go can be faster than: an empty program from its start to its
// end, one after the other and as many at once as there are processors; and one byte
// to a process that has slept and back.
func BenchmarkFloor(b *testing.B) {
	dir := b.TempDir()
	src := dir + "/main.go"
	if err := os.WriteFile(src, []byte(floor), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", dir+"/floor", src).CombinedOutput(); err != nil {
		b.Fatalf("%v %s", err, out)
	}
	start := func() {
		if err := exec.Command(dir + "/floor").Run(); err != nil {
			b.Error(err)
		}
	}
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			start()
		}
	})
	b.Run("throughput", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				start()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	})
	b.Run("echo", func(b *testing.B) {
		c := exec.Command(dir+"/floor", "echo")
		in, err1 := c.StdinPipe()
		out, err2 := c.StdoutPipe()
		if err := errors.Join(err1, err2, c.Start()); err != nil {
			b.Fatal(err)
		}
		var took []time.Duration
		buf := make([]byte, 1)
		for b.Loop() {
			time.Sleep(10 * time.Millisecond)
			begin := time.Now()
			in.Write(buf)
			out.Read(buf)
			took = append(took, time.Since(begin))
		}
		in.Close()
		c.Wait()
		b.ReportMetric(float64(median(took).Nanoseconds())/1e3, "µs/median")
	})
}

const floor = `package main

import "syscall"
import "os"

func main() {
	b := make([]byte, 1)
	for len(os.Args) > 1 {
		if n, _ := syscall.Read(0, b); n <= 0 {
			return
		}
		syscall.Write(1, b)
	}
}
`

// As many programs as the machine runs, each in a process of its own, or up to a hundred in one.
func BenchmarkThroughput(b *testing.B) {
	b.Run("fresh", func(b *testing.B) { benchmarkThroughput(b, worker.Reuse{}) })
	b.Run("reused", func(b *testing.B) {
		benchmarkThroughput(b, worker.Reuse{Programs: 100, Within: time.Minute})
	})
}

func benchmarkThroughput(b *testing.B, reuse worker.Reuse) {
	n := 2 * runtime.GOMAXPROCS(0)
	p := newPool(b, worker.PoolOptions{Workers: n, Queue: 1 << 20, Reuse: reuse})
	e := evaluator(b, &shop{}, exo.Limits{}, p)
	run(b, e, "1")
	var wg sync.WaitGroup
	jobs := make(chan struct{})
	for range n {
		wg.Go(func() {
			for range jobs {
				if r := run(b, e, "1 + 1"); r.Err != nil {
					b.Error(r.Err)
				}
			}
		})
	}
	begin, runs := time.Now(), 0
	for b.Loop() {
		jobs <- struct{}{}
		runs++
	}
	close(jobs)
	wg.Wait()
	b.ReportMetric(float64(runs)/time.Since(begin).Seconds(), "runs/s")
}

// A reply of rows in frames, those that stay with the host with their cells fetched
// besides, and in JSON.
func BenchmarkCodec(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		v := rowsOf(n)
		b.Run(fmt.Sprintf("frame %d", n), func(b *testing.B) {
			size := 0
			for b.Loop() {
				f := worker.ReplyBytes(exo.Reply{ID: 1, Value: v})
				if err := worker.DecodeReply(string(f)); err != nil {
					b.Fatal(err)
				}
				size = len(f)
			}
			b.ReportMetric(float64(size), "bytes")
		})
		b.Run(fmt.Sprintf("fetched %d", n), func(b *testing.B) {
			size := 0
			for b.Loop() {
				reply, cells, _, err := worker.Fetched(v)
				if err != nil {
					b.Fatal(err)
				}
				size = len(reply) + len(cells)
			}
			b.ReportMetric(float64(size), "bytes")
		})
		b.Run(fmt.Sprintf("JSON %d", n), func(b *testing.B) {
			size := 0
			for b.Loop() {
				f, err := v.AppendJSON(nil)
				if err != nil {
					b.Fatal(err)
				}
				var back []map[string]any
				if err := json.Unmarshal(f, &back); err != nil {
					b.Fatal(err)
				}
				size = len(f)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
	b.Run("world", func(b *testing.B) {
		b.ReportAllocs()
		job := worker.JobOf(worldOf(b))
		for b.Loop() {
			if err := worker.DecodeJob(job); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(job)), "bytes")
	})
}
