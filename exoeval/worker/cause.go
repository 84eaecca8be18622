package worker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// Event is how a worker ended, if its program did not end it.
type Event uint8

const (
	NoEvent        Event = iota
	OutOfMemory          // OutOfMemory: the process grew beyond Bounds.Memory
	OutOfCPU             // OutOfCPU: the process used up Bounds.CPU
	OutOfTime            // OutOfTime: the program computed longer than Bounds.Wall, and the engine could not stop it, as in a slow regular expression
	Stopped              // Stopped: the caller's context ended
	EngineFailed         // EngineFailed: the engine or the runtime failed
	PolicyBreach         // PolicyBreach is a security event: the process made a system call that no program needs
	ProtocolBreach       // ProtocolBreach is a security event: the process sent a frame that no worker sends
)

func (e Event) String() string {
	names := [...]string{"none", "out of memory", "out of processor time", "out of time", "stopped", "crashed", "policy breach", "protocol breach"}
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// Death is in the Err of a run if the host ended its worker, or the worker ended itself. It is for the host's log: find it with errors.As.
type Death struct {
	Event  Event
	Detail string // the last output of the process, or the fault in its frame; a hostile program may have chosen the text
}

func (d *Death) Error() string {
	if d.Detail == "" {
		return "worker: " + d.Event.String()
	}
	return fmt.Sprintf("worker: %s: %q", d.Event, d.Detail)
}

// ErrNotRun is in the Err of a run that never began, because no worker took it. Nothing of the program has happened.
var ErrNotRun = fail.Named("worker: the program was not run")

var tooLarge = fail.Errorf(fail.Limit, "", "the result has too many values, or too large ones; return less")

// verdict returns the error of a run whose worker died, for the model and the host.
func (d *Death) verdict(b exoeval.Bounds, c message.Catalog) *fail.Error {
	e, lessInLoops := &fail.Error{Err: d}, c.Say(nil, "limit.time", "do less in loops")
	switch d.Event {
	case OutOfMemory:
		e.Kind, e.Msg = fail.Limit, fmt.Sprintf("the program used more than %s of memory; %s", bytesText(b.Memory), c.Say(nil, "limit.memory", "keep less at a time"))
	case OutOfCPU:
		e.Kind, e.Msg = fail.Limit, fmt.Sprintf("the program used more than %v of processor time; %s", b.CPU, lessInLoops)
	case OutOfTime:
		e.Kind, e.Msg = fail.Limit, fmt.Sprintf("the program ran longer than %v; %s", b.Wall, lessInLoops)
	case Stopped:
		e.Kind = fail.Cancelled
	case PolicyBreach, ProtocolBreach:
		e.Kind, e.Msg = fail.Breach, "the program was stopped: its process did something that programs may not do"
	default:
		e.Kind, e.Msg = fail.Crashed, "the engine failed while it ran this program; write the program in another way"
	}
	return e
}

func bytesText(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// classify returns why a process died that the host did not end.
func classify(x ended, said string) *Death {
	d := &Death{Event: EngineFailed, Detail: frame.Cut(said, 500)}
	switch {
	case x.policy:
		d.Event = PolicyBreach
	case x.cpu, x.told && x.status == 2 && strings.HasPrefix(said, "SIGXCPU"):
		d.Event = OutOfCPU
	case x.status == exitMemory && x.known:
		d.Event, d.Detail = OutOfMemory, ""
	case outOfMemory(said):
		d.Event = OutOfMemory
	case !x.known && said == "":
		// A failing engine writes the reason, and so does a worker that has grown too large. The only other cause is the kernel's filter. A breach
		// must not count as a crash.
		d.Event, d.Detail = PolicyBreach, "the worker ended, and its exit status was lost: this process ignores SIGCHLD, or waits for children that it did not start"
	}
	return d
}

// outOfMemory reports whether the Go runtime wrote that it got no more memory, for data, a stack or a thread.
func outOfMemory(said string) bool {
	return slices.ContainsFunc([]string{"out of memory", "cannot allocate memory", "stack exceeds", "failed to create new OS thread", "pthread_create failed"}, func(s string) bool {
		return strings.Contains(said, s)
	})
}
