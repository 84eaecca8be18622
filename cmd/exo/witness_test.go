package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWitnessRequired: while the record's witness takes no checkpoint, a program that would change something fails as for any fault of the host, nothing
// is changed, and the operator reads why. Reads go on. The twin, a file that requires no witness, changes the row. The record is whole.
func TestWitnessRequired(t *testing.T) {
	kept := tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on")
	seen := tu.Postgres.URL(t)
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann')")
	for name, value := range map[string]string{"GRANTS_TEST_DB": url, "RECORD_TEST_DB": kept, "WITNESS_TEST_DB": seen} {
		t.Setenv(name, value)
	}
	for _, c := range []struct{ name, record, place, witness string }{
		{"a folder and a database", "folder: record", "", "env:WITNESS_TEST_DB"}, {"a database and a database", "database: env:RECORD_TEST_DB", "env:RECORD_TEST_DB", "env:WITNESS_TEST_DB"},
		{"a folder and a folder", "folder: record", "", "FOLDER"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path, place, witness := filepath.Join(dir, "exo.yaml"), c.place, c.witness
			if place == "" {
				place = filepath.Join(dir, "record")
			}
			if witness == "FOLDER" {
				witness = filepath.Join(dir, "witness")
			}
			r := exo(t, "", "record", "init", "-key", "file:"+filepath.Join(dir, "record.key"), "-identity", filepath.Join(dir, "auditor"), "-witness", witness, place)
			if r.code != cli.ExitDone || strings.Contains(r.out, "exo_record_witness") != (c.witness != "FOLDER") {
				t.Fatal(r)
			}
			public := strings.TrimSpace(strings.Split(r.out, "\n")[1])
			for _, required := range []string{", witness: required", ""} {
				change("UPDATE customers SET name = 'ann'")
				write(t, path, strings.Replace(servedShop, "columns: [id, name]", "columns: [id, name]\n    update: [name]", 1)+"record: { "+c.record+", key: 'file:record.key'"+required+" }\n")
				cmd := child(t, "serve", path, "-as", "customer=1")
				var said bytes.Buffer
				cmd.Stderr = &said
				s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
				if err != nil {
					t.Fatal(err, said.String())
				}
				if text, failed := callText(t, s, "me.all().update({ name: 'eve' })"); failed {
					t.Error(text)
				}
				broken := func(yes bool) {
					if from, to := "exo_record_witness", "gone"; c.witness != "FOLDER" {
						if !yes {
							from, to = to, from
						}
						if _, err := tu.Admin(t, seen).Exec("ALTER TABLE " + from + " RENAME TO " + to); err != nil {
							t.Fatal(err)
						}
					} else if os.Rename(witness, witness+"2") != nil && os.Rename(witness+"2", witness) != nil {
						t.Fatal("it can't be moved")
					}
				}
				broken(true)
				text, failed := callText(t, s, "me.all().update({ name: 'mallory' })")
				if failed != (required != "") || failed && (!strings.Contains(text, "internal") || strings.Contains(text, "witness")) {
					t.Errorf("the client reads %s", text)
				}
				want := map[bool]string{true: `{"result":["eve"]}`, false: `{"result":["mallory"]}`}[required != ""]
				if text, failed := callText(t, s, "me.select(c => c.name)"); failed || text != want {
					t.Errorf("%s, want %s", text, want)
				}
				broken(false)
				if text, failed := callText(t, s, "me.all().update({ name: 'bob' })"); failed {
					t.Error(text)
				}
				s.Close()
				if got := said.String(); (strings.Contains(got, "the witness "+witness+" has ") && strings.Contains(got, "it did not take the others")) != (required != "") {
					t.Errorf("the operator reads %s", got)
				}
				if r := exo(t, "", "record", "verify", "-key", public, "-witness", witness, place); r.code != cli.ExitDone || !strings.Contains(r.out, "lags 0 behind") {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	path := filepath.Join(t.TempDir(), "exo.yaml")
	place := filepath.Join(filepath.Dir(path), "record")
	if r := exo(t, "", "record", "init", "-key", "file:"+place+".key", "-identity", place+".id", place); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	write(t, path, servedShop+"record: { folder: record, key: 'file:record.key', witness: required }\n")
	if r := exo(t, "", "validate", path); r.code == cli.ExitDone || !strings.Contains(r.out+r.err, "this log was made without one: exo record init -witness") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "record", "init", "-key", "file:"+place+".key2", "-identity", place+".id2", "-witness", "env:WITNESS_TEST_DB", "env:WITNESS_TEST_DB"); r.code != cli.ExitUsage || !strings.Contains(r.err, "want another database than the record's") {
		t.Errorf("%+v", r)
	}
}
