package service_test

import (
	"context"
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

type Mail struct {
	To      string   `json:"to" jsonschema:"the address"`
	Subject string   `json:"subject"`
	CC      []string `json:"cc,omitempty"`
}

type Receipt struct {
	ID int `json:"id"`
}

// A capability in ten lines, and what a program's message to it comes to.
func ExampleNew() {
	var sent []Mail
	mail, err := service.New("mail", "sends mail as the current user",
		service.Method("send", "sends one mail", func(ctx context.Context, in Mail) (Receipt, error) {
			sent = append(sent, in)
			return Receipt{len(sent)}, nil
		}),
		service.Read("list", "the mails sent so far", func(ctx context.Context, in struct {
			Limit int `json:"limit,omitempty"`
		}) ([]Mail, error) {
			return sent, nil
		}),
	)
	if err != nil {
		panic(err)
	}

	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"mail": mail}, Record: exo.Unrecorded})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	run, err := gate.Begin(ctx, exo.Run{Principal: "ann"}, "", nil)
	if err != nil {
		panic(err)
	}

	// What a recorder does for `mail.send({to: "bob@example.com", subject: "hi"})`.
	c := run.Checker()
	recv, _ := c.MakeRef(gate.Granted()[0].ID)
	arg, _ := c.MakeLit(value.RecordValue(value.Field{Name: "to", Value: value.Text("bob@example.com")}, value.Field{Name: "subject", Value: value.Text("hi")}))
	call, refused := c.MakeCall(recv, "send", []*message.Node{arg})
	if refused != nil {
		fmt.Println(fail.GuestText(refused))
		return
	}
	run.Submit(exo.Call{ID: 1, Expr: call.Expr()})
	reply, _, _ := run.Next(ctx)
	fmt.Println(reply.Value, len(sent))

	_, refused = c.MakeCall(recv, "sned", []*message.Node{arg})
	fmt.Println(fail.GuestText(refused))

	// What is held happens when the run has ended well.
	fmt.Println(run.Finish(ctx, reply.Value, nil), len(sent), run.Effects()[0].State)
	// Output:
	// {"held":true,"receipt":1} 0
	// mail has no member `sned`; did you mean `send`?
	// <nil> 1 applied
}
