package exoeval_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil"
)

var (
	attackName = regexp.MustCompile(`^(\d{3})-[a-z0-9-]+\.js$`)
	twinLine   = regexp.MustCompile(`(?m)^// (twin|no twin): *(.*)$`)
	limitsLine = regexp.MustCompile(`(?m)^// limits: *(.*)$`)
	worldLine  = regexp.MustCompile(`(?m)^// world: `)
	codeLine   = regexp.MustCompile(`(?m)^\s*[^\s/]`)
)

// TestAttacks runs the corpus of attacks. The first chunk of a file is the
// attack as a program of Acme, and how it must end. Each further chunk is a
// twin: the same thing, or what stands for it, with the guard away, where it
// must succeed; otherwise the attack would show nothing.
//
//	// twin: open      every row, every column, no limit of the host's
//	// twin: raw       bare goja, Go values handed in, SQL pasted
//	// twin: default   the usual limits instead of the small ones
//	// no twin: why    in the first chunk
//
// Those of a labelled world (// world: in the first chunk) are run by internal/dojo.TestNumberedAttacks.
func TestAttacks(t *testing.T) {
	numbers := map[string]string{}
	postgres := testutil.Postgres.Open(t)
	for _, f := range testutil.Corpus(t, "attacks", ".js") {
		m := attackName.FindStringSubmatch(f.Name)
		if m == nil {
			t.Errorf("%s: want a name like 001-what.js", f.Path)
			continue
		}
		if other := numbers[m[1]]; other != "" {
			t.Errorf("%s and %s have one number", f.Name, other)
		}
		numbers[m[1]] = f.Name
		if worldLine.MatchString(f.Read()) {
			continue
		}
		t.Run(strings.TrimSuffix(f.Name, ".js"), func(t *testing.T) {
			t.Parallel()
			attack(t, f, postgres)
		})
	}
}

func attack(t *testing.T, f *testutil.File, postgres *exosql.DB) {
	chunks, lines := testutil.Chunks(f.Read())
	program, want, err := testutil.Cut(chunks[0])
	if err != nil {
		t.Fatal(err)
	}
	limits := testutil.Both{}
	if m := limitsLine.FindStringSubmatch(chunks[0]); m != nil {
		if limits, err = testutil.ParseLimits(m[1]); err != nil {
			t.Fatal(err)
		}
	}
	db := testutil.Open(t)
	r := testutil.As(t, db, testutil.Acme, limits)
	o := r.Run(t, program)
	if p := want.Check(o); p != "" {
		t.Errorf("%s:1: %s", f.Path, p)
	}
	if l := o.Leaks(testutil.Acme); l != "" {
		t.Errorf("%s: %s leaves: %s", f.Path, l, o)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(o.Visible(), ".go:") || strings.Contains(o.Visible(), here) || strings.Contains(o.Visible(), "/etc/host") {
		t.Errorf("%s: a path of the host leaves: %s", f.Path, o)
	}
	if max := 4000; len(o.Message) > max {
		t.Errorf("%s: the message has %d bytes", f.Path, len(o.Message))
	}
	// The other principal gets nothing of Acme's, whatever else happens.
	other := testutil.As(t, db, testutil.Bolt, limits).Run(t, program)
	if l := other.Leaks(testutil.Bolt); l != "" {
		t.Errorf("%s: as Bolt, %s leaves: %s", f.Path, l, other)
	}
	if len(o.SQL) > 0 { // what queries ends the same on the other engine
		o := testutil.As(t, postgres, testutil.Acme, limits).Run(t, program)
		if p := want.Check(o); p != "" || o.Leaks(testutil.Acme) != "" {
			t.Errorf("%s:1: on PostgreSQL: %s %s: %s", f.Path, p, o.Leaks(testutil.Acme), o)
		}
	}
	// The evaluator and the database go on as if nothing had been.
	if o := r.Run(t, "return (await org.first()).id"); o.JSON != "1" {
		t.Errorf("%s: the next program gets %s", f.Path, o)
	}

	none := twinLine.FindStringSubmatch(chunks[0])
	if none != nil && none[1] == "no twin" && len(none[2]) > 10 && len(chunks) == 1 {
		return
	}
	if len(chunks) < 2 {
		t.Fatalf("%s has no twin and does not say why", f.Path)
	}
	for i, chunk := range chunks[1:] {
		at := fmt.Sprintf("%s:%d", f.Path, lines[i+1])
		m := twinLine.FindStringSubmatch(chunk)
		if m == nil || m[1] != "twin" {
			t.Fatalf("%s: the chunk does not begin with // twin:", at)
		}
		code, want, err := testutil.Cut(chunk)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		if !codeLine.MatchString(code) {
			code = program
		}
		var o testutil.Outcome
		switch m[2] {
		case "open":
			o = testutil.NewRunner(t, testutil.Unguarded(db), limits).Run(t, code)
		case "default":
			o = testutil.As(t, db, testutil.Acme, exo.Limits{}).Run(t, code)
		case "raw":
			o = runRaw(t, code)
		default:
			t.Fatalf("%s: no such twin: %q", at, m[2])
		}
		if p := want.Check(o); p != "" {
			t.Errorf("%s: the twin does not succeed: %s", at, p)
		}
	}
}
