package testutil

import (
	"context"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
)

// Room makes a service with this name and a held method post({ text }). It admits no label. posted gets each text.
func Room(t testing.TB, name string, posted func(text string)) exo.Object {
	t.Helper()
	s, err := service.New(name, "a room", service.Method("post", "posts a text", func(_ context.Context, m struct {
		Text string `json:"text"`
	}) (service.None, error) {
		posted(m.Text)
		return service.None{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
