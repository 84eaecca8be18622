package codemode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Grants has the objects that a program gets, by their names in the program.
type Grants map[string]exo.Object

// Options are the options of New. Nil and zero mean the defaults.
type Options struct {
	Name   string         // the tool's name for the model; "": execute
	Limits exo.Limits     // limits on what a program asks of the host; a zero field means its default
	Bounds exoeval.Bounds // limits on the program itself; a zero field means its default
	// Zone is the IANA name of the user's time zone, like "Europe/Berlin"; "": UTC. It
	// decides what today and local time are in programs, and the days and parts of times
	// in the database. If there is no such zone, New returns an error of Kind Invalid.
	Zone      string
	Principal exo.Principal // the user for whom programs run (exo.Principal); policy.Approve refuses runs without one
	Admits    value.Label   // the labels that the model may read; zero: only public values
	// Evaluator runs the programs: a *worker.Pool runs each in its own process, and
	// exoeval.InProcess{} is for programs from a trusted author; nil: worker.Shared().
	Evaluator exoeval.Evaluator
	// DeclarationTokens limits the tokens that the tables in the description may cost the model
	// (Tool.Size). 0 means 4,000, about forty tables, or 10,000 if Long is set; negative means no
	// limit. If they would cost more, the model reads only the granted names, and its programs find
	// the rest with the functions search(words) and describe(name).
	DeclarationTokens int
	// Long makes the description declare everything in TypeScript. Without it a table is a line, and sentences explain what
	// queries can do. The shorter text costs three fifths of the tokens, and models write as many right programs with it (docs/models.md).
	Long bool
	// Console is called with each line that a program logs, while the program runs, if the model
	// may read the line. exo.Config lists what Console must not do.
	Console func(exo.Line)
	// Review keeps changes that a person must see before they happen, and is required if a granted object has such
	// changes (exosql's Facet.Approve, service's Operation.Approve). See Tool.Pending and Tool.Apply.
	Review *review.Keeper
	// Record keeps what happens. It is required if any granted
	// object can change something; exo.Unrecorded keeps nothing.
	Record exo.Recorder
	// Bits limits what declassifiers reveal, and is required if one is granted (exo/declassify). Give all tools of a host the same Bits.
	Bits exo.BitBudget
	// Budgets bound what runs use together, also those of other tools and processes: see exo/budget.
	Budgets exo.Budgets
	// Revoked lists the principals whose programs run no more, in all processes of a host; nil: nobody can be revoked. Give all tools of a host the same
	// List, since each reads its store.
	Revoked *revoke.List
	// SeveralStores lets a program change several databases, each with its own commit (exo.Config).
	SeveralStores bool
}

// Tool is a set of granted objects as one tool for a model. Make it
// with New. It is immutable, and many goroutines may use it at once.
type Tool struct {
	name, description, declarations string
	advice                          string // a text on how to ask for less, with names of the grants
	examples                        []Example
	principal                       exo.Principal
	limits                          exo.Limits
	bounds                          exoeval.Bounds
	admits                          value.Label
	gate                            *exo.Gate
	review                          *review.Keeper // nil: no change needs a person
	revoked                         *revoke.List   // the revoked principals; nil: none
	effectful                       bool           // a granted object can change something
	size                            Size
	runner                          exoeval.Runner
}

// Result describes how a run ended. If Err is nil, JSON is the program's result in the form that
// the model reads.
type Result struct {
	Value   value.Value
	JSON    json.RawMessage // Value, cut to Bounds.ResultBytes
	Notice  string          // for the model: what was cut and how to ask for less, that the program returned nothing, remarks of objects; usually ""
	Cut     bool            // JSON is only a part of Value, which was too large for the model
	Console string          // the lines that the program logged before it asked for something that the model may not read
	Err     error           // nil, or an *fail.Error; the model reads only its fail.GuestText
	Label   value.Label     // the label of everything that the run has read before its result had to be withheld (exo.Session.ReportableLabel)
	Causes  []exo.Cause     // for the host: the call that brought each tag of the label
	Effects []exo.Effect    // for the host: what the program changed or may have changed, with the outcome, even if it failed
	ID      exo.RunID       // the ID of the run in the record; zero if no run began
	Took    time.Duration
	Used    exoeval.Used

	framed []byte // the field JSON after resultPrefix

	effectful, withheld bool // effectful: the tool can change something. withheld: the model must not learn anything that depends on what this run read
	refused             bool // the principal is revoked, so no run began
	unchanged           bool // the run is withheld and no effect took place; that no effect took place does not depend on what the run read
}

// toolName matches the names that every known model API accepts.
var toolName = scalar.Pattern(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// New makes a tool of the grants. It fails if nothing is granted, if an object can't be used, or if the name of a grant or of the tool is not
// allowed.
func New(grants Grants, opt *Options) (*Tool, error) {
	if opt == nil {
		opt = &Options{}
	}
	if len(grants) == 0 {
		return nil, errors.New("codemode: nothing is granted: pass at least one object in Grants")
	}
	t := &Tool{name: opt.Name, principal: opt.Principal, review: opt.Review, revoked: opt.Revoked}
	t.name = cmp.Or(t.name, "execute")
	if !toolName().MatchString(t.name) {
		return nil, fmt.Errorf("codemode: %q can't be the name of a tool: want a letter or _, then up to 63 letters, digits, _ and -", opt.Name)
	}
	cfg := exo.Config{Grants: grants, Limits: opt.Limits, Admits: opt.Admits, Record: opt.Record, Bits: opt.Bits, Budgets: opt.Budgets, SeveralStores: opt.SeveralStores, Console: opt.Console, Zone: opt.Zone}
	if opt.Review != nil {
		cfg.Review = opt.Review
	}
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

// sealers returns the functions that programs get for sealed values, `reveal` and `text`, unless a grant has
// the name. It returns none if no sealed value may leave at all.
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
		!slices.ContainsFunc(admits.Tags(), func(t string) bool { return value.NewLabel(t).FlowsTo(seals) }) { // admits has tags for some readers only
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

// shown is what the model reads about a tool. It depends only on declarations, and is shared by
// tools with the same ones.
type shown struct {
	declarations, description string
	advice                    string // a text on how to ask for less, with names of the grants
	examples                  []Example
	size                      Size
	lookups                   []*lookup // the functions with which programs find the rest, if not everything is declared
}

// shownKey identifies a value of the type shown, in addition to the catalogue and the granted names.
type shownKey struct {
	admits, zone string
	bound        int
	long         bool
}

// show writes what the model reads, or returns it if it was written before.
func show(gate *exo.Gate, opt *Options) *shown {
	bound := opt.DeclarationTokens
	if bound == 0 {
		bound = defaultDeclarations
		if opt.Long {
			bound = longDeclarations
		}
	}
	key := shownKey{fmt.Sprintf("%q", opt.Admits.Tags()), gate.Zone(), max(bound, -1), opt.Long}
	catalog, granted, admits, seals := gate.Catalog(), gate.Granted(), opt.Admits, gate.SealedLabel()
	return gate.Derive(key, func() any { return newShown(catalog, granted, admits, seals, key) }).(*shown)
}

func newShown(catalog message.Catalog, granted []message.GrantedName, admits, seals value.Label, opt shownKey) *shown {
	s := &shown{}
	d := newDeclarer(catalog, granted)
	p := &prompt{catalog: d.cat, granted: d.granted, admits: admits, seals: seals, zone: opt.zone, types: d.types}
	all := d.declare()
	entries := d.entries(all)
	s.declarations, s.advice = all.String(), p.advice()
	tables, each := d.tables(all)
	s.size.Declarations = Tokens(tables)
	if opt.long {
		tables, each, s.size.Declarations = inTypeScript(s.declarations), nil, Tokens(s.declarations)
	}
	for _, e := range entries {
		s.size.Interfaces = append(s.size.Interfaces, InterfaceSize{e.name, Tokens(cmp.Or(each[e.name], e.text))})
	}
	if bound := opt.bound; bound > 0 && s.size.Declarations > bound {
		s.lookups = newCatalogue(all, entries, d.granted).lookups()
		for _, l := range s.lookups {
			p.lookups = append(p.lookups, l.name)
		}
		s.declarations = d.brief(all, len(entries), s.lookups, opt.long)
		tables = inTypeScript(s.declarations)
		s.size.Declarations, s.size.Searched = Tokens(s.declarations), true
	}
	s.examples = p.examples()
	rules, listed := p.rules(), ""
	if !opt.long {
		rules = p.shorter(rules)
		listed = d.listed(all, rules)
	}
	s.description = p.describe(tables, rules, listed, s.examples)
	s.size.Description = Tokens(s.description)
	return s
}

func inTypeScript(declarations string) string {
	return "Declarations:\n```ts\n" + declarations + "```\n"
}

// Name returns the tool's name for the model.
func (t *Tool) Name() string { return t.name }

// Description returns what the model reads: the purpose of the tool,
// what was granted, the rules for programs, and two programs that work. If programs may change something, a third program shows that.
func (t *Tool) Description() string { return t.description }

// Declarations returns only the TypeScript declarations of the grants.
func (t *Tool) Declarations() string { return t.declarations }

// Example is a program that works on the grants.
type Example struct {
	About string // a short text on what the example shows
	Code  string
}

// Examples returns the programs in Description. They are made
// from declarations only, and have no value of the data.
func (t *Tool) Examples() []Example { return slices.Clone(t.examples) }

// Principal returns the user for whom programs run (Options.Principal).
func (t *Tool) Principal() exo.Principal { return t.principal }

// Admits returns the labels that the model may read (Options.Admits).
func (t *Tool) Admits() value.Label { return t.admits }

// Shown returns the label of what the model saw of a run: the part of Result.Label that the tool admits. It includes
// what was on the console. Like Result.Label, it has no label of calls after the program had read a value that the
// tool does not admit. Join it into Job.Label of the later calls of the conversation.
func (t *Tool) Shown(r *Result) value.Label {
	all := r.Label.Tags()
	for _, c := range r.Causes { // such a tag has merged into another one, but may have been shown before
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

// InputSchema returns the JSON schema of Call's input.
func (t *Tool) InputSchema() json.RawMessage { return json.RawMessage(inputSchema) }

// OutputSchema returns the JSON schema of Call's output.
func (t *Tool) OutputSchema() json.RawMessage { return json.RawMessage(outputSchema) }

// Flows lists, for each tag of the grants, the ways in which it can leave (exo.Gate.Flows).
func (t *Tool) Flows() []exo.Flow { return t.gate.Flows() }

// ReadOnly reports whether no grant can change anything.
func (t *Tool) ReadOnly() bool { return !t.effectful }

var errZeroTool = fail.Named("codemode: the Tool was not made with codemode.New: make it with that function")

// Call runs the program in input, {"code": "..."}. It returns what the model reads: {"result":
// ...}, or {"error": {"kind": ..., "message": ...}} if the input or the program was wrong. It
// returns a Go error only if the context ended; the error wraps the cause. Use Call with a
// framework that passes JSON between the model and a tool, and [Tool.CallJob] if the host needs
// more.
func (t *Tool) Call(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
	if t == nil || t.runner == nil {
		return nil, errZeroTool
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("codemode: the tool %s ran nothing, because the context had ended: %w", t.name, err)
	}
	out, res := t.CallJob(ctx, Job{}, input)
	if err := ctx.Err(); err != nil && res.Err != nil {
		return nil, fmt.Errorf("codemode: the tool %s stopped its program, because the context ended: %w", t.name, err)
	}
	return out, nil
}

// CallJob runs a program like Call, with the settings of job, and also returns the Result for the host. The program
// comes from input; job.Program is ignored. The JSON is what the model reads, even if the end of the context stopped
// the program.
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

// Job is a program for a tool, with settings of its run.
type Job struct {
	ID      exo.RunID // the ID of the run, unique in the record; zero: a new one
	Program string
	// Label is the label of the data from which the program was written. A model can write a value that it read in one
	// program into the next as plain text. So if the tool admits labels, join the Tool.Shown of all earlier programs of
	// the conversation, as agent and mcp do. The host may leave out the integrity tags, which block effects in later
	// turns, even effects that the user wants.
	Label value.Label

	// Conversation names the conversation that the program belongs to, for budgets per conversation. All jobs with "" are one conversation of the
	// tool's principal.
	Conversation string

	// Preview runs the program and keeps none of its changes (exo.Run).
	Preview bool
}

// Run runs a program for a Go caller, with default settings. It never returns nil. The model may see JSON,
// Notice, Console, fail.GuestText(Err) and EffectsNote. The other fields are for the host.
func (t *Tool) Run(ctx context.Context, program string) *Result {
	return t.RunJob(ctx, Job{Program: program})
}

// RunJob runs a program like Run, with the settings in job.
func (t *Tool) RunJob(ctx context.Context, job Job) *Result {
	if t == nil || t.runner == nil {
		return &Result{Err: &fail.Error{Kind: fail.Denied, Err: errZeroTool}}
	}
	res := t.run(ctx, job.Program, exo.Run{ID: job.ID, Principal: t.principal, Label: job.Label, Conversation: job.Conversation, Preview: job.Preview})
	if !res.refused {
		t.news(ctx, res)
	}
	return res
}

// begin returns the context of a run, which ends when the principal is revoked, or an error if it is revoked already.
func (t *Tool) begin(ctx context.Context) (run context.Context, end func(), err error) {
	if t.revoked == nil {
		return ctx, func() {}, nil
	}
	return t.revoked.Begin(ctx, t.principal)
}

// CheckAccess returns nil if programs of the tool's principal may run. The error has Kind Revoked if the principal is revoked (Options.Revoked), Internal if
// the list can't be read, and Denied for a Tool that New has not made. A host asks before it shows what earlier programs returned.
func (t *Tool) CheckAccess(ctx context.Context) error {
	if t == nil || t.runner == nil {
		return &fail.Error{Kind: fail.Denied, Err: errZeroTool}
	}
	_, end, err := t.begin(ctx)
	if err == nil {
		end()
	}
	return err
}

// idOf returns the ID of a run for an observer; "" if it did not begin.
func idOf(res *Result) string {
	if res.ID == (exo.RunID{}) {
		return ""
	}
	return res.ID.String()
}

// run runs a program with the settings in run.
func (t *Tool) run(ctx context.Context, program string, run exo.Run) *Result {
	res := &Result{}
	ctx, end := observe.Begin(ctx, observe.Activity{Kind: observe.Run, Name: t.name})
	defer func() { end(observe.Outcome{Error: observe.ErrorOf(res.Err), Run: idOf(res)}) }()
	ctx, ended, err := t.begin(ctx)
	if err != nil {
		res.Err, res.effectful, res.refused = err, t.effectful, true
		return res
	}
	defer ended()
	r := t.runner.Run(ctx, exoeval.Job{Program: program, Run: run, Render: func(v value.Value) (err error) {
		if res.framed, res.Notice, err = render(v, t.bounds.ResultBytes, t.advice); err == nil {
			res.JSON, res.Cut = resultIn(res.framed), res.Notice != ""
		}
		return err
	}})
	res.Value, res.Console, res.Label, res.Causes, res.Effects = r.Value, r.Console, r.Label, r.Causes, r.Effects
	res.Err, res.Took, res.Used, res.ID = r.Err, r.Took, r.Used, r.Run.ID
	res.effectful, res.withheld = t.effectful, !exo.MayLeave(r.Label, t.admits)
	res.unchanged = r.Unchanged
	if res.Err != nil {
		res.Value, res.JSON, res.framed, res.Notice = value.Value{}, nil, nil, ""
		res.Cut = false
		return res
	}
	if r.Undefined && r.Console == "" {
		// The result shows undefined as null, which hides a usual mistake: reading org.name of a promise, or of an array of rows.
		res.Notice = "the program returned undefined: end it with return, await each call, and note that execute gives an array of rows"
	}
	if len(r.Notices) > 0 {
		res.Notice = scalar.Shorten(strings.TrimSpace(res.Notice+" "+strings.Join(r.Notices, "; ")), maxNotice)
	}
	return res
}
