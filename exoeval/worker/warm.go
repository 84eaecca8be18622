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

// warmUp is a program that uses what all programs use, and nothing else: what a program has to do anyway costs no more if it is done in advance. Loading
// the pages of a new process takes longer than a small program runs.
const warmUp = `async (api) => { const a = await w.keep((r) => r.id === 1).all(); return a.map((r) => r.id) }`

// warm runs our own program before the worker reports that it is ready.
func warm(p *warmPort) exoeval.ProgramResult {
	con := func(name string) *message.Term { return &message.Term{Con: &message.Type{Name: name}} }
	data, t := con(value.TypeData), &message.Type{Name: "Warm"}
	equal := &message.Method{Name: "===", Result: con("Value"), Params: []message.Param{{Name: "x", Want: data}}}
	w := &exoeval.World{Limits: exo.Limits{}.OrDefault(), Bounds: exoeval.Bounds{}.OrDefault(), Granted: []message.GrantedName{{Name: "w", Type: t}}, Describing: []string{"keep"}, Catalog: message.Catalog{
		"Warm": {Name: "Warm", Await: "all", Methods: map[string]*message.Method{
			"all":  {Name: "all", Sends: true, Result: data},
			"keep": {Name: "keep", Result: &message.Term{Var: "self"}, Params: []message.Param{{Name: "f", Lambda: con("Line"), Want: con("Value")}}},
		}},
		"Line":  {Name: "Line", Fields: map[string]*message.Property{"id": {Type: &message.Type{Name: "Value"}}}},
		"Value": {Name: "Value", Expr: true, Methods: map[string]*message.Method{"===": equal}},
	}}
	world, _, _, err := frame.DecodeJob(string(frame.AppendJob(nil, frame.AppendWorld(nil, w), exoeval.Job{}, false)[frame.HeaderSize+1:]))
	if err != nil {
		return exoeval.ProgramResult{Err: fail.Classify("", err)}
	}
	w = world
	w.Prepare()
	check := &message.Checker{Catalog: w.Catalog, Bounds: w.Limits.Message(), Ref: func(uint32) *message.Type { return t }, Show: func(uint32) string { return "w" }}
	out := w.Run(context.Background(), p, check, exoeval.Job{Program: warmUp, Run: exo.Run{Clock: time.UnixMilli(0), Seed: 1}})
	frame.AppendDone(nil, out, &frame.RowsLog{})
	return out
}

// warmPort replies to calls with rows, through the same frames as a real port.
type warmPort struct{ ids []uint64 }

func (p *warmPort) Log(exo.Line) error { return nil }

func (p *warmPort) Submit(c exo.Call) error {
	_, err := frame.AppendCall(nil, c)
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
