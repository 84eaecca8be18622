package terminal

import (
	"context"
	"fmt"
	"io"
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
	app   App
	db    *exosql.DB
	trace io.Writer // nil: none
	who   Principal
	tool  *codemode.Tool

	interrupted bool // the program that ran last

	mu      sync.Mutex
	queries []exosql.Query // of the program that runs
}

// become makes the session act for somebody else.
func (s *session) become(ctx context.Context, id int64) error {
	all, err := s.app.Principals(ctx, s.db)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range all {
		if p.ID != id {
			names = append(names, fmt.Sprintf("%d (%s)", p.ID, printable(p.Name)))
			continue
		}
		tool, err := codemode.New(s.app.Grants(s.db, id), &codemode.Options{
			Principal: exo.Principal(fmt.Sprintf("%s %d", s.app.Who, id)),
			Record:    s.record,
		})
		if err != nil {
			return err
		}
		s.who, s.tool = p, tool
		return nil
	}
	if len(names) > 10 {
		names = append(names[:10], "…")
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no %s %d; the database has none", s.app.Who, id)
	}
	return fmt.Errorf("there is no %s %d; there are %s", s.app.Who, id, strings.Join(names, ", "))
}

// api is what a model is shown.
func (s *session) api() string { return strings.TrimSpace(s.tool.Description()) }

func (s *session) run(ctx context.Context, program string) *codemode.Result {
	s.mu.Lock()
	s.queries = nil
	s.mu.Unlock()
	return s.tool.Run(ctx, program)
}

// ran is what the program that ran last asked of the database.
func (s *session) ran() []exosql.Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries
}

// record receives the events of a run, from several goroutines.
func (s *session) record(ev exo.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range ev.Details {
		q, ok := d.(exosql.Query)
		if !ok {
			continue
		}
		s.queries = append(s.queries, q)
		if s.trace != nil {
			fmt.Fprintf(s.trace, "%s\n", traceLine(q))
		}
	}
}

func traceLine(q exosql.Query) []byte {
	args := q.Args
	if args == nil {
		args = []exo.Value{}
	}
	return marshal(struct {
		SQL  string      `json:"sql"`
		Args []exo.Value `json:"args"`
		Rows int         `json:"rows"`
		MS   float64     `json:"ms"`
	}{q.SQL, args, q.Rows, ms(q.Took)})
}

// ms is a duration in milliseconds, to a microsecond.
func ms(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
