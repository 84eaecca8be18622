package exo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// door is an object that opens and says so. Its interface has one method; nothing else can
// be asked of it.
type door struct{}

func (door) Describe() (message.Description, error) {
	open := &message.Method{Name: "open", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeText}}}
	i := &message.Interface{Name: "Door", Methods: map[string]*message.Method{"open": open}}
	return message.Description{Type: &message.Type{Name: "Door"}, Interfaces: []*message.Interface{i}}, nil
}

func (door) Eval(context.Context, *exo.Message) (value.Value, error) {
	return value.Text("it is open"), nil
}

// An object is a capability: a run can send it what its description allows, and nothing else.
func Example() {
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"door": door{}}, Record: exo.Unrecorded})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	run, err := gate.Begin(ctx, exo.Run{}, "door.open(); door.lock()", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer run.Finish(ctx, value.Null(), nil)

	// An evaluator records these calls; number 0 is the first object that was granted.
	check := run.Checker()
	it, _ := check.MakeRef(0)
	message, _ := check.MakeCall(it, "open", nil)
	if err := run.Submit(exo.Call{ID: 1, Expr: message.Expr()}); err != nil {
		log.Fatal(err)
	}
	reply, _, _ := run.Next(ctx)
	fmt.Println(reply.Value.Text())
	_, err = check.MakeCall(it, "lock", nil)
	fmt.Println(fail.GuestText(err))
	// Output:
	// it is open
	// door has no member `lock`; it has `open`
}
