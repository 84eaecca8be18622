package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const repository = "../.."

func lists(t *testing.T) []*Mutation {
	all, err := ReadAll(filepath.Join(repository, "testdata", "mutations"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestListApplies keeps the list true without running it: each entry still names one
// line, what it makes of it is Go, and the test that must fail is there.
func TestListApplies(t *testing.T) {
	all := lists(t)
	if len(all) < 80 {
		t.Errorf("there are %d mutations, want 80 or more", len(all))
	}
	seen := map[string]bool{}
	for _, m := range all {
		if _, err := m.Apply(repository); err != nil {
			t.Error(err)
		}
		if key := m.File + "\n" + m.In + "\n" + m.Old + "\n" + m.New; seen[key] {
			t.Errorf("%s: the same mutation is listed twice", m.At)
		} else {
			seen[key] = true
		}
		if m.Test != "" && m.folder == "" {
			t.Errorf("%s: no package around %s, nor one alone below its top folder or in exosql/test, has the test %q", m.At, m.File, m.Test)
		}
	}
}

// TestHome: a test is looked for in the file's folder, then around it, then below its top folder, where one alone has it.
func TestHome(t *testing.T) {
	for _, c := range []struct {
		folders []string
		want    string
	}{
		{[]string{"exosql", "exosql/internal/writing", "exosql/test/writes"}, "exosql/internal/writing"},
		{[]string{"exosql/test/writes", "exosql"}, "exosql"},
		{[]string{"exosql/test/writes", "exo"}, "exosql/test/writes"},
		{[]string{"exosql/test/writes", "exosql/test/scope"}, ""},
		{[]string{"exo", "exosqlite/x"}, ""},
	} {
		if got := home("exosql/internal/writing/law.go", c.folders); got != c.want {
			t.Errorf("%v: %q, want %q", c.folders, got, c.want)
		}
	}
}

// TestMalformedLists has lists that must not be read as something else.
func TestMalformedLists(t *testing.T) {
	good := "file exo/gate.go\nold a\nnew b\ntest TestX\nwhy c\n"
	if ms, err := Read("good.txt", "# a comment\n\n"+good+"\n"+strings.Replace(good, "test TestX", "survives d", 1)); err != nil || len(ms) != 2 || ms[0].Test != "TestX" || ms[1].Survives != "d" || ms[0].Package() != "./exo" {
		t.Fatalf("%+v, %v", ms, err)
	}
	for what, text := range map[string]string{
		"unknown word":      good + "because d\n",
		"twice":             good + "why d\n",
		"empty":             strings.Replace(good, "new b", "new", 1),
		"no test":           strings.Replace(good, "test TestX\n", "", 1),
		"test and survivor": good + "survives d\n",
		"no reason":         strings.Replace(good, "why c\n", "", 1),
		"nothing changed":   strings.Replace(good, "new b", "new a", 1),
		"outside":           strings.Replace(good, "exo/gate.go", "../gate.go", 1),
		"absolute":          strings.Replace(good, "exo/gate.go", "/gate.go", 1),
		"a test":            strings.Replace(good, "exo/gate.go", "exo/gate_test.go", 1),
		"no Go":             strings.Replace(good, "exo/gate.go", "go.mod", 1),
	} {
		if ms, err := Read("bad.txt", text); err == nil {
			t.Errorf("%s: read as %+v", what, ms[0])
		}
	}
	if _, err := ReadAll(t.TempDir()); err == nil {
		t.Error("a folder without lists was read")
	}
}

// TestApply: the line must be there once, in the function that is named, and what
// comes out must be Go.
func TestApply(t *testing.T) {
	root := t.TempDir()
	text := "package p\n\nfunc a() bool { return true }\n\ntype t[V any] struct{}\n\nfunc (x *t[V]) a() bool { return true }\n"
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, old, new, want string }{
		{"a", "true", "false", "func a() bool { return false }\n"},
		{"t.a", "true", "false", "func (x *t[V]) a() bool { return false }\n"},
		{"", "(x *t[V])", "(y *t[V])", "func (y *t[V]) a() bool { return true }\n"},
		{"", "true", "false", ""},       // twice
		{"a", "false", "true", ""},      // not there
		{"b", "true", "false", ""},      // no such function
		{"a", "{ return true", "}", ""}, // no Go
	} {
		m := &Mutation{At: "list:1", File: "p.go", In: c.in, Old: c.old, New: c.new}
		got, err := m.Apply(root)
		if (err != nil) != (c.want == "") || !strings.Contains(string(got), c.want) {
			t.Errorf("%+v: %v\n%s", c, err, got)
		}
	}
	if after, err := os.ReadFile(filepath.Join(root, "p.go")); err != nil || string(after) != text {
		t.Errorf("the file itself was changed: %v\n%s", err, after)
	}
}
