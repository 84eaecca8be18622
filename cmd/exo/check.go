package main

import "flag"

func checkCommand() command {
	return command{name: "check", args: "PACKAGE", short: "compare the declarations of a Go package with a database", flags: func(fs *flag.FlagSet) action { return nil }}
}
