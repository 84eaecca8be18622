package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// helpCommand says what the commands do, itself among them.
func helpCommand(all func() commandList) command {
	return command{
		name:   "help",
		args:   "[COMMAND]",
		short:  "say what the commands do, or what one takes",
		long:   "Without COMMAND it lists the commands and the exit codes.\n",
		flags:  func(*flag.FlagSet) action { return all().runHelp },
		values: map[string][]string{"": {anyCommand}},
	}
}

func (all commandList) runHelp(_ context.Context, std stdio, args []string) error {
	text := all.overview()
	if len(args) > 0 {
		c, rest, ok := all.find(args[0], args[1:])
		switch {
		case !ok:
			return all.noCommand(args[0])
		case len(rest) > 0:
			return usagef("want one command, not %q after %s", rest[0], c.name)
		}
		text = c.help()
	}
	_, err := io.WriteString(std.out, text)
	return err
}

// overview is what exo help says.
func (all commandList) overview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s COMMAND [flags]\n\n", programName)
	for _, c := range all {
		if !c.hidden {
			fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.short)
		}
	}
	b.WriteString("\nexo help COMMAND says more about one of them.\n\n" + exitHelp)
	return b.String()
}

// help is what exo help COMMAND says, made of the flags as they are declared.
func (c command) help() string {
	var b strings.Builder
	fs := c.flagSet()
	c.flags(fs)
	fmt.Fprintf(&b, "usage: %s %s", programName, c.name)
	var flags strings.Builder
	fs.VisitAll(func(f *flag.Flag) {
		value, text := usageOf(f)
		fmt.Fprintf(&flags, "  %-18s %s\n", strings.TrimRight("-"+f.Name+" "+value, " "), text)
	})
	if flags.Len() > 0 {
		b.WriteString(" [flags]")
	}
	if c.args != "" {
		b.WriteString(" " + c.args)
	}
	fmt.Fprintf(&b, "\n\n%s\n", sentence(c.short))
	if flags.Len() > 0 {
		b.WriteString("\n" + flags.String())
	}
	b.WriteString("\n" + c.long + "\n" + cmp.Or(c.exits, exitsOnly))
	return b.String()
}

// usageOf is a flag's value and what it means. Usages are written "`URL`: the database".
func usageOf(f *flag.Flag) (value, text string) {
	value, text = flag.UnquoteUsage(f)
	return value, strings.TrimPrefix(text, value+": ")
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
