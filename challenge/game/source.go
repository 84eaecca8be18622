package game

import (
	"runtime/debug"
	"sync"
)

// Source is the version of this program, from the binary: the revision, with "+" after local changes, or the module's version.
var Source = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return sourceOf(info)
})

func sourceOf(info *debug.BuildInfo) string {
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision != "" {
		return revision + changed
	}
	if v := info.Main.Version; v != "" {
		return v
	}
	return "unknown"
}
