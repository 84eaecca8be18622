package mcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
)

// toolOf is the tool of one identity: here a greeting for whoever it is.
func toolOf(_ context.Context, who mcp.Identity) (*codemode.Tool, error) {
	s, err := service.New("greeter", "greets the current user",
		service.Read("hello", "a greeting", func(context.Context, service.None) (string, error) { return "hello " + who.Subject, nil }))
	if err != nil {
		return nil, err
	}
	return codemode.New(codemode.Grants{"greeter": s}, &codemode.Options{Principal: exo.Principal(who.Subject)})
}

// Over HTTP each request is served for the identity that its token stands for, and none without one.
func ExampleServer_Handler() {
	server, err := mcp.New(mcp.Config{Tool: toolOf})
	if err != nil {
		log.Fatal(err)
	}
	var tokens bearer.Tokens
	const token = "2wdTq0u3NBhTTVJiXz8IXhIlk4lrPo9o3nOAyLgZmFo" // openssl rand -base64 32
	if err := tokens.Add(token, mcp.Identity{Issuer: "host", Subject: "ann"}); err != nil {
		log.Fatal(err)
	}
	handler, err := server.Handler(mcp.HTTPOptions{Verifier: &tokens})
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(handler) // a host: http.Server{Handler: handler}
	defer web.Close()

	for _, header := range []string{"", "Bearer " + token} {
		r, err := http.NewRequest(http.MethodPost, web.URL+handler.Path(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
	// Output:
	// 401
	// 200
}
