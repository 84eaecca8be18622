package review

// This file shows what the text of a conflict tells of labelled values: nothing.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/changeset"
)

// TestConflictSealsLabels: whoever agrees reads what differs, and may not be one who sees a labelled value. The twin has no label.
func TestConflictSealsLabels(t *testing.T) {
	one, two, three := "111", "222", "333"
	for _, label := range [][]string{{"pay"}, nil} {
		set := func(before, after, known string) changeset.Set {
			row := changeset.Row{Table: "staff", Kind: changeset.Changed, Key: "1", Cells: []changeset.Cell{{Name: "salary", Before: &before, After: &after, Label: label}, {Name: "note", Before: &one, After: &known}}}
			return changeset.Set{Parts: []changeset.Part{{Rows: []changeset.Row{row}, Known: []byte(before + after + known)}}}
		}
		said := difference(set(two, two, "a"), set(three, two, "b"))
		if hidden := !strings.Contains(said, two) && !strings.Contains(said, three); hidden != (label != nil) || !strings.Contains(said, `note from "111" to "b"`) {
			t.Errorf("labelled %v: %s", label, said)
		}
		if said := difference(set(two, two, "a"), set(two, three, "a")); label != nil && strings.Contains(said, three) {
			t.Error(said)
		}
		mail := func(text string) changeset.Set {
			return changeset.Set{Messages: []changeset.Message{{Op: "mail.send", Text: text, Label: label}}}
		}
		if said := difference(mail("send 222"), mail("send 333")); strings.Contains(said, "333") != (label == nil) {
			t.Errorf("labelled %v: %s", label, said)
		}
	}
}
