package writes_test

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const fullDiskChild = "EXO_FULL_DISK"

// TestFullDisk: a program whose changes find no place on the disk is told so and leaves nothing, and the next one works. The
// disk is that of a child, whose files may not grow.
func TestFullDisk(t *testing.T) {
	if path := os.Getenv(fullDiskChild); path != "" {
		fillDisk(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "x.db")
	e := tu.SQLite
	e.OpenURL(t, "sqlite:"+path, &exosql.OpenOptions{Setup: e.Exec("PRAGMA journal_mode = WAL", strings.ReplaceAll(kit.JobsDDL, "{serial}", "INTEGER PRIMARY KEY"), kit.JobsRows)})
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), fullDiskChild+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "it was full") {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := kit.LookAtJobs(t, e, "sqlite:"+path, kit.Jobs); got != strings.Replace(kit.JobsBefore, "2|1|b|done|-|-", "2|1|b|done|7|-", 1) {
		t.Errorf("it leaves %s", got)
	}
	if got := kit.LookAtJobs(t, e, "sqlite:"+path, "PRAGMA integrity_check"); got != "ok" {
		t.Error(got)
	}
}

func fillDisk(t *testing.T, path string) {
	signal.Ignore(syscall.SIGXFSZ) // of a write beyond the limit there is an error, too
	db, err := exosql.Open(t.Context(), "sqlite:"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tool := wrTool(t, db, 1)
	if r := tool.Run(t.Context(), `return jobs.count()`); r.Err != nil {
		t.Fatal(r.Err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	less := limit
	less.Cur = 256 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less); err != nil {
		t.Fatal(err)
	}
	r := tool.Run(context.Background(), `await jobs.where({ id: 2 }).update({ points: 9 }); return jobs.insertMany(Array.from({ length: 2000 }, (_, i) => ({ title: "a job of some length, so that it takes its place on the disk".repeat(10) + i })))`)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if r.Err == nil || fail.KindOf(r.Err) == 0 {
		t.Fatalf("it is told %v", r.Err)
	}
	for _, x := range r.Effects {
		if x.State != exo.StateRolledBack {
			t.Errorf("it is told %v: %+v", r.Err, x)
		}
	}
	if r := tool.Run(context.Background(), `return jobs.where({ id: 2 }).update({ points: 7 })`); r.Err != nil {
		t.Fatal(r.Err)
	}
	t.Logf("it was full: %v", r.Err)
}
