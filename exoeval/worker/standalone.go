package worker

import (
	"fmt"
	"runtime/debug"

	"github.com/exoagent/exoagent/internal/wall"
)

// standalone refuses a binary whose main is not Go's: a Go library in a server of C or Python. A worker would start with that server's main,
// and run the server again.
func standalone() error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return goMain(info.Settings)
}

func goMain(settings []debug.BuildSetting) error {
	if mode := wall.BuildMode(settings); mode != "" {
		return fmt.Errorf("worker: the host was built with -buildmode=%s, so it is no Go executable, and starting it again would not start a worker. Set PoolOptions.Binary, or use exoeval.InProcess", mode)
	}
	return nil
}
