package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"

	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/cli"
)

func versionCommand() cli.Command {
	return cli.Command{
		Name:  "version",
		Short: "say which version this is",
		Long:  "One line: the version of the module, the commit if it was built in a clone, and Go's version.\n",
		Flags: func(*flag.FlagSet) cli.Action { return runVersion },
	}
}

func runVersion(_ context.Context, std cli.Stdio, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("exo version takes no arguments, so leave out %q", args[0])
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("the binary does not say how it was built: build exo by go build or go install")
	}
	_, err := fmt.Fprintln(std.Out, versionOf(info))
	return err
}

// versionOf returns the line that describes a build.
func versionOf(info *debug.BuildInfo) string {
	return cli.ProgramName + " " + buildinfo.Of(info) + " " + info.GoVersion
}
