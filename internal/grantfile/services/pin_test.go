package services_test

// This file changes what a service offers after a person has pinned it.

import (
	"os"
	"strings"
	"testing"
)

// TestPins: a service that offers something else than what is pinned is refused, at its line, by the digest that a person may pin after reading it.
func TestPins(t *testing.T) {
	d := &desk{}
	text := overHTTP(d.serve(t), "")
	_, err := openFile(t, text)
	if err == nil || !strings.Contains(err.Error(), ":5:3: the service desk: no `pin` says which calls a person has read") {
		t.Fatal(err)
	}
	_, digest, _ := strings.Cut(err.Error(), "`pin: ")
	pinned := text + "    pin: " + digest[:strings.IndexByte(digest, '`')] + "\n"
	decl, err := openFile(t, pinned)
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := toolOf(t, decl, nil)
	d.extra = true
	if _, err := openFile(t, pinned); err == nil || !strings.Contains(err.Error(), ":10:10: the service desk: the service describes its calls otherwise than `pin` says") {
		t.Errorf("another description: %v", err)
	}
	if r := tool.Run(t.Context(), "api.desk.list_tickets()"); r.Err != nil {
		t.Errorf("within a minute of the start: %v", r.Err)
	}
	s := &decl.File.Services[0]
	offers, got, err := s.Offers(t.Context(), os.Getenv)
	if err != nil || len(offers) != 3 || offers[1].Name != "delete-all" || offers[1].Use != "" || offers[2].Use != "reads" || got == s.Pin.Text {
		t.Errorf("%+v %s %v", offers, got, err)
	}
	// A server that tells a person one thing, and everybody later another, gets the pin of what the person was told.
	d.mu.Lock()
	d.twoFaced, d.listed = true, 0
	d.mu.Unlock()
	offers, got, err = s.Offers(t.Context(), os.Getenv)
	if err != nil || offers[2].Description != "the open tickets" || got != s.Pin.Text {
		t.Errorf("%+v %s %v", offers, got, err)
	}
	if _, err := openFile(t, pinned); err == nil || !strings.Contains(err.Error(), "the service describes its calls otherwise than `pin` says") {
		t.Errorf("a server with two faces: %v", err)
	}
}
