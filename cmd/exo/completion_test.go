package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/browsertest"
)

// What is offered, without the descriptions.
func TestCandidates(t *testing.T) {
	for line, want := range map[string]string{
		"":                     "gen check indexes repl try init validate show services budgets manifest diff run ask demo serve schema doctor help completion man version replay undo",
		"c":                    "check completion",
		"nope ":                "",
		"__complete ":          "",
		"gen -e":               "-engine",
		"gen -engine ":         "postgres sqlite",
		"gen --engine p":       "postgres",
		"gen -o ":              ":dirs",
		"gen -o x -ddl ":       ":files",
		"gen -db ":             "",
		"gen ":                 "rls store undo",
		"gen x":                "",
		"gen rls ":             ":dirs",
		"gen rls -r":           "-role",
		"gen rls -role x -d":   "-db",
		"check -json ":         ":dirs",
		"check -":              "-db -func -json -strict -user",
		"indexes -":            "-db -func -json -strict -user",
		"indexes -json ":       ":dirs",
		"completion ":          "bash fish zsh",
		"completion z":         "zsh",
		"help ":                "gen check indexes repl try init validate show services budgets manifest diff run ask demo serve schema doctor help completion man version replay undo",
		"help che":             "check",
		"check -db sqlite:x x": ":dirs",
	} {
		var got []string
		for l := range strings.Lines(exo(t, "", append([]string{"__complete"}, strings.Split(line, " ")...)...).out) {
			word, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("exo %s: %q, want %q", line, got, want)
		}
	}
	if r := exo(t, "", "__complete"); r.code != cli.ExitDone || r.out != "" {
		t.Errorf("no words at all: %v", r)
	}
}

// asProgram makes this test binary the command when it is started again.
const asProgram = "EXO_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	remove := buildOnce()
	code := m.Run()
	browsertest.End()
	remove()
	os.Exit(code)
}

// program is the command as a program of the name exo, for those who set asProgram.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "exo")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBash runs the script in bash, which completes words with it.
func TestBash(t *testing.T) {
	testutil.NotRaced(t)
	bin := program(t)
	dir := t.TempDir()
	for _, d := range []string{"shop one", "shop two"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "shop.sql"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	script := `set -eu
source <(exo completion bash)
complete -p exo
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _exo; printf '%s:' "$@"; printf ' [%s]' "${COMPREPLY[@]}"; echo; }
try exo c
try exo gen -engine p
try exo gen -o shop
try exo gen -ddl shop.
try exo gen -d
`
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	want := `complete -F _exo exo
exo:c: [check] [completion]
exo:gen:-engine:p: [postgres]
exo:gen:-o:shop: [shop one] [shop two]
exo:gen:-ddl:shop.: [shop.sql]
exo:gen:-d: [-db] [-ddl]
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
