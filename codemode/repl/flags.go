package repl

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/internal/zone"
)

type options struct {
	program *string // the value of -e
	file    *string // the value of -f
	ask     *string // the value of -ask
	model   string
	trace   bool
	api     bool
	flow    string
	who     string
	as      string
	db      string
	zone    string

	distrust agent.Distrust

	noHistory bool
	dryRun    bool
}

// maxProgram limits how much is read from a file or a stream. This limit is higher than the
// evaluator's limit, so that the user reads the evaluator's error.
const maxProgram = 4 << 20

func (a App) parse(args []string) (*options, error) {
	o := &options{who: a.Default}
	if a.Setup != "" {
		o.db = "sqlite::memory:"
	}
	fs := flag.NewFlagSet(a.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	once := func(p **string) func(string) error {
		return func(v string) error {
			if *p != nil {
				return errors.New("the flag is given twice: give it once")
			}
			*p = &v
			return nil
		}
	}
	fs.Func("e", "", once(&o.program))
	fs.Func("f", "", once(&o.file))
	fs.Func("ask", "", once(&o.ask))
	fs.StringVar(&o.model, "model", "", "")
	fs.BoolVar(&o.noHistory, "no-history", false, "")
	fs.BoolVar(&o.trace, "trace", false, "")
	fs.BoolVar(&o.dryRun, "dry-run", false, "")
	fs.BoolVar(&o.api, "api", false, "")
	fs.StringVar(&o.flow, "flow", "", "")
	fs.StringVar(&o.db, "db", o.db, "")
	fs.StringVar(&o.zone, "zone", "", "")
	fs.TextVar(&o.distrust, "distrust", a.Distrust, "")
	fs.StringVar(&o.who, a.Who, o.who, "")
	if a.Members != nil {
		fs.StringVar(&o.as, "as", "", "")
	}
	if err := fs.Parse(args); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: "); ok {
			return nil, fmt.Errorf("there is no flag %s", name)
		}
		return nil, err
	}
	switch {
	case fs.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; give a program with -e", fs.Arg(0))
	case o.program != nil && o.file != nil:
		return nil, errors.New("-e and -f are both given: give one program")
	case o.api && (o.program != nil || o.file != nil):
		return nil, errors.New("-api runs no program: leave out -e and -f")
	case o.flow != "" && (o.program != nil || o.file != nil || o.ask != nil || o.api):
		return nil, errors.New("-flow runs no program: leave out -e, -f, -ask and -api")
	case o.ask != nil && (o.program != nil || o.file != nil || o.api):
		return nil, errors.New("-ask asks a model for the program: leave out -e, -f and -api")
	case o.ask != nil && strings.TrimSpace(*o.ask) == "":
		return nil, errors.New("-ask: the question is empty: write it after -ask")
	case o.dryRun && o.program == nil && o.file == nil:
		return nil, errors.New("-dry-run tries one program: give it with -e or -f; at the prompt there is .begin")
	case o.db == "" && a.DB == nil:
		return nil, errors.New("which database? give -db sqlite:PATH or -db postgres://user@host/database")
	}
	if _, err := zone.Load(o.zone); err != nil {
		return nil, fmt.Errorf("-zone: %w", err)
	}
	return o, nil
}

func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, errors.New("want a whole number")
	}
	return n, nil
}

// source returns the program from -e or -f, or nil if there is neither.
func (o *options) source(stdin io.Reader) (*string, error) {
	if o.file == nil {
		return o.program, nil
	}
	in := stdin
	if *o.file != "-" {
		f, err := os.Open(*o.file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxProgram))
	if err != nil {
		return nil, fmt.Errorf("can't read the program: %w", err)
	}
	s := string(b)
	return &s, nil
}

func (a App) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: %s [flags]\n\n", a.About, a.Name)
	b.WriteString("Without -e, -f, -ask or -api: ask a model, or without a key be the model. Type programs, see the rows, the SQL and the time.\n\n")
	row := func(flag, text string) { fmt.Fprintf(&b, "  %-16s %s\n", flag, text) }
	row("-e PROGRAM", "run a program; its result is printed as JSON")
	row("-f FILE", "the same with a file; - is standard input")
	row("-dry-run", "with -e or -f: show what the program would change, and keep nothing")
	row("-ask TEXT", "ask a model once, and print its answer")
	row("-model P:NAME", "which model; without it the first key in the environment decides")
	row("-distrust WORD", "answer, chat or nothing: how long a model's programs that read what outsiders wrote are wary of it")
	db := "-db sqlite:PATH"
	if a.Setup == "" {
		row("-"+a.Who+" NAME", "on whose behalf: what the function of grants is given")
		row(db, "a database file")
		row("-db postgres:…", "a PostgreSQL database: postgres://user:password@host/database")
	} else {
		row("-"+a.Who+" N", fmt.Sprintf("on whose behalf (default %s)", a.Default))
		if a.Members != nil {
			row("-as N", "which of its members acts (default: the first)")
		}
		row(db, "a database file, made and filled if it is not there (default: in memory)")
		row("-db postgres:…", "the same in a PostgreSQL database: postgres://user:password@host/database")
	}
	row("-zone NAME", "the time zone of today and of local times, like Europe/Berlin (default: "+cmp.Or(a.Options.Zone, "UTC")+")")
	row("-api", "print what a model is shown, and end")
	row("-flow TAG", "print by which ways values with a label can leave, and end: all, pii, or \"pii chat.post\"")
	row("-trace", "the record of each run on standard error, as lines of JSON: messages, their SQL, effects")
	row("-no-history", "do not read or keep what is typed at the prompt")
	b.WriteString("\nexit: 0 with a result, 1 when a program failed, 2 when it could not be run, 130 when Ctrl-C stopped it\n\nexamples:\n")
	if a.Setup != "" {
		fmt.Fprintf(&b, "  %s\n  %s -api\n", a.Name, a.Name)
		for _, e := range a.Examples {
			fmt.Fprintf(&b, "  %s -e %s\n", a.Name, quoted(e))
		}
		fmt.Fprintf(&b, "  %s -%s 2 -trace -f program.js\n", a.Name, a.Who)
	} else {
		fmt.Fprintf(&b, "  %s -db sqlite:app.db -%s 1\n  %s -db sqlite:app.db -%s 1 -api\n", a.Name, a.Who, a.Name, a.Who)
	}
	return b.String()
}

// quoted returns s quoted for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
