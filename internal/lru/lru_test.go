package lru_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/exoagent/exoagent/internal/lru"
)

// value is a text that says its size, in hundreds of bytes.
type value struct {
	text string
	size int
}

func (v value) Keep() (value, int) {
	return value{strings.Clone(v.text), v.size}, 100*v.size - 200 - 1 // a key of one byte, and what the cache itself takes
}

// What was not asked for the longest is dropped, and what is kept under a key stays.
func TestCache(t *testing.T) {
	c := lru.New[value](8 * 300)
	want := func(latest string) {
		t.Helper()
		got, bytes := "", 0
		for key, v := range c.All() {
			got += key + v.text + " "
			bytes += 100 * v.size
		}
		if got != latest+" " {
			t.Errorf("kept are %s, want %s", got, latest)
		}
		if n := c.Bytes(); n != bytes || n > 8*300 {
			t.Errorf("%d bytes are counted, %d are kept", n, bytes)
		}
	}
	add := func(key, text string, size int, want string) {
		t.Helper()
		if got := c.Add([]byte(key), value{text, size}); got.text != want {
			t.Errorf("adding %s under %s gave %s, want %s", text, key, got.text, want)
		}
	}
	get := func(key, want string) {
		t.Helper()
		if v, ok := c.Get([]byte(key)); v.text != want || ok != (want != "") {
			t.Errorf("%s: %s, %v", key, v.text, ok)
		}
	}
	get("a", "")
	for i, key := range strings.Split("abcdefgh", "") {
		add(key, fmt.Sprint(i+1), 3, fmt.Sprint(i+1))
	}
	want("h8 g7 f6 e5 d4 c3 b2 a1")
	get("a", "1")
	add("i", "9", 3, "9") // "b" makes way
	want("i9 a1 h8 g7 f6 e5 d4 c3")
	get("b", "")
	add("a", "0", 3, "1") // the first stays
	want("a1 i9 h8 g7 f6 e5 d4 c3")
	add("j", "x", 1, "x") // "c" makes way, and leaves room for one more of this size
	add("k", "y", 2, "y")
	want("ky jx a1 i9 h8 g7 f6 e5 d4")
	add("l", "large", 4, "large") // more than its share: nothing makes way
	want("ky jx a1 i9 h8 g7 f6 e5 d4")
	get("l", "")
}

// The cache has memory of its own: neither a key nor a value holds what it was cut out of.
func TestCacheCopies(t *testing.T) {
	frame := strings.Repeat("k", 1000)
	c := lru.New[value](8 * 300)
	got := c.Add([]byte(frame[:1]), value{frame[:5], 3})
	within := func(s string) bool {
		at, from := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(frame)))
		return from <= at && at < from+1000
	}
	for key, v := range c.All() {
		if within(key) || within(v.text) {
			t.Error("the cache holds a part of the frame")
		}
		if unsafe.StringData(v.text) != unsafe.StringData(got.text) {
			t.Error("Add did not give the copy that it keeps")
		}
	}
}

// A Set tells of each value that goes, once.
func TestSetDrops(t *testing.T) {
	var gone []string
	s := lru.Set[int, string]{Bytes: 80, Drop: func(v string) { gone = append(gone, v) }}
	if s.Fits(11) || !s.Fits(10) {
		t.Error("a value may have an eighth of the bound")
	}
	for i := range 10 {
		s.Add(i, fmt.Sprint(i), 10)
	}
	s.Remove(5)
	s.Remove(5)
	if got := fmt.Sprint(gone); got != "[0 1 5]" || s.Len() != 7 || s.Size() != 70 {
		t.Errorf("gone are %s; %d of %d bytes stay", got, s.Len(), s.Size())
	}
	var zero lru.Set[int, string]
	if zero.Fits(1) {
		t.Error("the zero Set keeps something")
	}
}

// A look costs no memory, with bytes and with a text.
func TestGetAllocates(t *testing.T) {
	c := lru.New[value](1 << 20)
	text := strings.Repeat("x", 1000)
	key := []byte(text)
	c.Add(key, value{"1", 3})
	if n := testing.AllocsPerRun(100, func() {
		_, bytes := c.Get(key)
		if _, ok := c.Get([]byte(text)); !ok || !bytes {
			t.Fatal("it is not there")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
