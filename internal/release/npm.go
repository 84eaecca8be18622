package main

import (
	_ "embed"
	"strings"
)

// launcher is the script of the command exo in the main npm package. It starts the binary of the platform.
//
//go:embed exo.js
var launcher []byte

// npmMain makes the main package: a launcher with an optional dependency for each platform. npm installs only the dependency that fits.
func npmMain(src *source) (string, []byte, error) {
	needs := map[string]string{}
	for _, p := range platforms {
		needs["@exoagent/exo-"+p.node] = src.version
	}
	manifest := asJSON("package.json", map[string]any{
		"name": "exoagent", "version": src.version, "description": about, "license": "MIT", "homepage": homepage,
		"repository": map[string]string{"type": "git", "url": "git+" + homepage + ".git"},
		"bin":        map[string]string{"exo": "bin/exo.js", "exoagent": "bin/exo.js"}, // npx runs the command with the name of the package
		"engines":    map[string]string{"node": ">=18"}, "optionalDependencies": needs,
	})
	page := "# exoagent\n\n" + about + "\n\n`npx exoagent try URL` opens a terminal on one tenant of your database. See " + homepage + ".\n"
	body, err := tarball("package", manifest, text("README.md", page), entry{"LICENSE", 0o644, src.license}, entry{"bin/exo.js", 0o755, launcher})
	return "exoagent-" + src.version + ".tgz", body, err
}

// npmBinary makes the package of one platform.
func npmBinary(src *source, p platform, commands []entry) (string, []byte, error) {
	system, cpu, _ := strings.Cut(p.node, "-")
	manifest := asJSON("package.json", map[string]any{
		"name": "@exoagent/exo-" + p.node, "version": src.version, "description": "exo for " + p.node + ", which the package exoagent starts", "license": "MIT", "homepage": homepage,
		"repository": map[string]string{"type": "git", "url": "git+" + homepage + ".git"},
		"os":         []string{system}, "cpu": []string{cpu}, "preferUnplugged": true,
	})
	body, err := tarball("package", append(in("bin", commands), manifest, entry{"LICENSE", 0o644, src.license})...)
	return "exoagent-exo-" + p.node + "-" + src.version + ".tgz", body, err
}
