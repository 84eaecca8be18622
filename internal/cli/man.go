package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Man is the command that writes the manual pages of all commands.
func Man(all func() Commands) Command {
	return Command{
		Name:  "man",
		Args:  "DIR",
		Short: "write the manual pages, of exo and of each command",
		Long: `They say what exo help says, and are made of the same text: DIR/exo.1, and DIR/exo-COMMAND.1 for each command. A page of
that name which is there already is written over. DIR has to be there.

examples:
  exo man ~/.local/share/man/man1
  man exo-serve
`,
		Flags:  func(*flag.FlagSet) Action { return all().runMan },
		Values: map[string][]string{"": {AnyDir}},
	}
}

func (all Commands) runMan(_ context.Context, std Stdio, args []string) error {
	if len(args) != 1 {
		return Usagef("want one directory for the pages, not %d arguments", len(args))
	}
	pages := map[string]string{ProgramName: all.manOverview()}
	for _, c := range all {
		if !c.Hidden {
			pages[c.Page()] = c.man()
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(args[0], name+".1"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(std.Out, "%s: %d pages\n", args[0], len(pages))
	return err
}

// Page returns the name of a command's page, in git's style: exo-gen-rls.
func (c Command) Page() string { return ProgramName + "-" + strings.ReplaceAll(c.Name, " ", "-") }

// roff is a page under construction, in the macros of man(7).
type roff struct{ strings.Builder }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// roffText escapes our own text within a line.
func roffText(s string) string { return roffEscapes.Replace(s) }

// line writes one line of text. A first character that would begin a request is escaped.
func (r *roff) line(s string) {
	if strings.HasPrefix(s, ".") {
		r.WriteString(`\&`)
	}
	r.WriteString(roffText(s) + "\n")
}

// macro writes a request. Each argument is escaped and stays one argument.
func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, a := range args {
		r.WriteString(` "` + roffText(a) + `"`)
	}
	r.WriteString("\n")
}

// head begins a page. It has no date, so the same commands give the same page.
func (r *roff) head(page, short string) {
	r.macro("TH", strings.ToUpper(page), "1", "", ProgramName, "exo's manual")
	r.macro("SH", "NAME")
	r.line(page + " - " + short)
}

// prose writes text of this program: it fills paragraphs and keeps indented lines. "examples:" becomes a section.
func (r *roff) prose(text string) {
	fixed, fresh := false, true
	end := func() {
		if fixed {
			r.WriteString(".fi\n.RE\n")
		}
		fixed = false
	}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		inner := strings.HasPrefix(l, "  ")
		switch {
		case l == "":
			fresh = true
			continue
		case l == "examples:":
			end()
			r.macro("SH", "EXAMPLES")
			fresh = false
			continue
		case inner && !fixed:
			r.WriteString(".PP\n.RS 4\n.nf\n")
			fixed = true
		case inner && fresh:
			r.WriteString("\n")
		case !inner && (fixed || fresh):
			end()
			r.WriteString(".PP\n")
		}
		fresh = false
		if fixed {
			l = l[2:]
		}
		r.line(l)
	}
	end()
}

// exits writes a text of exit codes. Each code begins a line; its text may continue on the next lines.
func (r *roff) exits(text string) {
	r.macro("SH", "EXIT STATUS")
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		code, what, _ := strings.Cut(strings.TrimSpace(l), " ")
		switch {
		case !strings.HasPrefix(l, " "): // this is the heading "exit codes:"
		case len(code) == 1 && code[0] >= '0' && code[0] <= '9':
			r.WriteString(".TP\n")
			r.macro("B", code)
			r.line(strings.TrimSpace(what))
		default:
			r.line(strings.TrimSpace(l))
		}
	}
}

// man returns the page of a command, made from the parts of its help.
func (c Command) man() string {
	r := &roff{}
	r.head(c.Page(), c.Short)
	fs := c.FlagSet()
	c.Flags(fs)
	r.macro("SH", "SYNOPSIS")
	r.macro("B", ProgramName+" "+c.Name)
	var flags int
	fs.VisitAll(func(*flag.Flag) { flags++ })
	if flags > 0 {
		r.line("[flags]")
	}
	if c.Args != "" {
		r.line(c.Args)
	}
	if c.Long != "" {
		about, examples, _ := strings.Cut("\n"+c.Long, "\nexamples:\n")
		r.macro("SH", "DESCRIPTION")
		r.prose(about)
		if flags > 0 {
			r.macro("SH", "OPTIONS")
			fs.VisitAll(func(f *flag.Flag) {
				value, text := UsageOf(f)
				r.WriteString(".TP\n.BI \"" + roffText("-"+f.Name) + "\" \"" + roffText(strings.TrimRight(" "+value, " ")) + "\"\n")
				r.line(Sentence(text))
			})
		}
		if examples != "" {
			r.prose("examples:\n" + examples)
		}
	}
	r.exits(cmp.Or(c.Exits, ExitsOnly))
	r.macro("SH", "SEE ALSO")
	r.line(ProgramName + "(1)")
	return r.String()
}

// manOverview returns the page of exo itself: its commands, and the page of each.
func (all Commands) manOverview() string {
	r := &roff{}
	r.head(ProgramName, "let model-written programs use a database, and nothing else of it than was granted")
	r.macro("SH", "SYNOPSIS")
	r.macro("B", ProgramName)
	r.line("COMMAND [flags]")
	r.macro("SH", "COMMANDS")
	var pages []string
	for _, c := range all {
		if c.Hidden {
			continue
		}
		pages = append(pages, c.Page()+"(1)")
		r.WriteString(".TP\n")
		r.macro("B", c.Name)
		r.line(Sentence(c.Short))
	}
	r.exits(exitHelp)
	r.macro("SH", "SEE ALSO")
	r.line(strings.Join(pages, ", "))
	return r.String()
}
