package testutil

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

func TestCorpusRefusesNothing(t *testing.T) {
	read := func(files map[string]string) ([]*File, string) {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		entries, _ := os.ReadDir(dir)
		return corpus(dir, entries, ".js")
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{nil, "has no"},
		{map[string]string{"a.js": "x", "b.txt": "y"}, "no test"},
		{map[string]string{"a.js": " \n"}, "is empty"},
	} {
		if _, problem := read(c.files); !strings.Contains(problem, c.want) {
			t.Errorf("%v: %q, want %q", c.files, problem, c.want)
		}
	}
	files, problem := read(map[string]string{"a.js": "x", "b.js": "y"})
	if problem != "" || len(files) != 2 {
		t.Fatal(problem)
	}
	files[0].Read()
	if !strings.HasSuffix(unread(files), "b.js") {
		t.Error("a file that nobody read was not missed")
	}
	files[1].Read()
	if unread(files) != "" {
		t.Error("both were read")
	}
}

func TestChunks(t *testing.T) {
	chunks, lines := Chunks("a\n--- x\n---\nb\nc\n---\nd")
	if len(chunks) != 3 || chunks[1] != "b\nc\n" || chunks[0] != "a\n--- x\n" || chunks[2] != "d" || lines[1] != 4 || lines[2] != 7 {
		t.Errorf("%q %v", chunks, lines)
	}
}

func TestArchive(t *testing.T) {
	comment, s, order := Archive("what\n-- a --\n1\n-- b.sql --\n-- --\n2\n")
	if comment != "what\n" || s["a"] != "1\n" || s["b.sql"] != "-- --\n2\n" || len(order) != 2 {
		t.Errorf("%q %q %q", comment, s, order)
	}
}

func TestCut(t *testing.T) {
	p, want, err := Cut("// a comment\nx  //=> [1, \"//=>\"]\n")
	if err != nil || want.JSON != `[1, "//=>"]` || p != "// a comment\nx \n" {
		t.Errorf("%q %+v %v", p, want, err)
	}
	for _, bad := range []string{"x", "x //=> 1\ny //! denied", "x //! denied text", "//log \"a\""} {
		if _, _, err := Cut(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	failed := Outcome{Kind: fail.Denied, Message: "no member"}
	for s, ok := range map[string]bool{`x //! denied "member"`: true, `x //! denied "x"`: false, `x //! invalid`: false, `x //=> 1`: false, `x //~> "m"`: false} {
		if _, want, _ := Cut(s); (want.Check(failed) == "") != ok {
			t.Errorf("%s: %q", s, want.Check(failed))
		}
	}
	good := Outcome{JSON: `{"a":[1]}`, Console: "hello"}
	for s, ok := range map[string]bool{`x //=> { "a": [1] }`: true, `x //=> {}`: false, `x //~> "[1"`: true, `x //! program`: false, "//log \"hell\"\nx //~> \"a\"": true, "//log \"hex\"\nx //~> \"a\"": false} {
		if _, want, _ := Cut(s); (want.Check(good) == "") != ok {
			t.Errorf("%s: %q", s, want.Check(good))
		}
	}
}

func TestParseLimits(t *testing.T) {
	l, err := ParseLimits("Wall=50ms Rows=10")
	if err != nil || l.Rows != 10 || l.Wall.Milliseconds() != 50 {
		t.Error(l, err)
	}
	for _, bad := range []string{"Row=1", "Rows=x", "Wall=5"} {
		if _, err := ParseLimits(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// The data can show a leak: the other tenant's texts and hidden ones are there,
// and the twin without guards reads them.
func TestCanariesAreThere(t *testing.T) {
	db := Open(t)
	o := NewRunner(t, Unguarded(db), exo.Limits{}).Run(t, "return [await org, await people, await tasks]")
	for _, c := range []string{Canaries[Acme], Canaries[Bolt], Hidden} {
		if !strings.Contains(o.JSON, c) {
			t.Errorf("the twin without guards does not show %s: %s", c, o)
		}
	}
	if o.Leaks(Acme) == "" || o.Leaks(Bolt) == "" {
		t.Error("Leaks does not see it")
	}
	for tenant, canary := range Canaries {
		o := As(t, db, tenant, exo.Limits{}).Run(t, "return [await org, await people, await tasks]")
		if l := o.Leaks(tenant); l != "" || !strings.Contains(o.JSON, canary) {
			t.Errorf("tenant %s: leaks %q: %s", canary, l, o)
		}
	}
}
