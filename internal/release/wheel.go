package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// preRelease matches the tags with versions that Python can express: v0.1.0-rc.1 is 0.1.0rc1.
var preRelease = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)

// pythonVersion writes a version in the form of PEP 440.
func pythonVersion(version string) (string, error) {
	m := preRelease.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("%s can't be the version of a Python package: want one like 0.1.0, 0.1.0-rc.1, 0.1.0-beta.1 or 0.1.0-alpha.1", version)
	}
	return m[1] + map[string]string{"": "", "alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
}

// wheel makes the package for pip, for one platform. It has the Python client, and the binaries as commands.
func wheel(src *source, p platform, commands []entry) (string, []byte, error) {
	version, err := pythonVersion(src.version)
	if err != nil {
		return "", nil, err
	}
	tag := p.wheel
	switch system, _, _ := strings.Cut(p.target, "/"); system {
	case "linux":
		for _, c := range commands { // the wheel's tag claims static binaries
			err = errors.Join(err, static(c.body))
		}
	case "darwin":
		tag, err = macOS(commands[0].body)
		tag = "macosx_" + tag + "_" + p.wheel
	}
	if err != nil {
		return "", nil, err
	}
	info := "exoagent-" + version + ".dist-info/"
	metadata := "Metadata-Version: 2.1\nName: exoagent\nVersion: " + version + "\nSummary: " + about + "\nHome-page: " + homepage +
		"\nLicense: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + absolute(string(src.readme))
	tags := ""
	for t := range strings.SplitSeq(tag, ".") {
		tags += "Tag: py3-none-" + t + "\n"
	}
	entries := append(slices.Concat(src.python, in("exoagent-"+version+".data/scripts", commands)),
		entry{info + "LICENSE", 0o644, src.license}, text(info+"METADATA", metadata),
		text(info+"WHEEL", "Wheel-Version: 1.0\nGenerator: exoagent/internal/release\nRoot-Is-Purelib: false\n"+tags),
		text(info+"entry_points.txt", "[console_scripts]\nexoagent = exoagent:main\n"))
	var record strings.Builder
	for _, e := range entries {
		sum := sha256.Sum256(e.body)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.body))
	}
	entries = append(entries, text(info+"RECORD", record.String()+info+"RECORD,,\n"))
	body, err := zipped(entries...)
	return "exoagent-" + version + "-py3-none-" + tag + ".whl", body, err
}

// absolute makes relative links in the Python client's page lead to the project's pages.
func absolute(page string) string {
	return strings.NewReplacer("](../", "]("+homepage+"/blob/main/", "](exoagent/", "]("+homepage+"/blob/main/python/exoagent/").Replace(page)
}
