package repl

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
)

// typing is a session at the prompt. Times are replaced, so that it can be compared.
func typing(input string) (string, string, int) {
	var out, errs bytes.Buffer
	code := testApp.run(nil, &screen.Streams{In: strings.NewReader(input), Out: &out, Err: &errs, Terminal: true})
	shown := regexp.MustCompile(`[0-9.]+ ms`).ReplaceAllString(out.String(), "T ms")
	return strings.ReplaceAll(shown, "1 query in T ms; .sql shows it", "Q"), errs.String(), code
}

const greeting = "notes acts for owner 1, ann. No key for a model is set, so you are the model: type programs.\n" +
	".api shows what you can use, .help how this works. To start from:\n  .1 api.me.notes()\n"

func TestPrompt(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"rows", "api.me.notes().orderBy(n => n.id)\n", `owner 1>  id  text    stars
int  text     int?
---  ------  -----
  1  first       5
  2  second  null
2 rows, T ms, Q
owner 1> 
`},
		{"lines until the brackets close", "api.me.notes(\n).count()\n", "owner 1> ... 2\nT ms, Q\nowner 1> \n"},
		{"statements until return", "const n = 1;\nconst m = 2;\nreturn n + m;\n", "owner 1> ... ... 3\nT ms\nowner 1> \n"},
		{"an empty line ends", "const n = 1;\n\n", "owner 1> ... null\nthe program returned undefined: end it with return, await each call, and note that execute gives an array of rows\nT ms\nowner 1> \n"},
		{"an operator goes on", "1 +\n2\n", "owner 1> ... 3\nT ms\nowner 1> \n"},
		{"a fence", "```js\nconst a = 1;\n\nreturn a\n  + 1;\n```\n", "owner 1> ... ... ... ... ... 2\nT ms\nowner 1> \n"},
		{"a pasted chain", "api.me\n  .notes()\n\t.count()\n1\n", "owner 1> 2\nT ms, Q\nowner 1> 1\nT ms\nowner 1> \n"},
		{"a pasted function with an empty line", "async (api) => {\n\n  return 1;\n}\n", "owner 1> ... ... ... 1\nT ms\nowner 1> \n"},
		{"empty lines are nothing", "\n  \n1\n", "owner 1> owner 1> owner 1> 1\nT ms\nowner 1> \n"},
		{"no rows", "api.me.notes().where({ id: 3 })\n", "owner 1> 0 rows, T ms, Q\nowner 1> \n"},
		{"one record", "api.me.first()\n", "owner 1> id    1\nname  ann\nT ms, Q\nowner 1> \n"},
		{"console", "console.log('x'); return 1\n", "owner 1> x\n1\nT ms\nowner 1> \n"},
		{"failure", "api.me.notes().where(n => n.txt === 'é')\n", "owner 1> denied: note has no member `txt`; did you mean `text`?\n" +
			"  line 1: api.me.notes().where(n => n.txt === 'é')\n" +
			"                                      ^\nowner 1> \n"},
		{"another owner", ".owner 2\napi.me.notes().count()\n", "owner 1> owner 2> 1\nT ms, Q\nowner 2> \n"},
		{"another owner, as a user", ".user 2\napi.me.notes().count()\n", "owner 1> owner 2> 1\nT ms, Q\nowner 2> \n"},
		{"no such owner", ".owner 9\n.owner x\n", "owner 1> there is no owner 9; there are 1 (ann), 2 (bob)\nowner 1> -owner \"x\": want a whole number\nowner 1> \n"},
		{"unknown command", ".wat\n", "owner 1> there is no command .wat; .help lists the commands\nowner 1> \n"},
		{"quit", ".quit\n1\n", "owner 1> "},
		{"exit", ".exit\n1\n", "owner 1> "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, errs, code := typing(tc.in)
			want := greeting + tc.want
			if out != want || errs != "" || code != exitOK {
				t.Errorf("got  %q\nwant %q\nstderr %q, exit %d", out, want, errs, code)
			}
		})
	}
}

// TestTypedSlowly: what is typed is run when it is complete, without waiting for
// the line after it, and an empty line ends what can't be completed.
func TestTypedSlowly(t *testing.T) {
	in, keys := io.Pipe()
	out := &syncBuffer{}
	done := make(chan int)
	go func() { done <- testApp.run(nil, &screen.Streams{In: in, Out: out, Err: out, Terminal: true}) }()
	for _, step := range []struct{ line, answer string }{
		{"1 + 1", "2\n"},
		{"f(", "... "},
		{"\x03", "\nowner 1> "}, // Ctrl-C
		{"f(", "... "},
		{"", "syntax"},
		{".quit", ""},
	} {
		before := out.String()
		if step.line == "\x03" {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		} else if _, err := keys.Write([]byte(step.line + "\n")); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(10 * time.Second)
		for !strings.Contains(out.String()[len(before):], step.answer) {
			if time.Now().After(deadline) {
				t.Fatalf("after %q no %q, but %q", step.line, step.answer, out.String()[len(before):])
			}
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(2 * pasteTime)
	}
	if code := <-done; code != exitOK {
		t.Errorf("exit %d", code)
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestPromptCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tc := range []struct {
		name, in string
		want     []string
		sql      int // statements that are shown
	}{
		{"nothing ran", ".sql\n.trace\n.save x.js\n", []string{"no program has run yet: type one first\nowner 1> no program has run yet: type one first\nowner 1> no program has run yet"}, 0},
		{"folded", "api.me.notes().where({ text: 'first' }).count()\n", []string{"T ms, Q"}, 0},
		{"unfolded", "api.me.notes().where({ text: 'first' }).count()\n.sql\n", []string{`[1,1,"first"]  1 row, T ms`}, 1},
		{"several", "[api.me.count(), api.me.notes().count()]\n", nil, 0},
		{"on and off", "api.me.count()\n.sql on\napi.me.count()\n.sql off\napi.me.count()\n", []string{"T ms, Q", "1 query in T ms\nSELECT"}, 1},
		{"of a failure", "await api.me.first(); throw new Error('x')\n.sql\n", []string{"T ms, Q\n"}, 1},
		{"no query", "1\n.sql\n.trace\n", []string{"sent no query to the database", "made no call"}, 0},
		{"sql wrong", ".sql all\n.trace all\n", []string{".sql on", ".trace on"}, 0},
		{"trace", "return [await api.me.first(), await api.me.notes().count()]\n.trace\n", []string{"   1  me.first (line 1)  done, T ms\n   2  me.notes().count (line 1)  done, T ms\n"}, 0},
		{"example", ".1\n", []string{"api.me.notes()\n id  text"}, 0},
		{"no such example", ".0\n.2\n", []string{"there is no program .0 to start from; there are .1 to .1\nowner 1> there is no program .2"}, 0},
		{"no model", ".ask how many?\n", []string{"no key for a model is set"}, 0},
		{"run", ".run 1 + 1\n.run\n", []string{"owner 1> 2\n", ".run PROGRAM"}, 0},
		{"help", ".help\n.api\n", []string{"api.me.notes()", ".owner N", ".quit", ".save FILE", ".trace", "notes()"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, errs, _ := typing(tc.in)
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
			if n := strings.Count(out, "\nSELECT") + strings.Count(out, "> SELECT"); n != tc.sql {
				t.Errorf("the SQL of %d queries is shown; want %d:\n%s", n, tc.sql, out)
			}
			if errs != "" {
				t.Errorf("standard error: %s", errs)
			}
		})
	}
}

func TestPromptTrace(t *testing.T) {
	_, errs, _ := typing("api.me.count()\n.trace on\napi.me.count()\n.trace off\napi.me.count()\n")
	if strings.Count(errs, `"details":[{"sql":"SELECT`) != 1 || strings.Count(errs, `"step":"begun"`) != 1 {
		t.Errorf("%q", errs)
	}
}

func TestSave(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, _ := typing("api.me.notes()\n  .count()\n.save a.js\n.save a.json\n.save a.js\n.save\nnothing\n.save b.json\n.save c.js\n.save no/such.js\n")
	for name, want := range map[string]string{"a.js": "api.me.notes()\n  .count()\n", "a.json": "2\n", "c.js": "nothing\n"} {
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, fi, err)
		}
	}
	if _, err := os.Stat("b.json"); err == nil {
		t.Error("the result of a program that failed was saved")
	}
	for _, want := range []string{"the program is in a.js", "the result is in a.json", "a.js is there already", ".save FILE keeps", "no result to save", "no such file"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestPiped(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     outcome
	}{
		{"nothing", "", outcome{"", "", 0}},
		{"one", "api.me.notes().count()", outcome{"2\n", "", 0}},
		{"several", "1\r\n\n2\n3", outcome{"1\n2\n3\n", "", 0}},
		{"a chain over lines", "api.me\n  .notes()\n.count()\napi.me.count()\n", outcome{"2\n1\n", "", 0}},
		{"a function with an empty line", "async (api) => {\n  const n = await api.me.notes().count();\n\n  return n;\n}\n", outcome{"2\n", "", 0}},
		{"statements", "const a = 1;\nreturn a\n+ 1\n", outcome{"1\n1\n", "", 0}},
		{"commands", ".owner 2\napi.me.notes().count()\n.quit\n1\n", outcome{"1\n", "", 0}},
		{"failure goes on", "throw new Error('x')\n2\n", outcome{`{"error":{"kind":"program","message":"x","line":1,"column":7}}` + "\n2\n", "", 1}},
		{"bad command", ".wat\n.sql on\n.save a.csv\n1\n", outcome{"1\n", "notes: there is no command .wat; .help lists the commands\nnotes: .sql works only at the prompt; here the flag -trace shows the SQL of every query\n" +
			"notes: .save works only at the prompt; here each result is a line of JSON: send that to a file\n", 2}},
		{"console", "console.log('x')\n", outcome{"null\n", "x\n", 0}},
		{"fence", "```\nconst a = 1\n\nreturn a\n```\n2\n", outcome{"1\n2\n", "", 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := runApp(tc.in); got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestLineTooLong(t *testing.T) {
	if got := runApp(strings.Repeat("x", maxProgram+1)); got.code != exitUsage || !strings.Contains(got.err, "can't read the input") {
		t.Errorf("%d %q", got.code, got.err)
	}
	if got := runApp("'"+strings.Repeat("x", 1<<20)+"'", "-f", "-"); got.code != exitFailed || !strings.Contains(got.out, `"kind":"limit"`) {
		t.Errorf("%d %.200q", got.code, got.out)
	}
}

func TestComplete(t *testing.T) {
	for _, whole := range []string{
		"1", "api.me", "f(')')", "`(${'a'}`", `"(\""`, "a /* ( */", "x // (", "/[(/]/.test(s)", "a / b", "(a) / (b)", "return 1", "const a = 1; return a",
		"async (api) => { const a = 1; return a }", "`a${ `b${c}` }`", "{ }", "f(/\\(/)", "a)", "function main(api) { return 1 }", "'open",
	} {
		if !js.Complete(whole) {
			t.Errorf("%q is a whole program", whole)
		}
	}
	for _, part := range []string{
		"f(", "[1,", "`a", "`${", "/* a", "(api) =>", "a &&", "x.", "const a = 1", "for (const a of b) {}", "const a = () => { return 1 }", "f(/)/", "`${a}", "x ? y :", "!",
	} {
		if js.Complete(part) {
			t.Errorf("%q is not whole", part)
		}
	}
}
