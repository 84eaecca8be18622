package adapters_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/examples/adapters"
)

func ExampleAddToMCP() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "todos"}, nil)
	adapters.AddToMCP(server, todosOf(1))

	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, here, nil); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some model's"}, nil).Connect(ctx, there, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	listed, err := client.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listed.Tools[0].Name, strings.Contains(listed.Tools[0].Description, "- Todo ("))
	res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: listed.Tools[0].Name, Arguments: map[string]string{"code": program}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	fmt.Println(res.StructuredContent)
	// Output:
	// run_program true
	// {"result":[{"title":"File the tax return"},{"title":"Call the dentist"}]}
	// map[result:[map[title:File the tax return] map[title:Call the dentist]]]
}
