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

	"github.com/exoagent/exoagent/internal/cli"
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
	code := cli.Run(t.Context(), cli.Stdio{In: strings.NewReader(stdin), Out: &out, Err: &errs}, commands(), args)
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
		{"", cli.ExitUsage, "usage: exo COMMAND"},
		{"help", cli.ExitDone, "usage: exo COMMAND"},
		{"-h", cli.ExitDone, "usage: exo COMMAND"},
		{"--help", cli.ExitDone, "usage: exo COMMAND"},
		{"help gen", cli.ExitDone, "usage: exo gen [flags]\n"},
		{"gen -h", cli.ExitDone, "usage: exo gen [flags]\n"},
		{"check --help", cli.ExitDone, "usage: exo check [flags] PACKAGE\n"},
		{"help help", cli.ExitDone, "usage: exo help [COMMAND]\n"},
		{"version", cli.ExitDone, "exo "},
		{"--version", cli.ExitDone, "exo "},
		{"completion zsh", cli.ExitDone, "#compdef exo"},
		{"schema", cli.ExitDone, `"$schema": "https://json-schema.org/draft/2020-12/schema"`},

		{"help nope", cli.ExitUsage, `no command "nope"`},
		{"help gen check", cli.ExitUsage, "want one command"},
		{"nope", cli.ExitUsage, `no command "nope"`},
		{"-nope", cli.ExitUsage, `no command "-nope"`},
		{"version x", cli.ExitUsage, "so leave out"},
		{"version -x", cli.ExitUsage, "there is no flag -x"},
		{"schema x", cli.ExitUsage, "so leave out"},
		{"vaildate", cli.ExitUsage, `there is no command "vaildate"; did you mean exo validate?`},
		{"help intt", cli.ExitUsage, `did you mean exo init?`},
		{"run -dryrun", cli.ExitUsage, "there is no flag -dryrun; did you mean -dry-run?"},
		{"run -wholly-other", cli.ExitUsage, "there is no flag -wholly-other; exo help run lists the flags"},
		{"xyz", cli.ExitUsage, `there is no command "xyz"; exo help lists them`},
		{"__complte", cli.ExitUsage, `exo help lists them`},
		{"completion", cli.ExitUsage, "want the name of one shell"},
		{"completion tcsh", cli.ExitUsage, `no script for "tcsh"`},
		{"help repl", cli.ExitDone, "1  a program failed"},
		{"repl ./x -help", cli.ExitDone, "usage: exo repl [flags] PACKAGE|FILE\n"},
		{"repl -db sqlite:x ./x --help", cli.ExitDone, "usage: exo repl [flags] PACKAGE|FILE\n"},
		{"repl", cli.ExitUsage, "want one Go package, or one grant file"},
		{"repl -db sqlite:x a b", cli.ExitUsage, "want one Go package, or one grant file"},
		{"repl ./there/is/none", cli.ExitUsage, "-db is missing"},
		{"repl ./there/is/none -db mysql://u:sekret@h/d", cli.ExitUsage, "the URL of the database is wrong"},
		{"repl ./there/is/none -nope", cli.ExitUsage, "there is no flag -nope"},
		{"repl ./there/is/none -as org=1", cli.ExitUsage, "write -user NAME"},
		{"repl exo.yaml -user org=1", cli.ExitUsage, "write -as CLAIMS"},
		{"repl ./there/is/none -db sqlite:x -func grants", cli.ExitUsage, "want the name of an exported function"},
		{"repl ./there/is/none -db sqlite:x", cli.ExitCannot, "there/is/none"},
		{"gen", cli.ExitUsage, "-o is missing"},
		{"gen -o x", cli.ExitUsage, "-db is missing"},
		{"gen -o", cli.ExitUsage, "flag needs an argument"},
		{"gen -o x -nope", cli.ExitUsage, "there is no flag -nope"},
		{"gen extra -o x -db sqlite:x", cli.ExitUsage, `not the argument "extra"`},
		{"gen -o x -db sqlite:x -- -o", cli.ExitUsage, `not the argument "-o"`},
		{"gen -o x -db sqlite:x -ddl y", cli.ExitUsage, "give one of -db and -ddl"},
		{"gen -o x -ddl y", cli.ExitUsage, "-ddl needs -engine"},
		{"gen -o x -ddl y -engine mysql", cli.ExitUsage, "-ddl needs -engine"},
		{"gen -o x -ddl y -engine postgres", cli.ExitUsage, "needs -scratch"},
		{"gen -o x -ddl y -engine sqlite -scratch postgres://x/y", cli.ExitUsage, "-scratch is for"},
		{"gen -o x -db sqlite:x -scratch postgres://x/y", cli.ExitUsage, "-scratch is for"},
		{"gen -o x -ddl y -engine postgres -scratch sqlite:x", cli.ExitUsage, "-scratch: want"},
		{"gen -o x -db sqlite:x -engine sqlite", cli.ExitUsage, "leave out -engine"},
		{"gen -o x -db mysql://root:sekret@h/d", cli.ExitUsage, "the URL of the database is wrong"},
		{"gen -o x -db sqlite::memory:", cli.ExitUsage, "the URL of the database is wrong"},
		{"gen -o x -db sqlite:x -schema public", cli.ExitUsage, "leave out -schema"},
		{"gen -o x -db sqlite:x -package type", cli.ExitUsage, "can't be the name of a Go package"},
		{"gen -o x -db sqlite:x -package a-b", cli.ExitUsage, "can't be the name of a Go package"},
		{"gen -o x -db sqlite:x -tables [", cli.ExitUsage, "is no pattern"},
		{"gen -o x -db sqlite:/there/is/none", cli.ExitCannot, "no such file"},
		{"gen -o x -ddl /there/is/none -engine sqlite", cli.ExitCannot, "no such file"},
		{"gen -o x -db postgres://u:sekret@127.0.0.1:1/d", cli.ExitCannot, "refused"},
		{"gen -o x -db postgres://u:sekret@[::1/d", cli.ExitCannot, "can't be read"},
		{"check", cli.ExitUsage, "want one package"},
		{"check -db sqlite:x", cli.ExitUsage, "want one package"},
		{"check -db sqlite:x a b", cli.ExitUsage, "want one package"},
		{"check x", cli.ExitUsage, "-db is missing"},
		{"check x -nope", cli.ExitUsage, "there is no flag -nope"},
		{"check x -db mysql:x", cli.ExitUsage, "the URL of the database is wrong"},
		{"check -db sqlite:x ./there/is/none", cli.ExitCannot, "there/is/none"},
		{"check -db sqlite:x fmt", cli.ExitCannot, "declares no tables"},
		{"check -db sqlite:x ../../exo", cli.ExitCannot, "declares no tables"},
		{"check -db sqlite:x ../../exo/...", cli.ExitUsage, "want one"},
	} {
		r := exo(t, "", strings.Fields(c.args)...)
		good, bad := r.out, r.err
		if c.code != cli.ExitDone {
			good, bad = r.err, r.out
		}
		if r.code != c.code || !strings.Contains(good, c.says) || bad != "" {
			t.Errorf("exo %s: code %d, want %d with %q\nout: %s\nerr: %s", c.args, r.code, c.code, c.says, r.out, r.err)
		}
		if strings.Contains(r.out+r.err, "sekret") {
			t.Errorf("exo %s shows the password: %s%s", c.args, r.out, r.err)
		}
		if c.code != cli.ExitDone && c.args != "" && !strings.HasPrefix(r.err, "exo") {
			t.Errorf("exo %s: the error does not say who speaks: %s", c.args, r.err)
		}
	}
}

// Each command has help that names its flags and the exit codes, and nothing but a
// hidden one is missing from the list.
func TestHelp(t *testing.T) {
	list := exo(t, "", "help").out
	for _, c := range commands() {
		if strings.Contains(list, "  "+c.Name+" ") == c.Hidden {
			t.Errorf("help and %s: hidden is %t:\n%s", c.Name, c.Hidden, list)
		}
		if c.Hidden {
			continue
		}
		help := exo(t, "", "help", c.Name)
		if again := exo(t, "", c.Name, "-h"); again != help || help.code != cli.ExitDone {
			t.Errorf("exo %s -h is not exo help %s:\n%v", c.Name, c.Name, again)
		}
		fs := c.FlagSet()
		c.Flags(fs)
		fs.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(help.out, "\n  -"+f.Name+" ") {
				t.Errorf("help of %s does not have -%s", c.Name, f.Name)
			}
		})
		for _, want := range []string{cmp.Or(c.Exits, cli.ExitsOnly), c.Long, cli.Sentence(c.Short)} {
			if !strings.Contains(help.out, want) {
				t.Errorf("help of %s lacks %q", c.Name, want)
			}
		}
	}
}

// Flags may stand behind arguments; behind -- nothing is one.
func TestFlagsAnywhere(t *testing.T) {
	var x string
	var args []string
	c := cli.Command{Name: "test", Flags: func(fs *flag.FlagSet) cli.Action {
		fs.StringVar(&x, "x", "", "")
		return func(_ context.Context, _ cli.Stdio, rest []string) error { args = rest; return nil }
	}}
	for line, want := range map[string]string{"": " ", "a -x 1 b": "1 a,b", "-x 1 a b": "1 a,b", "a b -x 1": "1 a,b", "-x 1 -- -x 2": "1 -x,2", "a -- b -x 2": " a,b,-x,2"} {
		x, args = "", nil
		if err := c.Run(t.Context(), cli.Stdio{In: nil, Out: io.Discard, Err: io.Discard}, strings.Fields(line)); err != nil {
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
	code := cli.Run(ctx, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}, commands(), []string{"run", path, "-as", "customer=1", "-e", "1"})
	if got, want := (result{code, out.String(), errs.String()}), (result{cli.ExitStopped, "", "exo run: stopped\n"}); got != want {
		t.Errorf("%+v", got)
	}
	if code := cli.Run(ctx, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}, commands(), []string{"version"}); code != cli.ExitDone {
		t.Errorf("what is done is %d", code)
	}
}
