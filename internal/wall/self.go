package wall

// This file checks whether this binary can be started again as another process.

import (
	"fmt"
	"runtime/debug"
)

// BuildMode returns a binary's build mode if its main is not Go's, otherwise "". A Go library in a server of C or Python would start with that
// server's main, which would run the server again.
func BuildMode(settings []debug.BuildSetting) string {
	for _, s := range settings {
		if s.Key == "-buildmode" && s.Value != "exe" && s.Value != "pie" {
			return s.Value
		}
	}
	return ""
}

// standalone refuses a binary whose main is not Go's.
func standalone() error {
	if info, ok := debug.ReadBuildInfo(); ok {
		if mode := BuildMode(info.Settings); mode != "" {
			return fmt.Errorf("this program was built with -buildmode=%s, so starting its file again would run the main of another language: build a Go executable without -buildmode", mode)
		}
	}
	return nil
}
