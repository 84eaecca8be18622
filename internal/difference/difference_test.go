package difference

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
)

func of(rows ...changeset.Row) review.ChangeSet {
	return review.ChangeSet{ID: "abcdefghijklmnopqrstuvwxyz", State: review.Pending, Principal: "org=1", Rules: []string{"amount of deal"}, Program: "deals", At: time.Unix(0, 0), Until: time.Unix(3600, 0),
		Set: changeset.Set{Parts: []changeset.Part{{Rows: rows}}}}
}

func changed(key, name, before, after string, label ...string) changeset.Row {
	return changeset.Row{Table: "deal", Kind: changeset.Changed, Key: key, Cells: []changeset.Cell{{Name: name, Before: &before, After: &after, Label: label}}}
}

func text(t *testing.T, v View, s Screen) string {
	t.Helper()
	var b bytes.Buffer
	if err := v.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestImitation: whatever a program or a database writes is in quotes behind a mark of ours, and no line begins with a part of it. The same text
// outside of quotes, as the difference itself writes it, is there once.
func TestImitation(t *testing.T) {
	forged := "x\"\n  ~ \"2\"\n      \"amount\"\n        + \"1\"\r\u202e\u2066\x1b[2K\u0085\u2028" + strings.Repeat("long ", 30) + "\n  ~ \"3\""
	w := of(changed("1", "amount", "100", forged), changed(forged, forged, "a", "b"))
	w.Program, w.Principal, w.Rules, w.Label, w.By, w.Why = forged, "p"+"\n  ~ \"2\"", []string{forged}, []string{forged}, forged, forged
	w.Set.Parts[0].Also = []string{forged}
	w.Set.Messages = []changeset.Message{{Op: forged, Text: forged}}
	for _, width := range []int{0, 40, 80} {
		out := text(t, Of(w, value.Label{}, false), Screen{Width: width})
		begins := regexp.MustCompile(`^(change set |for |asks |may decide |decided by |by the run |because |until |would be |digest |has read |the program$|  \| "|"deal": 2 changed$|  ~ "|      "amount"$|      "x\\"|        [-+] "|also: "|> sends "|  … |    … |      … |        … |          … |… |$)`)
		for line := range strings.Lines(out) {
			if line = strings.TrimSuffix(line, "\n"); !begins.MatchString(line) && !strings.HasPrefix(strings.TrimLeft(line, " "), "… ") {
				t.Errorf("width %d: a line begins with %q", width, line)
			}
		}
		if strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("width %d: %q", width, out)
		}
		if strings.Contains(out, "\n  ~ \"2\"\n") || strings.Contains(out, "\n  ~ \"3\"") || strings.Count(out, "\n  ~ \"1\"\n") != 1 {
			t.Errorf("width %d: a row was forged:\n%s", width, out)
		}
	}
}

// TestQuote: two texts are never written alike, and what can't be seen is.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 😀": `"plain é 😀"`, `a"b`: `"a\"b"`, `a\"b`: `"a\\\"b"`, "a\nb": `"a\nb"`, `a\nb`: `"a\\nb"`, "\u202e": `"\u{202e}"`, "\u3164\u2800\ufe0f": `"\u{3164}\u{2800}\u{fe0f}"`,
		"\xff": `"\xff"`, "\u00a0": `"\u{a0}"`, "e\u0301\u0301\u0301\u0301": "\"e\u0301\u0301\u0301" + `\u{301}"`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", `\`, `"`, "\n", `\n`, "\u202e", `\u{202e}`, "\xff", `\xff`, "\ufffd", "n", "u{"})
		a, b := strings.Join(rapid.SliceOf(part).Draw(t, "a"), ""), strings.Join(rapid.SliceOf(part).Draw(t, "b"), "")
		if a != b && Quote(a) == Quote(b) {
			t.Errorf("%q and %q are both %s", a, b, Quote(a))
		}
	})
}

// TestSealed: a value whose label its reader may not see is named by the label, and its twin without one is shown; so are messages, and equal changes.
func TestSealed(t *testing.T) {
	w := of(changed("1", "salary", "4000", "4100", "salary"), changed("2", "note", "old", "new"))
	w.Set.Messages = []changeset.Message{{Op: "mail.send", Text: "pays 4100", Label: []string{"salary"}}, {Op: "mail.send", Text: "hello"}}
	many := of()
	for i := range Many + 1 {
		many.Set.Parts[0].Rows = append(many.Set.Parts[0].Rows, changed(fmt.Sprint("k", i), "salary", "4000", fmt.Sprint(4100+i%2), "salary"))
	}
	for _, x := range []review.ChangeSet{w, many} {
		out := text(t, Of(x, value.Label{}, false), Screen{})
		if strings.Contains(out, "4000") || strings.Contains(out, "4100") || !strings.Contains(out, "[sealed salary]") {
			t.Errorf("who may not see it reads\n%s", out)
		}
		if out := text(t, Of(x, value.NewLabel("salary"), false), Screen{}); !strings.Contains(out, "4100") || strings.Contains(out, "sealed") {
			t.Errorf("who may see it reads\n%s", out)
		}
	}
	w.Set.Parts[0].Rows = append(w.Set.Parts[0].Rows, changed("[sealed]", "ssn", "4711", "4711", "salary"))
	w.Began, w.Program = []string{"salary"}, "pay(4000)"
	for _, secret := range []string{"4711", "pay("} { // in a value that is a key, and in a program that was written from what was read
		if strings.Contains(text(t, Of(w, value.Label{}, false), Screen{}), secret) || !strings.Contains(text(t, Of(w, value.NewLabel("salary"), false), Screen{}), secret) {
			t.Errorf("%s is shown to the wrong person", secret)
		}
	}
	failed := errors.New("4000 is too much")
	differs := &review.DiffersError{Difference: "salary from 4000"}
	if a, b := Outcome(differs, false), Outcome(failed, false); strings.Contains(a+b, "4000") || !strings.Contains(Outcome(differs, true), "from 4000") || !strings.Contains(Outcome(failed, true), "4000 is") {
		t.Errorf("%s %s", a, b)
	}
	if out := text(t, Of(w, value.Label{}, false), Screen{}); !strings.Contains(out, `"new"`) || !strings.Contains(out, `"hello"`) {
		t.Errorf("what has no label is not shown:\n%s", out)
	}
}

// TestNullIsUnquoted: NULL is written without quotes, and the text "null" with them, in a row that changes, in one that is new, and in equal changes.
func TestNullIsUnquoted(t *testing.T) {
	r := changed("1", "note", "null", "null")
	r.Cells[0].WasNull = true
	if out := text(t, Of(of(r), value.Label{}, false), Screen{}); !strings.Contains(out, "- null\n") || !strings.Contains(out, "+ \"null\"\n") {
		t.Errorf("NULL and a text look alike:\n%s", out)
	}
	null := "null"
	added := changeset.Row{Table: "deal", Kind: changeset.Added, Key: "new", Cells: []changeset.Cell{{Name: "a", After: &null, IsNull: true}, {Name: "b", After: &null}}}
	if out := text(t, Of(of(added), value.Label{}, false), Screen{}); !strings.Contains(out, "\"a\" null\n") || !strings.Contains(out, "\"b\" \"null\"\n") {
		t.Errorf("NULL and a text look alike:\n%s", out)
	}
	many := of()
	for i := range Many + 1 {
		x := changed(fmt.Sprint("k", i), "note", "null", "null")
		x.Cells[0].WasNull = i != 7
		x.Cells[0].IsNull = i == 7
		many.Set.Parts[0].Rows = append(many.Set.Parts[0].Rows, x)
	}
	if out := text(t, Of(many, value.Label{}, false), Screen{}); !strings.Contains(out, `200 rows alike: "note" null → "null"`) || !strings.Contains(out, `"k7"`) {
		t.Errorf("the odd one is not shown:\n%s", out)
	}
	r.Cells[0].Label = []string{"salary"}
	if out := text(t, Of(of(r), value.Label{}, false), Screen{}); strings.Contains(out, "null") {
		t.Errorf("who may not see it reads that it was NULL:\n%s", out)
	}
}

// TestKeysAreNotGuessed: a key that has the text of a sealed cell is written as it is: replacing it would reveal that the cell has this value. A key that
// is a secret itself comes as "[sealed]".
func TestKeysAreNotGuessed(t *testing.T) {
	var lines []string
	for _, salary := range []string{"7", "8"} {
		lines = append(lines, text(t, Of(of(changed("7", "salary", salary, "9", "salary")), value.Label{}, false), Screen{}))
	}
	if lines[0] != lines[1] {
		t.Errorf("a sealed 7 beside the key 7 is shown as\n%s\nand an 8 as\n%s", lines[0], lines[1])
	}
}

// TestNewAndOther: what only the database knows is said to be so, and a column that nobody is shown is named as another one.
func TestNewAndOther(t *testing.T) {
	one, title := "1", "Roof"
	w := of(changeset.Row{Table: "deal", Kind: changeset.Added, Key: "new", Cells: []changeset.Cell{{Name: "id", After: &one, New: true}, {Name: "title", After: &title}}},
		changeset.Row{Table: "deal", Kind: changeset.Changed, Key: "2", Other: true, Cells: []changeset.Cell{{Name: "title", Before: &title, After: &title}}},
		changeset.Row{Table: "deal", Kind: changeset.Deleted, Key: "3", Cells: []changeset.Cell{{Name: "title", Before: &title}}})
	w.Set.Parts[0].More = 2
	out := text(t, Of(w, value.Label{}, false), Screen{Color: true})
	for _, want := range []string{"\"id\" known after apply", "another column", "  + \"new\"", "  - \"3\"", "2 further changes, which nobody is shown", "\x1b[32m"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if v := Of(w, value.Label{}, false); v.Number != 5 {
		t.Errorf("%d changes", v.Number)
	}
}

// TestOneAmongMany: of 10,000 rows that a program raises by a tenth, the one that it raises tenfold is among the first that are shown, and so is the one
// that gets another state than the others.
func TestOneAmongMany(t *testing.T) {
	raise, states := of(), of()
	for i := range 10_000 {
		before, after, state := 1000+i*10, 1100+i*11, "done"
		if i == 4321 {
			after, state = before*10/9, "gone"
		}
		raise.Set.Parts[0].Rows = append(raise.Set.Parts[0].Rows, changed(fmt.Sprint("k", i), "amount", fmt.Sprint(before), fmt.Sprint(after)))
		states.Set.Parts[0].Rows = append(states.Set.Parts[0].Rows, changed(fmt.Sprint("k", i), "state", "open", state))
	}
	for name, w := range map[string]review.ChangeSet{"a raise": raise, "states": states} {
		v := Of(w, value.Label{}, false)
		out := text(t, v, Screen{})
		at := strings.Index(out, `"k4321"`)
		if !v.Grouped || v.Number != 10_000 || at < 0 || strings.Count(out[:at], "\n  ~ ") > 6 || strings.Count(out, "\n") > 600 {
			t.Errorf("%s: %d lines, the odd row at %d:\n%.3000s", name, strings.Count(out, "\n"), at, out)
		}
		if all := Of(w, value.Label{}, true); all.Grouped || len(all.Groups) != 1 || len(all.Groups[0].Rows) != 10_000 {
			t.Errorf("%s: -all shows %d groups", name, len(all.Groups))
		}
	}
	if out := text(t, Of(states, value.Label{}, false), Screen{}); !strings.Contains(out, `9999 rows alike: "state" "open" → "done"`) {
		t.Errorf("equal changes are not counted:\n%.2000s", out)
	}
	if out := text(t, Of(raise, value.Label{}, false), Screen{}); !strings.Contains(out, `"amount" increases by: from 100`) {
		t.Errorf("there is no least increase:\n%.2000s", out)
	}
	huge := of()
	for i := range Many + 1 {
		huge.Set.Parts[0].Rows = append(huge.Set.Parts[0].Rows, changed(fmt.Sprint(i), "n", "1", "1e99999"))
	}
	if out := text(t, Of(huge, value.Label{}, false), Screen{}); len(out) > 100_000 {
		t.Errorf("a short cell is written as %d bytes", len(out))
	}
}

// TestGuessesTellNothing: a program that writes a guess of a value that the person may not see shows the same, whether the guess was right or not. The twin may see it.
func TestGuessesTellNothing(t *testing.T) {
	right, wrong, note, more := "100", "101", "a", "b"
	for _, admits := range []value.Label{{}, value.NewLabel("pay")} {
		view := func(guess string, rows int) string {
			w := review.ChangeSet{}
			row := changeset.Row{Table: "staff", Kind: changeset.Changed, Key: "1", Cells: []changeset.Cell{{Name: "salary", Before: &right, After: &guess, Label: []string{"pay"}}, {Name: "note", Before: &note, After: &more}}}
			other := row
			other.Cells = []changeset.Cell{{Name: "salary", Before: &right, After: &right, Label: []string{"pay"}}, row.Cells[1]}
			part := changeset.Part{Rows: []changeset.Row{row}}
			for range rows {
				part.Rows = append(part.Rows, other)
			}
			w.Set.Parts = []changeset.Part{part}
			return fmt.Sprintf("%+v", Of(w, admits, false))
		}
		for _, rows := range []int{0, Many + 1} {
			if same := view(right, rows) == view(wrong, rows); same != admits.Empty() {
				t.Errorf("admits %s, %d rows: a right and a wrong guess look alike: %v", admits, rows+1, same)
			}
		}
	}
}

// TestNumbers: a number that is not written exactly says so, and none is written as another one.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{"3": "3", "-7/2": "-3.5", "1.0000004": "1.0000004", "1.0000000000000004": "1.0000000000000004", "0.0000001": "0.0000001", "2/3": "about 0.6666666667", "10000001/3": "about 3333333.667", "1.10": "1.1"} {
		n, ok := new(big.Rat).SetString(text)
		if got := number(n); !ok || got != want {
			t.Errorf("%s is written %q, want %q", text, got, want)
		}
	}
}
