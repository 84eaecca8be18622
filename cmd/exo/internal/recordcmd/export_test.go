package recordcmd

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
)

// TestExport: each entry is one line of JSON, which is read back as the entry that was recorded, whatever a program has written. Without the identity,
// and after an erasing, a line has only what the log shows.
func TestExport(t *testing.T) {
	m := makeLog(t)
	f := m.open(t)
	hostile := "x\n{\"step\":\"ended\"}\r\x1b[2J\u009b\u202e\u2028\U000e0001\x00\xff<&>\"\\"
	id, at := exo.NewRunID(), time.Date(2026, 1, 31, 12, 0, 0, 7, time.UTC)
	path := filepath.Join(t.TempDir(), "record")
	file, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded := []exo.Entry{
		{Step: exo.Begun, Start: &exo.Start{Principal: exo.Principal(hostile), Program: hostile, Label: value.NewLabel("pii"), Clock: at, Seed: 1 << 63, Zone: "UTC", Bounds: map[string]int64{"CPU": 1}}},
		{Step: exo.Intent, Call: 1, Op: hostile, Effect: message.InUnit, Message: []byte{0, 1}, Constants: []exo.Constant{{Node: 1, Bytes: 2, Value: []byte{3}}}},
		{Step: exo.Outcome, Call: 1, Op: "orders.where", Rows: 2, Took: time.Second, Label: value.NewLabel("pii"), Details: []any{exosql.Query{SQL: `SELECT "a" < 1 -- ` + strings.ToValidUTF8(strings.ReplaceAll(hostile, "\x00", ""), ""), Args: []value.Value{value.Text("<b>"), value.Int(1 << 62)}}, map[string]string{"x": strings.Repeat("<", 900<<10/6)}}},
		{Step: exo.Committing, Prepared: &exo.Prepared{Changed: 1, Witnessed: 1}},
		{Step: exo.Ended, Err: errors.New(hostile)},
	}
	for _, e := range recorded {
		e.RunID, e.At = id, at
		if err := errors.Join(f.Record(t.Context(), e), file.Record(t.Context(), e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	erased := m.add(t, "bob", true)
	if code, out := run(t, "erase", "-key", m.key, m.log, erased.String()); code != 0 {
		t.Fatal(out)
	}
	first := regexp.MustCompile(`^\{"number":(\d+),("closed":"[a-z]+",)?`)
	want := map[string][]string{"": {"", "", "", "", ""}, "folder": {"", "", "", "", "", "erased", "erased", "erased"}, "sealed": {"encrypted", "encrypted", "encrypted", "encrypted", "encrypted", "encrypted", "encrypted", "encrypted"}}
	for kind, args := range map[string][]string{"": {path}, "folder": {"-identity", m.identity, m.log}, "sealed": {m.log}} {
		code, out := run(t, append([]string{"export"}, args...)...)
		if code != 0 || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
			t.Errorf("%s: %d %.3000q", kind, code, out)
		}
		var lines strings.Builder
		var own []string
		n := 0
		for line := range strings.Lines(out) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatalf("%s: %v %s", kind, err, line)
			}
			if kind != "" && fields["number"] == nil || strings.HasPrefix(kind, "sealed") && (strings.Contains(line, "orders") || strings.Contains(line, "pii")) {
				t.Errorf("%s: %s", kind, line)
			}
			if fields["run"] == nil {
				own = append(own, line)
				continue
			}
			if closed, _ := fields["closed"].(string); n >= len(want[kind]) || closed != want[kind][n] {
				t.Errorf("%s: entry %d is %q", kind, n, closed)
			}
			if n++; fields["closed"] == nil {
				lines.WriteString(first.ReplaceAllString(line, "{"))
			}
		}
		if kind != "" && (len(own) != 1 || !strings.Contains(own[0], `"step":"erased"`) || !strings.Contains(own[0], `"of":"`+erased.String()+`"`)) || n != len(want[kind]) {
			t.Errorf("%s: %d entries, and of the log %q", kind, n, own)
		}
		if kind == "sealed" {
			continue
		}
		var has []exo.Entry
		text, err := os.ReadFile(path)
		for e, err2 := range record.Read(strings.NewReader(string(text))) {
			has, err = append(has, e), errors.Join(err, err2)
		}
		i := 0
		for e, err2 := range record.Read(strings.NewReader(lines.String())) {
			if err = errors.Join(err, err2); i >= len(has) || !reflect.DeepEqual(e, has[i]) {
				t.Errorf("%s: entry %d is\n%+v, and was\n%+v", kind, i, e, has[min(i, len(has)-1)])
			}
			i++
		}
		if err != nil || i != len(recorded) {
			t.Errorf("%s: %d entries are read back, %v", kind, i, err)
		}
	}
	if code, _ := run(t, "export", filepath.Join(t.TempDir(), "gone")); code != cli.ExitCannot {
		t.Error("what is not there is exported")
	}
}

// TestVerifyCodes: a watch tells a change, which has code 1, from a run that is still open, which has code 4; both together are a change.
func TestVerifyCodes(t *testing.T) {
	m := makeLog(t)
	about, err := os.ReadFile(filepath.Join(m.log, "log.json"))
	if err != nil {
		t.Fatal(err)
	}
	public := regexp.MustCompile(`"key": "([^"]+)"`).FindStringSubmatch(string(about))[1]
	verify := func(want int, when string, more ...string) {
		t.Helper()
		if code, out := run(t, append(append([]string{"verify", "-key", public}, more...), m.log)...); code != want {
			t.Errorf("%s: code %d, want %d\n%s", when, code, want, out)
		}
	}
	m.add(t, "ann", true)
	verify(0, "all is whole")
	m.add(t, "ann", false)
	verify(exitOpen, "a run is open")
	verify(cli.ExitFound, "a run is open, and the witness is gone", "-witness", filepath.Join(t.TempDir(), "gone"))
	segments, _ := filepath.Glob(filepath.Join(m.log, "*.jsonl"))
	text, _ := os.ReadFile(segments[0])
	if err := os.WriteFile(segments[0], []byte(strings.Replace(string(text), `"step":"ended"`, `"step":"ender"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	verify(cli.ExitFound, "a run is open, and a line is changed")
}

// TestExportOfTheLog: the log's own entry after a process that left entries unsigned has how many they were.
func TestExportOfTheLog(t *testing.T) {
	own := record.Logged{Leaf: tree.Leaf{Number: 3, Step: tree.Resumed, At: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Call: 2}}
	if line, err := own.AppendJSON(nil); err != nil || string(line) != `{"number":3,"step":"resumed","at":"2026-01-31T12:00:00Z","unsigned":2}`+"\n" {
		t.Errorf("%s %v", line, err)
	}
}
