package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestCarry moves a method to another package, where its name and those that it uses are spelt otherwise.
func TestCarry(t *testing.T) {
	root := tree(t, map[string]string{
		"exo/gate.go":                "package exo\n\nfunc Open() bool { return true }\n",
		"exo/value/label.go":         "package value\n\nfunc (g Gate) Admit(l Label) bool { return other.Has(l, exo.Tag) }\n\nfunc (g Gate) Deny() bool { return !g.Admit(nil) }\n",
		"exo/value/label_test.go":    "package value\n\nfunc TestGate(t *testing.T) {}\n",
		"testdata/mutations/exo.txt": "# The gate.\n\nfile exo/label.go\nin   gate.admit\nold  return has(l, Tag)\nnew  return !has(l, Tag)\ntest TestGate\nwhy  A word about $1.\n\nfile exo/gate.go\nold  true\nnew  false\nsurvives none\nwhy  It stays.\n",
		"SECURITY.md":                "| claim | `exo.gate.admit` | `exo.TestGate` | `exo.Open`, `rows.update` |\n",
	})
	var out bytes.Buffer
	if err := carry(&out, root); err != nil {
		t.Fatal(err, out.String())
	}
	list, _ := os.ReadFile(filepath.Join(root, "testdata/mutations/exo.txt"))
	want := "# The gate.\n\nfile exo/value/label.go\nin   Gate.Admit\nold  return other.Has(l, exo.Tag)\nnew  return !other.Has(l, exo.Tag)\ntest TestGate\nwhy  A word about $1.\n\nfile exo/gate.go\nold  true\nnew  false\nsurvives none\nwhy  It stays.\n"
	if string(list) != want {
		t.Errorf("the list is now\n%s\nwant\n%s", list, want)
	}
	page, _ := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if want := "| claim | `exo/value.Gate.Admit` | `exo/value.TestGate` | `exo.Open`, `rows.update` |\n"; string(page) != want {
		t.Errorf("SECURITY.md is now %s", page)
	}
}

// TestCarryAsks: a line that is in two places, and a test that did not move with its line, are for a person.
func TestCarryAsks(t *testing.T) {
	line := "\n\nfunc admit() bool { return has(x) }\n"
	root := tree(t, map[string]string{
		"a/one.go": "package a" + line, "b/two.go": "package b" + line, "c/three_test.go": "package c\n\nfunc TestX() {}\n", "c/c.go": "package c\n\nvar X = 1\n",
		"testdata/mutations/list.txt": "file c/three.go\nin   admit\nold  has(x)\nnew  true\ntest TestX\nwhy  w\n\nfile a/one.go\nold  has(x)\nnew  false\ntest TestX\nwhy  w\n",
		"SECURITY.md":                 "| `c.admit` | `c.X` |\n",
	})
	var out bytes.Buffer
	err := carry(&out, root)
	if err == nil || !strings.HasPrefix(err.Error(), "3 names") {
		t.Errorf("%v: %s", err, out.String())
	}
	for _, want := range []string{"2 places have \"has(x)\"", "the test TestX is in [c]", "c.admit may be any of [a.admit b.admit]"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}
