package lru_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/lru"
)

// What was not asked for the longest is dropped, and what is kept under a key stays.
func TestCache(t *testing.T) {
	c := lru.New[int](3)
	want := func(latest string) {
		t.Helper()
		got := ""
		for key, v := range c.All() {
			got += fmt.Sprint(key, v, " ")
		}
		if got != latest+" " {
			t.Errorf("kept are %s, want %s", got, latest)
		}
	}
	get := func(key string, want int, there bool) {
		t.Helper()
		if v, ok := c.Get([]byte(key)); v != want || ok != there {
			t.Errorf("%s: %d, %v", key, v, ok)
		}
	}
	get("a", 0, false)
	for i, key := range []string{"a", "b", "c"} {
		c.Add(key, i+1)
	}
	want("c3 b2 a1")
	get("a", 1, true)
	want("a1 c3 b2")
	c.Add("d", 4)
	want("d4 a1 c3")
	get("b", 0, false)
	c.Add("a", 9)
	want("d4 a1 c3")
	get("a", 1, true)
	for range 3 {
		c.Add("e", 5) // "c" makes way
	}
	want("e5 a1 d4")
	get("c", 0, false)
}

// A look costs no memory, with bytes and with a text.
func TestGetAllocates(t *testing.T) {
	c := lru.New[int](1)
	text := strings.Repeat("x", 1000)
	key := []byte(text)
	c.Add(text, 1)
	if n := testing.AllocsPerRun(100, func() {
		_, bytes := c.Get(key)
		if _, ok := c.Get([]byte(text)); !ok || !bytes {
			t.Fatal("it is not there")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
