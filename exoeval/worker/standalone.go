package worker

import (
	"fmt"
	"runtime/debug"
)

// standalone refuses a binary whose main is not Go's. A Go library in a server of
// C or Python would be started with that server's main, which would run again.
func standalone() error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return goMain(info.Settings)
}

func goMain(settings []debug.BuildSetting) error {
	for _, s := range settings {
		if s.Key == "-buildmode" && s.Value != "exe" && s.Value != "pie" {
			return fmt.Errorf("worker: this is no Go executable but built with -buildmode=%s: starting it again would run its main; set PoolOptions.Binary, or use exoeval.InProcess", s.Value)
		}
	}
	return nil
}
