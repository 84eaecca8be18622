// Host is a program that writes a file when its main begins. A worker that is started from its binary must never write the file.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

var _ = say("the variables of package main")

func init() { say("init of package main") }

func say(what string) bool {
	f, err := os.OpenFile(os.Getenv("SAY"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		// A worker has no environment, so a file of this name is what it would leave.
		f, err = os.OpenFile("/tmp/exoagent-worker-reached-main", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return false
	}
	defer f.Close()
	fmt.Fprintln(f, what)
	return true
}

type nothing struct{}

func (nothing) Describe() (message.Description, error) {
	return message.Description{Type: &message.Type{Name: "Nothing"}, Interfaces: []*message.Interface{{Name: "Nothing"}}}, nil
}

func (nothing) Eval(context.Context, *exo.Message) (value.Value, error) { return value.Null(), nil }

func main() {
	say("main")
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"nothing": nothing{}}})
	if err != nil {
		panic(err)
	}
	pool, err := worker.NewPool(worker.PoolOptions{Namespaces: os.Getenv("NAMESPACES") != ""})
	if err != nil {
		panic(err)
	}
	e, err := pool.Bind(gate, exoeval.Bounds{Wall: time.Minute, Total: time.Minute, CPU: time.Minute})
	if err != nil {
		panic(err)
	}
	for _, program := range os.Args[1:] {
		go e.Run(context.Background(), exoeval.Job{Program: program})
	}
	fmt.Println(e.Run(context.Background(), exoeval.Job{Program: "40 + 2"}).Value.Int())
	if len(os.Args) > 1 {
		time.Sleep(time.Minute)
	}
}
