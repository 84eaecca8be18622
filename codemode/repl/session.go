package repl

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
)

// session has a database, the principal for whom programs run, and the tool that runs them.
type session struct {
	app     App
	granted granter
	db      *exosql.DB
	tx      *exosql.Tx   // the transaction in which programs are only tried; nil: changes are kept
	preview bool         // no changes of programs are kept
	trace   exo.Recorder // gets the entries for -trace; nil: none
	model   string       // the value of -model
	zone    string       // the value of -zone

	user         string // the principal that -user gives, like "1"
	who          string // the principal in words, like "org 1" or "org 1 as 2"
	conversation string // the name of the conversation, for budgets per conversation
	name         string // the name of the principal; "" if unknown
	tool         *codemode.Tool
	names        *names.Names
	asker        asker // the model; nil: not needed yet, or there is none
	noAsker      error // why there is no model

	interrupted bool        // Ctrl-C stopped the last program
	last        *screen.Ran // the last program; nil: there was none
	ran         []string    // for App.Keep: the programs that had a result, oldest first

	decides bool              // a person can type .approve
	shown   map[string]string // the digests of the change sets that were shown to the person, by ID

	mu   sync.Mutex
	kept screen.Kept // the entries of the running program
}

// become makes the session act for the principal who. The parameter as is the number of a member; "" means the first member.
func (s *session) become(ctx context.Context, who, as string) error {
	grants, name, as, err := s.grants(ctx, who, as)
	if err != nil {
		return err
	}
	label := strings.TrimSpace(s.app.Who + " " + who)
	if as != "" {
		label += " as " + as
	}
	principal := exo.Principal(label)
	if s.app.Principal != nil {
		if principal, err = s.app.Principal(who); err != nil {
			return err
		}
	}
	opt := s.app.Options
	opt.Principal, opt.Record, opt.Zone = principal, recorder{s}, cmp.Or(s.zone, opt.Zone)
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		return err
	}
	gate, err := exo.NewGate(exo.Config{Grants: grants, Record: exo.Unrecorded, Bits: opt.Bits, Review: opt.Review})
	if err != nil {
		return err
	}
	s.user, s.who, s.name, s.tool = who, label, name, tool
	s.names = &names.Names{Catalog: gate.Catalog(), Granted: gate.Granted()}
	s.asker, s.noAsker = nil, nil // dropped, since a conversation about another principal's rows must not continue
	return nil
}

// grants returns the grants of who, the name of who, and the acting member.
func (s *session) grants(ctx context.Context, who, as string) (g codemode.Grants, name, member string, err error) {
	if s.app.Users != nil {
		id, err := number(who)
		if err != nil {
			return nil, "", "", fmt.Errorf("-%s %q: %w", s.app.Who, who, err)
		}
		all, err := s.app.Users(ctx, s.db)
		if err != nil {
			return nil, "", "", err
		}
		if name, err = one(all, id, s.app.Who, "the database has none"); err != nil {
			return nil, "", "", err
		}
	}
	member, called, err := s.app.member(ctx, s.db, who, as)
	if err != nil {
		return nil, "", "", err
	}
	if called != "" {
		name += " as " + called
	}
	g, err = s.granted(ctx, s.db, who, member)
	return g, name, member, err
}

// member returns the acting member of who: the one with the number in the parameter as, or the first if that is "".
func (a App) member(ctx context.Context, db *exosql.DB, who, as string) (member, name string, err error) {
	if a.Members == nil {
		return "", "", nil
	}
	id, err := number(who)
	if err != nil {
		return "", "", err
	}
	all, err := a.Members(ctx, db, id)
	if err != nil {
		return "", "", err
	}
	if as == "" && len(all) > 0 {
		as = fmt.Sprint(all[0].ID)
	}
	m, err := number(as)
	if err != nil {
		return "", "", fmt.Errorf("-as %q: %w", as, err)
	}
	name, err = one(all, m, "member", fmt.Sprintf("%s %d has none", a.Who, id))
	return as, name, err
}

// one returns the name of the user with this id. Otherwise it returns an error that lists the users, or ends with the text none if there are no users.
func one(all []User, id int64, what, none string) (name string, err error) {
	var there []string
	for _, p := range all {
		if p.ID == id {
			return p.Name, nil
		}
		there = append(there, fmt.Sprintf("%d (%s)", p.ID, printable.OneLine(p.Name)))
	}
	if len(there) > 10 {
		there = append(there[:10], "…")
	}
	if len(there) == 0 {
		return "", fmt.Errorf("there is no %s %d; %s", what, id, none)
	}
	return "", fmt.Errorf("there is no %s %d; there are %s", what, id, strings.Join(there, ", "))
}

// modelled returns the model that answers, and makes it at the first call.
func (s *session) modelled(ctx context.Context) (asker, error) {
	if s.asker != nil || s.noAsker != nil {
		return s.asker, s.noAsker
	}
	make := s.app.asker
	if make == nil {
		make = modelNamed
	}
	s.asker, s.noAsker = make(ctx, askerOptions{Model: s.model, Tool: s.tool, About: s.app.About, Among: s.app.Models, Distrust: s.app.Distrust})
	if s.noAsker != nil {
		s.asker = nil
	}
	return s.asker, s.noAsker
}

// api returns the description that a model reads.
func (s *session) api() string { return strings.TrimSpace(s.tool.Description()) }

func (s *session) run(ctx context.Context, program string) *codemode.Result {
	s.forget()
	res := s.tool.RunJob(s.in(ctx), codemode.Job{Program: program, Preview: s.preview, Conversation: s.conversation})
	s.remember(program, res)
	return res
}

// forget clears the kept entries before a program runs. remember keeps them with its result.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = screen.Kept{}
}

func (s *session) remember(program string, res *codemode.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &screen.Ran{Program: program, Result: res, Kept: s.kept, Now: s.now()}
	s.kept = screen.Kept{}
	if s.app.Keep != nil && res.Err == nil && len(s.ran) < maxRan {
		s.ran = append(s.ran, program)
	}
}

// maxRan is how many programs App.Keep gets.
const maxRan = 100

// record receives the entries of a run. Several goroutines call it.
func (s *session) record(ctx context.Context, e exo.Entry) error {
	if err := s.tried(e); err != nil {
		return err
	}
	if host := s.app.Options.Record; host != nil { // first, since an event that the host can't record must not happen
		if err := host.Record(ctx, e); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Add(e, s.tool.Admits())
	if s.trace == nil {
		return nil
	}
	return s.trace.Record(ctx, e)
}

// recorder is a Recorder that passes the entries of a run to its session.
type recorder struct{ s *session }

func (r recorder) Record(ctx context.Context, e exo.Entry) error { return r.s.record(ctx, e) }
