package game

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// Game plays attempts. Its fields must not change after the first use. Several goroutines may call its methods.
type Game struct {
	Targets Targets
	Copies  *Copies
	Pool    *worker.Pool // the workers that run programs
	Limits  Limits       // the limits of every program
	Chat    Chatter      // nil if no model is configured, which closes the model lane
	// NoControl is why the control lanes are closed, or "".
	NoControl string
	Log       *slog.Logger // gets no program, result or key
}

// Limits are all limits of a program.
type Limits struct {
	exo.Limits
	exoeval.Bounds
}

// OrDefault fills in every field that is zero or negative.
func (l Limits) OrDefault() Limits { return Limits{l.Limits.OrDefault(), l.Bounds.OrDefault()} }

// DefaultLimits are the limits of a public host, lower than those of a trusted caller.
func DefaultLimits() Limits {
	return Limits{
		exo.Limits{ConsoleBytes: 16 << 10, Calls: 100, ConcurrentCalls: 4, Rows: 10_000, Bytes: 8 << 20},
		exoeval.Bounds{Wall: 2 * time.Second, Total: 10 * time.Second, CPU: 2 * time.Second, Memory: 64 << 20, ResultBytes: 32 << 10},
	}.OrDefault()
}

// Player is the player of an attempt, with what the attempt needs of the player.
type Player struct {
	ID   string // the player's name in the queue of workers, where players take turns
	Copy string // the name of the player's copy for this target and lane
	Key  Key    // the key in the copy
	Chat []byte // the model's chat after the player's last question
}

// Closed returns why a lane can't be played, or "".
func (g *Game) Closed(l Lane) string {
	switch {
	case !l.Known():
		return "there is no such lane"
	case l == Model && g.Chat == nil:
		return "this host has configured no model"
	case !l.Guarded():
		return g.NoControl
	}
	return ""
}

// Play plays an attempt, which has its target, lane and input, and fills in the rest. If ctx ends first, the attempt is Interrupted. Play
// returns the chat with the model, which the player's next attempt in the model lane continues.
func (g *Game) Play(ctx context.Context, a *Attempt, by Player) (chat []byte) {
	begin := time.Now()
	a.Engine, a.Source, a.Queries = g.Copies.Engine(), Source(), []Query{}
	t := g.Targets.Target(a.Target)
	var err error
	switch {
	case t == nil:
		err = errors.New("there is no such target")
	case g.Closed(a.Lane) != "":
		err = errors.New(g.Closed(a.Lane))
	case a.Lane == Program:
		err = g.program(ctx, a, t, by)
	case a.Lane == Model:
		chat, err = g.model(ctx, a, t, by)
	default:
		err = g.control(ctx, a, t, by)
	}
	if err != nil {
		// The host has failed. The error's text may contain paths and addresses, so players read a constant text.
		a.Verdict = Verdict{Kind: fail.Internal.String(), Message: "internal error: the host failed; send the attempt again later"}
		if ctx.Err() != nil {
			a.Verdict = stoppedVerdict
		} else if g.Log != nil {
			g.Log.Error("attempt failed", "attempt", a.ID, "target", a.Target, "lane", a.Lane, "error", Redact(err.Error()))
		}
	}
	if a.failed() {
		g.Copies.Doubt(ctx, by.Copy)
	}
	a.Leaked = a.leaks(by.Key) // look for the key before the output is cut
	a.trim()
	if a.Millis == 0 { // keep the lane's own time, which leaves out making the copy
		a.Millis = millis(time.Since(begin))
	}
	a.State = Ended
	if a.Verdict.Kind == fail.Cancelled.String() { // the host stopped the attempt, so it is unknown how the attempt would have ended
		a.State, a.Verdict = Interrupted, stoppedVerdict
	}
	for _, k := range t.tasks() {
		if k.Done(a) {
			a.Tasks = append(a.Tasks, k.ID)
		}
	}
	return chat
}

// failed reports whether the host or its database failed during the attempt.
func (a *Attempt) failed() bool {
	kind := fail.Internal.String()
	return a.Verdict.Kind == kind || slices.ContainsFunc(a.Steps, func(s Step) bool { return s.Verdict.Kind == kind })
}

func (t *Target) tasks() []Task {
	if t == nil {
		return nil
	}
	return t.Tasks
}

var stoppedVerdict = Verdict{Kind: fail.Cancelled.String(), Message: "the host stopped this attempt; send it again"}

func millis(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// tool makes the tool for programs of an attempt. It writes their statements to the attempt.
func (g *Game) tool(a *Attempt, grants codemode.Grants, player string) (*codemode.Tool, error) {
	o := &codemode.Options{Limits: g.Limits.Limits, Bounds: g.Limits.Bounds, Principal: exo.Principal(player), Record: exo.RecordFunc(a.record), Review: review.InMemory()} // no person can agree to changes here
	if g.Pool != nil {
		o.Evaluator = g.Pool
	}
	return codemode.New(grants, o)
}
