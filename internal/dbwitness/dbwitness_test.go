package dbwitness

import (
	"strings"
	"testing"
	"time"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestForgetsNothing: the table keeps the checkpoint with the most entries, of each log, whatever comes in which order, also by statements that Keep does
// not send. The twin, without the trigger, forgets.
func TestForgetsNothing(t *testing.T) {
	url := tu.Postgres.URL(t)
	t.Setenv("EXO_TEST_WITNESS", url)
	w, err := Open("env:EXO_TEST_WITNESS", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	has := func(want string, size int64) {
		t.Helper()
		if text, n, err := w.Newest("a"); text != want || n != size || err != nil {
			t.Errorf("%q, %d, %v; want %q, %d", text, n, err, want, size)
		}
	}
	for range 2 { // the second log finds the table
		if err := w.Create(); err != nil {
			t.Fatal(err)
		}
	}
	has("", 0)
	for _, n := range []int64{0, 7, 9, 8, 9} {
		if err := w.Keep("a", strings.Repeat("x", int(n)), n); err != nil {
			t.Error(err)
		}
	}
	if err := w.Keep("b", "other", 2); err != nil {
		t.Error(err)
	}
	has("xxxxxxxxx", 9)
	admin := tu.Admin(t, url)
	for _, text := range []string{"UPDATE exo_record_witness SET size = 8", "UPDATE exo_record_witness SET checkpoint = 'y'", "UPDATE exo_record_witness SET size = 10, origin = origin || 'z'"} {
		if _, err := admin.Exec(text); err == nil || !strings.Contains(err.Error(), "forgets nothing") {
			t.Errorf("%s: %v", text, err)
		}
	}
	has("xxxxxxxxx", 9)
	if _, err := admin.Exec("ALTER TABLE exo_record_witness DISABLE TRIGGER ALL; UPDATE exo_record_witness SET size = 8"); err != nil {
		t.Fatal(err)
	}
	has("xxxxxxxxx", 8) // the twin
}
