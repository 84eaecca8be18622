// Package observe lets a host follow what happens while it happens: calls of a tool, runs, messages and statements, each with its beginning and its
// end. exo/telemetry makes traces and metrics of them.
//
// An exo.Recorder also gets reports about runs, but with what programs wrote, and each report at one moment. So with a Recorder, the objects of a
// message could not begin spans of their own within the message's span.
//
// An [Observer] gets names that the host declared, kinds of errors, counts, and the ID of a run. An [Activity] and an [Outcome] have no place for
// anything else: no argument, value, label, program, query or text of an error. So an observer can't reveal them. A program decides how often, when
// and in which order its messages come, and how they end. An observer sees that, so only the host's operators should see its output.
package observe

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
)

// Kind is the kind of an Activity.
type Kind uint8

const (
	_         Kind = iota
	ToolCall       // a client calls a tool
	Run            // a program runs, from the moment when it begins to wait for a place
	Message        // a message of a program, from its arrival at the gate to its reply
	Statement      // a statement is run in a database, for a message or for Go code, or at the end of a transaction
)

// Activity describes what begins. All its texts but Parent are names that the host declared.
type Activity struct {
	Kind Kind
	// Name is the name of the tool, or of the message's method ("" if the message was malformed). For a Statement it is the kind of statement, such as
	// SELECT, COMMIT or SET CONSTRAINTS.
	Name      string
	Interface string   // Interface is the name of the message's interface
	Tables    []string // Tables are the tables of a Statement, sorted; a COMMIT has none. For a statement that changes rows, Tables has only the table of these rows
	System    string   // System is the kind of the Statement's database: sqlite or postgresql
	// Parent is, for a ToolCall, the client's traceparent (W3C Trace Context) as the client sent it, or "". It may be malformed.
	Parent string
}

// Outcome describes how an Activity ended.
type Outcome struct {
	Error string // Error is "", or the kind of the error: tool_error for a ToolCall, the database's code or CommitUnknown for a Statement, otherwise a fail.Kind
	Rows  int    // Rows counts the rows in the answer to a Message, or the rows that a Statement returned or changed
	Run   string // Run is, for a Run, its ID in the record; "" if it did not begin
}

// CommitUnknown is the Error of a COMMIT if it is unknown whether the database kept the transaction.
const CommitUnknown = "unknown"

// An Observer gets a call of Begin for each activity that begins. The caller calls end once, with the outcome. The returned context is that of the
// activity: activities within it begin from that context. Several goroutines call an Observer, and it must return soon. A panic of an Observer is
// dropped, since what is observed must not depend on it.
type Observer interface {
	Begin(ctx context.Context, a Activity) (with context.Context, end func(Outcome))
}

type key struct{}

// With returns a context in which o observes what begins. o replaces an observer that ctx has.
func With(ctx context.Context, o Observer) context.Context { return context.WithValue(ctx, key{}, o) }

// On reports whether an observer follows what begins in ctx, for callers that must compute an Activity.
func On(ctx context.Context) bool { return ctx.Value(key{}) != nil }

// Begin reports to the observer of ctx that a begins. The caller must call end once. Without an observer it returns ctx and [Unobserved].
func Begin(ctx context.Context, a Activity) (with context.Context, end func(Outcome)) {
	o, _ := ctx.Value(key{}).(Observer)
	if o == nil {
		return ctx, Unobserved
	}
	defer func() {
		if recover() != nil || with == nil {
			with = ctx
		}
		if end == nil {
			end = Unobserved
		}
	}()
	with, told := o.Begin(ctx, a)
	return with, func(out Outcome) {
		defer func() { _ = recover() }()
		told(out)
	}
}

// Unobserved is the end of an activity that nothing observes.
func Unobserved(Outcome) {}

// ErrorOf returns the Error of an Outcome: "" for nil, and otherwise the kind of err.
func ErrorOf(err error) string {
	if err == nil {
		return ""
	}
	return fail.KindOf(err).String()
}
