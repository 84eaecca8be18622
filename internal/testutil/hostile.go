package testutil

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
)

// Hostile is one program of testdata/hostile and its benign twin, which proves that the parts of
// the attack work.
//
//	== title
//	! fatal limit ok     the kinds it may end with; ok: without an error; fatal: never run it in this process
//	% SourceBytes=9      limits
//	the program          @{"x" * 3}@ stands for xxx
//	= true               its result, if it must have a certain one
//	+ the twin           up to the next section
//	= 1                  and its result
type Hostile struct {
	File, Title string
	Line        int
	Kinds       []string
	Fatal       bool
	Limits      Both
	Program     string
	Result      string
	Twin        string
	TwinResult  string
}

var repeated = regexp.MustCompile(`@\{("(?:[^"\\]|\\.)*") \* (\d+)\}@`)

// climb makes a function from text by every constructor that it finds. It computes the names that a checker would refuse.
const climb = `const seen = new Set([null, undefined]);
const climb = (v) => {
  const names = ['const' + 'ructor', 'proto' + 'type', '__pro' + 'to__'], todo = [v]; let made = 0, left = 200;
  while (todo.length > 0 && left-- > 0) {
    const o = todo.pop();
    let kind = 'refused'; // what is granted is no key, and has no type
    try {
      if (seen.has(o)) continue;
      seen.add(o);
      kind = typeof o;
    } catch {}
    if (kind === 'function') {
      for (const make of [() => o('return 41 + 1'), () => new o('return 41 + 1')]) try {
        const f = make();
        try { f.then(() => 0, () => 0); } catch {}
        const x = f();
        if (x === 42 || x.next().value === 42) made++;
      } catch {}
    }
    for (const n of names) { let x; try { x = o[n]; } catch { continue; } todo.push(x); }
    try { todo.push(Object.getPrototypeOf(o)); } catch {}
    if (kind !== 'string' && kind !== 'symbol') try { for (const n of [...Object.getOwnPropertyNames(o), ...Object.getOwnPropertySymbols(o)]) { const d = Object.getOwnPropertyDescriptor(o, n); if (d) todo.push(d.value, d.get, d.set); } } catch {}
  }
  return made === 0;
};`

func spell(program string) string {
	program = strings.ReplaceAll(program, "@{climb}@", climb)
	return repeated.ReplaceAllStringFunc(program, func(s string) string {
		m := repeated.FindStringSubmatch(s)
		text, err := strconv.Unquote(m[1])
		n, err2 := strconv.Atoi(m[2])
		if err != nil || err2 != nil {
			panic(s)
		}
		return strings.Repeat(text, n)
	})
}

// ReadHostile reads the corpus of hostile programs.
func ReadHostile(t testing.TB) (all []Hostile) {
	t.Helper()
	titles := map[string]string{}
	for _, f := range Corpus(t, "hostile", ".txt") {
		var h *Hostile
		into := func() *string { return nil }
		n := 0
		for line := range strings.Lines(f.Read()) {
			n++
			line = strings.TrimSuffix(line, "\n")
			mark, rest, _ := strings.Cut(line, " ")
			switch {
			case mark == "==":
				if other := titles[rest]; other != "" {
					t.Fatalf("%s:%d: %s has a section of this title", f.Name, n, other)
				}
				titles[rest] = f.Name
				all = append(all, Hostile{File: f.Name, Title: rest, Line: n})
				h = &all[len(all)-1]
				program := &h.Program
				into = func() *string { return program }
			case h == nil: // text before the first section describes the file
			case mark == "!" && len(h.Kinds) == 0 || mark == "!" && h.Twin == "":
				h.Kinds = append(h.Kinds, strings.Fields(rest)...)
			case mark == "%":
				var err error
				if h.Limits, err = ParseLimits(rest); err != nil {
					t.Fatalf("%s:%d: %v", f.Name, n, err)
				}
			case mark == "=" && h.Twin == "":
				h.Result = rest
			case mark == "=":
				h.TwinResult = rest
			case mark == "+" && h.Twin == "":
				h.Twin = rest + "\n"
				twin := &h.Twin
				into = func() *string { return twin }
			default:
				*into() += line + "\n"
			}
		}
	}
	for i := range all {
		h := &all[i]
		h.Fatal = slices.Contains(h.Kinds, "fatal")
		h.Kinds = slices.DeleteFunc(h.Kinds, func(k string) bool { return k == "fatal" })
		if len(h.Kinds) == 0 || h.Program == "" || h.Twin == "" {
			t.Fatalf("%s:%d: a section needs its kinds, a program and a twin", h.File, h.Line)
		}
		h.Program, h.Twin = spell(h.Program), spell(h.Twin)
	}
	return all
}

// Within returns the limits of a section. A program that may exceed its time gets only wall. Any other program gets the usual time, because
// machines can be slow.
func (h *Hostile) Within(wall time.Duration) Both {
	l := h.Limits
	if slices.Contains(h.Kinds, "limit") {
		l.Wall, l.Total = wall, 5*time.Second
	}
	return l
}

// Judge returns what is wrong with the end of a program of the corpus, or "".
func (h *Hostile) Judge(o Outcome) string {
	kind := "ok"
	if o.Result.Err != nil {
		kind = o.Kind.String()
	}
	if !slices.Contains(h.Kinds, kind) {
		return fmt.Sprintf("ended with %s, want %s: %.500s", kind, strings.Join(h.Kinds, " or "), o)
	}
	if kind == "ok" && h.Result != "" && !SameJSON(o.JSON, h.Result) {
		return fmt.Sprintf("gave %.500s, want %s", o.JSON, h.Result)
	}
	if kind == "syntax" && fail.PosOf(o.Result.Err).Line == 0 {
		return "is refused without a place: " + o.Message
	}
	return o.LeaksHost(Acme)
}

// LeaksHost names what the outcome shows but no program may show: another tenant's rows, hidden state, the environment, paths of the host,
// addresses.
func (o Outcome) LeaksHost(tenant int64) string {
	if l := o.Leaks(tenant); l != "" {
		return l + " leaves"
	}
	here, _ := os.Getwd()
	for _, s := range []string{Environment, ".go:", "goroutine ", here, filepath.Dir(os.Args[0]), "github.com/exoagent", "dop251", "runtime error", "sqlite"} {
		if strings.Contains(o.Visible(), s) {
			return fmt.Sprintf("%q leaves: %.300s", s, o.Visible())
		}
	}
	if a := address.FindString(o.Visible()); a != "" {
		return "an address of memory leaves: " + a
	}
	return ""
}

var address = regexp.MustCompile(`0x?c0[0-9a-f]{8}`)

// Environment is a text in the host's environment during tests.
const Environment = "CANARY-of-the-environment"
