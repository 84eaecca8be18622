package notify_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
)

// A program posts to a chat. The message leaves once the program has ended well, and waits in the outbox if the chat does not take it.
func Example() {
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Println(strings.Contains(string(text), "It is done."))
	}))
	defer chat.Close()
	address := strings.Replace(chat.URL, "127.0.0.1", "localhost", 1)

	// A host keeps messages in a folder or in PostgreSQL (exo/store), and has the same key in all processes.
	box, err := outbox.New(outbox.Options{Store: store.NewMemory(nil), Key: []byte("32 or more random bytes, a secret")})
	if err != nil {
		log.Fatal(err)
	}
	team := &notify.Chat{
		Product:  "slack",
		URL:      func(context.Context) (string, error) { return address, nil },
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, // a chat in the internet needs none
	}
	object, err := team.Object(notify.Rules{Name: "Team", Box: box})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go box.Run(ctx, func(err error) { log.Print(err) }) // delivers later what was not delivered at once
	defer box.Wait()
	defer stop()

	tool, err := codemode.New(codemode.Grants{"team": object}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
	if err != nil {
		log.Fatal(err)
	}
	if err := tool.Run(ctx, "return team.post({ text: 'It is done.' })").Err; err != nil {
		log.Fatal(err)
	}
	// Output: true
}
