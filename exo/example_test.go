package exo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/exo"
)

// door is an object that opens and says so. Its interface has one method; nothing else can
// be asked of it.
type door struct{}

func (door) Describe() (exo.Description, error) {
	open := &exo.Method{Name: "open", Sends: true, Result: &exo.Term{Con: &exo.Type{Name: exo.TypeText}}}
	i := &exo.Interface{Name: "Door", Methods: map[string]*exo.Method{"open": open}}
	return exo.Description{Type: &exo.Type{Name: "Door"}, Interfaces: []*exo.Interface{i}}, nil
}

func (door) Eval(context.Context, *exo.Message) (exo.Value, error) {
	return exo.Text("it is open"), nil
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
	defer run.Finish(ctx, exo.Null(), nil)

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
	fmt.Println(exo.GuestText(err))
	// Output:
	// it is open
	// door has no member `lock`; it has `open`
}
