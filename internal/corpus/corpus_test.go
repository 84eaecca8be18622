package corpus

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
)

func lines(s string) []string { return strings.Split(s, "\n") }

func TestParse(t *testing.T) {
	p, err := parse("001-x.js", "", lines("// What is there?\n// as: 2\n\nreturn [1,\n// a comment of the program\n2]\n\n//> seen\n//=> in any order\n// [1,\n//  2]"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Asked != "What is there?" || p.As != 2 || p.Source != "return [1,\n// a comment of the program\n2]" || !p.Any || string(*p.Want) != " [1,  2]" || len(p.Logs) != 1 || p.Logs[0] != "seen" {
		t.Errorf("%+v", p)
	}
	p, err = parse("002-x.js", "", lines("// Fails.\n\nx\n\n//! denied 3:14\n//! did you mean `y`?"))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Fails || p.Kind != "denied" || p.Line != 3 || p.Column != 14 || len(p.Has) != 1 || p.Source != "x" {
		t.Errorf("%+v", p)
	}
	for name, text := range map[string]string{
		"no question": "return 1\n\n//=> 1", "no empty line": "// Asked\nreturn 1\n//=> 1", "no program": "// Asked\n\n//=> 1",
		"no JSON": "// Asked\n\n1\n\n//=> {a", "no place": "// Asked\n\n1\n\n//! denied\n//! x", "no text": "// Asked\n\n1\n\n//! denied 1:1",
		"both": "// Asked\n\n1\n\n//! denied 1:1\n//! x\n//=> 1",
	} {
		if p, err := parse("003-x.js", "", lines(text)); err == nil {
			t.Errorf("%s: read as %+v", name, p)
		}
	}
}

// TestCheckFails: each comparison can fail.
func TestCheckFails(t *testing.T) {
	result := func(want string) *Program {
		p, err := parse("001-x.js", "", lines("// Asked.\n\n1\n\n"+want))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	good := &codemode.Result{JSON: []byte(`[1,{"a":2}]`)}
	bad := &codemode.Result{Err: &fail.Error{Kind: fail.Denied, Msg: "no such thing", Pos: fail.Pos{Line: 1, Column: 2}}}
	for _, tc := range []struct {
		want string
		res  *codemode.Result
		ok   bool
	}{
		{`//=> [1,{"a":2}]`, good, true},
		{`//=> [1,{"a":3}]`, good, false},
		{`//=> [{"a":2},1]`, good, false},
		{"//=> in any order\n" + `// [{"a":2},1]`, good, true},
		{"//=> in any order\n" + `// [{"a":2},1,1]`, good, false},
		{`//=> [1,{"a":2}]`, bad, false},
		{"//! denied 1:2\n//! such", bad, true},
		{"//! denied 1:3\n//! such", bad, false},
		{"//! invalid 1:2\n//! such", bad, false},
		{"//! denied 1:2\n//! other", bad, false},
		{"//! denied 1:2\n//! such", good, false},
	} {
		p := result(tc.want)
		wrong := p.checkFailure
		if !p.Fails {
			wrong = p.checkResult
		}
		if got := wrong(tc.res); (len(got) == 0) != tc.ok {
			t.Errorf("%q: %v", tc.want, got)
		}
	}
}

// failing is a testing.TB that notes failures.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) Fatalf(string, ...any) { f.failed = true; runtime.Goexit() }
func (f *failing) Fatal(...any)          { f.failed = true; runtime.Goexit() }

func TestReadFails(t *testing.T) {
	const good = "// Asked.\n\n1\n\n//=> 1\n"
	for name, tc := range map[string]struct {
		files map[string]string
		min   int
		fails bool
	}{
		"two programs":             {map[string]string{"001-a.js": good, "002-b.js": good, "pending.txt": "# why\n002-b.js because\n"}, 2, false},
		"empty":                    {nil, 1, true},
		"too few":                  {map[string]string{"001-a.js": good}, 2, true},
		"a name that no one reads": {map[string]string{"001-a.js": good, "b.js": good}, 1, true},
		"another kind of file":     {map[string]string{"001-a.js": good, "001-a.txt": good}, 1, true},
		"a number twice":           {map[string]string{"001-a.js": good, "001-b.js": good}, 1, true},
		"malformed":                {map[string]string{"001-a.js": good, "002-b.js": "1"}, 1, true},
		"pending and not there":    {map[string]string{"001-a.js": good, "pending.txt": "003-c.js\n"}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for f, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f := &failing{TB: t}
			done := make(chan bool)
			go func() {
				defer close(done)
				Read(f, dir, tc.min)
			}()
			if <-done; f.failed != tc.fails {
				t.Errorf("failed: %t", f.failed)
			}
		})
	}
}

// TestEveryDirectoryIsRead: the examples' tests read these and no others.
func TestEveryDirectoryIsRead(t *testing.T) {
	entries, err := os.ReadDir("../../testdata/programs")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"saas", "simple"}) {
		t.Errorf("testdata/programs holds %v", names)
	}
}
