package repl

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

// session is a database, somebody on whose behalf programs run, and the tool
// that runs them.
type session struct {
	app     App
	granted GrantFunc
	db      *exosql.DB
	trace   exo.Recorder // nil: none
	model   string       // as -model named it
	zone    string       // as -zone named it

	who     string // "org 1"
	name    string // of who acts; "" where it is not known
	tool    *codemode.Tool
	names   *names
	asker   asker // nil: none was asked for yet, or there is none
	noAsker error // why not

	interrupted bool // the program that ran last
	last        *ran // the same; nil before the first

	mu      sync.Mutex
	queries []exosql.Query // of the program that runs
	events  []exo.Entry    //
}

// become makes the session act for somebody else.
func (s *session) become(ctx context.Context, who string) error {
	grants, name, err := s.grants(ctx, who)
	if err != nil {
		return err
	}
	label := strings.TrimSpace(s.app.Who + " " + who)
	tool, err := codemode.New(grants, &codemode.Options{Principal: exo.Principal(label), Admits: s.app.Admits, Record: recorder{s}, Zone: s.zone})
	if err != nil {
		return err
	}
	gate, err := exo.NewGate(exo.Config{Grants: grants, Record: exo.Unrecorded})
	if err != nil {
		return err
	}
	s.who, s.name, s.tool = label, name, tool
	s.names = &names{catalog: gate.Catalog(), granted: gate.Granted()}
	s.asker, s.noAsker = nil, nil // a conversation about somebody else's rows must not go on
	return nil
}

// grants are those of who, and their name.
func (s *session) grants(ctx context.Context, who string) (codemode.Grants, string, error) {
	g, err := s.granted(ctx, s.db, who)
	if err != nil || s.app.Users == nil {
		return g, "", err
	}
	id, err := number(who)
	if err != nil {
		return nil, "", err
	}
	all, err := s.app.Users(ctx, s.db)
	if err != nil {
		return nil, "", err
	}
	var there []string
	for _, p := range all {
		if p.ID == id {
			return g, p.Name, nil
		}
		there = append(there, fmt.Sprintf("%d (%s)", p.ID, oneLine(p.Name)))
	}
	if len(there) > 10 {
		there = append(there[:10], "…")
	}
	if len(there) == 0 {
		return nil, "", fmt.Errorf("there is no %s %d; the database has none", s.app.Who, id)
	}
	return nil, "", fmt.Errorf("there is no %s %d; there are %s", s.app.Who, id, strings.Join(there, ", "))
}

// modelled is the model that answers, made when it is first needed.
func (s *session) modelled(ctx context.Context) (asker, error) {
	if s.asker != nil || s.noAsker != nil {
		return s.asker, s.noAsker
	}
	make := s.app.asker
	if make == nil {
		make = modelNamed
	}
	s.asker, s.noAsker = make(ctx, askerOptions{Model: s.model, Tool: s.tool, About: s.app.About})
	if s.noAsker != nil {
		s.asker = nil
	}
	return s.asker, s.noAsker
}

// api is what a model is shown.
func (s *session) api() string { return strings.TrimSpace(s.tool.Description()) }

func (s *session) run(ctx context.Context, program string) *codemode.Result {
	s.forget()
	res := s.tool.Run(ctx, program)
	s.remember(program, res)
	return res
}

// forget begins the record of a program, and remember ends it.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries, s.events = nil, nil
}

func (s *session) remember(program string, res *codemode.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &ran{program, res, s.queries, s.events}
}

// record receives the entries of a run, from several goroutines.
func (s *session) record(ctx context.Context, e exo.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Call != 0 {
		s.events = append(s.events, e)
	}
	for _, d := range e.Details {
		if q, ok := d.(exosql.Query); ok {
			s.queries = append(s.queries, q)
		}
	}
	if s.trace == nil {
		return nil
	}
	return s.trace.Record(ctx, e)
}

// recorder is what a session keeps of its runs.
type recorder struct{ s *session }

func (r recorder) Record(ctx context.Context, e exo.Entry) error { return r.s.record(ctx, e) }

// ms is a duration in milliseconds, to a microsecond.
func ms(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
