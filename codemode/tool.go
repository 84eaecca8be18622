package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Grants are the names that a program finds, and the objects they refer to.
type Grants map[string]exo.Object

// Options are for New. Nil and zero mean the defaults.
type Options struct {
	Name   string         // what the model calls the tool; default "execute"
	Limits exo.Limits     // the limits of what a program asks of the host; a zero field is its default
	Bounds exoeval.Bounds // the limits of the program itself; a zero field is its default
	// Zone is the IANA name of the user's time zone, like "Europe/Berlin": of today, of local time in
	// programs, and of parts and days of times in the database; "": UTC. New fails with an error
	// of Kind Invalid where there is no such zone.
	Zone      string
	Principal exo.Principal // on whose behalf programs run: see exo.Principal. policy.Approve refuses runs that have none
	Admits    value.Label   // labels that what the model reads may carry; zero: public values only
	// Evaluator is where programs run: a *worker.Pool, each in a process of its own, or
	// exoeval.InProcess{}, for programs whose author is trusted; nil: worker.Shared().
	Evaluator exoeval.Evaluator
	// DeclarationTokens is how many tokens the declarations of what was granted may
	// cost the model (see Tool.Size); 0: 10,000, about forty tables. Where they would
	// cost more, the model reads at most 1,000 tokens of them, and its programs find the
	// rest with search(words) and describe(name), which are granted with what is.
	// Negative: no bound.
	DeclarationTokens int
	// Console is called with each line that a program logs, while it runs, if the model may read
	// it: see exo.Config, also for what it must not do.
	Console func(exo.Line)
	// Record keeps what happens. Where something that is granted can change something it has
	// to be given; exo.Unrecorded keeps nothing.
	Record exo.Recorder
	// Bits bounds what declassifiers reveal, and has to be given where one is granted: give all tools of a host the same. See exo/declassify.
	Bits exo.BitBudget
	// SeveralStores lets a program change several databases: see exo.Config.
	SeveralStores bool
}

// Tool is granted objects in the form of one tool for a model. Make it with
// New. It is immutable and may be used by many goroutines at once.
type Tool struct {
	name         string
	description  string
	declarations string
	advice       string // how to ask for less, in the words of what was granted
	examples     []Example
	principal    exo.Principal
	limits       exo.Limits
	bounds       exoeval.Bounds
	admits       value.Label
	gate         *exo.Gate
	effectful    bool // something that is granted can change something
	size         Size
	runner       exoeval.Runner
}

// Result is how a run ended. If Err is nil, JSON is what the program returned,
// as the model reads it.
type Result struct {
	Value   value.Value
	JSON    json.RawMessage // Value within Bounds.ResultBytes
	Notice  string          // for the model: what of the result was cut and how to ask for less, that the program returned nothing, and what objects remark about their answers; usually ""
	Cut     bool            // JSON is a part of Value: the whole was too large for the model
	Console string          // what the program logged, until it asked for something that the model may not read
	Err     error           // nil, or an *fail.Error: fail.GuestText is what the model reads of it
	Label   value.Label     // joined over everything that the run has read, up to what its result may not carry: see exo.Session.ReportableLabel
	Causes  []exo.Cause     // why the run has its label: by which call each tag came; for the host
	Effects []exo.Effect    // what the program changed or may have changed, even if it failed, with the outcome; for the host
	ID      exo.RunID       // the ID of the run in the record; zero if none was begun
	Took    time.Duration
	Used    exoeval.Used

	framed []byte // JSON, behind resultPrefix

	effectful, withheld bool // of the tool; of this run: nothing that depends on what it read may be said
	unchanged           bool // of a run that is withheld: nothing took effect, which does not depend on what it read
}

// The names that every known model API takes.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`) })

// New makes a tool of what is granted. It fails when nothing is granted, when
// an object can't be used, or when a name can't be one.
func New(grants Grants, opt *Options) (*Tool, error) {
	if opt == nil {
		opt = &Options{}
	}
	if len(grants) == 0 {
		return nil, errors.New("codemode: nothing is granted, so no program could do anything")
	}
	t := &Tool{name: opt.Name, principal: opt.Principal}
	if t.name == "" {
		t.name = "execute"
	}
	if !toolName().MatchString(t.name) {
		return nil, fmt.Errorf("codemode: %q can't be the name of a tool", opt.Name)
	}
	cfg := exo.Config{Grants: grants, Limits: opt.Limits, Admits: opt.Admits, Record: opt.Record, Bits: opt.Bits, SeveralStores: opt.SeveralStores, Console: opt.Console, Zone: opt.Zone}
	gate, err := exo.NewGate(cfg)
	if err != nil {
		return nil, fmt.Errorf("codemode: %w", err)
	}
	if more := sealers(gate, opt.Admits); len(more) > 0 {
		cfg.Grants = maps.Clone(grants)
		maps.Copy(cfg.Grants, more)
		if gate, err = exo.NewGate(cfg); err != nil {
			return nil, fmt.Errorf("codemode: %w", err)
		}
	}
	s := show(gate, opt)
	t.declarations, t.description, t.advice, t.examples, t.size = s.declarations, s.description, s.advice, s.examples, s.size
	if s.lookups != nil {
		cfg.Grants = maps.Clone(cfg.Grants)
		for _, l := range s.lookups {
			cfg.Grants[l.name] = l
		}
		if gate, err = exo.NewGate(cfg); err != nil {
			return nil, fmt.Errorf("codemode: %w", err)
		}
	}
	t.gate, t.limits, t.admits, t.effectful = gate, gate.Limits(), opt.Admits, !gate.ReadOnly()
	evaluator := opt.Evaluator
	if evaluator == nil {
		evaluator = worker.Shared()
	}
	if t.runner, err = evaluator.Bind(gate, opt.Bounds); err != nil {
		return nil, fmt.Errorf("codemode: %w", err)
	}
	t.bounds = opt.Bounds.OrDefault()
	return t, nil
}

// sealers are what programs get for sealed values, `reveal` and `text`: where something is sealed that may leave by some way,
// those whose name is free. Elsewhere a program could do nothing more with them.
func sealers(gate *exo.Gate, admits value.Label) Grants {
	seals := gate.SealedLabel()
	if seals.Empty() {
		return nil
	}
	for _, i := range gate.Catalog() {
		for _, m := range i.Methods {
			admits = admits.Join(m.Admits)
		}
	}
	if !slices.ContainsFunc(seals.Tags(), func(t string) bool { return value.NewLabel(t).FlowsTo(admits) }) &&
		!slices.ContainsFunc(admits.Tags(), func(t string) bool { return value.NewLabel(t).FlowsTo(seals) }) { // of some readers
		return nil
	}
	out := Grants{exo.RevealName: exo.Reveal(), exo.ComposeName: exo.Compose()}
	for name, i := range map[string]string{exo.RevealName: exo.RevealInterface, exo.ComposeName: exo.ComposeInterface} {
		if gate.Catalog()[i] != nil || slices.ContainsFunc(gate.Granted(), func(g message.GrantedName) bool { return g.Name == name }) {
			delete(out, name)
		}
	}
	return out
}

// shown is what the model reads of a tool. It is made of declarations alone, and tools of
// the same declarations share it.
type shown struct {
	declarations, description string
	advice                    string // how to ask for less, in the words of what was granted
	examples                  []Example
	size                      Size
	lookups                   []*lookup // where not everything is declared: by which programs find the rest
}

// shownKey is what shown depends on besides the catalogue and the granted names.
type shownKey struct {
	admits, zone string
	bound        int
}

// show writes what the model reads, or finds it.
func show(gate *exo.Gate, opt *Options) *shown {
	bound := opt.DeclarationTokens
	if bound == 0 {
		bound = defaultDeclarations
	}
	key := shownKey{fmt.Sprintf("%q", opt.Admits.Tags()), gate.Zone(), max(bound, -1)}
	catalog, granted, admits, seals := gate.Catalog(), gate.Granted(), opt.Admits, gate.SealedLabel()
	return gate.Derive(key, func() any { return newShown(catalog, granted, admits, seals, key.zone, bound) }).(*shown)
}

func newShown(catalog message.Catalog, granted []message.GrantedName, admits, seals value.Label, zone string, bound int) *shown {
	s := &shown{}
	d := newDeclarer(catalog, granted)
	p := &prompt{catalog: d.cat, granted: d.granted, admits: admits, seals: seals, zone: zone, types: d.types}
	all := d.declare()
	entries := d.entries(all)
	for _, e := range entries {
		s.size.Interfaces = append(s.size.Interfaces, InterfaceSize{e.name, Tokens(e.text)})
	}
	s.declarations, s.advice = all.String(), p.advice()
	if bound > 0 && Tokens(s.declarations) > bound {
		s.lookups = newCatalogue(all, entries, d.granted).lookups()
		for _, l := range s.lookups {
			p.lookups = append(p.lookups, l.name)
		}
		s.declarations = d.brief(all, len(entries), s.lookups)
		s.size.Searched = true
	}
	s.examples = p.examples()
	s.description = p.describe(s.declarations, s.examples)
	s.size.Description, s.size.Declarations = Tokens(s.description), Tokens(s.declarations)
	return s
}

// Name is what the model calls the tool.
func (t *Tool) Name() string { return t.name }

// Description is what the model reads: what the tool is for, the declarations
// of what is granted, the rules of programs, and two programs that work; a third
// where programs may change something.
func (t *Tool) Description() string { return t.description }

// Declarations are the TypeScript declarations of what is granted, alone.
func (t *Tool) Declarations() string { return t.declarations }

// Example is a program that works on what is granted.
type Example struct {
	About string // what it shows
	Code  string
}

// Examples are the programs in Description. They are made of declarations alone, and
// hold no value of the data.
func (t *Tool) Examples() []Example { return slices.Clone(t.examples) }

// Principal is on whose behalf programs run: see Options.
func (t *Tool) Principal() exo.Principal { return t.principal }

// Admits is the label of what the model may read: see Options.
func (t *Tool) Admits() value.Label { return t.admits }

// Shown is the label that the model's view of a run may carry: all of Result.Label that the tool admits. It has no label that the program asked
// for after it had read what the tool doesn't admit, since Result.Label has none. What it asked for before may have been on the console. Whoever
// calls tools for a conversation joins it into the Job.Label of what comes after.
func (t *Tool) Shown(r *Result) value.Label {
	all := r.Label.Tags()
	for _, c := range r.Causes { // what is part of another tag by now may have been shown before
		all = append(all, c.Tag)
	}
	var tags []string
	for _, tag := range all {
		if value.NewLabel(tag).Secrecy().FlowsTo(t.admits) {
			tags = append(tags, tag)
		}
	}
	return value.NewLabel(tags...)
}

// InputSchema is the JSON schema of Call's input.
func (t *Tool) InputSchema() json.RawMessage { return json.RawMessage(inputSchema) }

// OutputSchema is the JSON schema of Call's output.
func (t *Tool) OutputSchema() json.RawMessage { return json.RawMessage(outputSchema) }

// Flows lists, for each tag of what is granted, the ways by which it can leave: see exo.Gate.Flows.
func (t *Tool) Flows() []exo.Flow { return t.gate.Flows() }

// ReadOnly reports whether nothing that is granted can change anything.
func (t *Tool) ReadOnly() bool { return !t.effectful }

var errZeroTool = errors.New("codemode: this tool was not made with New")

// Call runs the program in input, {"code": "..."}, and returns what the model
// reads: {"result": ...}, or {"error": {"kind": ..., "message": ...}} when the
// input or the program was wrong. A Go error means that there is nothing to
// read: the context ended, and the error wraps its cause. Take it where a framework
// passes JSON between the model and a tool, and [Tool.CallJob] where the host needs more.
func (t *Tool) Call(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
	if t == nil || t.runner == nil {
		return nil, errZeroTool
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("codemode: %s was not called: %w", t.name, err)
	}
	out, res := t.CallJob(ctx, Job{}, input)
	if err := ctx.Err(); err != nil && res.Err != nil {
		return nil, fmt.Errorf("codemode: %s was stopped: %w", t.name, err)
	}
	return out, nil
}

// CallJob is Call for a host that reads how the run ended, what it changed above all, names the run before it begins,
// or knows what the program was written from. The program is that of the input, whatever job.Program is. The JSON is
// what the model reads, also of a program that the end of the context stopped.
func (t *Tool) CallJob(ctx context.Context, job Job, input json.RawMessage) (json.RawMessage, *Result) {
	if t == nil || t.runner == nil {
		res := t.Run(ctx, "")
		return res.output(0, 0), res
	}
	code, bad := decodeInput(input, t.bounds.SourceBytes)
	res := &Result{Err: bad, effectful: t.effectful}
	if bad == nil {
		job.Program = code
		res = t.RunJob(ctx, job)
	}
	return res.output(t.limits.ConsoleBytes, t.bounds.ResultBytes), res
}

// Job is a program for a tool, and the ID of the run that it will be.
type Job struct {
	ID      exo.RunID // unique in the record; zero: a fresh one
	Program string
	// Label is the label of the data that the program was written from. A model can write a
	// value that it read in one program into the next, as a plain text: a host that admits labels to the model joins the
	// Tool.Shown of all programs of a conversation, as agent and mcp do. Its Integrity is a choice of the host: with it, what
	// outsiders wrote in one turn chooses no effect in the next, be the user's own wish or not.
	Label value.Label

	// Preview runs the program and keeps nothing of what it changes: see exo.Run.
	Preview bool
}

// Run runs a program for a Go caller, with nothing to say about the run. It never returns nil. The model may
// be shown JSON, Notice, Console, fail.GuestText(Err) and EffectsNote; the rest is for the host.
func (t *Tool) Run(ctx context.Context, program string) *Result {
	return t.RunJob(ctx, Job{Program: program})
}

// RunJob is Run for a host that names the run before it begins, previews it, or knows what the program was written from.
func (t *Tool) RunJob(ctx context.Context, job Job) *Result {
	if t == nil || t.runner == nil {
		return &Result{Err: &fail.Error{Kind: fail.Denied, Err: errZeroTool}}
	}
	res := &Result{}
	r := t.runner.Run(ctx, exoeval.Job{Program: job.Program, Run: exo.Run{ID: job.ID, Principal: t.principal, Label: job.Label, Preview: job.Preview}, Render: func(v value.Value) (err error) {
		if res.framed, res.Notice, err = render(v, t.bounds.ResultBytes, t.advice); err == nil {
			res.JSON, res.Cut = resultIn(res.framed), res.Notice != ""
		}
		return err
	}})
	res.Value, res.Console, res.Label, res.Causes, res.Effects = r.Value, r.Console, r.Label, r.Causes, r.Effects
	res.Err, res.Took, res.Used, res.ID = r.Err, r.Took, r.Used, r.Run.ID
	res.effectful, res.withheld = t.effectful, !r.Label.Secrecy().FlowsTo(t.admits)
	res.unchanged = r.Unchanged
	if res.Err != nil {
		res.Value, res.JSON, res.framed, res.Notice = value.Value{}, nil, nil, ""
		res.Cut = false
		return res
	}
	if r.Undefined && r.Console == "" {
		// org.name of a promise or an array is undefined, and null says nothing about it.
		res.Notice = "the program gave undefined: end it with return, await what it asks for, and mind that execute gives an array of rows"
	}
	if len(r.Notices) > 0 {
		res.Notice = scalar.Shorten(strings.TrimSpace(res.Notice+" "+strings.Join(r.Notices, "; ")), maxNotice)
	}
	return res
}
