package recordcmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/cli"
)

// TestTailAndShow: the runs of a file and of a folder, with its identity and without, are listed and shown, and no text of a program makes a line.
func TestTailAndShow(t *testing.T) {
	m := makeLog(t)
	folder, identity, file, inFolder := m.log, m.identity, filepath.Join(t.TempDir(), "record"), m.open(t)
	inFile, err := record.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	read, changed, open := exo.NewRunID(), exo.NewRunID(), exo.NewRunID()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	forged := "done\n2026-01-31 12:00:00  forged"
	for i, e := range []exo.Entry{
		{RunID: read, Step: exo.Begun, Start: &exo.Start{Principal: exo.Principal("ann" + forged), Program: "return orders.count()\n// " + forged, Module: "v1.2.3 " + forged, Encoding: 7}},
		{RunID: read, Step: exo.Outcome, Call: 1, Op: "orders.count", Rows: 1, Label: value.NewLabel("pii"), Details: []any{map[string]string{"sql": "SELECT count(*) FROM \"public\".\"orders\"" + forged}}},
		{RunID: read, Step: exo.Ended, Err: errors.New("it threw " + forged)},
		{RunID: changed, Step: exo.Begun, Start: &exo.Start{Principal: "bob"}},
		{RunID: changed, Step: exo.Outcome, Call: 1, Op: "todos.where(…).update", Effect: message.InUnit, State: exo.StateHeld},
		{RunID: changed, Step: exo.Committed, State: exo.StateApplied},
		{RunID: changed, Step: exo.Ended},
		{RunID: open, Step: exo.Begun, Start: &exo.Start{Principal: "eve"}},
	} {
		e.At = at.Add(time.Duration(i) * time.Second)
		for _, to := range []exo.Recorder{inFolder, inFile} {
			if err := to.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(inFolder.Close(), inFile.Close()); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{{file}, {"-identity", identity, folder}, {folder}} {
		sealed := len(from) == 1 && from[0] == folder
		for _, c := range []struct {
			flags []string
			want  []exo.RunID
		}{
			{nil, []exo.RunID{read, changed, open}}, {[]string{"-n", "2"}, []exo.RunID{changed, open}}, {[]string{"-changed"}, []exo.RunID{changed}}, {[]string{"-failed"}, []exo.RunID{read}},
			{[]string{"-since", "2026-02-01"}, nil}, {[]string{"-since", "2026-01-31", "-n", "1"}, []exo.RunID{open}},
			{[]string{"-principal", "bob"}, []exo.RunID{changed}}, {[]string{"-object", "orders"}, []exo.RunID{read}}, {[]string{"-label", "pii"}, []exo.RunID{read}},
			{[]string{"-table", "orders"}, []exo.RunID{read}}, {[]string{"-table", "public.orders"}, []exo.RunID{read}}, {[]string{"-table", "order"}, nil},
			{[]string{"-effect", "todos.update"}, []exo.RunID{changed}}, {[]string{"-effect", "orders.count"}, nil}, {[]string{"-effect", "todos.delete"}, nil},
		} {
			if sealed && len(c.flags) > 0 && strings.Contains("-principal-object-label-table-effect", c.flags[0]) {
				c.want = nil
			}
			code, out := run(t, append(append([]string{"tail"}, c.flags...), from...)...)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if c.want == nil && out == "" {
				lines = nil
			}
			if code != 0 || len(lines) != len(c.want) {
				t.Errorf("%v of %v: %d\n%s", c.flags, from, code, out)
				continue
			}
			for i, id := range c.want {
				if !strings.Contains(lines[i], id.String()) {
					t.Errorf("%v of %v: line %d is %s", c.flags, from, i, lines[i])
				}
			}
		}
		code, out := run(t, append(append([]string{"show"}, from...), read.String())...)
		for _, want := range []string{"1000.0 ms  outcome", "2000.0 ms  ended"} {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("show of %v has no %q: %d\n%s", from, want, code, out)
			}
		}
		for _, secret := range []string{"| return orders.count()", "#1 orders.count", "SELECT count(*)", "it threw", "label: {pii}", "exoagent v1.2.3", "encoding 7"} {
			if strings.Contains(out, secret) == sealed {
				t.Errorf("show of %v: %q\n%s", from, secret, out)
			}
		}
		if strings.Contains(out, "\n2026") || sealed != strings.Contains(out, "add -identity FILE") {
			t.Errorf("show of %v: %s", from, out)
		}
	}
	if code, out := run(t, "erase", "-key", m.key, folder, read.String()); code != 0 {
		t.Fatal(out)
	}
	if code, out := run(t, "show", "-identity", identity, folder, read.String()); code != 0 || strings.Contains(out, "orders") || !strings.Contains(out, "was erased") {
		t.Errorf("%d %s", code, out)
	}
	if code, out := run(t, "tail", "-identity", identity, folder); code != 0 || !strings.Contains(out, "(erased)") || !strings.Contains(out, "bob") {
		t.Errorf("%d %s", code, out)
	}
	for _, c := range [][]string{{"tail", "-n", "0", file}, {"tail", "-since", "yesterday", file}, {"tail", "-identity", identity, file}, {"show", file, "0f3a"}} {
		if code, out := run(t, c...); code != cli.ExitUsage {
			t.Errorf("%v: %d %s", c, code, out)
		}
	}
	if code, _ := run(t, "show", file, exo.NewRunID().String()); code != cli.ExitCannot {
		t.Error("a run that is not there is shown")
	}
	if err := os.WriteFile(file, []byte("no record\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _ := run(t, "tail", file); code != cli.ExitCannot {
		t.Error("a file that is no record is listed")
	}
}
