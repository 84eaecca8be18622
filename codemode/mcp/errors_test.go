package mcp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
)

// TestErrors: what a host may want to tell apart it finds with errors.Is.
func TestErrors(t *testing.T) {
	gone := errors.New("she left")
	s, err := New(Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return nil, gone }})
	if err != nil {
		t.Fatal(err)
	}
	in := func() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }
	err = s.ServeStdio(t.Context(), Identity{Issuer: "i", Subject: "ann"}, in(), nil)
	if !errors.Is(err, ErrNoTool) || !errors.Is(err, gone) || errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if err := s.ServeStdio(t.Context(), Identity{}, in(), nil); !errors.Is(err, ErrNoTool) {
		t.Error(err)
	}
	for _, make := range []func() error{
		func() error { _, err := New(Config{}); return err },
		func() error { return (&Server{}).ServeStdio(t.Context(), Identity{}, in(), nil) },
		func() error { _, err := (&Server{}).Handler(HTTPOptions{}); return err },
		func() error { _, err := s.Handler(HTTPOptions{}); return err },
		func() error {
			_, err := s.Handler(HTTPOptions{Verifier: &bearer.Tokens{}, Resource: "shop.example.com"})
			return err
		},
		func() error {
			_, err := s.Handler(HTTPOptions{Verifier: &bearer.Tokens{}, Resource: "https://shop.example.com/metrics"})
			return err
		},
	} {
		if err := make(); !errors.Is(err, ErrConfig) || err.Error() == ErrConfig.Error() {
			t.Error(err)
		}
	}
}
