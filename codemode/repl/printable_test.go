package repl

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/printable"
)

const turnedText = "\u009b31m\u202e\u2066\x1b[2J\x7f\U000e0041é😀\"\\"

// TestPrintableJSON: what is written as JSON has nothing that a terminal acts on,
// and means the same.
func TestPrintableJSON(t *testing.T) {
	for what, b := range map[string][]byte{"marshal": printable.Marshal(map[string]string{turnedText: turnedText}), "failure": failureJSON("x", turnedText, 1, 2)} {
		if i := bytes.IndexFunc(b, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: %q", what, b[i:])
		}
		if !strings.Contains(string(b), "é😀") {
			t.Errorf("%s: %s", what, b)
		}
	}
	raw, err := value.Text(turnedText).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(printable.JSON(raw), &got); err != nil || got != turnedText {
		t.Errorf("%q %v", got, err)
	}
}

// TestComplain: an error is somebody else's text.
func TestComplain(t *testing.T) {
	var out bytes.Buffer
	(&screen.Streams{Err: &out}).Complain("x", errors.New("a\n"+turnedText))
	if s := out.String(); !strings.HasPrefix(s, "x: a\n"+`\u009b31m\u202e`) || strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		t.Errorf("%q", s)
	}
}

// TestWidthOfClusters: a cell takes no more columns than it is given, whatever
// Unicode makes one character of.
func TestWidthOfClusters(t *testing.T) {
	jamo := strings.Repeat("ᄀ", 37)
	if w := printable.Width(printable.OneLine(jamo)); w < 2*printable.MaxCluster {
		t.Errorf("a run of jamo has width %d", w)
	}
	if w := printable.Width(jamo); w != 74 {
		t.Errorf("37 jamo have width %d, want 74", w)
	}
	if s := printable.Cut(jamo, 10); printable.Width(s) > 10 || s == "" {
		t.Errorf("cut to 10: %q", s)
	}
	for _, s := range []string{"a" + strings.Repeat("\u0301", 500), "😀" + strings.Repeat("ः", 500), jamo} {
		if got := printable.OneLine(s); len([]rune(got)) > printable.MaxCluster+1 || !strings.HasSuffix(got, "…") {
			t.Errorf("%d runes of %d in one cluster", len([]rune(got)), len([]rune(s)))
		}
	}
	for s, want := range map[string]int{"e\u0301a": 2, "한국": 4, "\u1112\u1161\u11ab": 2, "👨‍👩‍👧": 2, "🇩🇪": 2, "abc": 3, "用户": 4} {
		if got := printable.Width(s); got != want {
			t.Errorf("%q has width %d, want %d", s, got, want)
		}
	}
	if s := "नमस्ते e\u0301 👨‍👩‍👧‍👦 한국어"; strings.Contains(printable.OneLine(s), "…") {
		t.Errorf("%q lost something: %q", s, printable.OneLine(s))
	}
}
