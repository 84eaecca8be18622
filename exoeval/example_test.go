package exoeval_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
)

// A program sees what it was granted and JavaScript's plain built-ins, and its
// errors have a place.
func ExampleInProcess() {
	shout, err := service.New("shout", "raises its voice",
		service.Read("say", "says it loudly", func(_ context.Context, in struct {
			Text string `json:"text"`
		}) (string, error) {
			return strings.ToUpper(in.Text), nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shout": shout}})
	if err != nil {
		log.Fatal(err)
	}
	programs, err := exoeval.InProcess{}.Bind(gate, exoeval.Bounds{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []string{
		"const words = ['well', 'done']; return await Promise.all(words.map(text => shout.say({ text })))",
		"return await shout.sya({ text: 'x' })",
		"return fetch('https://example.com')",
	} {
		r := programs.Run(context.Background(), exoeval.Job{Program: p})
		if r.Err != nil {
			fmt.Printf("%s at %d:%d: %s\n", fail.KindOf(r.Err), fail.PosOf(r.Err).Line, fail.PosOf(r.Err).Column, fail.GuestText(r.Err))
			continue
		}
		fmt.Println(r.Value)
	}
	// Output:
	// ["WELL","DONE"]
	// denied at 1:14: shout has no member `sya`; did you mean `say`?
	// syntax at 1:8: `fetch` is not available here; programs have no network; use the granted objects
}
