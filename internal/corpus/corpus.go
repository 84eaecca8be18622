// Package corpus runs the programs of testdata/programs: what models write, each
// with the outcome that it must have. One file is one program:
//
//	// What the user asked.
//	// as: 2                       (who runs it; 1 if left out)
//
//	the program, as the model wrote it
//
//	//=> [{"title":"Buy milk"}]    (its result; JSON may go on over // lines)
//
// Instead of its result, a file that ends with
//
//	//! denied 3:14
//	//! did you mean `title`?
//
// fails with that kind, at that place of the program (the header not counted;
// 0:0 for no place), and with a message that holds every further line. `//=> in
// any order` and the result on the lines below it, for rows that were not sorted.
// `//> text` is a line that the program must have logged.
//
// A program named in pending.txt does not have its outcome yet. The test fails as soon as the program has it, so that
// the list gets shorter.
package corpus

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
)

var update = flag.Bool("update", false, "write the outcome of programs that have none; read what it wrote!")

// Program is one file of testdata/programs.
type Program struct {
	Name    string
	Path    string
	Asked   string
	As      int64
	Source  string
	Want    *json.RawMessage // the result, or nil if the program fails
	Any     bool             // the result's items may be in any order
	Fails   bool
	Kind    string
	Line    int
	Column  int
	Has     []string // texts that the message must contain
	Logs    []string
	Pending bool
}

var fileName = regexp.MustCompile(`^[0-9]{3}-[a-z0-9-]+\.js$`)

// Read reads every program of a directory. It fails if there are fewer than minimum, or if a file
// is no program.
func Read(t testing.TB, dir string, minimum int) []*Program {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []*Program
	pending := map[string]bool{}
	numbers := map[string]string{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == "pending.txt" {
			for _, line := range readLines(t, path) {
				if name, _, _ := strings.Cut(line, " "); name != "" && name != "#" {
					pending[name] = true
				}
			}
			continue
		}
		if !fileName.MatchString(e.Name()) {
			t.Errorf("%s: the file name must be like 001-name.js, or no test reads it", path)
			continue
		}
		if n := e.Name()[:3]; numbers[n] != "" {
			t.Errorf("%s: %s has the same number: rename one of the two", path, numbers[n])
		} else {
			numbers[n] = e.Name()
		}
		p, err := parse(e.Name(), path, readLines(t, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		out = append(out, p)
	}
	for _, p := range out {
		p.Pending = pending[p.Name]
		delete(pending, p.Name)
	}
	for name := range pending {
		t.Errorf("pending.txt names %s, and there is no such program: take the line out", name)
	}
	if len(out) < minimum {
		t.Fatalf("%s has %d programs: want at least %d", dir, len(out), minimum)
	}
	return out
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

var outcome = regexp.MustCompile(`^//(=>|!|>)`)

var failsAt = regexp.MustCompile(`^([a-z]+) (\d+):(\d+)$`)

func parse(name, path string, lines []string) (*Program, error) {
	p := &Program{Name: name, Path: path, As: 1}
	for len(lines) > 0 && strings.HasPrefix(lines[0], "// ") {
		text := strings.TrimPrefix(lines[0], "// ")
		if as, ok := strings.CutPrefix(text, "as: "); ok {
			n, err := strconv.ParseInt(as, 10, 64)
			if err != nil {
				return nil, err
			}
			p.As = n
		} else {
			p.Asked += text
		}
		lines = lines[1:]
	}
	if p.Asked == "" || len(lines) == 0 || lines[0] != "" {
		return nil, fmt.Errorf("the file must begin with a comment that says what was asked, and then have an empty line")
	}
	// The last block of comment lines is the outcome, if it begins like one.
	end := len(lines)
	for end > 0 && strings.HasPrefix(lines[end-1], "//") {
		end--
	}
	if end < len(lines) && !outcome.MatchString(lines[end]) {
		end = len(lines)
	}
	p.Source = strings.Trim(strings.Join(lines[1:end], "\n"), "\n")
	if p.Source == "" {
		return nil, fmt.Errorf("the program is empty: write one after the empty line")
	}
	var want strings.Builder
	for _, line := range lines[end:] {
		switch {
		case strings.HasPrefix(line, "//=>"):
			line = strings.TrimSpace(line[4:])
			if line == "in any order" {
				p.Any, line = true, ""
			}
			want.WriteString(line)
		case strings.HasPrefix(line, "//!"):
			line = strings.TrimSpace(line[3:])
			if p.Fails {
				p.Has = append(p.Has, line)
				continue
			}
			m := failsAt.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("the first //! line must be like `//! denied 3:7`, with the kind, line and column of the error, not %q", line)
			}
			p.Fails, p.Kind = true, m[1]
			p.Line, _ = strconv.Atoi(m[2])
			p.Column, _ = strconv.Atoi(m[3])
		case strings.HasPrefix(line, "//>"):
			p.Logs = append(p.Logs, strings.TrimPrefix(line[3:], " "))
		default:
			want.WriteString(line[2:])
		}
	}
	if want.Len() > 0 {
		raw := json.RawMessage(want.String())
		if !json.Valid(raw) {
			return nil, fmt.Errorf("the result after //=> is no JSON: write the JSON that the program returns")
		}
		p.Want = &raw
	}
	if p.Fails && (p.Want != nil || len(p.Has) == 0) {
		return nil, fmt.Errorf("a program that fails can't have a //=> result, and must have a second //! line with a part of its message")
	}
	return p, nil
}

// Check compares the outcome of a program with the outcome in its file.
func Check(t *testing.T, p *Program, res *codemode.Result) {
	t.Helper()
	if p.Want == nil && !p.Fails {
		if !*update {
			t.Fatalf("%s has no outcome; run with -update to write the one that it has now", p.Name)
		}
		p.write(t, res)
		return
	}
	var wrong []string
	if p.Fails {
		wrong = p.checkFailure(res)
	} else {
		wrong = p.checkResult(res)
	}
	for _, l := range p.Logs {
		if !strings.Contains("\n"+res.Console, "\n"+l+"\n") {
			wrong = append(wrong, fmt.Sprintf("the program did not log %q, but %q", l, res.Console))
		}
	}
	switch {
	case p.Pending && len(wrong) == 0:
		t.Errorf("%s does what it should: take it out of pending.txt", p.Name)
	case p.Pending:
		t.Skipf("pending: %s", strings.Join(wrong, "; "))
	default:
		for _, w := range wrong {
			t.Error(w)
		}
	}
	if t.Failed() {
		t.Logf("asked: %s\n%s", p.Asked, p.Source)
	}
}

func (p *Program) checkFailure(res *codemode.Result) (wrong []string) {
	e := res.Err
	if e == nil {
		return []string{fmt.Sprintf("the program returned %s, and should fail with an error of kind %s", res.JSON, p.Kind)}
	}
	at, message := fail.PosOf(e), fail.GuestText(e)
	if fail.KindOf(e).String() != p.Kind || at.Line != p.Line || at.Column != p.Column {
		wrong = append(wrong, fmt.Sprintf("the program failed with the error %s %d:%d (%s); want %s %d:%d", fail.KindOf(e), at.Line, at.Column, message, p.Kind, p.Line, p.Column))
	}
	for _, h := range p.Has {
		if !strings.Contains(message, h) {
			wrong = append(wrong, fmt.Sprintf("the message %q does not contain %q", message, h))
		}
	}
	return wrong
}

func (p *Program) checkResult(res *codemode.Result) []string {
	if res.Err != nil {
		return []string{fmt.Sprintf("failed: %v", res.Err)}
	}
	got, err := decode(res.JSON)
	if err != nil {
		return []string{fmt.Sprintf("the result is no JSON: %v: %s", err, res.JSON)}
	}
	want, err := decode(*p.Want)
	if err != nil {
		return []string{err.Error()}
	}
	if p.Any {
		sortItems(got)
		sortItems(want)
	}
	if !reflect.DeepEqual(got, want) {
		return []string{fmt.Sprintf("gave %s\nwant %s", res.JSON, *p.Want)}
	}
	return nil
}

func decode(b []byte) (v any, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// sortItems sorts a list by the JSON of its items.
func sortItems(v any) {
	list, _ := v.([]any)
	text := func(i int) string { b, _ := json.Marshal(list[i]); return string(b) }
	sort.Slice(list, func(i, j int) bool { return text(i) < text(j) })
}

// write adds the outcome to a new program's file.
func (p *Program) write(t *testing.T, res *codemode.Result) {
	t.Helper()
	out := "\n//=> " + string(res.JSON) + "\n"
	if e := res.Err; e != nil {
		out = fmt.Sprintf("\n//! %s %d:%d\n//! %s\n", fail.KindOf(e), fail.PosOf(e).Line, fail.PosOf(e).Column, strings.ReplaceAll(fail.GuestText(e), "\n", " "))
	}
	f, err := os.OpenFile(p.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(out); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: wrote its outcome; check that it is right", p.Name)
}
