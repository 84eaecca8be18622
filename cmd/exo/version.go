package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"runtime/debug"

	"github.com/exoagent/exoagent/internal/cli"
)

// release is the version of a released binary. The linker sets it: releases are built in a clone, for which Go knows no version.
var release string

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
		return cli.Usagef("unexpected argument %q", args[0])
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("this binary does not say how it was built")
	}
	_, err := fmt.Fprintln(std.Out, versionOf(info))
	return err
}

// versionOf returns the line that describes a build.
func versionOf(info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	version := cmp.Or(release, info.Main.Version, "(devel)")
	line := cli.ProgramName + " " + version
	if rev := setting["vcs.revision"]; rev != "" {
		line += " " + rev[:min(12, len(rev))]
		if setting["vcs.modified"] == "true" {
			line += " (modified)"
		}
	}
	return line + " " + info.GoVersion
}
