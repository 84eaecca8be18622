package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSettledAtStart: run and serve complete the record of a run whose process was killed at its commit, by what the database knows.
// The twin without a witness does not guess.
func TestSettledAtStart(t *testing.T) {
	for _, c := range []struct {
		name, databases string
		kept            bool
		state           string
	}{
		{"it was kept", "{url: env:GRANTS_TEST_DB, witness: true}", true, `"state":"applied"`},
		{"it was not kept", "{url: env:GRANTS_TEST_DB, witness: true}", false, `"state":"rolledback"`},
		{"its table was made again", "{url: env:GRANTS_TEST_DB, witness: true}", false, `"state":"unknown"`},
		{"nobody knows", "{url: env:GRANTS_TEST_DB}", true, `"state":"unknown"`},
		{"another database may know, whose witness the file has no more", "{url: env:GRANTS_TEST_DB, witness: true}, other: {url: env:GRANTS_TEST_DB}", false, `"state":"unknown"`},
	} {
		for _, command := range []string{"run", "serve"} {
			t.Run(c.name+"/"+command, func(t *testing.T) {
				url, change := database(t, shop)
				change("INSERT INTO customers VALUES (1, 'ann');" + exosql.CreateWitness)
				if c.name != "its table was made again" {
					change("INSERT INTO exo_runs (run, kept, at_ms) VALUES ('forgotten', FALSE, 1)") // Open notes since when it knows the table
				}
				t.Setenv("GRANTS_TEST_DB", url)
				dir := t.TempDir()
				path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "runs.jsonl")
				file := strings.Replace(servedShop, "{shop: env:GRANTS_TEST_DB}", "{shop: "+c.databases+"}", 1)
				if strings.Contains(c.databases, "other") {
					file = strings.Replace(file, "    table: customers\n", "    database: shop\n    table: customers\n", 1) +
						"  order: {database: other, table: orders, scope: customer_id = $principal.customer, columns: [id, note], update: [note]}\n"
					file = strings.Replace(file, "{me: customer}", "{me: customer, orders: order}", 1)
				}
				write(t, path, file+"record: "+kept+"\n")

				id := core.NewRunID()
				if c.kept {
					change("INSERT INTO exo_runs (run, kept, at_ms) VALUES ('" + id.String() + "', TRUE, 1)")
				}
				f, err := record.Open(kept)
				if err != nil {
					t.Fatal(err)
				}
				witnessed := 0
				if strings.Contains(c.databases, "witness") {
					witnessed = 1
				}
				for _, e := range []core.Entry{
					{Step: core.Begun, Start: &core.Start{Program: "x", Clock: time.Now(), Seed: 1}},
					{Step: core.Intent, Call: 1, Op: "me.update", Effect: message.InUnit},
					{Step: core.Outcome, Call: 1, Op: "me.update", Effect: message.InUnit, State: core.StateHeld},
					{Step: core.Committing, Prepared: &core.Prepared{Changed: 1, Witnessed: witnessed}},
				} {
					e.RunID, e.At = id, time.Now()
					if err := f.Record(t.Context(), e); err != nil {
						t.Fatal(err)
					}
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				args := []string{"run", path, "-as", "customer=1", "-e", "me.count()"}
				if command == "serve" {
					args = []string{"serve", path, "-as", "customer=1"}
				}
				said, err := child(t, args...).CombinedOutput()
				if err != nil || !strings.Contains(string(said), "the process of run "+id.String()+" was stopped") ||
					strings.Contains(string(said), "the database shop has lost its marks of runs before") != strings.Contains(c.name, "again") {
					t.Errorf("%v %s", err, said)
				}
				var lines []string
				text, err := os.ReadFile(kept)
				for line := range strings.Lines(string(text)) {
					if strings.Contains(line, id.String()) {
						lines = append(lines, line)
					}
				}
				if n := len(lines); err != nil || n != 6 || !strings.Contains(lines[4], `"step":"committed"`) || !strings.Contains(lines[4], c.state) || !strings.Contains(lines[5], `"step":"ended"`) {
					t.Errorf("the record: %v %s", err, text)
				}
				if said, err := child(t, args...).CombinedOutput(); err != nil || strings.Contains(string(said), "how the run") {
					t.Errorf("it settles it twice: %v %s", err, said)
				}
			})
		}
	}
}

// TestRecordFolder: run and serve record in a folder whose key is elsewhere, settle what a killed process left there, and the record verifies.
func TestRecordFolder(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann');")
	t.Setenv("GRANTS_TEST_DB", url)
	dir := t.TempDir()
	path, kept, key := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "record"), filepath.Join(dir, "record.key")
	said, err := child(t, "record", "init", "-key", "file:"+key, "-identity", filepath.Join(dir, "auditor"), kept).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, said)
	}
	public := strings.TrimSpace(strings.Split(string(said), "\n")[1])
	write(t, path, servedShop+"record: { folder: record, key: 'file:record.key' }\n")
	private, _ := os.ReadFile(key)
	f, err := record.OpenFolder(kept, tree.SigningKey(private))
	if err != nil {
		t.Fatal(err)
	}
	id := core.NewRunID()
	if err := f.Record(t.Context(), core.Entry{RunID: id, Step: core.Begun, At: time.Now(), Start: &core.Start{Program: "x", Clock: time.Now(), Seed: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	said, err = child(t, "run", path, "-as", "customer=1", "-e", "me.count()").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "the process of run "+id.String()+" was stopped") {
		t.Errorf("%v %s", err, said)
	}
	said, err = child(t, "record", "verify", "-key", public, kept).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "of 2 runs are as checkpoints") {
		t.Errorf("%v %s", err, said)
	}
	write(t, path, servedShop+"record: { folder: record, key: 'file:record.key', replies: true }\n")
	if said, err = child(t, "run", path, "-as", "customer=1", "-e", "return [await me.count(), Math.random()]").CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, said)
	}
	said, _ = child(t, "record", "tail", "-n", "1", kept).CombinedOutput()
	t.Setenv("GRANTS_TEST_DB", "sqlite:"+filepath.Join(dir, "gone")) // a replay opens no database
	said, err = child(t, "replay", "-any-version", "-identity", filepath.Join(dir, "auditor"), kept, regexp.MustCompile("[0-9a-f]{32}").FindString(string(said))).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "equal: run ") {
		t.Errorf("%v %s", err, said)
	}
	t.Setenv("GRANTS_TEST_DB", url)
	write(t, path, servedShop+"record: { folder: record, key: 'file:record/key' }\n")
	said, err = child(t, "run", path, "-as", "customer=1", "-e", "me.count()").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "keep the key in another folder") {
		t.Errorf("%v %s", err, said)
	}
	write(t, path, servedShop+"record: { folder: record }\n")
	said, err = child(t, "run", path, "-as", "customer=1", "-e", "me.count()").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "record has no `key`: say where the signing key is") {
		t.Errorf("%v %s", err, said)
	}
}

// TestSettleFarBack: a run that a killed process left further back than a start reads is listed and settled by what the database knows, and only
// then can it be erased.
func TestSettleFarBack(t *testing.T) {
	for _, witness := range []bool{true, false} {
		url, change := database(t, shop)
		change("INSERT INTO customers VALUES (1, 'ann');" + exosql.CreateWitness)
		t.Setenv("GRANTS_TEST_DB", url)
		dir := t.TempDir()
		path, kept, key := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "record"), filepath.Join(dir, "record.key")
		said := exo(t, "", "record", "init", "-key", "file:"+key, "-identity", filepath.Join(dir, "auditor"), kept)
		if said.code != cli.ExitDone {
			t.Fatal(said)
		}
		write(t, path, strings.Replace(servedShop, "{shop: env:GRANTS_TEST_DB}", "{shop: {url: env:GRANTS_TEST_DB, witness: "+map[bool]string{true: "true", false: "false"}[witness]+"}}", 1)+"record: { folder: record, key: 'file:record.key' }\n")
		if r := exo(t, "", "record", "settle", path); r.code != cli.ExitDone || r.out != "" {
			t.Errorf("an empty record: %+v", r)
		}
		private, _ := os.ReadFile(key)
		f, err := record.OpenFolder(kept, tree.SigningKey(private))
		if err != nil {
			t.Fatal(err)
		}
		committed, idle := core.NewRunID(), core.NewRunID()
		change("INSERT INTO exo_runs (run, kept, at_ms) VALUES ('" + committed.String() + "', TRUE, 1)")
		entries := []core.Entry{
			{RunID: committed, Step: core.Begun, Start: &core.Start{Program: "x", Clock: time.Now()}},
			{RunID: idle, Step: core.Begun, Start: &core.Start{Program: "y", Clock: time.Now()}},
			{RunID: committed, Step: core.Committing, Prepared: &core.Prepared{Changed: 1, Witnessed: 1}},
		}
		for range 6 { // more than a start reads
			id := core.NewRunID()
			entries = append(entries, core.Entry{RunID: id, Step: core.Begun, Start: &core.Start{Program: strings.Repeat("x", 200<<10), Clock: time.Now()}}, core.Entry{RunID: id, Step: core.Ended})
		}
		for _, e := range entries {
			e.At = time.Now()
			if err := f.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if r := exo(t, "", "run", path, "-as", "customer=1", "-e", "me.count()"); r.code != cli.ExitDone || strings.Contains(r.err, "was stopped") {
			t.Errorf("a start settles it: %+v", r)
		}
		erase := []string{"record", "erase", "-key", "file:" + key, kept, committed.String()}
		if r := exo(t, "", erase...); r.code != cli.ExitCannot || !strings.Contains(r.err, "exo record settle") {
			t.Errorf("it is erased before it is settled: %+v", r)
		}
		r := exo(t, "", "record", "settle", kept)
		if r.code != cli.ExitFound || strings.Count(r.out, "\n") != 2 || !strings.Contains(r.out, committed.String()+"  has not ended: it was about to commit\n") || !strings.Contains(r.out, idle.String()+"  has not ended\n") {
			t.Errorf("the list: %+v", r)
		}
		want, code := committed.String()+"  commit: applied\n", cli.ExitDone
		if !witness { // the file's databases are not all that the run changed
			want, code = committed.String()+"  commit: unknown\n", cli.ExitFound
		}
		if r := exo(t, "", "record", "settle", path); r.code != code || !strings.Contains(r.out, want) || !strings.Contains(r.out, idle.String()+"  ended, and changed nothing\n") {
			t.Errorf("%+v, want %q", r, want)
		}
		for _, of := range []string{path, kept} {
			if r := exo(t, "", "record", "settle", of); r.code != cli.ExitDone || r.out != "" {
				t.Errorf("it is settled twice: %+v", r)
			}
		}
		if r := exo(t, "", erase...); r.code != cli.ExitDone {
			t.Errorf("it can't be erased: %+v", r)
		}
	}
	for _, args := range [][]string{{}, {"a", "b"}, {grantFileOf(t, servedShop)}} {
		if r := exo(t, "", append([]string{"record", "settle"}, args...)...); r.code != cli.ExitUsage {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := exo(t, "", "record", "settle", filepath.Join(t.TempDir(), "gone")); r.code != cli.ExitCannot {
		t.Errorf("%+v", r)
	}
}

// TestKeepInFile: a server erases what the file keeps no longer, and nothing without keep. A run alone erases nothing: it would read the whole record.
func TestKeepInFile(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann');")
	t.Setenv("GRANTS_TEST_DB", url)
	dir := t.TempDir()
	path, kept, key, auditor := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "record"), filepath.Join(dir, "record.key"), filepath.Join(dir, "auditor")
	if r := exo(t, "", "record", "init", "-key", "file:"+key, "-identity", auditor, kept); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	private, _ := os.ReadFile(key)
	f, err := record.OpenFolder(kept, tree.SigningKey(private))
	if err != nil {
		t.Fatal(err)
	}
	id, at := core.NewRunID(), time.Now().AddDate(0, 0, -31)
	for _, step := range []core.Step{core.Begun, core.Ended} {
		if err := f.Record(t.Context(), core.Entry{RunID: id, Step: step, At: at, Op: "mail.send"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keep   string
		erased bool
	}{{"", false}, {", keep: 32d", false}, {", keep: 30d", true}} {
		write(t, path, servedShop+"record: { folder: record, key: 'file:record.key'"+c.keep+" }\n")
		if r := exo(t, "", "run", path, "-as", "customer=1", "-e", "me.count()"); r.code != cli.ExitDone || r.err != "" {
			t.Fatal(r)
		}
		if r := exo(t, "", "record", "show", "-identity", auditor, kept, id.String()); strings.Contains(r.out, "was erased") {
			t.Errorf("%q: a run has erased it: %+v", c.keep, r)
		}
		if r := exo(t, "", "serve", path, "-as", "customer=1"); r.code != cli.ExitDone {
			t.Fatal(r)
		}
		if r := exo(t, "", "record", "show", "-identity", auditor, kept, id.String()); strings.Contains(r.out, "what the run wrote was erased") != c.erased {
			t.Errorf("%q: %+v", c.keep, r)
		}
	}
}

// TestRecordDatabase: run records in a database, settles there what a process left that was silent for an hour and nothing younger, and the
// commands read it as they read a folder. No output has the URL.
func TestRecordDatabase(t *testing.T) {
	kept := tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on") // the server of the tests has it off
	url, insert := database(t, shop)
	insert("INSERT INTO customers VALUES (1, 'ann');")
	t.Setenv("GRANTS_TEST_DB", url)
	t.Setenv("RECORD_TEST_DB", kept)
	dir := t.TempDir()
	path, key, identity := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "record.key"), filepath.Join(dir, "auditor")
	run := func(want bool, args ...string) string {
		t.Helper()
		said, err := child(t, args...).CombinedOutput()
		if (err == nil) != want || strings.Contains(string(said), "search_path=") {
			t.Errorf("%v: %v %s", args, err, said)
		}
		return string(said)
	}
	write(t, path, servedShop+"record: { database: env:RECORD_TEST_DB, key: 'file:record.key' }\n")
	run(false, "run", path, "-as", "customer=1", "-e", "me.count()")
	said := run(true, "record", "init", "-key", "file:"+key, "-identity", identity, "env:RECORD_TEST_DB")
	public := strings.TrimSpace(strings.Split(said, "\n")[1])
	if !strings.Contains(said, "record: { database: env:RECORD_TEST_DB, key: ") {
		t.Errorf("%s", said)
	}
	private, _ := os.ReadFile(key)
	l, err := postgres.Open(t.Context(), kept, tree.SigningKey(private), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := record.OnShared(l)
	if err != nil {
		t.Fatal(err)
	}
	ids := []core.RunID{core.NewRunID(), core.NewRunID()}
	for i, id := range ids {
		if err := f.Record(t.Context(), core.Entry{RunID: id, Step: core.Begun, At: time.Now().Add(time.Duration(i-1) * 2 * time.Hour), Start: &core.Start{Program: "x", Clock: time.Now(), Seed: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tu.Admin(t, kept).Exec("UPDATE exo_record_lines SET at = at - interval '2 hours' WHERE number = 0"); err != nil {
		t.Fatal(err)
	}
	for _, settled := range []bool{true, false} {
		said = run(true, "run", path, "-as", "customer=1", "-e", "me.count()")
		if strings.Contains(said, ids[0].String()) != settled || strings.Contains(said, ids[1].String()) {
			t.Errorf("%s", said)
		}
	}
	if said := run(false, "record", "verify", "-key", public, "env:RECORD_TEST_DB"); !strings.Contains(said, "complete: yes") || !strings.Contains(said, "of 4 runs are as checkpoints") || !strings.Contains(said, ids[1].String()) {
		t.Errorf("%s", said)
	}
	if said := run(true, "record", "tail", "-identity", identity, "env:RECORD_TEST_DB"); !strings.Contains(said, ids[0].String()) || !strings.Contains(said, "customer=1") {
		t.Errorf("%s", said)
	}
	run(true, "record", "show", "-identity", identity, "env:RECORD_TEST_DB", ids[0].String())
	proof := filepath.Join(dir, "proof")
	write(t, proof, run(true, "record", "proof", "env:RECORD_TEST_DB", ids[0].String()))
	run(true, "record", "check", "-key", public, proof)
	if said := run(true, "record", "erase", "-key", "file:"+key, "env:RECORD_TEST_DB", ids[0].String()); !strings.Contains(said, "2 data keys destroyed") {
		t.Errorf("%s", said)
	}
	run(false, "record", "init", "-key", "env:X", "-identity", filepath.Join(dir, "other"), "env:RECORD_TEST_DB")
	run(false, "record", "verify", "-key", public, "env:RECORD_TEST_NONE")
	for _, wrong := range []string{"database: env:RECORD_TEST_DB", "database: env:RECORD_TEST_DB, folder: x, key: env:K", "database: sqlite:x, key: env:K", "key: env:K"} {
		write(t, path, servedShop+"record: { "+wrong+" }\n")
		if said := run(false, "validate", path); !strings.Contains(said, "record: want the path of a file") && !strings.Contains(said, "record has no `key`: say where the signing key is") {
			t.Errorf("%s: %s", wrong, said)
		}
	}
}
