package recorddiff

// This file gets decisions about messages from the gate of one file.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// errCompared ends each session as failed, so that nothing of the session is kept.
var errCompared = errors.New("recorddiff: this run is only a comparison, so nothing of it is kept")

// side is one file, with a gate for each principal so far.
type side struct {
	d      *grantfile.Declared
	counts bool
	tools  map[exo.Principal]*tool
}

// tool is the gate of one principal.
type tool struct {
	*side
	gate    *exo.Gate
	admits  value.Label
	granted value.Digest // the digest of the last run's grants
	entry   exo.Entry    // the last entry that the gate recorded
	seen    *decision    // the decision about the present message
}

// decision is what a file decides about a message.
type decision struct {
	refused string      // the error text for the program; "" if the message would act
	beyond  bool        // the gate itself refuses the message, before it is planned
	sealed  bool        // the message has sealed values, so only names and types were checked
	sql     string      // the statements and their arguments, also those that come from scopes
	shows   []string    // the values that each row shows
	reads   value.Label // the label of the reply
	leaves  bool        // a result may carry the label in reads
	count   string      // the number of rows that the message reads, or why it is unknown
}

// begin begins a run at the gate of the run's principal.
func (s *side) begin(ctx context.Context, start *exo.Start) (*tool, *exo.Session, error) {
	t := s.tools[start.Principal]
	if t == nil {
		t = &tool{side: s}
		if err := t.open(start.Principal); err != nil {
			return nil, nil, err
		}
		if len(s.tools)%200 == 0 { // keep a bounded number of gates, because a record may have any number of principals
			s.tools = map[exo.Principal]*tool{}
		}
		s.tools[start.Principal] = t
	}
	run := exo.Run{Principal: start.Principal, Label: start.Label, Clock: start.Clock, Seed: start.Seed, Preview: start.Preview}
	session, err := t.gate.Begin(ctx, run, start.Program, nil)
	return t, session, err
}

// open makes the gate that codemode makes for a principal's programs.
func (t *tool) open(name exo.Principal) error {
	p, err := t.d.File.Named(name)
	if err != nil {
		return err
	}
	grants, err := t.d.Grants(p)
	for name, o := range grants {
		grants[name] = exo.Wrap(o, exo.Policy{Before: t.before}) // the policy is not Blind, because it needs all values; messages with sealed values do not reach it
	}
	opt := t.d.File.ToolOptions(p)
	opt.Budgets = nil // no run here uses up a budget
	t.admits, opt.Evaluator, opt.Record = opt.Admits, t, exo.RecordFunc(t.record)
	if err == nil {
		_, err = codemode.New(grants, &opt)
	}
	return err
}

// Bind implements exoeval.Evaluator. It keeps the gate in the tool, and runs no program.
func (t *tool) Bind(g *exo.Gate, _ exoeval.Bounds) (exoeval.Runner, error) {
	t.gate = g
	return nil, nil
}

func (t *tool) record(e exo.Entry) error {
	if t.entry = e; e.Step == exo.Begun {
		t.granted = e.Start.Granted
	}
	return nil
}

// reply notes the label that a message reads.
func (d *decision) reply(t *tool, root *message.Node) {
	d.reads = t.gate.Catalog().Shows(root.Type).Join(root.Method().Reply)
	d.leaves = d.reads.Secrecy().FlowsTo(t.admits)
}

// before is the policy that gets each message which the gate would admit. It notes the message's statements, columns and labels, and refuses the
// message, so that none acts.
func (t *tool) before(m *exo.Message) bool {
	d, ctx := t.seen, context.Background()
	d.beyond = false
	d.reply(t, m.Root)
	all, err := exosql.Statements(ctx, m)
	d.refused = fail.GuestText(err)
	for _, q := range all {
		d.sql += fmt.Sprintln(q.SQL, q.Args)
		for _, o := range q.Outputs() {
			d.shows = append(d.shows, o.Name)
		}
	}
	// A message to a service would leave the machine. A message that has statements goes to a database, so only such messages run here.
	if t.counts && err == nil && len(all) > 0 && m.Root.Method().Effect == message.NoEffect {
		v, err := m.Objects[m.Root.Receiver().Slot].Eval(ctx, m)
		if d.count = fmt.Sprintf("%d rows", v.Len()); err != nil {
			d.count = fail.GuestText(err)
		} else if v.Kind() == value.KindInt {
			d.count = fmt.Sprint(v.Int())
		}
	}
	return false
}

// ask sends a message to the gate.
func (t *tool) ask(ctx context.Context, s *exo.Session, id uint64, x message.Expr) decision {
	if slices.ContainsFunc(x.Nodes, func(n message.WireNode) bool { return n.Lit.HoldsSealed() }) {
		return t.check(x)
	}
	d := decision{beyond: true}
	t.seen = &d
	err := s.Submit(exo.Call{ID: id, Expr: x})
	for more := true; err == nil && more; {
		_, more, err = s.Next(ctx)
	}
	if p := s.Panicked(); p != nil { // a defect of ours: the policy panicked
		panic(p)
	}
	switch {
	case err != nil:
		d.refused = fail.GuestText(err)
	case t.entry.Step != exo.Refused: // the message went to an object of codemode that changes nothing: reveal, text or search
		d.beyond = false
	case d.beyond:
		d.refused = fail.GuestText(t.entry.Err)
	}
	return d
}

// check checks only the names and types of a message with sealed values, because this session never gave out those values.
func (t *tool) check(x message.Expr) decision {
	d, granted := decision{sealed: true}, t.gate.Granted()
	c := message.Checker{Catalog: t.gate.Catalog(), Bounds: t.gate.Limits().Message(), Show: func(id uint32) string { return granted[id].Name },
		Ref: func(id uint32) *message.Type {
			if int(id) >= len(granted) {
				return nil
			}
			return granted[id].Type
		}}
	m, err := c.Check(x)
	if d.refused = fail.GuestText(err); err == nil {
		d.reply(t, m.Root)
	}
	return d
}

// renamed returns a message of the old file with the new file's numbers for the same grants. The result missing is a name that the new file does not grant, or "".
func renamed(x message.Expr, old, now *tool) (y message.Expr, missing string) {
	from, to := old.gate.Granted(), now.gate.Granted()
	y.Nodes = slices.Clone(x.Nodes)
	for i := range y.Nodes {
		if n := &y.Nodes[i]; n.Op == message.OpRef && int(n.Ref) < len(from) {
			name := from[n.Ref].Name
			k := slices.IndexFunc(to, func(g message.GrantedName) bool { return g.Name == name })
			if k < 0 {
				return y, name
			}
			n.Ref = uint32(k)
		}
	}
	return y, ""
}

// shape describes a message without its values: the granted name, the calls and the table.
func (t *tool) shape(x message.Expr) string {
	var names []string
	table, granted := "", t.gate.Granted()
	for i := int32(len(x.Nodes)) - 1; i >= 0; i = x.Nodes[i].Recv {
		n := &x.Nodes[i]
		if n.Name != "" {
			names = append(names, n.Name)
		}
		if n.Op == message.OpRef && int(n.Ref) < len(granted) {
			names = append(names, granted[n.Ref].Name)
			table = t.d.File.TableOf(granted[n.Ref].Name)
		}
	}
	slices.Reverse(names)
	return strings.TrimSuffix(strings.Join(names, ".")+" of "+table, " of ")
}
