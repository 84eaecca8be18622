package buildinfo

import (
	"runtime/debug"
	"testing"
)

// TestOf: the version is that of this module, also where it is part of a host, and only a version that names one source text is known.
func TestOf(t *testing.T) {
	main := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Path: module, Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	dep := func(d debug.Module) *debug.BuildInfo {
		info := main("v9.9.9", "vcs.revision", "of the host")
		info.Main.Path, d.Path = "example.com/host", module
		info.Deps = []*debug.Module{{Path: "example.com/other", Version: "v8.8.8"}, &d}
		return info
	}
	for _, c := range []struct {
		info  *debug.BuildInfo
		want  string
		known bool
	}{
		{main(""), "(devel)", false},
		{main("(devel)"), "(devel)", false},
		{main("v1.2.3"), "v1.2.3", true},
		{main("(devel)", "vcs.revision", "0123456789abcdef", "vcs.modified", "false"), "(devel) 0123456789ab", true},
		{main("(devel)", "vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "(devel) 0123456789ab (modified)", false},
		{main("v0.0.0-20260101000000-0123456789ab+dirty"), "v0.0.0-20260101000000-0123456789ab+dirty", false},
		{dep(debug.Module{Version: "v1.2.3"}), "v1.2.3", true},
		{dep(debug.Module{Version: "v1.2.3", Replace: &debug.Module{Path: "../exoagent"}}), "(devel)", false},
		{dep(debug.Module{Version: "v1.2.3", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.2.4"}}), "example.com/fork@v1.2.4", true},
	} {
		if got := Of(c.info); got != c.want || Known(got) != c.known {
			t.Errorf("%q, known: %v; want %q, %v", got, Known(got), c.want, c.known)
		}
	}
	if Version() == "" || Known("") {
		t.Error("a version is empty")
	}
}
