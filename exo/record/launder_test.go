package record

// This file erases a log that somebody changes, and settles runs whose settling was cut short.

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record/tree"
)

// TestKeepBelievesNoLine: who can write the folder gives a young run an old time while the host erases by age. Nothing is erased, and it is told.
func TestKeepBelievesNoLine(t *testing.T) {
	log := makeLog(t, t.TempDir())
	l := log.open(t)
	id := exo.NewRunID()
	for _, e := range []exo.Entry{{Step: exo.Begun, Start: &exo.Start{Program: "x"}}, {Step: exo.Ended}} {
		e.RunID, e.At = id, time.Now()
		if err := l.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	segments, _ := filepath.Glob(filepath.Join(log.dir, "*.jsonl"))
	if len(segments) != 1 {
		all, _ := os.ReadDir(log.dir)
		t.Fatal(segments, all)
	}
	text, _ := os.ReadFile(segments[0])
	year := []byte(`"at":"` + time.Now().UTC().Format("2006"))
	if err := os.WriteFile(segments[0], bytes.Replace(text, year, []byte(`"at":"1999`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	if err := l.Keep(24*time.Hour, func(err error) { told = append(told, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "the log was changed") {
		t.Errorf("%q", told)
	}
	for _, list := range []func() ([]UnsettledRun, error){l.Unsettled, func() ([]UnsettledRun, error) { return l.Unknown(nil) }} {
		if runs, err := list(); err == nil || !strings.Contains(err.Error(), "the log was changed") {
			t.Errorf("a line that nobody has signed is believed: %v %v", runs, err)
		}
	}
	text, _ = os.ReadFile(segments[0])
	if err := os.WriteFile(segments[0], bytes.Replace(text, []byte(`"at":"1999`), year, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if v, err := tree.Verify(tree.Dir(log.dir), log.public, ""); err != nil || !v.Intact() || v.Erased != 0 {
		t.Errorf("%+v %v", v, err)
	}
	if err := l.Keep(time.Hour, func(error) {}); err == nil {
		t.Error("a closed record is kept")
	}
}

// TestSettlingIsCutShort: what became known of a run after its end is recorded, and the process is killed before it says that the run has ended
// again. The run can be erased.
func TestSettlingIsCutShort(t *testing.T) {
	log := makeLog(t, t.TempDir())
	l := log.open(t)
	id := exo.NewRunID()
	for _, e := range []exo.Entry{
		{Step: exo.Begun, Start: &exo.Start{Program: "x"}}, {Step: exo.Acting, Call: 1, Op: "mail.send", Effect: message.Held},
		{Step: exo.Acted, Call: 1, Op: "mail.send", Effect: message.Held, State: exo.StateUnknown}, {Step: exo.Ended},
		{Step: exo.Acted, Call: 1, Op: "mail.send", Effect: message.Held, State: exo.StateApplied, Err: ErrAsked},
	} {
		e.RunID, e.At = id, time.Now()
		if err := l.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if n, _, err := l.in.Erase(time.Time{}, tree.Run(id)); n == 0 || err != nil {
		t.Error(n, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if v, err := tree.Verify(tree.Dir(log.dir), log.public, ""); err != nil || !v.Intact() || v.Erased != 1 || len(v.Unended) > 0 {
		t.Errorf("%+v %v", v, err)
	}
}

type panicking struct{}

func (panicking) Settle(context.Context, string, string) (exo.State, error) { panic("oh") }

// TestSettlerPanics: an object that panics leaves its call unknown, the other runs are settled, and nothing is recorded twice.
func TestSettlerPanics(t *testing.T) {
	var b bytes.Buffer
	l := New(&b)
	for range 2 {
		id := exo.NewRunID()
		for _, e := range []exo.Entry{{Step: exo.Begun, Start: &exo.Start{Program: "x"}}, {Step: exo.Acting, Call: 1, Op: "mail.send", Effect: message.Held}} {
			e.RunID, e.At = id, time.Now()
			if err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs, err := Unsettled(bytes.NewReader(b.Bytes()))
	if err != nil || len(runs) != 2 {
		t.Fatal(runs, err)
	}
	s := Settlers{Objects: map[string]Settler{"mail": panicking{}}}
	if err := s.Reconcile(t.Context(), l, runs); err == nil || strings.Count(err.Error(), "code panicked: oh") != 2 {
		t.Error(err)
	}
	lines := strings.Count(b.String(), "\n")
	if err := s.Reconcile(t.Context(), l, runs); err != nil || strings.Count(b.String(), "\n") != lines {
		t.Errorf("%d lines, then %d: %v", lines, strings.Count(b.String(), "\n"), err)
	}
	if left, err := Unsettled(bytes.NewReader(b.Bytes())); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
