package main

import (
	"bytes"
	"context"
	"flag"
	"os"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/demo"
)

func demoCommand() cli.Command {
	return cli.Command{
		Name:  "demo",
		Short: "show one injected ticket against a tool that takes SQL and against this one",
		Long: `Plays a story on two lanes: a support ticket holds an instruction, and a model that obeys it works once with a tool that
takes SQL and once with exoagent. It shows line by line what left, what did not, and why. Both lanes run what the model
asks for, on databases of their own in a temporary folder; the model is a script. It needs no key and no network.

-html writes the story as a page instead.
`,
		Flags: func(fs *flag.FlagSet) cli.Action {
			page := fs.String("html", "", "`FILE`: write a page to it")
			return func(ctx context.Context, std cli.Stdio, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("exo demo takes no arguments, so leave out %q", args[0])
				}
				return runDemo(ctx, std, *page)
			}
		},
		Values: map[string][]string{"-html": {cli.AnyFile}},
	}
}

func runDemo(ctx context.Context, std cli.Stdio, page string) error {
	played, err := cli.During(std, "playing both lanes", func(cli.Stdio) (*demo.Played, error) { return demo.Play(ctx) })
	if err != nil {
		return err
	}
	if page == "" {
		width := 100
		if f, ok := std.Out.(*os.File); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				width = w
			}
		}
		return played.Text(std.Out, width)
	}
	var b bytes.Buffer
	if err := played.HTML(&b); err != nil {
		return err
	}
	return atomicfile.Create(page, b.Bytes(), 0o644)
}
