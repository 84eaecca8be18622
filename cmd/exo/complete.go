package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

// The scripts of completion.go ask this hidden command what the last word could
// be, so that what is offered is what is parsed.
func completeCommand(all func() commandList) command {
	return command{
		name:   "__complete",
		args:   "WORD...",
		short:  "list what the last word could be",
		long:   "One candidate a line, with a tab and what it is; or :files or :dirs, for the shell to list.\n",
		hidden: true,
		raw:    true, // its words are other commands' flags
		flags:  func(*flag.FlagSet) action { return all().runComplete },
	}
}

// Values of a command that stand for many: the shell lists files and folders.
const (
	anyFile    = ":files"
	anyDir     = ":dirs"
	anyCommand = ":commands"
)

func (all commandList) runComplete(_ context.Context, std stdio, words []string) error {
	for _, c := range all.candidates(words) {
		if _, err := fmt.Fprintln(std.out, c); err != nil {
			return err
		}
	}
	return nil
}

// candidates are what the last of words, empty or begun, could be.
func (all commandList) candidates(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	if len(before) == 0 {
		return all.beginning([]string{anyCommand}, last)
	}
	c, rest, ok := all.find(before[0], before[1:])
	if !ok || c.hidden {
		return nil
	}
	fs := c.flagSet()
	c.flags(fs)
	if f := valueDue(fs, rest); f != nil {
		return all.beginning(c.values["-"+f.Name], last)
	}
	if !strings.HasPrefix(last, "-") {
		if len(rest) > 0 {
			return all.beginning(c.values[""], last)
		}
		return append(all.seconds(c.name, last), all.beginning(c.values[""], last)...)
	}
	var out []string
	fs.VisitAll(func(f *flag.Flag) {
		_, text := usageOf(f)
		out = append(out, "-"+f.Name+"\t"+text)
	})
	return all.beginning(out, last)
}

// valueDue is the flag whose value comes after words, or nil.
func valueDue(fs *flag.FlagSet, words []string) *flag.Flag {
	if len(words) == 0 {
		return nil
	}
	name, ok := strings.CutPrefix(words[len(words)-1], "-")
	if !ok {
		return nil
	}
	f := fs.Lookup(strings.TrimPrefix(name, "-"))
	if f == nil {
		return nil
	}
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		return nil
	}
	return f
}

// beginning are those of values that begin with start, and what a shell lists.
func (all commandList) beginning(values []string, start string) (out []string) {
	for _, v := range values {
		switch {
		case v == anyCommand:
			for _, c := range all {
				if !c.hidden && !strings.Contains(c.name, " ") && strings.HasPrefix(c.name, start) {
					out = append(out, c.name+"\t"+c.short)
				}
			}
		case v == anyFile, v == anyDir, strings.HasPrefix(v, start):
			out = append(out, v)
		}
	}
	return out
}

// seconds are the words that can follow a command's name and make it the name of another.
func (all commandList) seconds(name, start string) (out []string) {
	for _, c := range all {
		if second, ok := strings.CutPrefix(c.name, name+" "); ok && strings.HasPrefix(second, start) {
			out = append(out, second+"\t"+c.short)
		}
	}
	return out
}
