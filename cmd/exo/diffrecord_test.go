package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
)

// TestDiffRecord: exo diff compares what two files decide about the messages of a record in a folder or a file, and says which flag is missing.
func TestDiffRecord(t *testing.T) {
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann'), (2, 'bob')")
	t.Setenv("GRANTS_TEST_DB", url)
	dir := t.TempDir()
	old, now, kept, inFile, identity := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "new.yaml"), filepath.Join(dir, "record"), filepath.Join(dir, "file"), filepath.Join(dir, "auditor")
	if r := exo(t, "", "record", "init", "-key", "file:"+filepath.Join(dir, "key"), "-identity", identity, kept); r.code != 0 {
		t.Fatal(r.err)
	}
	for _, place := range []string{"{ folder: record, key: 'file:key' }", inFile} {
		write(t, old, servedShop+"record: "+place+"\n")
		for _, as := range []string{"customer=1", "customer=2"} {
			if r := exo(t, "", "run", old, "-as", as, "-e", "await me.map(c => c.name)"); r.code != 0 {
				t.Fatal(r.err)
			}
		}
	}
	write(t, now, strings.Replace(servedShop, "columns: [id, name]", "columns: [id]", 1))
	for _, c := range []struct {
		code int
		want string // in what it prints
		args []string
	}{
		{cli.ExitFound, "me.select.execute of customers: 2 runs, first ", []string{old, now, "-record", kept, "-identity", identity}},
		{cli.ExitFound, "  refused now: customer has no member `name`; it has `id`\n", []string{old, now, "-record", inFile}},
		{cli.ExitFound, "1 messages of 1 runs compared: 1 shapes differ\n", []string{old, now, "-record", inFile, "-principal", "customer=2", "-since", "2026-01-31"}},
		{0, "0 messages of 0 runs compared: 0 shapes differ\n", []string{old, now, "-record", inFile, "-principal", "customer=3"}},
		{0, "2 messages of 2 runs compared: 0 shapes differ\n", []string{old, old, "-record", inFile, "-counts"}},
		{cli.ExitUsage, "are encrypted: add -identity FILE", []string{old, now, "-record", kept}},
		{cli.ExitUsage, "add -record RECORD", []string{old, now, "-since", "2026-01-31"}},
		{cli.ExitUsage, "-since: want a day", []string{old, now, "-record", inFile, "-since", "today"}},
		{0, "not compared: 2 runs began under other grants than the old file has", []string{now, old, "-record", inFile}},
	} {
		if r := exo(t, "", append([]string{"diff"}, c.args...)...); r.code != c.code || !strings.Contains(r.out+r.err, c.want) {
			t.Errorf("%v: code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.out, r.err)
		}
	}
	t.Setenv("GRANTS_TEST_DB", "")
	if r := exo(t, "", "diff", old, now, "-record", inFile, "-db", url); r.code != cli.ExitFound || !strings.Contains(r.out, "me.select.execute") {
		t.Errorf("-db: %d\n%s%s", r.code, r.out, r.err)
	}
	if r := exo(t, "", "diff", old, now, "-record", inFile); r.code != cli.ExitCannot && r.code != cli.ExitFound || !strings.Contains(r.err, "GRANTS_TEST_DB") {
		t.Errorf("without a database: %d\n%s%s", r.code, r.out, r.err)
	}
}
