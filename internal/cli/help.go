package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Help is the command that lists all commands, also itself.
func Help(all func() Commands) Command {
	return Command{
		Name:   "help",
		Args:   "[COMMAND]",
		Short:  "say what the commands do, or what one takes",
		Long:   "Without COMMAND it lists the commands and the exit codes.\n",
		Flags:  func(*flag.FlagSet) Action { return all().runHelp },
		Values: map[string][]string{"": {anyCommand}},
	}
}

func (all Commands) runHelp(_ context.Context, std Stdio, args []string) error {
	text := all.overview()
	if len(args) > 0 {
		c, rest, ok := all.find(args[0], args[1:])
		switch {
		case !ok:
			return all.noCommand(args[0])
		case len(rest) > 0:
			return Usagef("want one command: leave out %q after %s", rest[0], c.Name)
		}
		text = c.help()
	}
	_, err := io.WriteString(std.Out, text)
	return err
}

// overview returns the text of exo help.
func (all Commands) overview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s COMMAND [flags]\n\n", ProgramName)
	for _, c := range all {
		if !c.Hidden {
			fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Short)
		}
	}
	b.WriteString("\nexo help COMMAND says more about one of them.\n\n" + exitHelp)
	return b.String()
}

// help returns the text of exo help COMMAND, made from the declared flags.
func (c Command) help() string {
	var b strings.Builder
	fs := c.FlagSet()
	c.Flags(fs)
	fmt.Fprintf(&b, "usage: %s %s", ProgramName, c.Name)
	var flags strings.Builder
	fs.VisitAll(func(f *flag.Flag) {
		value, text := UsageOf(f)
		fmt.Fprintf(&flags, "  %-18s %s\n", strings.TrimRight("-"+f.Name+" "+value, " "), text)
	})
	if flags.Len() > 0 {
		b.WriteString(" [flags]")
	}
	if c.Args != "" {
		b.WriteString(" " + c.Args)
	}
	fmt.Fprintf(&b, "\n\n%s\n", Sentence(c.Short))
	if flags.Len() > 0 {
		b.WriteString("\n" + flags.String())
	}
	b.WriteString("\n" + c.Long + "\n" + cmp.Or(c.Exits, ExitsOnly))
	return b.String()
}

// UsageOf returns the name of a flag's value and the flag's meaning. A usage looks like "`URL`: the database".
func UsageOf(f *flag.Flag) (value, text string) {
	value, text = flag.UnquoteUsage(f)
	return value, strings.TrimPrefix(text, value+": ")
}

func Sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
