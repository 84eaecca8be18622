// Release builds the command exo for each system of a release, with checksums and a list of the contents of each
// binary, and for Linux its exo-worker. It packages the binaries for npm, pip, Debian and Claude Desktop. Run it in a clone of the tagged commit:
//
//	go run ./internal/release -version v0.1.0 -o dist
//	go run ./internal/release -version v0.0.0 -here -o dist
//
// The second command builds only for this machine, without lists of contents. The same Go version gives the same bytes on any machine.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// sbom is the command that lists the modules of a binary in CycloneDX's format. go run builds it when it is needed, so that no go.mod of
// exo needs its dependencies.
const sbom = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

func main() {
	version := flag.String("version", "", "the version, as its tag")
	out := flag.String("o", "dist", "the folder for the files, which must not exist")
	here := flag.Bool("here", false, "for this machine alone, without lists of what is in the binary")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	of := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if !*here {
		of = targets()
	}
	if err := release(ctx, ".", *out, *version, of, !*here); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// targets lists the systems of a release.
func targets() (out []string) {
	for _, p := range platforms {
		out = append(out, p.target)
	}
	return out
}

// release builds the module in dir. It writes a binary and a list of contents for each target, the packages, and SHA256SUMS.
func release(ctx context.Context, dir, out, version string, targets []string, list bool) error {
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(version) {
		return fmt.Errorf("-version %q is no version: want one like v0.1.0", version)
	}
	if _, err := pythonVersion(version[1:]); err != nil { // find out before the builds whether Python can express the version
		return err
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	binaries := map[string][]string{}
	for _, target := range targets {
		binaries[target], err = build(ctx, dir, out, version, target)
		for _, binary := range binaries[target] {
			if err == nil && list {
				err = describe(ctx, binary, version)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	if err := pack(ctx, dir, out, version, binaries); err != nil {
		return err
	}
	return sums(out)
}

// build builds exo for one target. For Linux it also builds exo-worker, and exo starts no other file as its worker than this one. Elsewhere the
// file that was checked may not be the one that starts, so there is none.
func build(ctx context.Context, dir, out, version, target string) ([]string, error) {
	system, arch, _ := strings.Cut(target, "/")
	name := "_" + version + "_" + system + "_" + arch
	exo, worker := filepath.Join(out, "exo"+name), filepath.Join(out, "exo-worker"+name)
	const info = " -X github.com/exoagent/exoagent/internal/buildinfo."
	switch system {
	case "windows":
		exo += ".exe"
	case "linux":
		if err := compile(ctx, dir, worker, system, arch, "./exoeval/worker/exo-worker", ""); err != nil {
			return nil, err
		}
		body, err := os.ReadFile(worker)
		if err != nil {
			return nil, err
		}
		flags := fmt.Sprintf("%sRelease=%s%sWorker=%x", info, version, info, sha256.Sum256(body))
		return []string{exo, worker}, compile(ctx, dir, exo, system, arch, "./cmd/exo", flags)
	}
	return []string{exo}, compile(ctx, dir, exo, system, arch, "./cmd/exo", info+"Release="+version)
}

// compile builds one command. It ignores build settings in the environment, because a flag there would change the bytes. -s -w drop the
// symbols, which only a debugger needs.
func compile(ctx context.Context, dir, binary, system, arch, command, flags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="+flags, "-o", binary, command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
	_, err := output(cmd)
	return err
}

// describe writes BINARY.cdx.json. It removes the parts that differ between runs: the time, the serial number, and the checksums of the
// program that wrote them.
func describe(ctx context.Context, binary, version string) error {
	text, err := output(exec.CommandContext(ctx, "go", "run", sbom, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", version, binary))
	if err != nil {
		return err
	}
	var bom map[string]any
	if err := json.Unmarshal(text, &bom); err != nil {
		return err
	}
	meta, _ := bom["metadata"].(map[string]any)
	tools, _ := meta["tools"].([]any)
	for _, tool := range tools {
		if tool, ok := tool.(map[string]any); ok {
			delete(tool, "hashes")
		}
	}
	text, err = json.MarshalIndent(bom, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(binary+".cdx.json", append(text, '\n'), 0o666)
}

// sums writes the checksum of each file, in the form that sha256sum -c reads.
func sums(out string) error {
	files, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range files {
		in, err := os.Open(filepath.Join(out, f.Name()))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, in)
		in.Close()
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", h.Sum(nil), f.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o666)
}

// output returns the output of a command. The error contains the command's standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args[:2], " "), err, &complaint)
	}
	return out, nil
}
