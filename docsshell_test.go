package exoagent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkShell checks the commands of a block: that bash reads them, that a command of this
// module has each flag, and that a package, a test and a path of an address exist.
func checkShell(t *testing.T, b *block) {
	if out, err := exec.Command("bash", "-n", "-c", b.text).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := strings.ReplaceAll(b.text, "\\\n", " ")
	for line := range strings.Lines(text) {
		checkLine(t, line)
	}
}

func checkLine(t *testing.T, line string) {
	t.Helper()
	words := shellWords(line)
	for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) > 0 {
		checkCommand(t, words)
	}
}

// shellWords are the words of a line, without quotes and without a comment.
func shellWords(line string) (out []string) {
	for _, w := range regexp.MustCompile(`#.*|(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") {
			break
		}
		out = append(out, strings.NewReplacer("'", "", `"`, "").Replace(w))
	}
	return out
}

func checkCommand(t *testing.T, words []string) {
	t.Helper()
	name, args := words[0], words[1:]
	switch {
	case name == "go" && args[0] == "run":
		checkPackage(t, args[1])
		checkOwn(t, strings.TrimPrefix(args[1], "./"), args[2:])
	case name == "go" && args[0] == "tool":
		checkOwn(t, "cmd/"+args[1], args[2:])
	case name == "exo":
		checkOwn(t, "cmd/exo", args)
	case name == "challenge":
		checkOwn(t, "challenge", args)
	case name == "go":
		checkGoCommand(t, args)
	case name == "./test.sh":
		script, err := os.ReadFile("test.sh")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range args {
			if !regexp.MustCompile(`(?m)^\s*(\S+\|)*` + regexp.QuoteMeta(a) + `(\|\S+)*\)`).Match(script) {
				t.Errorf("test.sh does not take %s", a)
			}
		}
	case name == "curl":
		address := args[slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "http") })]
		path := strings.Split(strings.TrimPrefix(address, "http://"), "/")
		out, _ := exec.Command("grep", "-rl", "--include=*.go", "/"+path[1], "challenge").Output()
		if len(out) == 0 {
			t.Errorf("nothing answers at /%s", path[1])
		}
	case slices.Contains([]string{"git", "cd", "psql", "systemctl", "install", "docker"}, name): // of the system, and parsed
	default:
		t.Errorf("nothing checks the command %s", name)
	}
}

// checkOwn checks the flags of a command of this module against its help.
func checkOwn(t *testing.T, dir string, args []string) {
	t.Helper()
	bin := built[dir]
	help := [][]string{{"-h"}}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		help = [][]string{{args[0], "-h"}, {"help", args[0]}}
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") { // gen rls
			help = append(help, []string{"help", args[0], args[1]})
		}
	}
	var text string
	for _, h := range help {
		cmd := exec.Command("go", append([]string{"run", "./" + dir}, h...)...)
		if bin != "" {
			cmd = exec.Command(bin, h...)
		}
		out, _ := cmd.CombinedOutput()
		text += string(out)
	}
	for _, a := range args {
		flag, _, _ := strings.Cut(a, "=")
		if strings.HasPrefix(flag, "-") && flag != "-h" && !regexp.MustCompile(`(?m)^\s+`+regexp.QuoteMeta(flag)+`(\s|$)`).MatchString(text) {
			t.Errorf("%s has no flag %s:\n%s", dir, flag, text)
		}
		if strings.HasPrefix(a, "challenge/") {
			checkPackage(t, "./"+a)
		}
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.Contains(text, args[0]) {
		t.Errorf("%s has no command %s", dir, args[0])
	}
}

// checkGoCommand checks a command of Go: its flags, its packages, and the tests and
// benchmarks that it names.
func checkGoCommand(t *testing.T, args []string) {
	t.Helper()
	topic, rest := []string{args[0]}, args[1:]
	if args[0] == "mod" {
		topic, rest = args[:2], args[2:]
	}
	help, err := exec.Command("go", append([]string{"help"}, topic...)...).Output()
	if err != nil {
		t.Fatalf("go help %v: %v", topic, err)
	}
	text := string(help)
	for _, more := range []string{"build", "testflag"} {
		out, _ := exec.Command("go", "help", more).Output()
		text += string(out)
	}
	pattern := ""
	for i, a := range rest {
		flag, _, _ := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(a, "-"):
			if !strings.Contains(text, "\t"+flag) && !strings.Contains(text, " "+flag) {
				t.Errorf("go %s has no flag %s", topic, flag)
			}
			if (a == "-run" || a == "-bench") && rest[i+1] != "XXX" {
				pattern = rest[i+1]
			}
		case strings.HasPrefix(a, "./"):
			checkPackage(t, a)
			if pattern != "" {
				checkNames(t, a, pattern)
			}
		}
	}
}

func checkNames(t *testing.T, dir, pattern string) {
	t.Helper()
	for name := range declared(t, strings.TrimPrefix(dir, "./")).tests {
		if ok, err := regexp.MatchString(pattern, strings.TrimPrefix(strings.TrimPrefix(name, "Test"), "Benchmark")); ok || err != nil {
			return
		}
	}
	t.Errorf("%s has no test or benchmark for %s", dir, pattern)
}

func checkPackage(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(filepath.FromSlash(strings.TrimSuffix(path, "/..."))); err != nil || !info.IsDir() {
		t.Errorf("there is no folder %s", path)
	}
}
