// Package buildinfo finds the version of exoagent that a process runs, for `exo version` and for the record of runs.
package buildinfo

import (
	"cmp"
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/exoagent/exoagent"

// Release is the version of a released binary. The linker sets it, because releases are built in a clone, for which Go knows no version.
var Release string

// Worker is the SHA-256, in hexadecimal, of the exo-worker of the same release. The linker sets it for systems where exo starts exo-worker.
var Worker string

// Version returns the version of exoagent in this process, in the form of Of.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return Of(info)
})

const (
	devel    = "(devel)"
	modified = "(modified)"
)

// Of returns the version of exoagent in a build: the version of the module, whether it was built alone or in a host, and for a build in a clone the
// commit.
func Of(info *debug.BuildInfo) string {
	for _, d := range info.Deps {
		if d.Path != module {
			continue
		}
		if d.Replace == nil {
			return cmp.Or(d.Version, devel)
		}
		if d.Replace.Version == "" { // a folder can have any content
			return devel
		}
		return d.Replace.Path + "@" + d.Replace.Version
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	version := cmp.Or(Release, info.Main.Version, devel)
	if rev := setting["vcs.revision"]; rev != "" {
		version += " " + rev[:min(12, len(rev))]
		if setting["vcs.modified"] == "true" {
			version += " " + modified
		}
	}
	return version
}

// Known reports whether a version identifies one source text. Builds outside a clone, or of changed files, have no such version.
func Known(version string) bool {
	return version != "" && version != devel && !strings.HasSuffix(version, modified) && !strings.HasSuffix(version, "+dirty")
}
