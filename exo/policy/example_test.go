package policy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

// clock is a capability made of two Go functions.
func clock() exo.Object {
	s, err := service.New("clock", "tells and sets the hour",
		service.Read("hour", "the hour", func(context.Context, service.None) (int, error) { return 12, nil }),
		service.Method("set", "sets the hour", func(_ context.Context, in struct {
			Hour int `json:"hour"`
		}) (service.None, error) {
			return service.None{}, nil
		}).Immediate(),
	)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// ask sends one message without an argument, as an evaluator does for a program.
func ask(g *exo.Gate, method string) (value.Value, error) {
	s, begun := g.Begin(context.Background(), exo.Run{Principal: "ann"}, "", nil)
	if begun != nil {
		return value.Value{}, begun
	}
	defer s.Finish(context.Background(), value.Null(), nil)
	c := s.Checker()
	object, err := c.MakeRef(0)
	if err != nil {
		return value.Value{}, err
	}
	call, err := c.MakeCall(object, method, nil)
	if err != nil {
		return value.Value{}, err
	}
	if err := s.Submit(exo.Call{ID: 1, Expr: call.Expr()}); err != nil {
		return value.Value{}, err
	}
	r, _, nextErr := s.Next(context.Background())
	if nextErr != nil || r.Err == nil {
		return r.Value, nextErr
	}
	return value.Value{}, r.Err
}

// Only derives an object with fewer methods.
func ExampleOnly() {
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clock": policy.Only(clock(), "hour")}, Record: exo.Unrecorded})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ask(gate, "hour"))
	fmt.Println(ask(gate, "set"))
	// Output:
	// 12 <nil>
	// <no value> denied: clock has no member `set`; it has `hour`
}

// Approve lets one message through once, when a person has approved exactly that one.
func ExampleApprove() {
	approvals := &policy.Approvals{}
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clock": policy.Approve(clock(), approvals, "hour")}, Record: exo.Unrecorded})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ask(gate, "hour"))
	for _, r := range approvals.Waiting() {
		fmt.Println(r.Principal, "asks", r.Text)
		approvals.Allow(r.ID)
	}
	fmt.Println(ask(gate, "hour"))
	// Output:
	// <no value> clock.hour: denied: a person has to approve this call first, and has been asked: make exactly the same call again after the approval
	// ann asks clock.hour()
	// 12 <nil>
}

// Revocable makes an object that can be cut off for good.
func ExampleRevocable() {
	object, revoke := policy.Revocable(clock())
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"clock": object}, Record: exo.Unrecorded})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ask(gate, "hour"))
	revoke()
	fmt.Println(ask(gate, "hour"))
	// Output:
	// 12 <nil>
	// <no value> clock: revoked
}
