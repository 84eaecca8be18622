package worker

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// warmUp is a program that uses what most programs use. Loading the pages of a new process takes longer than a small program runs, so the
// worker does it in advance.
const warmUp = `async (api) => {
  w.keep((r) => r.id === 1).pick(1, 'y');
  w.keep(({ id }) => id.eq(3));
  const a = await w.pick(1, 'x').all({ a: [1.5, null, true] });
  const n = a.filter((r) => r.id > 1).map(({ id, t, ...rest }) => ({ id, t: ` + "`${t}!`" + `, ...rest })).reduce((s, r) => s + r.id, 0);
  try { null.x } catch (e) { console.log(String(e), new Map([[1, 2]]).size, new Date(0).toISOString()) }
  return { n, a, s: JSON.stringify(a).length, at: Object.entries({ x: 1 }), r: 'a-b'.replace(/-/g, '+').split('+') };
}`

// warm runs our own program before the worker reports that it is ready.
func warm(p *warmPort) exoeval.ProgramResult {
	con := func(name string) *message.Term { return &message.Term{Con: &message.Type{Name: name}} }
	data, t := con(value.TypeData), &message.Type{Name: "Warm"}
	methods := map[string]*message.Method{}
	for _, op := range []string{"eq", "===", ">", "and"} {
		methods[op] = &message.Method{Name: op, Result: con("Value"), Params: []message.Param{{Name: "x", Want: data}}}
	}
	w := &exoeval.World{Limits: exo.Limits{}.OrDefault(), Bounds: exoeval.Bounds{}.OrDefault(), Granted: []message.GrantedName{{Name: "w", Type: t}}, Describing: []string{"keep"}, Catalog: message.Catalog{
		"Warm": {Name: "Warm", Await: "all", Methods: map[string]*message.Method{
			"all":  {Name: "all", Sends: true, Result: data, Params: []message.Param{{Name: "x", Want: data, Opt: true}}},
			"pick": {Name: "pick", Result: &message.Term{Var: "self"}, Params: []message.Param{{Name: "x", Want: data}, {Name: "y", Want: data}}},
			"keep": {Name: "keep", Result: &message.Term{Var: "self"}, Params: []message.Param{{Name: "f", Lambda: con("Line"), Want: con("Value")}}},
		}},
		"Line":  {Name: "Line", Fields: map[string]*message.Property{"id": {Type: &message.Type{Name: "Value"}}}},
		"Value": {Name: "Value", Expr: true, Methods: methods},
	}}
	world, _, _, err := frame.DecodeJob(string(frame.AppendJob(nil, frame.AppendWorld(nil, w), exoeval.Job{}, false)[frame.HeaderSize+1:]))
	if err != nil {
		return exoeval.ProgramResult{Err: fail.Classify("", err)}
	}
	w = world
	w.Prepare()
	check := &message.Checker{Catalog: w.Catalog, Bounds: w.Limits.Message(), Ref: func(uint32) *message.Type { return t }, Show: func(uint32) string { return "w" }}
	out := w.Run(context.Background(), p, check, exoeval.Job{Program: warmUp, Run: exo.Run{Clock: time.UnixMilli(0), Seed: 1}})
	log := &frame.RowsLog{}
	b, _ := frame.AppendDone(nil, out, log)
	_, _ = frame.DecodeDone(string(b[frame.HeaderSize+1:]), log, w.Bounds)
	return out
}

// warmPort replies to calls with rows, through the same frames as a real port.
type warmPort struct {
	ids    []uint64
	logged int
}

func (p *warmPort) Log(l exo.Line) error {
	b := frame.AppendConsole(nil, l)
	_, err := frame.DecodeConsole(string(b[frame.HeaderSize+1:]), exo.Limits{}.OrDefault())
	p.logged++
	return err
}

func (p *warmPort) Submit(c exo.Call) error {
	b, _ := frame.AppendCall(nil, c)
	c, err := frame.DecodeCall(string(b[frame.HeaderSize+1:]), 100)
	p.ids = append(p.ids, c.ID)
	return err
}

func (p *warmPort) Next(context.Context) (exo.Reply, bool, error) {
	if len(p.ids) == 0 {
		return exo.Reply{}, false, nil
	}
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"id", "t"}}, Cells: []value.Value{value.Int(1), value.Text("x"), value.Int(2), value.Null()}}
	b := frame.AppendReply(nil, exo.Reply{ID: p.ids[0], Value: value.RowsValue(rows)}, &frame.RowsLog{}, nil)
	p.ids = p.ids[1:]
	r, err := frame.DecodeReply(string(b[frame.HeaderSize+1:]), &frame.RowsLog{}, nil)
	return r, true, err
}
