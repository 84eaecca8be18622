package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// result is what a command line came to.
type result struct {
	code     int
	out, err string
}

// exo runs a command line in this process.
func exo(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), stdio{strings.NewReader(stdin), &out, &errs}, commands(), args)
	return result{code, out.String(), errs.String()}
}

// TestExitCodes: results go to standard output, everything else to standard error, and the
// code says which it was.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string // on the stream where it belongs
	}{
		{"", exitUsage, "usage: exo COMMAND"},
		{"help", exitDone, "usage: exo COMMAND"},
		{"-h", exitDone, "usage: exo COMMAND"},
		{"--help", exitDone, "usage: exo COMMAND"},
		{"help gen", exitDone, "usage: exo gen [flags]\n"},
		{"gen -h", exitDone, "usage: exo gen [flags]\n"},
		{"check --help", exitDone, "usage: exo check [flags] PACKAGE\n"},
		{"help help", exitDone, "usage: exo help [COMMAND]\n"},
		{"version", exitDone, "exo "},
		{"--version", exitDone, "exo "},
		{"completion zsh", exitDone, "#compdef exo"},
		{"schema", exitDone, `"$schema": "https://json-schema.org/draft/2020-12/schema"`},

		{"help nope", exitUsage, `no command "nope"`},
		{"help gen check", exitUsage, "want one command"},
		{"nope", exitUsage, `no command "nope"`},
		{"-nope", exitUsage, `no command "-nope"`},
		{"version x", exitUsage, "unexpected argument"},
		{"version -x", exitUsage, "there is no flag -x"},
		{"schema x", exitUsage, "unexpected argument"},
		{"vaildate", exitUsage, `there is no command "vaildate"; did you mean exo validate?`},
		{"help intt", exitUsage, `did you mean exo init?`},
		{"run -dryrun", exitUsage, "there is no flag -dryrun; did you mean -dry-run?"},
		{"run -wholly-other", exitUsage, "there is no flag -wholly-other; exo help run lists the flags"},
		{"xyz", exitUsage, `there is no command "xyz"; exo help lists them`},
		{"__complte", exitUsage, `exo help lists them`},
		{"completion", exitUsage, "want the name of one shell"},
		{"completion tcsh", exitUsage, `no script for "tcsh"`},
		{"help repl", exitDone, "1  a program failed"},
		{"repl ./x -help", exitDone, "usage: exo repl [flags] PACKAGE|FILE\n"},
		{"repl -db sqlite:x ./x --help", exitDone, "usage: exo repl [flags] PACKAGE|FILE\n"},
		{"repl", exitUsage, "want one package"},
		{"repl -db sqlite:x a b", exitUsage, "want one package"},
		{"repl ./there/is/none", exitUsage, "-db is missing"},
		{"repl ./there/is/none -db mysql://u:sekret@h/d", exitUsage, "no such kind of database"},
		{"repl ./there/is/none -nope", exitUsage, "there is no flag -nope"},
		{"repl ./there/is/none -as org=1", exitUsage, "given -user"},
		{"repl exo.yaml -user org=1", exitUsage, "want -as"},
		{"repl ./there/is/none -db sqlite:x -func grants", exitUsage, "want the name of an exported function"},
		{"repl ./there/is/none -db sqlite:x", exitCannot, "there/is/none"},
		{"gen", exitUsage, "-o is missing"},
		{"gen -o x", exitUsage, "-db is missing"},
		{"gen -o", exitUsage, "flag needs an argument"},
		{"gen -o x -nope", exitUsage, "there is no flag -nope"},
		{"gen extra -o x -db sqlite:x", exitUsage, `unexpected argument "extra"`},
		{"gen -o x -db sqlite:x -- -o", exitUsage, `unexpected argument "-o"`},
		{"gen -o x -db sqlite:x -ddl y", exitUsage, "give one of them"},
		{"gen -o x -ddl y", exitUsage, "-ddl needs -engine"},
		{"gen -o x -ddl y -engine mysql", exitUsage, "-ddl needs -engine"},
		{"gen -o x -ddl y -engine postgres", exitUsage, "needs -scratch"},
		{"gen -o x -ddl y -engine sqlite -scratch postgres://x/y", exitUsage, "-scratch is for"},
		{"gen -o x -db sqlite:x -scratch postgres://x/y", exitUsage, "-scratch is for"},
		{"gen -o x -ddl y -engine postgres -scratch sqlite:x", exitUsage, "-scratch: want"},
		{"gen -o x -db sqlite:x -engine sqlite", exitUsage, "-engine is for -ddl"},
		{"gen -o x -db mysql://root:sekret@h/d", exitUsage, "no such kind of database"},
		{"gen -o x -db sqlite::memory:", exitUsage, "no such kind of database"},
		{"gen -o x -db sqlite:x -schema public", exitUsage, "-schema is for PostgreSQL"},
		{"gen -o x -db sqlite:x -package type", exitUsage, "can't be the name of a package"},
		{"gen -o x -db sqlite:x -package a-b", exitUsage, "can't be the name of a package"},
		{"gen -o x -db sqlite:x -tables [", exitUsage, "is no pattern"},
		{"gen -o x -db sqlite:/there/is/none", exitCannot, "no such file"},
		{"gen -o x -ddl /there/is/none -engine sqlite", exitCannot, "no such file"},
		{"gen -o x -db postgres://u:sekret@127.0.0.1:1/d", exitCannot, "refused"},
		{"gen -o x -db postgres://u:sekret@[::1/d", exitCannot, "can't be read"},
		{"check", exitUsage, "want one package"},
		{"check -db sqlite:x", exitUsage, "want one package"},
		{"check -db sqlite:x a b", exitUsage, "want one package"},
		{"check x", exitUsage, "-db is missing"},
		{"check x -nope", exitUsage, "there is no flag -nope"},
		{"check x -db mysql:x", exitUsage, "no such kind of database"},
		{"check -db sqlite:x ./there/is/none", exitCannot, "there/is/none"},
		{"check -db sqlite:x fmt", exitCannot, "declares nothing"},
		{"check -db sqlite:x ../../exo", exitCannot, "declares nothing"},
		{"check -db sqlite:x ../../exo/...", exitUsage, "want one"},
	} {
		r := exo(t, "", strings.Fields(c.args)...)
		good, bad := r.out, r.err
		if c.code != exitDone {
			good, bad = r.err, r.out
		}
		if r.code != c.code || !strings.Contains(good, c.says) || bad != "" {
			t.Errorf("exo %s: code %d, want %d with %q\nout: %s\nerr: %s", c.args, r.code, c.code, c.says, r.out, r.err)
		}
		if strings.Contains(r.out+r.err, "sekret") {
			t.Errorf("exo %s shows the password: %s%s", c.args, r.out, r.err)
		}
		if c.code != exitDone && c.args != "" && !strings.HasPrefix(r.err, "exo") {
			t.Errorf("exo %s: the error does not say who speaks: %s", c.args, r.err)
		}
	}
}

// Each command has help that names its flags and the exit codes, and nothing but a
// hidden one is missing from the list.
func TestHelp(t *testing.T) {
	list := exo(t, "", "help").out
	for _, c := range commands() {
		if strings.Contains(list, "  "+c.name+" ") == c.hidden {
			t.Errorf("help and %s: hidden is %t:\n%s", c.name, c.hidden, list)
		}
		if c.hidden {
			continue
		}
		help := exo(t, "", "help", c.name)
		if again := exo(t, "", c.name, "-h"); again != help || help.code != exitDone {
			t.Errorf("exo %s -h is not exo help %s:\n%v", c.name, c.name, again)
		}
		fs := c.flagSet()
		c.flags(fs)
		fs.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(help.out, "\n  -"+f.Name+" ") {
				t.Errorf("help of %s does not have -%s", c.name, f.Name)
			}
		})
		for _, want := range []string{cmp.Or(c.exits, exitsOnly), c.long, sentence(c.short)} {
			if !strings.Contains(help.out, want) {
				t.Errorf("help of %s lacks %q", c.name, want)
			}
		}
	}
}

// Flags may stand behind arguments; behind -- nothing is one.
func TestFlagsAnywhere(t *testing.T) {
	var x string
	var args []string
	c := command{name: "test", flags: func(fs *flag.FlagSet) action {
		fs.StringVar(&x, "x", "", "")
		return func(_ context.Context, _ stdio, rest []string) error { args = rest; return nil }
	}}
	for line, want := range map[string]string{"": " ", "a -x 1 b": "1 a,b", "-x 1 a b": "1 a,b", "a b -x 1": "1 a,b", "-x 1 -- -x 2": "1 -x,2", "a -- b -x 2": " a,b,-x,2"} {
		x, args = "", nil
		if err := c.run(t.Context(), stdio{nil, io.Discard, io.Discard}, strings.Fields(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if got := x + " " + strings.Join(args, ","); got != want {
			t.Errorf("%q is read as %q, want %q", line, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	for want, info := range map[string]*debug.BuildInfo{
		"exo (devel) go1.26.0": {GoVersion: "go1.26.0"},
		"exo v1.2.3 go1.26.0":  {GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}},
		"exo (devel) 0123456789ab (modified) go1": {GoVersion: "go1", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}},
		"exo (devel) 0123 go1": {GoVersion: "go1", Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.modified", Value: "false"}}},
	} {
		if got := versionOf(info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStopped: Ctrl-C says so in a word, with the exit code that shells have for it. What is done is done all the same.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	t.Setenv("GRANTS_TEST_DB", "sqlite::memory:")
	path := filepath.Join(t.TempDir(), "exo.yaml")
	write(t, path, grantsOfShop)
	var out, errs bytes.Buffer
	code := run(ctx, stdio{strings.NewReader(""), &out, &errs}, commands(), []string{"run", path, "-as", "customer=1", "-e", "1"})
	if got, want := (result{code, out.String(), errs.String()}), (result{exitStopped, "", "exo run: stopped\n"}); got != want {
		t.Errorf("%+v", got)
	}
	if code := run(ctx, stdio{strings.NewReader(""), &out, &errs}, commands(), []string{"version"}); code != exitDone {
		t.Errorf("what is done is %d", code)
	}
}
