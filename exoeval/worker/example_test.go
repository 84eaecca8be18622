package worker_test

import (
	"context"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// A host that serves many users makes one pool for all its tools, and closes it at its end.
func ExampleNewPool() {
	pool, err := worker.NewPool(worker.PoolOptions{Workers: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	clock, err := service.New("clock", "tells the hour",
		service.Read("hour", "the hour", func(context.Context, service.None) (int, error) { return 12, nil }))
	if err != nil {
		log.Fatal(err)
	}
	for _, user := range []string{"ann", "bob"} {
		tool, err := codemode.New(codemode.Grants{"clock": clock}, &codemode.Options{Evaluator: pool, Principal: exo.Principal(user)})
		if err != nil {
			log.Fatal(err)
		}
		r := tool.Run(context.Background(), "const hour = await clock.hour(); return hour + 1")
		fmt.Println(user, string(r.JSON), r.Err)
	}
	// Output:
	// ann 13 <nil>
	// bob 13 <nil>
}
