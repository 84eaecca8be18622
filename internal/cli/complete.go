package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

// Complete is the hidden command that scripts of completion.go ask for possible last words. So completion offers exactly the words that the
// parser accepts.
func Complete(all func() Commands) Command {
	return Command{
		Name:   "__complete",
		Args:   "WORD...",
		Short:  "list what the last word could be",
		Long:   "One candidate a line, with a tab and what it is; or :files or :dirs, for the shell to list.\n",
		Hidden: true,
		raw:    true, // the words may be flags of other commands
		Flags:  func(*flag.FlagSet) Action { return all().runComplete },
	}
}

// With these values a shell lists files or folders, or completion lists all commands.
const (
	AnyFile    = ":files"
	AnyDir     = ":dirs"
	anyCommand = ":commands"
)

func (all Commands) runComplete(_ context.Context, std Stdio, words []string) error {
	for _, c := range all.candidates(words) {
		if _, err := fmt.Fprintln(std.Out, c); err != nil {
			return err
		}
	}
	return nil
}

// candidates lists the words that may come last on the line. The last of words is empty, or the beginning of such a word.
func (all Commands) candidates(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	if len(before) == 0 {
		return all.beginning([]string{anyCommand}, last)
	}
	c, rest, ok := all.find(before[0], before[1:])
	if !ok || c.Hidden {
		return nil
	}
	fs := c.FlagSet()
	c.Flags(fs)
	if f := valueDue(fs, rest); f != nil {
		return all.beginning(c.Values["-"+f.Name], last)
	}
	if !strings.HasPrefix(last, "-") {
		if len(rest) > 0 {
			return all.beginning(c.Values[""], last)
		}
		return append(all.seconds(c.Name, last), all.beginning(c.Values[""], last)...)
	}
	var out []string
	fs.VisitAll(func(f *flag.Flag) {
		_, text := UsageOf(f)
		out = append(out, "-"+f.Name+"\t"+text)
	})
	return all.beginning(out, last)
}

// valueDue returns the flag that needs a value after words, or nil.
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

// beginning returns the values that begin with start, and always AnyFile and AnyDir, for which the shell lists files.
func (all Commands) beginning(values []string, start string) (out []string) {
	for _, v := range values {
		switch {
		case v == anyCommand:
			for _, c := range all {
				if !c.Hidden && !strings.Contains(c.Name, " ") && strings.HasPrefix(c.Name, start) {
					out = append(out, c.Name+"\t"+c.Short)
				}
			}
		case v == AnyFile, v == AnyDir, strings.HasPrefix(v, start):
			out = append(out, v)
		}
	}
	return out
}

// seconds completes the second word of a command like `record verify`. It lists the words after name that begin with start, each with its help.
func (all Commands) seconds(name, start string) (out []string) {
	for _, c := range all {
		if second, ok := strings.CutPrefix(c.Name, name+" "); ok && strings.HasPrefix(second, start) {
			out = append(out, second+"\t"+c.Short)
		}
	}
	return out
}
