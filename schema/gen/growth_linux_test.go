package gen_test

import (
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

// TestForeignKeysGrow: what compares and makes nothing shows in the processor's time of
// the thread alone, whatever else the machine does. Four times the foreign keys of one
// table took sixteen times as much: each looked at all others for its names, and the
// table that the facet starts from counted its links anew for each other table.
func TestForeignKeysGrow(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const thread = 1 // RUSAGE_THREAD
	cpu := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			t.Fatal(err)
		}
		return float64(u.Utime.Nano())
	}
	spent := func(n int) float64 {
		db, err := schema.ReadSQLite(t.Context(), openSQLite(t, "CREATE TABLE users (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY"+each(n, ", c%d int REFERENCES users")+");"+each(n, "CREATE TABLE t%d (id int);")))
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for range 3 {
			from := cpu()
			if _, err := gen.Declare(db, gen.Options{}); err != nil {
				t.Fatal(err)
			}
			best = min(best, cpu()-from)
		}
		return best
	}
	if one, four := spent(400), spent(1600); four > 9*one {
		t.Errorf("four times the foreign keys take %.1f times as long", four/one)
	}
}
