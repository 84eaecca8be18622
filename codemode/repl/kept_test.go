package repl

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// A terminal keeps what it shows of a run, however much that sent: no message, and a bounded part of its queries. It says how
// many it does not show.
func TestKeptIsBounded(t *testing.T) {
	var k screen.Kept
	for i := range uint64(500) {
		k.Add(exo.Entry{Step: exo.Intent, Call: i + 1, Op: "tickets.count", Message: []byte("m"), Constants: []exo.Constant{{Value: []byte("v")}}}, value.Label{})
		k.Add(exo.Entry{Step: exo.Outcome, Call: i + 1, Op: "tickets.count", Pos: fail.Pos{Line: 2}, Message: []byte("m"), Err: &fail.Error{Kind: fail.Denied, Err: errors.New(strings.Repeat("x", 100))},
			Details: []any{exosql.Query{SQL: "SELECT 1", Args: []value.Value{value.Text(fmt.Sprint(i) + strings.Repeat("x", 200_000))}, Took: time.Millisecond}}}, value.Label{})
	}
	n, took := k.Asked()
	if n != 500 || took != 500*time.Millisecond || k.Bytes > screen.MaxKept || len(k.Queries) != 20 || len(k.Events) != 500 {
		t.Errorf("%d queries in %v, %d kept of %d bytes; %d events", n, took, len(k.Queries), k.Bytes, len(k.Events))
	}
	for _, e := range k.Events {
		if e.Message != nil || e.Constants != nil || e.Details != nil || errors.Unwrap(e.Err) != nil || e.Op == "" || e.Pos.Line != 2 {
			t.Fatalf("%+v", e)
		}
	}
	if got := (screen.Screen{}).Unfolded(&k); !strings.HasSuffix(got, "480 of the queries are not shown: a terminal keeps 4 MiB of them; .trace on writes each\n") {
		t.Errorf("%.300q", got[max(0, len(got)-300):])
	}
	few := screen.Kept{}
	few.Add(exo.Entry{Step: exo.Outcome, Call: 1, Details: []any{exosql.Query{SQL: "SELECT 1"}}}, value.Label{})
	if got := (screen.Screen{}).Unfolded(&few); strings.Contains(got, "not shown") || !strings.Contains(got, "SELECT 1") {
		t.Error(got)
	}
}

// A terminal that is open for long keeps the last lines that were typed.
func TestHistoryOfALongSession(t *testing.T) {
	h := &history{}
	for i := range 3 * maxEntries {
		if err := h.add(fmt.Sprint("line ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.entries); n != maxEntries || h.entries[n-1] != fmt.Sprint("line ", 3*maxEntries-1) {
		t.Errorf("%d lines, the last %q", n, h.entries[n-1])
	}
}

// TestKeptOfASecret: of the call by which a program read what its result may not carry its statement is kept, and nothing of how it went; of
// those after it nothing. Where it may carry that, all is kept.
func TestKeptOfASecret(t *testing.T) {
	pii := value.NewLabel("pii")
	for _, admits := range []value.Label{{}, pii} {
		var k screen.Kept
		for call := uint64(1); call <= 3; call++ {
			var label value.Label
			if call > 1 {
				label = pii
			}
			k.Add(exo.Entry{Step: exo.Intent, Call: call, Label: label}, admits)
			k.Add(exo.Entry{Step: exo.Outcome, Call: call, Label: label, Details: []any{exosql.Query{SQL: "SELECT 1", Args: []value.Value{value.Text("ann@one")}, Rows: 7}}}, admits)
		}
		var got string
		for _, q := range k.Queries {
			got += fmt.Sprint(q.Rows, ",", len(q.Args), " ")
		}
		for _, e := range k.Events {
			got += fmt.Sprint("call ", e.Call, " ")
		}
		if want := map[bool]string{true: "7,1 -1,0 call 1 ", false: "7,1 7,1 7,1 call 1 call 2 call 3 "}[admits.Empty()]; got != want {
			t.Errorf("%v: %q, want %q", admits, got, want)
		}
	}
}
