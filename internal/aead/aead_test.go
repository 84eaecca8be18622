package aead

import (
	"bytes"
	"errors"
	"testing"
)

// TestBoxes: a text is read with the key, the purpose, the ID and the companion with which it was encrypted, and with nothing else.
func TestBoxes(t *testing.T) {
	key, other := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	box := func(key []byte, purpose, id string) Box {
		b, err := New(key, purpose, id)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	sealed := box(key, "mail", "a").Seal([]byte("hello"), []byte("ann"))
	if text, err := box(key, "mail", "a").Open(sealed, []byte("ann")); err != nil || string(text) != "hello" || bytes.Contains(sealed, []byte("hello")) {
		t.Fatalf("%q %v", text, err)
	}
	for name, b := range map[string]Box{"another key": box(other, "mail", "a"), "another purpose": box(key, "chat", "a"), "another ID": box(key, "mail", "b")} {
		if _, err := b.Open(sealed, []byte("ann")); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := box(key, "mail", "a").Open(changed, []byte("ann")); !errors.Is(err, ErrChanged) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for _, short := range [][]byte{nil, sealed[:5], sealed[:12]} {
		if _, err := box(key, "mail", "a").Open(short, []byte("ann")); !errors.Is(err, ErrChanged) {
			t.Errorf("%x: %v", short, err)
		}
	}
	if _, err := box(key, "mail", "a").Open(sealed, []byte("bob")); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}
