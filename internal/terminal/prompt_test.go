package terminal

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
)

// typing is a session at the prompt. Times are replaced, so that it can be compared.
func typing(input string) (string, string, int) {
	var out, errs bytes.Buffer
	code := testApp.run(nil, &streams{in: strings.NewReader(input), out: &out, err: &errs, terminal: true})
	return regexp.MustCompile(`[0-9.]+ ms`).ReplaceAllString(out.String(), "T ms"), errs.String(), code
}

const greeting = "notes acts for owner 1, ann. You are the model: type programs, .api to see what you can use, .help for help.\n"

func TestPrompt(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"rows", "api.me.notes().orderBy(n => n.id)\n", `owner 1> id  text    stars
--  ------  -----
 1  first       5
 2  second  null
2 rows, T ms
owner 1> 
`},
		{"lines until the brackets close", "api.me.notes(\n).count()\n", "owner 1> ... 2\nT ms\nowner 1> \n"},
		{"statements until return", "const n = 1;\nconst m = 2;\nreturn n + m;\n", "owner 1> ... ... 3\nT ms\nowner 1> \n"},
		{"an empty line ends", "const n = 1;\n\n", "owner 1> ... null\nthe program gave undefined: end it with return, await what it asks for, and mind that execute gives an array of rows\nT ms\nowner 1> \n"},
		{"an operator goes on", "1 +\n2\n", "owner 1> ... 3\nT ms\nowner 1> \n"},
		{"a fence", "```js\nconst a = 1;\n\nreturn a\n  + 1;\n```\n", "owner 1> ... ... ... ... ... 2\nT ms\nowner 1> \n"},
		{"a pasted chain", "api.me\n  .notes()\n\t.count()\n1\n", "owner 1> 2\nT ms\nowner 1> 1\nT ms\nowner 1> \n"},
		{"a pasted function with an empty line", "async (api) => {\n\n  return 1;\n}\n", "owner 1> ... ... ... 1\nT ms\nowner 1> \n"},
		{"empty lines are nothing", "\n  \n1\n", "owner 1> owner 1> owner 1> 1\nT ms\nowner 1> \n"},
		{"no rows", "api.me.notes().where({ id: 3 })\n", "owner 1> 0 rows, T ms\nowner 1> \n"},
		{"one record", "api.me.first()\n", "owner 1> id    1\nname  ann\nT ms\nowner 1> \n"},
		{"console", "console.log('x'); return 1\n", "owner 1> x\n1\nT ms\nowner 1> \n"},
		{"failure", "api.me.notes().where(n => n.txt === 'é')\n", "owner 1> denied: note has no member `txt`; did you mean `text`?\n" +
			"  line 1: api.me.notes().where(n => n.txt === 'é')\n" +
			"                                      ^\nowner 1> \n"},
		{"another owner", ".owner 2\napi.me.notes().count()\n", "owner 1> owner 2> 1\nT ms\nowner 2> \n"},
		{"no such owner", ".owner 9\n.owner x\n", "owner 1> there is no owner 9; there are 1 (ann), 2 (bob)\nowner 1> .owner N acts for another owner: want a whole number\nowner 1> \n"},
		{"unknown command", ".wat\n", "owner 1> there is no command .wat; .help lists them\nowner 1> \n"},
		{"quit", ".quit\n1\n", "owner 1> "},
		{"exit", ".exit\n1\n", "owner 1> "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, errs, code := typing(".sql off\n" + tc.in)
			want := greeting + "owner 1> " + tc.want
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
	go func() { done <- testApp.run(nil, &streams{in: in, out: out, err: out, terminal: true}) }()
	for _, step := range []struct{ line, answer string }{
		{".sql off", "owner 1> "},
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

func TestPromptShowsSQL(t *testing.T) {
	out, _, _ := typing("api.me.notes().where({ text: 'first' }).count()\n.sql off\napi.me.count()\n.sql on\napi.me.count()\n.sql\n.help\n.api\n")
	if n := strings.Count(out, "SELECT COUNT(*)"); n != 2 {
		t.Errorf("the SQL of %d queries is shown; want 2:\n%s", n, out)
	}
	for _, want := range []string{`[1,"first"]  1 row, T ms`, ".sql on shows", ".owner N", ".quit", "notes()"} {
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
		{"bad command", ".wat\n.sql on\n1\n", outcome{"1\n", "notes: there is no command .wat; .help lists them\nnotes: .sql is for the prompt; -trace shows the SQL of every query\n", 2}},
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
		if !complete(whole) {
			t.Errorf("%q is a whole program", whole)
		}
	}
	for _, part := range []string{
		"f(", "[1,", "`a", "`${", "/* a", "(api) =>", "a &&", "x.", "const a = 1", "for (const a of b) {}", "const a = () => { return 1 }", "f(/)/", "`${a}", "x ? y :", "!",
	} {
		if complete(part) {
			t.Errorf("%q is not whole", part)
		}
	}
}
