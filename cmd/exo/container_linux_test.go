package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
)

// TestContainer: what the Dockerfile builds needs no other file, no root and no right: in a folder that has nothing
// else, as the user that the Dockerfile names, every wall stands and programs run. There is no container engine
// here, so chroot takes its place; without root only the binary is tried.
func TestContainer(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	find := func(pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("the Dockerfile has no line %s", pattern)
		}
		return m[1]
	}
	first, command, user, entry := find(`(?m)^RUN (.*-o /exo-worker .*)$`), find(`(?m)^RUN (.*-o /exo \./cmd/exo)$`), find(`(?m)^USER ([1-9]\d*:[1-9]\d*)$`), find(`(?m)^ENTRYPOINT \["(.*)"\]$`)
	if find(`(?s).*\nFROM (\S+)`) != "scratch" || entry != "/exo" {
		t.Errorf("the last stage is not of scratch, or does not start %s", entry)
	}
	root := t.TempDir()
	for dir := root; dir != os.TempDir(); dir = filepath.Dir(dir) { // another user has to come in
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("sh", "-c", strings.ReplaceAll(first+" && "+command, " /exo", ` "$OUT"`))
	build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "OUT="+filepath.Join(root, "exo"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, dir := range []string{"proc", "dev", "grants"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root, "dev", "null"), "")
	url, change := database(t, "CREATE TABLE notes (id INTEGER PRIMARY KEY)")
	change("INSERT INTO notes VALUES (41), (42)")
	if err := copyFile(filepath.Join(root, "grants", "shop.db"), strings.TrimPrefix(url, "sqlite:")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "grants", "exo.yaml"), "exo: 1\nreviewed: true\ndatabases: { shop: \"sqlite:shop.db\" }\ngrants: { notes: note }\nfacets:\n  note:\n    table: notes\n    scope: shared\n    columns:\n      id:\n")
	grants, contained := filepath.Join(root, "grants"), exec.Command("unshare", "-m", "true").Run() == nil
	if contained {
		grants = "/grants"
	}
	inside := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "exo"), args...)
		if contained { // what every container has is mounted, for nobody else
			cmd = exec.Command("unshare", append([]string{"-m", "sh", "-c", `mount --rbind /proc "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec chroot --userspec=` + user + ` "$0" /exo "$@"`, root}, args...)...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		}
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("exo %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := inside("doctor"); strings.Contains(out, "MISSING") || strings.Count(out, "ok       wall, ") < 5 {
		t.Errorf("exo doctor says\n%s", out)
	}
	for program, want := range map[string]string{"1 + 1": "2\n", "notes.select(n => n.id)": "[41,42]\n"} {
		if out := inside("run", filepath.Join(grants, "exo.yaml"), "-e", program); out != want {
			t.Errorf("exo run -e '%s' says %s", program, out)
		}
	}
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
