package cursor

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
)

var (
	mine   = Use{1}
	theirs = Use{2}
)

func sealer(t testing.TB, key []byte) *Sealer {
	t.Helper()
	s, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func seal(t testing.TB, s *Sealer, use Use, position []byte) string {
	t.Helper()
	text, err := s.Seal(use, position)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRoundTrip(t *testing.T) {
	s := sealer(t, nil)
	for _, n := range []int{0, 1, 125, 126, 127, 510, 511, MaxPosition} {
		position := bytes.Repeat([]byte{0xff}, n)
		got, err := s.Open(mine, seal(t, s, mine, position))
		if err != nil || !bytes.Equal(got, position) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
	}
	if _, err := s.Seal(mine, make([]byte, MaxPosition+1)); !errors.Is(err, ErrLong) {
		t.Errorf("too long: %v", err)
	}
}

// Keys and uses keep cursors apart; equal keys do not.
func TestCursorIsOfItsKeyAndUse(t *testing.T) {
	a, b, again := sealer(t, []byte("a")), sealer(t, []byte("b")), sealer(t, []byte("a"))
	text := seal(t, a, mine, []byte("here"))
	if got, err := again.Open(mine, text); err != nil || string(got) != "here" {
		t.Errorf("the same key in another process: %q, %v", got, err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"another key":   func() ([]byte, error) { return b.Open(mine, text) },
		"a random key":  func() ([]byte, error) { return sealer(t, nil).Open(mine, text) },
		"another use":   func() ([]byte, error) { return a.Open(theirs, text) },
		"a zero Sealer": func() ([]byte, error) { return new(Sealer).Open(mine, text) },
		"a nil Sealer":  func() ([]byte, error) { return (*Sealer)(nil).Open(mine, text) },
	} {
		if got, err := open(); err != ErrNotValid || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if text, err := new(Sealer).Seal(mine, nil); err == nil {
		t.Errorf("a zero Sealer sealed %q", text)
	}
}

// Whatever is not exactly what Seal made is refused, with one error.
func TestForgedCursor(t *testing.T) {
	s := sealer(t, nil)
	text := seal(t, s, mine, []byte("here"))
	raw, _ := base64.RawURLEncoding.DecodeString(text)
	var forged []string
	for i := range raw { // each bit
		for bit := range 8 {
			b := slices.Clone(raw)
			b[i] ^= 1 << bit
			forged = append(forged, base64.RawURLEncoding.EncodeToString(b))
		}
	}
	for n := range len(text) {
		forged = append(forged, text[:n])
	}
	other := seal(t, s, mine, []byte("there"))
	forged = append(forged, text+"A", text+text, text+"\n", text[:10]+"\n"+text[10:], text+"=", " "+text, strings.ToUpper(text), "null", "", "1",
		text[:len(text)/2]+other[len(text)/2:], base64.RawURLEncoding.EncodeToString(make([]byte, len(raw))),
		strings.Repeat("A", 1<<20))
	for _, f := range forged {
		if got, err := s.Open(mine, f); err != ErrNotValid || got != nil {
			t.Fatalf("%.60q was opened: %q, %v", f, got, err)
		}
	}
}

// A cursor tells nothing of what is in it: not by its length, and not by being equal to another one.
func TestCursorTellsNothing(t *testing.T) {
	s := sealer(t, nil)
	short, long := seal(t, s, mine, nil), seal(t, s, mine, make([]byte, 126))
	if len(short) != len(long) {
		t.Errorf("cursors of 0 and 126 bytes have %d and %d characters", len(short), len(long))
	}
	if again := seal(t, s, mine, nil); again == short {
		t.Error("two cursors of one position are equal")
	}
	if text := seal(t, s, mine, []byte("a hidden value")); strings.Contains(text, base64.RawURLEncoding.EncodeToString([]byte("a hidden value"))[:8]) {
		t.Error("the value stands in the cursor")
	}
	lengths := map[int]bool{}
	for n := range MaxPosition + 1 {
		lengths[len(seal(t, s, mine, make([]byte, n)))] = true
	}
	if len(lengths) != len(buckets) {
		t.Errorf("cursors have %d lengths", len(lengths))
	}
}

func FuzzOpen(f *testing.F) {
	s := sealer(f, []byte("fixed"))
	own := seal(f, s, mine, []byte("here"))
	f.Add("")
	f.Add(own)
	f.Add(own[1:])
	f.Add(strings.Repeat("A", len(own)))
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := s.Open(mine, text); err == nil && (text != own || string(got) != "here") {
			t.Errorf("%q was opened: %q", text, got)
		}
		if got, err := s.Open(theirs, text); err == nil {
			t.Errorf("%q was opened for another use: %q", text, got)
		}
	})
}
