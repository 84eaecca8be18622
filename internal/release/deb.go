package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// deb makes the package for Debian and Ubuntu, with the commands, its manual pages and its completions. A .deb is an ar archive of three files.
func deb(src *source, p platform, commands []entry) (string, []byte, error) {
	if p.debian == "" {
		return "", nil, nil
	}
	version := strings.ReplaceAll(src.version, "-", "~") // with ~ a pre-release sorts before its release
	files := slices.Concat(in("usr/bin", commands), []entry{{"usr/share/doc/exoagent/copyright", 0o644, src.license}}, src.manual)
	size := 0
	for _, f := range files {
		size += (len(f.body) + 1023) / 1024
	}
	control := fmt.Sprintf("Package: exoagent\nVersion: %s\nArchitecture: %s\nMaintainer: exoagent <exoagent@users.noreply.github.com>\nInstalled-Size: %[4]d\nSection: database\nPriority: optional\nHomepage: %[3]s\nDescription: %[5]s\n",
		version, p.debian, homepage, size, about)
	meta, err := tarball(".", text("control", control))
	if err != nil {
		return "", nil, err
	}
	data, err := tarball(".", files...)
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, e := range []entry{text("debian-binary", "2.0\n"), {"control.tar.gz", 0o644, meta}, {"data.tar.gz", 0o644, data}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", e.name, epoch.Unix(), 0, 0, 0o100000|e.mode, len(e.body))
		b.Write(e.body)
		if len(e.body)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return "exoagent_" + version + "_" + p.debian + ".deb", b.Bytes(), nil
}
