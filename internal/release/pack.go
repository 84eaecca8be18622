package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/printable"
)

// This file has the common parts of a release's packages. Each package contains the binaries of the release, byte for byte, and has the same
// bytes each time: entries have a fixed order, one time and two modes.

// about begins the description of each package.
const about = "Programs of a language model on granted rows of SQLite and PostgreSQL"

const homepage = "https://github.com/exoagent/exoagent"

// platform is a target, with its names in package managers.
type platform struct {
	target string
	node   string // the values of process.platform and process.arch
	wheel  string // the tag of a wheel; on macOS without the version
	debian string // Debian's name of the architecture; "" if Debian lacks it
}

var platforms = []platform{
	{"linux/amd64", "linux-x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "amd64"},
	{"linux/arm64", "linux-arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "arm64"},
	{"darwin/amd64", "darwin-x64", "x86_64", ""},
	{"darwin/arm64", "darwin-arm64", "arm64", ""},
	{"windows/amd64", "win32-x64", "win_amd64", ""},
	{"windows/arm64", "win32-arm64", "win_arm64", ""},
}

// exe returns the name of the binary in a package.
func (p platform) exe() string {
	if strings.HasPrefix(p.target, "windows/") {
		return "exo.exe"
	}
	return "exo"
}

// commands returns the binaries with their names in a package. The first is exo.
func (p platform) commands(binaries []string) (out []entry, err error) {
	for i, name := range []string{p.exe(), "exo-worker"}[:len(binaries)] {
		body, failed := os.ReadFile(binaries[i])
		out, err = append(out, entry{name, 0o755, body}), errors.Join(err, failed)
	}
	return out, err
}

// in returns the entries below a folder.
func in(folder string, entries []entry) (out []entry) {
	for _, e := range entries {
		out = append(out, entry{path.Join(folder, e.name), e.mode, e.body})
	}
	return out
}

// source is what packages contain in addition to the binaries.
type source struct {
	version string // the version without the v
	license []byte
	readme  []byte  // the page of the Python client
	python  []entry // the modules of the Python client
	manual  []entry // manual pages and completions, at Debian's places
}

// entry is a file of a package.
type entry struct {
	name string
	mode fs.FileMode
	body []byte
}

func text(name, body string) entry { return entry{name, 0o644, []byte(body)} }

// asJSON makes an entry with v as JSON, with sorted keys.
func asJSON(name string, v any) entry {
	return entry{name, 0o644, append(printable.MarshalIndent(v, "", "  "), '\n')}
}

// pack writes the packages for binaries, by target. The argument dir is a clone of the repository.
func pack(ctx context.Context, dir, out, version string, binaries map[string][]string) error {
	src := &source{version: strings.TrimPrefix(version, "v")}
	var err error
	if src.license, err = os.ReadFile(filepath.Join(dir, "LICENSE")); err != nil {
		return err
	}
	if src.readme, err = os.ReadFile(filepath.Join(dir, "python", "README.md")); err != nil {
		return err
	}
	modules, err := os.ReadDir(filepath.Join(dir, "python", "exoagent"))
	if err != nil {
		return err
	}
	for _, m := range modules {
		if m.IsDir() { // skip folders, which have Python's compiled files
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, "python", "exoagent", m.Name()))
		if err != nil {
			return err
		}
		src.python = append(src.python, entry{"exoagent/" + m.Name(), 0o644, body})
	}
	if src.manual, err = manual(ctx, dir, binaries[runtime.GOOS+"/"+runtime.GOARCH]); err != nil {
		return err
	}
	write := func(name string, body []byte, err error) error {
		if err == nil {
			err = os.WriteFile(filepath.Join(out, name), body, 0o666)
		}
		return err
	}
	name, body, err := npmMain(src)
	if err := write(name, body, err); err != nil {
		return err
	}
	for _, p := range platforms {
		if binaries[p.target] == nil {
			continue
		}
		commands, err := p.commands(binaries[p.target])
		if err != nil {
			return err
		}
		for _, make := range []func(*source, platform, []entry) (string, []byte, error){npmBinary, wheel, mcpb, deb} {
			name, body, err := make(src, p, commands)
			if name == "" && err == nil {
				continue
			}
			if err := write(name, body, err); err != nil {
				return fmt.Errorf("%s: %w", p.target, err)
			}
		}
	}
	return nil
}

// manual returns the manual pages and the completions of shells, as exo prints them. They are the same for all systems. The argument
// built has the binaries for this machine, if there are any.
func manual(ctx context.Context, dir string, built []string) ([]entry, error) {
	pages, err := os.MkdirTemp("", "man")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(pages)
	run := func(args ...string) ([]byte, error) {
		command := append([]string{"go", "run", "./cmd/exo"}, args...)
		if len(built) > 0 {
			command = append(built[:1:1], args...)
		}
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir = dir
		return output(cmd)
	}
	if _, err := run("man", pages); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, f := range files {
		body, err := os.ReadFile(filepath.Join(pages, f.Name()))
		if err == nil {
			body, err = gzipped(body)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, entry{"usr/share/man/man1/" + f.Name() + ".gz", 0o644, body})
	}
	for shell, at := range map[string]string{"bash": "bash-completion/completions/exo", "fish": "fish/vendor_completions.d/exo.fish", "zsh": "zsh/vendor-completions/_exo"} {
		body, err := run("completion", shell)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{"usr/share/" + at, 0o644, body})
	}
	return out, nil
}

// epoch is the time of all entries, the earliest that a zip can have.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func gzipped(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // the header has no name and no time
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// tarball makes a compressed tar of the entries below root, sorted by name. With the root "." it has the folders, too, which dpkg needs.
func tarball(root string, entries ...entry) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	made := map[string]bool{}
	var folder func(name string) error
	folder = func(name string) error {
		if made[name] || root != "." {
			return nil
		}
		made[name] = true
		at := "./"
		if name != "." {
			if err := folder(path.Dir(name)); err != nil {
				return err
			}
			at += name + "/"
		}
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: at, Mode: 0o755, ModTime: epoch, Format: tar.FormatUSTAR})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for _, e := range entries {
		err := folder(path.Dir(e.name))
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: root + "/" + e.name, Mode: int64(e.mode), Size: int64(len(e.body)), ModTime: epoch, Format: tar.FormatUSTAR})
		}
		if err == nil {
			_, err = w.Write(e.body)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return gzipped(b.Bytes())
}

// zipped makes a zip with the entries in their order.
func zipped(entries ...entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch}
		h.SetMode(e.mode)
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write(e.body)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// static fails if a Linux binary needs a library. A static binary runs with glibc and with musl.
func static(exe []byte) error {
	f, err := elf.NewFile(bytes.NewReader(exe))
	if err != nil {
		return err
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			libraries = append(libraries, "a loader")
		}
	}
	if len(libraries) > 0 {
		return fmt.Errorf("the binary is not static, since it needs %v: build it with CGO_ENABLED=0", libraries)
	}
	return nil
}

// macOS returns the first version of macOS that can run a binary, like "12_0". Go's linker wrote it into the binary.
func macOS(exe []byte) (string, error) {
	const buildVersion = 0x32 // LC_BUILD_VERSION has the command, its size, the platform, and the version
	f, err := macho.NewFile(bytes.NewReader(exe))
	if err != nil {
		return "", err
	}
	for _, l := range f.Loads {
		if raw := l.Raw(); len(raw) >= 16 && binary.LittleEndian.Uint32(raw) == buildVersion {
			v := binary.LittleEndian.Uint32(raw[12:])
			return fmt.Sprintf("%d_%d", v>>16, v>>8&0xff), nil
		}
	}
	return "", errors.New("the binary does not name the macOS version that it needs")
}
